"""Writes the tables on matching into ``docs/reference/matching.md``: run this file after a change to them.

A table stands between ``<!-- table: its name -->`` and ``<!-- end -->``; the rest of the page is written by hand.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from matching_table import ARGUMENTS, CALLS, EQUALITY, NUMERIC, REFUSED

PAGE: Final = Path(__file__).parents[2] / "docs" / "reference" / "matching.md"

_MARKED = re.compile(r"(<!-- table: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables() -> dict[str, str]:
    """All tables in Markdown, by name."""
    found = {
        "refused": _table(
            ["written", "why it is refused"], ([_code(row.expected), row.why] for row in REFUSED)
        )
    }
    for name, arguments in ARGUMENTS.items():
        found[name] = _table(
            ["expected", "actual", "verdict"],
            ([_code(row.expected), _code(row.actual), _word(row.matches, "matches")] for row in arguments),
        )
    for name, calls in CALLS.items():
        found[name] = _table(
            ["the turn asserts", "the agent calls", "verdict"],
            ([_code(row.asserted), _code(row.calls), _word(row.passes, "passes")] for row in calls),
        )
    for name, responses in {**EQUALITY, **NUMERIC}.items():
        found[name] = _table(
            ["ground truth", "response", "options", "verdict"],
            (
                [
                    _code(row.ground_truth),
                    _code(row.response),
                    _code(row.options),
                    _word(row.passes, "passes"),
                ]
                for row in responses
            ),
        )
    return found


def filled(page: str) -> str:
    """The page with each of its tables as it should be. Raises KeyError for a name that no table has."""
    made = tables()
    return _MARKED.sub(lambda match: f"{match[1]}\n{made[match[2]]}\n{match[3]}", page)


def names(page: str) -> list[str]:
    """The names of the tables in the page."""
    return [match[2] for match in _MARKED.finditer(page)]


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _code(text: str | None) -> str:
    if text is None:
        return "*not given*"
    return f"`{text}`".replace("|", "\\|") if text else "*none*"


def _word(verdict: bool, positive: str) -> str:
    return positive if verdict else "**no**"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
