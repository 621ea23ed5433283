"""The report as Markdown, for a comment on a pull request or the summary of a job.

Whatever an agent, a tool or a file said stands in code: there it can start no heading, link, image, mention or HTML.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from holodeck_cli.reporters.document import DocumentReporter
from holodeck_cli.reporters.lines import plugins_line, summary_line
from holodeck_cli.reporters.story import case_name, case_story, failed_repeats, failed_turns, first_reason
from holodeck_core.api.events import RunFinished, RunStarted
from holodeck_core.case_lines import usage_texts
from holodeck_core.models.test_result import TestResult
from holodeck_core.text import reveal, shorten

MAX_CHARACTERS: Final = 65_000
"""GitHub takes no comment of more than 65,536."""

_TABLE: Final = 20_000
_NOTES: Final = 500
_DETAILS: Final = 8_000
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
        summary = event.summary
        total = summary.total_tests if self._total is None else self._total
        line = summary_line(summary, event.duration_ms, complete=event.complete, total=total).text
        plugins = "" if self._plugins is None else f" · {code(self._plugins)}"
        head = f"**{line}** · {code(shorten(_line(event.head.agent_name), 200))}{plugins}\n"
        head += "".join(f"\n{code(text)}\n" for text in usage_texts(summary))
        yield head
        rows, details, notes = _failures(event, MAX_CHARACTERS - len(head) - _NOTES)
        if rows:
            yield f"\n{_HEADER}"
            yield from rows
        yield from details
        yield from notes


def _failures(event: RunFinished, budget: int) -> tuple[list[str], list[str], list[str]]:
    """The rows of the table and the folded details, as many as there is room for, and what is said of the others.

    A repeated case that passed, but not every time, is among them.
    """
    rows: list[str] = []
    details: list[str] = []
    room = min(_TABLE, budget // 2) - len(_HEADER)
    room_for_details = budget - min(_TABLE, budget // 2)
    without_row = without_details = 0
    for result in event.results():
        if result.passed and not any(failed_repeats(result)):
            continue
        row = _row(result)
        if without_row or len(row) > room:
            without_row += 1
        else:
            rows.append(row)
            room -= len(row)
        detail = "" if without_details else _detail(result)
        if without_details or len(detail) > room_for_details:
            without_details += 1
        else:
            details.append(detail)
            room_for_details -= len(detail)
    notes = []
    if without_row:
        notes.append(f"\n{_cases(without_row)} more did not pass, without a row in the table.\n")
    if without_details:
        notes.append(
            f"\nThe details of {_cases(without_details)} are left out: a report in JSON has all of them.\n"
        )
    return rows, details, notes


def _row(result: TestResult) -> str:
    turns = [str(turn.index) for turn in failed_turns(result) if turn.index is not None]
    more = f" and {len(turns) - _TURNS_SHOWN} more" if len(turns) > _TURNS_SHOWN else ""
    why = code(shorten(_line(first_reason(result)), _REASON_WIDTH), in_table=True)
    name = code(case_name(result), in_table=True)
    return f"| {name} | {result.status} | {', '.join(turns[:_TURNS_SHOWN])}{more} | {why} |\n"


def _detail(result: TestResult) -> str:
    story = "\n".join(case_story(result))
    if len(story) > _DETAILS:
        story = f"{story[:_DETAILS]}\n... {len(story) - _DETAILS:,} characters more"
    summary = f"<summary>{result.status}: <code>{_html(case_name(result))}</code></summary>"
    return f"\n<details>{summary}\n\n{code_block(story)}\n</details>\n"


def code_block(text: str) -> str:
    """Lines of text as code, whatever stands at their beginnings."""
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text}\n{fence}\n"


def code(text: str, *, in_table: bool = False) -> str:
    """A line of text as code; ``in_table`` also escapes what would end a cell of a table.

    In a cell only a pipe behind an odd number of backslashes is part of the text for all readers; where the text itself
    has an odd number of them there, one more is shown.
    """
    if in_table:
        text = _BEFORE_PIPE.sub(lambda found: f"{found[1]}{chr(92) * (1 + len(found[1]) % 2)}|", text)
    ticks = "`" * (_longest_run(text) + 1)
    # White space at the ends keeps backticks of the text from those around it, and is not shown.
    return f"{ticks} {text} {ticks}" if text.strip(" ") else "` `"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)


def _html(text: str) -> str:
    return html.escape(text).replace("`", "&#96;")


def _line(text: str) -> str:
    return " ".join(reveal(text).split())


def _cases(number: int) -> str:
    return f"{number} case{'' if number == 1 else 's'}"
