"""Where the cases of a suite come from: the agent file, a file of cases, or JSON Lines read as a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from holodeck_core.api.suite import BoundCase, CaseSource
from holodeck_core.config.binding.agent_sections import AgentSections
from holodeck_core.config.binding.case import CaseBinder
from holodeck_core.config.binding.referenced import check_case_files
from holodeck_core.config.messages.valid_keys import shown_key
from holodeck_core.config.messages.validate import distinct, validate
from holodeck_core.config.reading.decode import display, open_file
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.gc_pause import collection_paused
from holodeck_core.config.reading.json_lines import JsonLine, iter_lines
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.config.reading.read import read_document
from holodeck_core.config.reading.shapes import CASES
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.config.warnings.suite import SuiteWarnings
from holodeck_core.errors import ConfigError, Problem, RunError
from holodeck_core.models.test_case import TestCaseModel

MAX_PROBLEMS = 100

_FILE_KEY: Final = "test_cases_file"
_LIST_KEY: Final = "test_cases"


@attrs.frozen
class FirstReading:
    """What is looked at when a case is checked, and not again when it is run: whether its files are there, below
    ``folder``, and what is worth a warning."""

    folder: Path
    warnings: SuiteWarnings | None


class JsonLinesCases:
    """The cases of a JSON Lines file that was checked. Each reading binds them anew, one at a time."""

    def __init__(self, path: Path, binder: CaseBinder, count: int, stamp: tuple[int, int] | None) -> None:
        self._path = path.absolute()  # an agent may change the working directory
        self._shown = display(path)
        self._binder = binder
        self._count = count
        self._stamp = stamp

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[BoundCase]:
        if stamp(self._path) != self._stamp:
            raise self._changed()
        for index, line in enumerate(iter_lines(self._path, shown=self._shown)):
            bound = bind_line(line, index, self._binder, [])
            if bound is None:
                raise self._changed()
            yield attrs.evolve(bound[1], content_hash=self._binder.content_hash(line.value))

    def _changed(self) -> RunError:
        return RunError(f"{self._shown} has changed since it was checked: start again")


def stamp(path: Path) -> tuple[int, int] | None:
    """What changes when a file does: its size, and when it was last written. None where it is gone."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def bind_value(
    value: Any,
    index: int,
    document: Document,
    path: DocumentPath,
    line: int,
    binder: CaseBinder,
    problems: list[Problem],
    first: FirstReading | None,
) -> tuple[TestCaseModel, BoundCase] | None:
    """The case that is written as ``value`` in ``line``; None where it has mistakes, which go to ``problems``."""
    before = len(problems)
    if first is not None:
        check_case_files(value, first.folder, document, path, problems)
    model = validate(TestCaseModel, value, document, path, problems)
    if model is None:
        binder.check_parts(value, index, document, path, problems)
        return None
    case = binder.bind(model, index, document, path, document.source_of(line), problems)
    if len(problems) != before:
        return None
    if first is not None and first.warnings is not None:
        first.warnings.add_case(case, model, document, path, line)
    return model, case


def bind_line(
    line: JsonLine, index: int, binder: CaseBinder, problems: list[Problem], first: FirstReading | None = None
) -> tuple[TestCaseModel, BoundCase] | None:
    """The case of one line; None where it has mistakes, which go to ``problems`` in the order of the line."""
    found = list(line.problems)
    bound = None
    if isinstance(line.value, dict):
        bound = bind_value(line.value, index, line, (), line.line or 0, binder, found, first)
    if not found:
        return bound
    problems += sorted(distinct(found, line.problems), key=_position)
    return None


def check_json_lines(
    path: Path, binder: CaseBinder, problems: list[Problem], first: FirstReading
) -> CaseSource:
    """Check every line. At most ``MAX_PROBLEMS`` mistakes are kept; a last one counts those that are not."""
    with open_file(path, twice=True):
        checked = stamp(path)
    found: list[Problem] = []
    left_out = count = 0
    for index, line in enumerate(iter_lines(path)):
        count += 1
        bind_line(line, index, binder, found, first)
        left_out += max(0, len(found) - MAX_PROBLEMS)
        del found[MAX_PROBLEMS:]
    if left_out:
        found.append(Problem(f"and {left_out} more problem{'' if left_out == 1 else 's'}", str(path)))
    problems.extend(found)
    return JsonLinesCases(path, binder, count, checked)


def listed_cases(
    document: Document,
    path: DocumentPath,
    values: Sequence[Any],
    binder: CaseBinder,
    problems: list[Problem],
    first: FirstReading,
) -> tuple[list[TestCaseModel], list[BoundCase]]:
    """The models and the bound cases of the list ``values``, which stands in a document at ``path``."""
    models: list[TestCaseModel] = []
    bound: list[BoundCase] = []
    with collection_paused():
        for index, value in enumerate(values):
            place = (*path, index)
            line = document.line_of(place)
            made = bind_value(value, index, document, place, line, binder, problems, first)
            if made is not None:
                models.append(made[0])
                bound.append(attrs.evolve(made[1], content_hash=binder.content_hash(value)))
    return models, bound


def find_cases(
    document: Document,
    folder: Path,
    sections: AgentSections,
    binder: Callable[[Path], CaseBinder],
    warnings: SuiteWarnings | None,
    problems: list[Problem],
) -> tuple[list[TestCaseModel] | None, CaseSource]:
    """The cases of an agent file: its own, or those of the file that ``test_cases_file`` names.

    The models are None where they are not held in memory. ``folder`` is the agent file's; ``binder`` makes a binder for
    the folder that paths in the cases start from; ``warnings`` are given the cases that have no mistakes.
    """
    own = document.value.get(_LIST_KEY)
    if isinstance(own, list):
        first = FirstReading(folder, warnings)
        return listed_cases(document, (_LIST_KEY,), own, binder(folder), problems, first)
    if sections.test_cases_file is None:
        return None, []
    path = folder / sections.test_cases_file
    first = FirstReading(path.parent, warnings)
    try:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            return None, check_json_lines(path, binder(path.parent), problems, first)
        listed = read_document(path, CASES)
    except ConfigError as error:
        problems.extend(_placed(problem, document) for problem in error.problems)
        return None, []
    found = list(listed.problems)
    values, at = _values_of(listed, found)
    models, cases = listed_cases(listed, at, values, binder(path.parent), found, first)
    problems += sorted(distinct(found, listed.problems), key=_position)
    return models, cases


def _position(problem: Problem) -> tuple[int, int]:
    return problem.line or 0, problem.column or 0


def _placed(problem: Problem, document: Document) -> Problem:
    """A problem with a whole file has its place where the agent file names it."""
    if problem.line is not None:
        return problem
    return document.problem(f"{problem.file}: {problem.message}", (_FILE_KEY,))


def _values_of(listed: Document, problems: list[Problem]) -> tuple[list[Any], DocumentPath]:
    """The cases in a file of cases, and where they stand in it."""
    if isinstance(listed.value, list):
        return listed.value, ()
    for key in listed.value:
        if key != _LIST_KEY and not key.startswith("x-"):
            hint = did_you_mean(key, [_LIST_KEY]) or f": a file of cases has only `{_LIST_KEY}`"
            problems.append(listed.problem(f"unknown key {shown_key(key)}{hint}", (key,), key=True))
    values = listed.value.get(_LIST_KEY)
    if isinstance(values, list):
        return values, (_LIST_KEY,)
    problems.append(listed.problem("must be a list of test cases", (_LIST_KEY,), missing=True))
    return [], ()
