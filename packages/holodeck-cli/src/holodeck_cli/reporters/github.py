"""Annotations for GitHub Actions: each turn that did not pass, at its line of the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from holodeck_cli.reporters.document import DocumentReporter
from holodeck_cli.reporters.lines import finished_line
from holodeck_cli.reporters.places import Places
from holodeck_cli.reporters.story import case_name, failed_repeats, failed_turns, other_reasons
from holodeck_core.api.events import RunFinished, RunStarted
from holodeck_core.case_lines import rate_text, usage_texts
from holodeck_core.models.test_result import TestResult
from holodeck_core.text import reveal, shorten, without_commands

_MESSAGE_WIDTH: Final = 4_000
_IN_MESSAGES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTIES: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


class GithubReporter(DocumentReporter):
    """Writes workflow commands: a notice with the totals, and an error for each turn that failed. What failed in some
    repeats of a case that passed is a notice, too.

    Files are named from the folder of the checkout, ``GITHUB_WORKSPACE``, on.
    """

    def __init__(self, options: BaseModel, output: Path | None = None) -> None:
        super().__init__(options, output)
        # An agent may change the working directory while the run goes on.
        self._folder = Path.cwd()
        self._total: int | None = None

    def run_started(self, event: RunStarted) -> None:
        self._total = event.total

    def texts(self, event: RunFinished) -> Iterator[str]:
        # First, since GitHub shows ten notices of a step, and ten errors.
        line = "\n".join([finished_line(event, self._total), *usage_texts(event.summary)])
        yield command("notice", line, title=f"holodeck test: {event.head.agent_name}")
        places = Places(self._folder)
        for result in event.results():
            if result.repeats is not None:
                yield from self._repeated(result, places)
            elif not result.passed:
                yield from self._case(result, places)

    def _case(self, result: TestResult, places: Places) -> Iterator[str]:
        name = case_name(result)
        # What was skipped has its reason in the turn before it.
        turns = [turn for turn in failed_turns(result) if turn.status != "skipped"]
        for turn in turns:
            file, line = places.of(result, turn.index)
            title = f"{name}, {turn.label}" if turn.label else name
            yield command("error", "\n".join(turn.reasons), self._shown(file), line, title)
        if reasons := other_reasons(result) or ([] if turns else [result.status]):
            file, line = places.of(result, None)
            yield command("error", "\n".join(reasons), self._shown(file), line, name)

    def _repeated(self, result: TestResult, places: Places) -> Iterator[str]:
        """One for each turn that failed in a repeat, since few annotations are shown; a notice where it may fail."""
        if result.repeat_summary is None:
            return
        reasons: dict[int | None, list[str]] = {}
        for number, repeat in failed_repeats(result):
            told = [(turn.index, turn.reasons) for turn in failed_turns(repeat) if turn.status != "skipped"]
            for index, why in (*told, (None, other_reasons(repeat))):
                reasons.setdefault(index, []).extend(f"repeats[{number}]: {reason}" for reason in why)
        kind = "notice" if result.passed else "error"
        for index, lines in reasons.items():
            if lines:
                file, line = places.of(result, index)
                title = case_name(result) + ("" if index is None else f", turns[{index}]")
                message = "\n".join([rate_text(result.repeat_summary), *lines])
                yield command(kind, message, self._shown(file), line, title)

    def _shown(self, file: str | None) -> str | None:
        """The file from the checkout on, where it lies in it."""
        workspace = os.environ.get("GITHUB_WORKSPACE")
        if file is None or not workspace:
            return file
        path = (self._folder / file).resolve()
        root = Path(workspace).resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else file


def command(
    kind: str, message: str, file: str | None = None, line: int | None = None, title: str = ""
) -> str:
    """A workflow command, on a line of its own whatever its parts hold."""
    properties = {"file": file, "line": line, "title": title}
    written = ",".join(
        f"{name}={_said(str(value)).translate(_IN_PROPERTIES)}"
        for name, value in properties.items()
        if value not in (None, "")
    )
    text = shorten(_said(message), _MESSAGE_WIDTH).translate(_IN_MESSAGES)
    return f"::{kind}{' ' * bool(written)}{written}::{text}\n"


def _said(text: str) -> str:
    """What somebody said, as all of it is read, and as no server of a build obeys it."""
    return without_commands(reveal(text))
