"""What a run is, for its report and its folder."""

from __future__ import annotations

import os
import platform
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from holodeck_core.api.suite import FILE_IN_FINGERPRINT, Suite
from holodeck_core.engine.repeats import RepeatOptions
from holodeck_core.models.cost import PricedModel
from holodeck_core.models.run_head import RunHead, Selection
from holodeck_core.models.test_result import ReportSummary, TestReport
from holodeck_core.plugins.distributions import core_version
from holodeck_core.redaction import Redactor

_GIT_TIMEOUT_S = 5


def new_run_id() -> str:
    """Sorts by the time at which it was made, and is unique."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def describe_environment(plugins: Mapping[str, str]) -> dict[str, str]:
    """The versions of Python, of the platform and of the plugins in use."""
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{f"plugin {name}": version for name, version in sorted(plugins.items())},
    }


def describe_run(
    suite: Suite, run_id: str, started_at: datetime, selection: Selection | None, repeats: RepeatOptions
) -> RunHead:
    """What is known of a run when it begins, without secrets. Asks git for the commit, and so may take a moment."""
    secrets = suite.secrets
    path = None if suite.path is None else suite.path.resolve()
    return RunHead(
        run_id=run_id,
        agent_name=secrets.redact_shown(suite.agent.name),
        agent_config_path=None if suite.path is None else path_text(suite.path),
        agent_file=None if path is None else path_text(path),
        started_at=started_at,
        holodeck_version=core_version(),
        environment=describe_environment(suite.plugins),
        plugins=dict(suite.plugins),
        git_commit=None if path is None else _git_commit(path.parent),
        fingerprint=dict(suite.fingerprint),
        configuration=secrets.redact_value(dict(suite.configuration)),
        model=priced_model(suite),
        selection=None if selection is None else _told(selection, secrets),
        repeat=repeats.repeat,
        all_repeats=repeats.all_repeats,
    )


def head_of_report(
    suite: Suite, run_id: str, started_at: datetime, summary: ReportSummary, *, complete: bool
) -> TestReport:
    """The report of a run, but for its results."""
    return TestReport(
        run_id=run_id,
        complete=complete,
        agent_name=suite.secrets.redact_shown(suite.agent.name),
        agent_config_path=None if suite.path is None else str(suite.path),
        results=[],
        summary=summary,
        timestamp=started_at,
        holodeck_version=core_version(),
        environment=describe_environment(suite.plugins),
    )


def priced_model(suite: Suite) -> PricedModel:
    """Whose tokens the suite's agent uses, without secrets."""
    model = suite.agent.model
    told: PricedModel = PricedModel.model_validate(
        suite.secrets.redact_value(
            {"provider": model.provider, "name": model.name, "endpoint": _origin(model.endpoint)}
        )
    )
    return told


def _origin(endpoint: str | None) -> str | None:
    """An address without what may be private in it: scheme and host."""
    if endpoint is None:
        return None
    try:
        address = urlsplit(endpoint)
        return f"{address.scheme}://{address.hostname or ''}"
    except ValueError:
        return ""


def _told(selection: Selection, secrets: Redactor) -> Selection:
    return Selection.model_validate(secrets.redact_value(selection.model_dump()))


def path_text(path: Path) -> str:
    """The path as ``run.json`` has it: what is no text in a file's name is replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def what_changed(head: RunHead, suite: Suite) -> list[str]:
    """What results of the described run cannot be mixed with those of the suite for; empty where nothing stands in
    the way. Cases and execution settings may differ."""
    changes = []
    before, now = head.fingerprint, suite.fingerprint
    for section in sorted({*before, *now}):
        path = section.removeprefix(FILE_IN_FINGERPRINT)
        what = f"`{section}` of the agent file" if path == section else f"the file {path}"
        if section not in before:
            changes.append(f"{what} was added")
        elif section not in now:
            changes.append(f"{what} was removed")
        elif before[section] != now[section]:
            changes.append(f"{what} has changed")
    if before.get("model") == now.get("model") and head.model is not None:
        changes += _variables_changed(head.model, priced_model(suite))
    for plugin in sorted({*head.plugins, *suite.plugins}):
        old, new = head.plugins.get(plugin), suite.plugins.get(plugin)
        if old != new:
            changes.append(f"the plugin {plugin} was {old or 'not used'} and is {new or 'not used'}")
    return changes


def _variables_changed(before: PricedModel, now: PricedModel) -> Iterator[str]:
    """What variables have made of the same words of the file."""
    for key in ("name", "endpoint"):
        old, new = getattr(before, key), getattr(now, key)
        if old != new:
            yield f"`model.{key}` was {old or 'not set'} and is {new or 'not set'}, by a variable"


def _git_commit(folder: Path) -> str | None:
    """The commit that is checked out where the agent file lies; None outside of git."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - the git of the user's own path
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
