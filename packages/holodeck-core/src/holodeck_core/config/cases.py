"""Where the cases of a suite come from: the agent file, a file of cases, or JSON Lines read as a stream."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path as FilePath
from typing import Any

from holodeck_core.api.suite import BoundCase, CaseSource
from holodeck_core.config.bind_cases import CaseBinder
from holodeck_core.config.decode import open_file
from holodeck_core.config.document import Document
from holodeck_core.config.json_lines import JsonLine, iter_lines
from holodeck_core.config.reading import read_document
from holodeck_core.config.shapes import CASES
from holodeck_core.config.validate import Path, validate
from holodeck_core.errors import ConfigError, Problem, RunError
from holodeck_core.models.agent import Agent
from holodeck_core.models.test_case import TestCaseModel

MAX_PROBLEMS = 100


class JsonLinesCases:
    """The cases of a JSON Lines file that was checked. Each reading binds them anew, one at a time."""

    def __init__(self, path: FilePath, binder: CaseBinder, count: int, stamp: tuple[int, int]) -> None:
        self._path = path
        self._binder = binder
        self._count = count
        self._stamp = stamp

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[BoundCase]:
        if stamp(self._path) != self._stamp:
            raise RunError(f"{self._path} has changed since it was checked: start again")
        problems: list[Problem] = []
        for index, line in enumerate(iter_lines(self._path)):
            case = bind_line(line, index, self._binder, problems)
            if case is None or problems:
                raise RunError(f"{self._path} has changed since it was checked: start again")
            yield case


def stamp(path: FilePath) -> tuple[int, int]:
    """What changes when a file does: its size, and when it was last written."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def bind_line(line: JsonLine, index: int, binder: CaseBinder, problems: list[Problem]) -> BoundCase | None:
    """The case of one line; None where it has mistakes, which go to ``problems``."""
    before = len(problems)
    problems.extend(line.problems)
    if line.problems:
        return None
    model = validate(TestCaseModel, line.value, line, (), problems)
    if model is None:
        return None
    case = binder.bind(model, index, line, (), f"{line.file}:{line.line}", problems)
    return case if len(problems) == before else None


def check_json_lines(path: FilePath, binder: CaseBinder, problems: list[Problem]) -> CaseSource:
    """Check every line. At most ``MAX_PROBLEMS`` mistakes are kept; a last one counts those that are not."""
    with open_file(path, twice=True):
        checked = stamp(path)
    found: list[Problem] = []
    left_out = count = 0
    for index, line in enumerate(iter_lines(path)):
        count += 1
        bind_line(line, index, binder, found)
        left_out += max(0, len(found) - MAX_PROBLEMS)
        del found[MAX_PROBLEMS:]
    if left_out:
        found.append(Problem(f"and {left_out} more problems", str(path)))
    problems.extend(found)
    return JsonLinesCases(path, binder, count, checked)


def listed_cases(
    document: Document, path: Path, values: Sequence[Any], binder: CaseBinder, problems: list[Problem]
) -> tuple[list[TestCaseModel], list[BoundCase]]:
    """The models and the bound cases of the list ``values``, which stands in a document at ``path``."""
    models: list[TestCaseModel] = []
    bound: list[BoundCase] = []
    for index, value in enumerate(values):
        place = (*path, index)
        model = validate(TestCaseModel, value, document, place, problems)
        if model is not None:
            models.append(model)
            source = f"{document.file}:{document.line_of(place)}"
            bound.append(binder.bind(model, index, document, place, source, problems))
    return models, bound


def find_cases(
    document: Document,
    file: FilePath,
    agent: Agent | None,
    binder: Callable[[FilePath], CaseBinder],
    problems: list[Problem],
) -> tuple[list[TestCaseModel] | None, CaseSource]:
    """The cases of an agent file: its own, or those of the file that ``test_cases_file`` names.

    The models are None where they are not held in memory. ``binder`` makes a binder for the folder that paths in the
    cases start from.
    """
    own = document.value.get("test_cases")
    if isinstance(own, list):
        return listed_cases(document, ("test_cases",), own, binder(file.parent), problems)
    if agent is None or agent.test_cases_file is None:
        return None, []
    path = file.parent / agent.test_cases_file
    try:
        if path.suffix.lower() in (".jsonl", ".ndjson"):
            return None, check_json_lines(path, binder(path.parent), problems)
        listed = read_document(path, CASES)
    except ConfigError as error:
        problems.extend(error.problems)
        return None, []
    problems.extend(listed.problems)
    if isinstance(listed.value, list):
        return listed_cases(listed, (), listed.value, binder(path.parent), problems)
    for key in listed.value:
        if key != "test_cases" and not key.startswith("x-"):
            problems.append(listed.problem(f"unknown key `{key}`: a file of cases has only `test_cases`", (key,), key=True))
    values = listed.value.get("test_cases")
    if not isinstance(values, list):
        problems.append(listed.problem("must be a list of test cases", ("test_cases",), missing=True))
        return None, []
    return listed_cases(listed, ("test_cases",), values, binder(path.parent), problems)
