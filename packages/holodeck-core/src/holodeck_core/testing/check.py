"""Whether a plugin keeps the contract: what ``holodeck plugins check`` tells, and ``check_plugin`` in a test."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import attrs

from holodeck_core.api.backend import Backend
from holodeck_core.api.faults import describe
from holodeck_core.api.matcher import Matcher
from holodeck_core.api.metric import Metric
from holodeck_core.api.reporter import Reporter
from holodeck_core.api.validator import Validator
from holodeck_core.config.binding.options import options_of
from holodeck_core.errors import BrokenPlugin, UnknownName
from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.records import PluginRecord, full_name
from holodeck_core.testing.light_import import what_is_heavy
from holodeck_core.testing.smoke import Skipped, call_once

Rule: TypeAlias = Literal["entry-point", "hooks", "light", "summary", "target", "options", "call"]
Status: TypeAlias = Literal["ok", "failed", "skipped"]

BASES: Final[dict[Kind, type | None]] = {
    "matcher": Matcher,
    "metric": Metric,
    "grader": None,
    "backend": Backend,
    "reporter": Reporter,
    "validator": Validator,
    "command": None,
}
"""What the target of a contribution is a subclass of; a grader is any callable, a command a ``typer.Typer``."""

_WITH_OPTIONS: Final = ("metric", "backend", "reporter")


@attrs.frozen
class Finding:
    """What came of one rule. ``subject`` is the plugin's id, or the kind and the name of a contribution."""

    rule: Rule
    subject: str
    status: Status
    message: str = ""

    def __str__(self) -> str:
        return ": ".join(part for part in (self.status, self.rule, self.subject, self.message) if part)


@attrs.frozen
class PluginCheck:
    """Every rule with what came of it, for one plugin. ``str()`` of it has a line for each."""

    id: str
    distribution: str
    version: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether the plugin falls short of nothing; what could not be looked at does not count."""
        return not self.failed

    @property
    def failed(self) -> tuple[Finding, ...]:
        """What the plugin falls short of."""
        return tuple(finding for finding in self.findings if finding.status == "failed")

    def assert_ok(self) -> None:
        """Raise AssertionError that tells everything the plugin falls short of."""
        if not self.ok:
            raise AssertionError("\n".join([f"{self.distribution} {self.version}", *map(str, self.failed)]))

    def __str__(self) -> str:
        return "\n".join([f"{self.id}: {self.distribution} {self.version}", *map(str, self.findings)])


def check_plugin(plugin_id: str, *, host: PluginHost | None = None, call: bool = True) -> PluginCheck:
    """Hold an installed plugin against the contract.

    Its targets are imported, and, unless ``call`` is False, each is called once with made-up values: a metric and a
    grader with a turn, a reporter with a run, and so on; no conversation is opened with a backend. Raises UnknownName
    for a plugin that is not installed. A distribution of that id that is not the one that counts is a failure, too.
    """
    host = PluginHost() if host is None else host
    own = _records(plugin_id, host)
    counts = next(
        (record for record in own if record.status in ("ok", "broken") and record.contributions), own[0]
    )
    findings = [finding for record in own for finding in _findings(record, host, call)]
    return PluginCheck(plugin_id, counts.distribution, counts.version, tuple(findings))


def _records(plugin_id: str, host: PluginHost) -> list[PluginRecord]:
    """All distributions of that id; the one that counts, and no other plugin, is imported."""

    def known() -> list[PluginRecord]:
        return [record for record in host.records(load=False) if record.id == plugin_id]

    own = known()
    if own and all(record.module is None for record in own):
        return own
    host.record(plugin_id)
    return known()


def _findings(record: PluginRecord, host: PluginHost, call: bool) -> Iterator[Finding]:
    if record.module is None:
        for problem in record.problems:
            yield Finding("entry-point", record.id, "failed", f"{record.status}: {problem}")
        return
    yield Finding("entry-point", record.id, "ok")
    yield from _told("hooks", record.id, record.problems)
    if record.contributions:
        yield from _told("light", record.id, what_is_heavy(record.module, _targets(record)))
    for kind, contributions in record.contributions.items():
        for contribution in contributions:
            yield from _of_contribution(kind, contribution, record, host, call)


def _targets(record: PluginRecord) -> list[str]:
    return [each.target for contributions in record.contributions.values() for each in contributions]


def _told(rule: Rule, subject: str, problems: Iterable[str]) -> Iterator[Finding]:
    problems = list(problems)
    yield from (Finding(rule, subject, "failed", problem) for problem in problems)
    if not problems:
        yield Finding(rule, subject, "ok")


def _of_contribution(
    kind: Kind, contribution: Contribution, record: PluginRecord, host: PluginHost, call: bool
) -> Iterator[Finding]:
    name = full_name(record.id, contribution.name)
    subject = f"{kind} {name}"
    empty = [] if contribution.summary.strip() else ["it has no summary; listings and editors show it"]
    yield from _told("summary", subject, empty)
    try:
        target = host.resolve(kind, name, BASES[kind]).object
    except (BrokenPlugin, UnknownName) as error:
        yield Finding("target", subject, "failed", str(error))
        return
    if why := _wrong_target(kind, target):
        yield Finding("target", subject, "failed", f"{contribution.target} {why}")
        return
    yield Finding("target", subject, "ok")
    if kind in _WITH_OPTIONS:
        problems = list(_wrong_options(target))
        yield from _told("options", subject, problems)
        if problems:
            return
    if call:
        yield _called(kind, target, contribution.target, subject)


def _wrong_target(kind: Kind, target: Any) -> str | None:
    if kind == "grader":
        return None if callable(target) else f"is of type {type(target).__name__}, which cannot be called"
    if kind == "command":
        is_typer = type(target).__name__ == "Typer" and type(target).__module__.partition(".")[0] == "typer"
        return None if is_typer else f"is of type {type(target).__name__}, not a typer.Typer"
    return None


def _wrong_options(target: Any) -> Iterator[str]:
    try:
        options_of(target).model_json_schema()
    except ValueError as error:
        yield str(error)
    except BaseException as error:  # noqa: BLE001 - boundary: the schema of a plugin's options is made by its code
        pass_interruptions(error)
        yield f"its Options give no JSON Schema: {describe(error)}"


def _called(kind: Kind, value: Any, target: str, subject: str) -> Finding:
    try:
        call_once(kind, value)
    except Skipped as reason:
        return Finding("call", subject, "skipped", str(reason))
    except BaseException as error:  # noqa: BLE001 - boundary: the code of a plugin
        pass_interruptions(error)
        return Finding("call", subject, "failed", f"{describe(error)}{_place(error, target)}")
    return Finding("call", subject, "ok")


def _place(error: BaseException, target: str) -> str:
    """`` (file.py:12 in function)`` for the innermost place in the plugin's own code where the exception came from."""
    top = sys.modules.get(target.partition(":")[0].partition(".")[0])
    file = getattr(top, "__file__", None)
    if file is None:
        return ""
    own = str(Path(file).parent if hasattr(top, "__path__") else file)
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename.startswith(own)]
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name})" if frames else ""
