"""``holodeck validate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holodeck_cli.shared_options import EnvFile

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def validate(
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="The agent file.")] = Path("agent.yaml"),
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as problems.")] = False,
    show_settings: Annotated[
        bool,
        typer.Option("--show-settings", help="Print each execution setting and where it was set."),
    ] = False,
    env_file: EnvFile = None,
    json: Annotated[bool, typer.Option("--json", help="Print problems and warnings as JSON.")] = False,
) -> int:
    """Check an agent file and its cases without sending anything to the agent.

    Exit codes: 0 everything is valid; 2 there are problems.
    """
    from holodeck_cli.early_end import guarded, tell_loading_ended
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.loading import agent_file, load
    from holodeck_cli.problems import count_line, problem_lines
    from holodeck_cli.settings_table import settings_table
    from holodeck_cli.streams import tell, tell_error
    from holodeck_core import ConfigError, Problem, Setting

    agent = agent_file(agent)
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    settings: tuple[Setting, ...] = ()
    cases = None
    try:
        with guarded(tell_loading_ended):
            suite = load(agent, env_file=env_file, to_run=False)
        warnings, cases = suite.warnings, len(suite.cases)
        if show_settings and suite.settings is not None:
            settings = tuple(suite.settings)
    except ConfigError as error:
        problems = error.problems
    if json:
        from holodeck_cli.json_text import json_text

        found = {
            "valid": not (problems or (strict and warnings)),
            "cases": cases,
            "problems": [problem._asdict() for problem in problems],
            "warnings": [warning._asdict() for warning in warnings],
        }
        if show_settings:
            found["settings"] = [setting._asdict() for setting in settings]
        tell(json_text(found))
    else:
        for problem in problems:
            tell_error(problem_lines(problem))
        for warning in warnings:
            tell_error(problem_lines(warning, "warning: "))
        if problems:
            tell_error(count_line(problems))
        elif warnings:
            tell_error(count_line(warnings, "warning"))
        if settings:
            tell(settings_table(settings))
        if not (problems or (strict and warnings)):
            tell(f"{agent}: valid, {cases} case{'' if cases == 1 else 's'}")
    return ExitCode.USAGE if problems or (strict and warnings) else ExitCode.OK
