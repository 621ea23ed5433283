"""The report as Markdown, for a comment on a pull request or the summary of a job.

Whatever an agent, a tool or a file said stands in code: there it can start no heading, link, image, mention or HTML.
Code knows no escapes, so that what a build server would obey stands with one of ours in it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from holodeck_cli.reporters.document import DocumentReporter
from holodeck_cli.reporters.lines import finished_line, plugins_line
from holodeck_cli.reporters.story import case_name, case_story, failed_repeats, failed_turns, first_reason
from holodeck_core.api.events import RunFinished, RunStarted
from holodeck_core.case_lines import usage_texts
from holodeck_core.models.test_result import TestResult
from holodeck_core.text import reveal, shorten, without_commands

MAX_CHARACTERS: Final = 65_000
"""GitHub takes no comment of more than 65,536."""

_TABLE: Final = 20_000
_NOTES: Final = 500
_DETAILS: Final = 8_000
_SAID_WIDTH: Final = 2_000
_LEAST_DETAIL: Final = 150
_REASON_WIDTH: Final = 300
_TURNS_SHOWN: Final = 8

_HEADER: Final = "| case | status | turns | why |\n| --- | --- | --- | --- |\n"
_BACKTICKS: Final = re.compile("`+")
_BEFORE_PIPE: Final = re.compile(r"(\\*)\|")


class MarkdownReporter(DocumentReporter):
    """A line with the totals, a table of the cases that did not pass, and what happened in them, folded; so are
    repeated cases of which some repeats did not pass.

    It is never longer than ``MAX_CHARACTERS``; at its end stands what was left out.
    """

    def __init__(self, options: BaseModel, output: Path | None = None) -> None:
        super().__init__(options, output)
        self._total: int | None = None
        self._plugins: str | None = None

    def run_started(self, event: RunStarted) -> None:
        self._total = event.total
        self._plugins = plugins_line(event.plugins)

    def texts(self, event: RunFinished) -> Iterator[str]:
        line = finished_line(event, self._total)
        plugins = "" if self._plugins is None else f" · {code(self._plugins)}"
        head = f"**{line}** · {code(shorten(_line(event.head.agent_name), 200))}{plugins}\n"
        head += "".join(f"\n{code(text)}\n" for text in usage_texts(event.summary))
        yield head
        room = MAX_CHARACTERS - len(head) - _NOTES
        rows, cases = _rows(event, min(_TABLE, room // 2) - len(_HEADER))
        if not cases:
            return
        table = "".join(["\n", _HEADER, *rows]) if rows else ""
        yield table
        details = _details(event, room - len(table))
        yield from details
        yield from _notes(cases - len(rows), cases - len(details))


def _rows(event: RunFinished, room: int) -> tuple[list[str], int]:
    """The rows of the table that there is room for, and how many there would be."""
    rows: list[str] = []
    cases = 0
    for result in _worth_telling(event):
        cases += 1
        row = _row(result)
        if len(rows) == cases - 1 and len(row) <= room:
            rows.append(row)
            room -= len(row)
    return rows, cases


def _details(event: RunFinished, room: int) -> list[str]:
    """The folded details that there is room for: one that is too long for what is left makes way for shorter ones."""
    details: list[str] = []
    for result in _worth_telling(event):
        if room < _LEAST_DETAIL:
            break
        detail = _detail(result, timed=event.timed)
        if len(detail) <= room:
            details.append(detail)
            room -= len(detail)
    return details


def _worth_telling(event: RunFinished) -> Iterator[TestResult]:
    """The cases that did not pass, and repeated ones that passed, but not every time."""
    return (result for result in event.results() if not result.passed or any(failed_repeats(result)))


def _notes(without_row: int, without_details: int) -> Iterator[str]:
    if without_row:
        yield f"\n{_cases(without_row)} more did not pass, without a row in the table.\n"
    if without_details:
        yield f"\nThe details of {_cases(without_details)} are left out: a report in JSON has all of them.\n"


def _row(result: TestResult) -> str:
    turns = [str(turn.index) for turn in failed_turns(result) if turn.index is not None]
    more = f" and {len(turns) - _TURNS_SHOWN} more" if len(turns) > _TURNS_SHOWN else ""
    why = code(shorten(_line(first_reason(result)), _REASON_WIDTH), in_table=True)
    name = code(case_name(result), in_table=True)
    return f"| {name} | {result.status} | {', '.join(turns[:_TURNS_SHOWN])}{more} | {why} |\n"


def _detail(result: TestResult, *, timed: bool) -> str:
    story = "\n".join(case_story(result, timed=timed, width=_SAID_WIDTH))
    if len(story) > _DETAILS:  # what it ends with is why, and where
        half = _DETAILS // 2
        story = f"{story[:half]}\n... {len(story) - 2 * half:,} characters left out ...\n{story[-half:]}"
    summary = f"<summary>{result.status}: <code>{_html(case_name(result))}</code></summary>"
    return f"\n<details>{summary}\n\n{code_block(story)}\n</details>\n"


def code_block(text: str) -> str:
    """Lines of text as code, whatever stands at their beginnings."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{without_commands(text)}\n{fence}\n"


def code(text: str, *, in_table: bool = False) -> str:
    """A line of text as code; ``in_table`` also escapes what would end a cell of a table.

    In a cell only a pipe behind an odd number of backslashes is part of the text for all readers; where the text itself
    has an odd number of them there, one more is shown.
    """
    text = without_commands(text)
    if in_table:
        text = _BEFORE_PIPE.sub(lambda found: f"{found[1]}{chr(92) * (1 + len(found[1]) % 2)}|", text)
    ticks = "`" * (_longest_run(text) + 1)
    # White space at the ends keeps backticks of the text from those around it, and is not shown.
    return f"{ticks} {text} {ticks}" if text.strip(" ") else "` `"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _html(text: str) -> str:
    return without_commands(html.escape(text).replace("`", "&#96;"), "&#35;")


def _line(text: str) -> str:
    return " ".join(reveal(text).split())


def _cases(number: int) -> str:
    return f"{number} case{'' if number == 1 else 's'}"
