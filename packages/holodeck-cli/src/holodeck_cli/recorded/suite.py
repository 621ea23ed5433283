"""A suite that holds recorded conversations again: an agent file, its cases, and the recordings."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import attrs

from holodeck_cli.json_text import json_text
from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.new_files import already_there
from holodeck_cli.recorded.case import case_value
from holodeck_cli.recorded.read import read_conversations
from holodeck_cli.recorded.yaml_text import block, scalar
from holodeck_core.api.values import well_formed
from holodeck_core.config.settings.variables import escape_in_text
from holodeck_core.errors import ConfigError, Problem

AGENT: Final = "agent.yaml"
RECORDING: Final = "conversations.jsonl"
_CASES: Final = ("cases.yaml", "cases.jsonl")

# Up to this size of a recording people can be expected to open the cases in an editor; larger ones are a stream.
_FOR_EDITORS: Final = 1024 * 1024

_MAX_PROBLEMS: Final = 100
_MAX_NOTES: Final = 100

_HEADER: Final = """\
# Recorded conversations, replayed and checked.
#
# `replay` plays them from {recording}. To check a live agent with the same cases, put it under `model`.

name: {name}
model:
  provider: replay
  file: {recording}

"""
_EVALUATIONS: Final = """\
# Every reply must be the recorded one.
evaluations:
  metrics:
    - {type: standard, metric: equality}

"""


@attrs.frozen
class Imported:
    """What was written into the folder. ``notes`` say what the cases do not hold of the recordings, the first of
    them; ``more_notes`` counts the others."""

    files: tuple[Path, ...]
    cases: int
    turns: int
    calls: int
    notes: tuple[Problem, ...]
    more_notes: int


def import_suite(source: Path, folder: Path, *, ground_truth: bool = True, force: bool = False) -> Imported:
    """Write the suite of a recording into a folder; what is recorded passes, and nothing else does.

    Whatever is wrong with the recording is raised at once, as ConfigError, and then nothing is written. With ``force``
    files of an earlier import are replaced. Raises UsageMistake where there are some without it, and OSError.
    """
    with _draft(folder, force) as draft:
        written = _write(source, draft, folder, ground_truth)
        names = sorted(path.name for path in draft.iterdir())
        _put_in_place(draft, names, folder)
    return attrs.evolve(written, files=tuple(folder / name for name in names))


def _write(source: Path, draft: Path, folder: Path, ground_truth: bool) -> Imported:
    in_lines = source.is_file() and source.stat().st_size > _FOR_EDITORS
    cases_file = _CASES[in_lines]
    problems: list[Problem] = []
    notes: list[Problem] = []
    cases = turns = calls = replies = more_problems = more_notes = 0
    with _new(draft / cases_file) as cases_out, _new(draft / RECORDING) as recording_out:
        for found in read_conversations(source):
            if isinstance(found, Problem):
                more_problems += len(problems) == _MAX_PROBLEMS
                problems += [found] if len(problems) < _MAX_PROBLEMS else []
                continue
            case = found.case
            cases += 1
            turns += len(case.turns)
            calls += sum(len(turn.calls) for turn in case.turns)
            replies += any(turn.reply for turn in case.turns)
            kept = found.notes[: _MAX_NOTES - len(notes)]
            more_notes += len(found.notes) - len(kept)
            notes += kept
            if not problems:
                value = case_value(case, ground_truth=ground_truth, evaluations=False)
                cases_out.write(f"{json_text(value)}\n" if in_lines else f"{block([value])}\n")
                recording_out.write(f"{json_text({'id': value['name'], 'messages': found.messages})}\n")
    if more_problems:
        problems.append(Problem(f"and {more_problems} more problems", str(source)))
    if not cases and not problems:
        problems.append(Problem("holds no conversation", str(source)))
    if problems:
        raise ConfigError(problems)
    name = scalar(escape_in_text(well_formed(folder.resolve().name)) or "recorded")
    text = _HEADER.format(name=name, recording=RECORDING)
    if ground_truth and replies:
        text += _EVALUATIONS
    (draft / AGENT).write_text(f"{text}test_cases_file: {cases_file}\n", encoding="utf-8")
    return Imported((), cases, turns, calls, tuple(notes), more_notes)


def _new(path: Path) -> TextIO:
    return path.open("x", encoding="utf-8", newline="\n")


@contextmanager
def _draft(folder: Path, force: bool) -> Iterator[Path]:
    """A folder to write in, on the disk of the one that it is for. Raises UsageMistake where that cannot be written."""
    nearest = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise UsageMistake(f"{nearest} is not a folder")
    existing = [name for name in (AGENT, *_CASES, RECORDING) if (folder / name).exists()]
    if existing and not force:
        raise UsageMistake(
            f"{already_there(folder, existing)}; nothing was written; --force replaces such files"
        )
    draft = nearest / f".import.{secrets.token_hex(4)}.tmp"
    draft.mkdir()
    try:
        yield draft
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _put_in_place(draft: Path, names: list[str], folder: Path) -> None:
    """Move the files, the agent file as the last, or the whole folder where there is none yet."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    if not folder.exists():
        draft.rename(folder)
        return
    for name in sorted(names, key=AGENT.__eq__):
        (draft / name).replace(folder / name)
