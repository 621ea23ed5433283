"""An agent file, loaded for a command."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from holodeck_cli.ending import expect_leftovers
from holodeck_cli.log import guard_log
from holodeck_cli.patience import patience
from holodeck_cli.problems import problem_lines
from holodeck_cli.streams import hide, tell_error
from holodeck_core import ConfigError, Problem, Suite, load_suite
from holodeck_core.text import one_line

_WARNINGS_SHOWN = 20
_DEFAULT = "agent.yaml"


def agent_file(path: Path) -> Path:
    """The agent file that is meant: of a folder, its ``agent.yaml``."""
    return path / _DEFAULT if path.is_dir() else path


def load(
    path: Path,
    settings: Mapping[str, object] | None = None,
    env_file: Path | None = None,
    *,
    to_run: bool = True,
) -> Suite:
    """The suite, whose secrets the program does not tell from then on, and whose folder stays importable; says so on
    standard error where checking takes over a second. Raises ConfigError.

    With ``to_run=False`` what is missing on this machine to run the agent is a warning.
    """
    expect_leftovers()
    with patience(f"checking {path}"):
        try:
            suite = load_suite(path, settings=settings, env_file=env_file, to_run=to_run)
        except ConfigError as error:
            raise ConfigError(_with_advice(path, error.problems)) from error
    hide(suite.secrets)
    guard_log()
    # For what an agent imports only when it is called, and for processes that it starts. Last, so that nothing beside
    # the file is taken for a module that HoloDeck or a library imports late.
    sys.path.append(str(path.absolute().parent))
    return suite


def _with_advice(path: Path, problems: Sequence[Problem]) -> Sequence[Problem]:
    """The problems, or in their place what to do where the path is not that of an agent file at all."""
    if path.suffix == ".py" and path.is_file():
        what = f'this is Python, not an agent file: write an agent file with model.agent: "{path.stem}:…"'
        return [Problem(f"{what}, and name that", one_line(str(path)))]
    if path.name == _DEFAULT and not path.exists() and problems[0].message == "there is no such file":
        advice = "; name the agent file, or make a new one with 'holodeck init NAME'"
        return [problems[0]._replace(message=problems[0].message + advice), *problems[1:]]
    return problems


def tell_warnings(suite: Suite) -> None:
    """Show the warnings on standard error, the first of them where there are many."""
    for warning in suite.warnings[:_WARNINGS_SHOWN]:
        tell_error(problem_lines(warning, "warning: "))
    if (more := len(suite.warnings) - _WARNINGS_SHOWN) > 0:
        tell_error(f"{more} more warnings; holodeck validate shows all")
