"""Which cases a run is of: by their names, by their tags, and by what became of them before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.select_cases import has_tag, name_test
from holodeck_core import BoundCase, RunError
from holodeck_core.api.suite import CaseSource
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.engine.stored import read_run
from holodeck_core.models import Selection
from holodeck_core.redaction import MASK
from holodeck_core.text import one_line

_LOOKED_AT: Final = 2_000
_TAGS_SHOWN: Final = 20

CaseTest: TypeAlias = Callable[[BoundCase], bool]


def case_test(selection: Selection | None, runs: Path) -> CaseTest | None:
    """Whether a case is selected; None where all are. ``runs`` holds the run that ``last_failed`` names.

    Raises UsageMistake for what is no expression, and for a run that is not there.
    """
    tests = [] if selection is None else list(_tests(selection, runs))
    return (lambda case: all(test(case) for test in tests)) if tests else None


def selects_none(selection: Selection, cases: CaseSource) -> str:
    """What to say where a selection leaves no case: with the tag or the name that comes near, or the tags there are."""
    asked = [] if selection.name is None else [f"-k {selection.name!r}"]
    asked += [f"--tag {tag!r}" for tag in selection.tags]
    asked += [] if selection.last_failed is None else [f"--last-failed (of {selection.last_failed})"]
    return f"no test cases: {' '.join(asked)} selects none of {len(cases)}{_meant(selection, cases)}"


def _meant(selection: Selection, cases: CaseSource) -> str:
    looked_at = list(islice(cases, _LOOKED_AT))
    tags = dict.fromkeys(tag for case in looked_at for tag in case.tags)
    unknown = [tag for tag in selection.tags if tag not in tags]
    for tag in unknown:
        if hint := did_you_mean(tag, tags):
            return f": there is no tag {tag!r}{hint}"
    if unknown:
        shown = ", ".join(islice(tags, _TAGS_SHOWN))
        return f": the tags are {one_line(shown)}" if tags else ": no case has a tag"
    names = [case.label for case in looked_at]
    if selection.name is None and not selection.tags and selection.last_failed is not None:
        return ": none of them failed in that run"
    if selection.name is None or any(map(name_test(selection.name), names)):
        return ""
    return did_you_mean(selection.name, names)


def _tests(selection: Selection, runs: Path) -> Iterable[CaseTest]:
    if selection.name is not None:
        try:
            named = name_test(selection.name)
        except ValueError as error:
            raise UsageMistake(f"-k {error}") from None
        yield lambda case: named(case.label)
    if selection.tags:
        yield lambda case: has_tag(case.tags, selection.tags)
    if selection.last_failed is not None:
        try:
            yield did_not_pass(read_run(runs / selection.last_failed).records())
        except RunError as error:
            raise UsageMistake(f"--last-failed: {error}") from None


def did_not_pass(records: Iterable[dict[str, Any]]) -> CaseTest:
    """Whether a case is one of those that did not pass: the very same one, wherever it stands by now, or one of its
    name, whatever it says by now. A case without a name is also known by its place, and so is one whose name holds a
    secret, which is not kept."""
    failed = [record for record in records if record.get("status") != "passed"]
    hashes = {str(record.get("case_hash")) for record in failed}
    names = {str(record.get("test_name")) for record in failed if record.get("test_name") is not None}
    unnamed = {record["index"] for record in failed if record.get("test_name") is None}
    masked = {record["index"] for record in failed if MASK in str(record.get("test_name"))}

    def test(case: BoundCase) -> bool:
        known = case.index in unnamed if case.name is None else case.name in names or case.index in masked
        return known or case.content_hash in hashes

    return test
