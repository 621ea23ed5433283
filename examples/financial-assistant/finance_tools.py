"""The tools of the assistant: plain functions. Types and docstrings are what the model is told of them."""

from __future__ import annotations

import re
from pathlib import Path

REPORTS = Path(__file__).parent / "reports"


def lookup(company: str, item: str, year: int | None = None) -> dict[str, object]:
    """Finds figures in the annual report of a company: rows of its table, else sentences of its text.

    Args:
        company: The name of the company, or a part of it.
        item: What is looked for, in a word or two, such as "revenue".
        year: The year of the figure; left out, all years of the table.
    """
    title, text = _report(company)
    lines = text.splitlines()
    header, *rows = [_cells(line) for line in lines if line.startswith("|") and "--" not in line]
    years = header[1:]
    if year is not None and str(year) not in years:
        raise ValueError(f"the report of {title} has no {year}; its years are {', '.join(years)}")
    found = {
        name: {at: _number(cell) for at, cell in zip(years, cells, strict=True) if year in (None, int(at))}
        for name, *cells in rows
        if _words(item) <= _words(name) or _words(name) <= _words(item)
    }
    if found:
        return {"company": title, "units": lines[2], "rows": found}
    prose = " ".join(line for line in lines[3:] if not line.startswith("|"))
    sentences = [one for one in re.split(r"(?<=\.)\s+", prose) if _words(item) <= _words(one)]
    if not sentences:
        names = ", ".join(row[0] for row in rows)
        raise ValueError(f"the report of {title} says nothing about {item!r}; its table has {names}")
    return {"company": title, "units": lines[2], "sentences": sentences}


def subtract(a: float, b: float) -> float:
    """Calculates a - b.

    Args:
        a: What is subtracted from; for a change, the later figure.
        b: What is subtracted; for a change, the earlier figure.
    """
    return round(a - b, 10)


def divide(a: float, b: float) -> float:
    """Calculates a / b.

    Args:
        a: The part.
        b: The whole; not zero.
    """
    if b == 0:
        raise ValueError("b is zero")
    return a / b


def _report(company: str) -> tuple[str, str]:
    titles = {}
    for path in sorted(REPORTS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        titles[text.splitlines()[0].removeprefix("# ")] = text
    found = [title for title in titles if _words(company) and _words(company) <= _words(title)]
    if len(found) != 1:
        raise ValueError(f"there is no one company {company!r}; there are {', '.join(titles)}")
    return found[0], titles[found[0]]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _number(cell: str) -> float:
    """A figure of a table; one in brackets is negative."""
    number = float(cell.strip("()").replace(",", ""))
    return -number if cell.startswith("(") else number


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
