"""A conversation at the end of a file of test cases: an agent file, a file of cases, or a new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import attrs

from holodeck_cli.json_text import json_text
from holodeck_cli.recorded.case import RecordedCase, case_value, unasserted
from holodeck_cli.recorded.insert import (
    CASES_KEY,
    FILE_KEY,
    CannotInsert,
    into_json,
    into_yaml,
    without_cases,
)
from holodeck_cli.recorded.yaml_text import block
from holodeck_cli.replace_file import replacing
from holodeck_core import ConfigError, Problem, load_suite
from holodeck_core.config.messages.secret_values import secret_texts
from holodeck_core.config.reading.decode import BOM, decode, display, open_file
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import read_json
from holodeck_core.config.reading.json_lines import iter_lines
from holodeck_core.config.reading.shapes import AGENT, CASES, Shape
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.config.settings.variables import escape_in_text
from holodeck_core.models import TestCaseModel

_LINES: Final = (".jsonl", ".ndjson")
_JSON: Final = ".json"
_YAML: Final = (".yaml", ".yml")

_WRITABLE: Final = 0o222  # no one's file is that without any of these, whatever an administrator may do


@attrs.frozen
class Appended:
    """What was written: the case ``name`` to ``file``. ``agent`` is the agent file whose cases it belongs to, None
    where no agent file names ``file`` yet. ``notes`` are for the user, one line each."""

    file: Path
    name: str
    agent: Path | None
    notes: tuple[str, ...] = ()


def append_case(
    path: Path,
    case: RecordedCase,
    *,
    ground_truth: bool = True,
    agent_file: Path | None = None,
    env_file: Path | None = None,
) -> Appended:
    """Add a conversation to the test cases of a file, so that ``holodeck test`` holds it again.

    An agent file gets it under `test_cases`, or in the file that its `test_cases_file` names. A file of cases (a list,
    ``{test_cases: [...]}``, JSON Lines) gets one case more. A new YAML file beside ``agent_file`` becomes an agent
    file with the sections of that one and this case; any other new file becomes a file of cases.

    All else in the file stays as it is. The case gets a number behind its name where the file has one of that name.
    What is to be written is loaded and checked first (``env_file`` as for ``load_suite``), and takes the place of the
    old file at once. Raises ConfigError where the file has mistakes or no place for a case, ValueError where the case
    is none (a blank input), and OSError.
    """
    _check_name(path)
    _check_place(path)
    notes = tuple(f"turns[{index}]: {what}" for index, what in unasserted(case))
    if _is_new(path):
        why = None
        if agent_file is not None and path.suffix.lower() in _YAML:
            text, why = _carried_over(path, agent_file)
            if text is not None:
                value = _escaped(_checked(case, ground_truth))
                _write_agent(path, into_yaml(text, value, under_key=True), b"", env_file)
                return Appended(path, case.name, path, notes)
        _write_cases(path, case, ground_truth)
        return Appended(path, case.name, None, (*notes, *([why] if why else []), _how_to_use(path)))
    if path.suffix.lower() in _LINES:
        name = _append_line(path, case, ground_truth)
        return Appended(path, name, None, (*notes, _how_to_use(path)))
    file = _File.read(path)
    if not file.is_agent:
        name = file.append(case, ground_truth)
        return Appended(path, name, None, (*notes, _how_to_use(path)))
    named = file.document.value.get(FILE_KEY)
    if isinstance(named, str) and file.document.value.get(CASES_KEY) is None:
        listed = append_case(path.parent / named, case, ground_truth=ground_truth)
        return attrs.evolve(listed, agent=path, notes=notes)
    return Appended(path, file.append(case, ground_truth, env_file), path, notes)


@attrs.frozen
class _File:
    """An agent file, or a file of cases that holds one document."""

    path: Path
    document: Document
    mark: bytes
    is_agent: bool

    @classmethod
    def read(cls, path: Path) -> _File:
        text, mark = _read(path)
        value = _document(text, path, CASES).value
        is_agent = isinstance(value, dict) and any(
            key != CASES_KEY and not key.startswith("x-") for key in value
        )
        return cls(path, _document(text, path, AGENT if is_agent else CASES), mark, is_agent)

    def append(self, case: RecordedCase, ground_truth: bool, env_file: Path | None = None) -> str:
        """Write the file with the case in it; returns the name that the case has there."""
        value = self.document.value
        under_key = isinstance(value, dict)
        case = _renamed(case, value.get(CASES_KEY) if under_key else value)
        written = _checked(case, ground_truth)
        if self.is_agent:
            _write_agent(self.path, self._with(_escaped(written), under_key), self.mark, env_file)
        else:
            _replace(self.path, self.mark + self._with(written, under_key).encode())
        return case.name

    def _with(self, case: dict[str, Any], under_key: bool) -> str:
        """The text with the case in it, read again and compared with what it has to say."""
        into = into_json if self.path.suffix.lower() == _JSON else into_yaml
        try:
            text = into(self.document.source.text, case, under_key=under_key)
        except CannotInsert as error:
            raise ConfigError([self.document.source.problem(str(error), error.index)]) from None
        old = self.document.value
        wanted = {**old, CASES_KEY: [*(old.get(CASES_KEY) or ()), case]} if under_key else [*old, case]
        if _document(text, self.path, self.document.shape).value != wanted:
            message = f"a test case cannot be added to this file: write {CASES_KEY} as a list of its own"
            raise ConfigError([Problem(message, display(self.path))])
        return text


def _write_cases(path: Path, case: RecordedCase, ground_truth: bool) -> None:
    """A new file of cases."""
    value = _checked(case, ground_truth)
    suffix = path.suffix.lower()
    if suffix in _LINES:
        text = f"{json_text(value)}\n"
    else:
        text = f"[\n  {json_text(value)}\n]\n" if suffix == _JSON else block([value])
    _replace(path, text.encode())


def _append_line(path: Path, case: RecordedCase, ground_truth: bool) -> str:
    lines = list(iter_lines(path))
    if problems := [problem for line in lines for problem in line.problems]:
        raise ConfigError(problems)
    case = _renamed(case, [line.value for line in lines])
    before = path.read_bytes()
    if not before.endswith(b"\n"):
        before += b"\n"
    _replace(path, before + f"{json_text(_checked(case, ground_truth))}\n".encode())
    return case.name


def _carried_over(path: Path, agent_file: Path) -> tuple[str | None, str]:
    """The text of the agent file without its cases, else why it cannot be carried over."""
    if path.parent.resolve() != agent_file.parent.resolve():
        return None, f"{agent_file} is in another folder, so its sections were not carried over"
    text, _ = _read(agent_file)
    document = _document(text, agent_file, AGENT)
    if any("${" not in secret for secret in secret_texts(document.value)):
        return None, f"{agent_file} holds a secret and was not copied; ${{NAME}} in its place can be"
    sections = None if agent_file.suffix.lower() == _JSON else without_cases(text)
    try:
        if sections is not None:
            _document(sections, path, AGENT)
    except ConfigError:  # something in them refers to the cases, say
        sections = None
    return sections, f"the sections of {agent_file} could not be carried over"


def _escaped(value: Any) -> Any:
    """The value as an agent file holds it, where variables are replaced."""
    if isinstance(value, str):
        return escape_in_text(value)
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    if isinstance(value, dict):
        return {key: _escaped(item) for key, item in value.items()}
    return value


def _checked(case: RecordedCase, ground_truth: bool) -> dict[str, Any]:
    value = case_value(case, ground_truth=ground_truth)
    TestCaseModel.model_validate(value)
    return value


def _write_agent(path: Path, text: str, mark: bytes, env_file: Path | None) -> None:
    """Load what is to be written, under another name in the same folder, before it takes the place of the file."""
    draft = path.with_name(f".{path.stem[:100]}.{secrets.token_hex(4)}{path.suffix}")
    try:
        draft.write_bytes(text.encode())
        load_suite(draft, env_file=env_file)
    except ConfigError as error:
        raise ConfigError(_of_file(error.problems, draft, path)) from None
    finally:
        draft.unlink(missing_ok=True)
    _replace(path, mark + text.encode())


def _of_file(problems: Iterable[Problem], draft: Path, path: Path) -> Iterator[Problem]:
    for problem in problems:
        yield problem._replace(file=display(path)) if problem.file == display(draft) else problem


def _read(path: Path) -> tuple[str, bytes]:
    """The text of a file, and its byte-order mark where it has one."""
    with open_file(path) as file:
        data = file.read()
    return decode(data, display(path)), BOM if data.startswith(BOM) else b""


def _document(text: str, path: Path, shape: Shape) -> Document:
    read = read_json if path.suffix.lower() == _JSON else read_yaml
    document = read(text, display(path), shape)
    if document.problems:
        raise ConfigError(document.problems)
    return document


def _is_new(path: Path) -> bool:
    return not path.exists() or (path.is_file() and not path.stat().st_size)


def _replace(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)


def _renamed(case: RecordedCase, listed: object) -> RecordedCase:
    taken = (
        {each.get("name") for each in listed if isinstance(each, dict)} if isinstance(listed, list) else set()
    )
    name, number = case.name, 1
    while name in taken:
        number += 1
        name = f"{case.name} ({number})"
    return attrs.evolve(case, name=name)


def _check_name(path: Path) -> None:
    """Raise ConfigError where a file of that name cannot hold test cases."""
    if path.suffix.lower() not in (*_YAML, *_LINES, _JSON):
        known = ", ".join((*_YAML, _JSON, *_LINES))
        raise ConfigError(
            [Problem(f"the name of a file of test cases ends in one of {known}", display(path))]
        )


def _check_place(path: Path) -> None:
    """Raise ConfigError where nothing can be written: what is no regular file might never end, and a file that is not
    to be written is not to be replaced either. Raises FileNotFoundError where there is no folder."""
    if not path.exists():
        folder = path.resolve().parent
        if not folder.is_dir():
            raise FileNotFoundError(f"{display(path)}: there is no folder {folder}")
        return
    why = None
    if path.is_file() and not (path.stat().st_mode & _WRITABLE and os.access(path, os.W_OK)):
        why = "the file is read-only"
    elif not path.is_file() and not path.is_dir():
        why = "this is not a regular file"
    if why is not None:
        raise ConfigError([Problem(why, display(path))])


def _how_to_use(path: Path) -> str:
    return f"`holodeck test` runs it where an agent file says: test_cases_file: {path.name}"
