"""Every row of the tables on matching gets the verdict that stands in it, in a suite that is loaded and run."""

import ast
import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from matching_page import PAGE, filled, names, tables
from matching_table import ARGUMENTS, CALLS, EQUALITY, NUMERIC, REFUSED, Argument, Calls, Response

from holodeck_core import ConfigError, load_suite, run_suite_sync

Row: TypeAlias = Argument | Calls | Response

ROWS: list[Row] = [
    row for table in (ARGUMENTS, CALLS, EQUALITY, NUMERIC) for rows in table.values() for row in rows
]
HEAD = "name: matching\nmodel: {provider: scripted, replies: %s}\ntest_cases:\n"
ARGUMENT = """\
  - input: "%d"
    expected_tools:
      - name: tool
        args:
          value: %s
"""


def case(number: int, row: Row) -> str:
    """The case of a row, which has the row's YAML as it stands in the table."""
    match row:
        case Argument():
            return ARGUMENT % (number, row.expected)
        case Calls():
            return f'  - {{input: "{number}", {row.asserted}}}\n'
        case Response():
            metric = "numeric" if any(row in rows for rows in NUMERIC.values()) else "equality"
            evaluations = f"[{{type: standard, metric: {metric}, {row.options}}}]"
            return (
                f'  - {{input: "{number}", ground_truth: {row.ground_truth}, evaluations: {evaluations}}}\n'
            )


def reply(row: Row) -> dict[str, Any]:
    """What the agent does."""
    match row:
        case Argument():
            args = {} if row.actual is None else {"value": json.loads(row.actual)}
            return {"calls": [{"name": "tool", "args": args}]}
        case Calls():
            calls = ast.parse(f"[{row.calls}]", mode="eval").body
            assert isinstance(calls, ast.List)
            return {"calls": list(map(python_call, calls.elts))}
        case Response():
            return {"reply": json.loads(row.response)}


def python_call(node: ast.expr) -> dict[str, Any]:
    assert isinstance(node, ast.Call)
    args = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in node.keywords}
    return {"name": ast.unparse(node.func), "args": args}


@pytest.fixture(scope="module")
def passes(tmp_path_factory: pytest.TempPathFactory) -> dict[Row, bool]:
    """Whether the case of each row passes, all in one suite."""
    replies = [{"input": str(number), **reply(row)} for number, row in enumerate(ROWS)]
    path = tmp_path_factory.mktemp("matching") / "agent.yaml"
    cases = "".join(case(number, row) for number, row in enumerate(ROWS))
    path.write_text(HEAD % json.dumps(replies) + cases, encoding="utf-8")
    report = run_suite_sync(load_suite(path, environ={}))
    assert not any(result.errors for result in report.results)
    return {row: result.passed for row, result in zip(ROWS, report.results, strict=True)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: " | ".join(map(str, row[:-1])))
def test_a_row_has_the_verdict_that_stands_in_it(passes: dict[Row, bool], row: Row) -> None:
    assert passes[row] is row[-1]


def test_every_refused_value_is_a_mistake_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "agent.yaml"
    cases = [ARGUMENT % (number, row.expected) for number, row in enumerate(REFUSED)]
    text = HEAD % "[]" + "".join(cases)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load_suite(path, environ={})
    lines = text.splitlines()
    named = {lines[(problem.line or 0) - 1].strip() for problem in raised.value.problems}
    assert named == {f"value: {row.expected}" for row in REFUSED}


@pytest.mark.parametrize(
    "rows", [[row for row in ROWS if isinstance(row, kind)] for kind in (Argument, Calls, Response)]
)
def test_no_two_rows_are_alike(rows: list[Row]) -> None:
    assert len({row[:-1] for row in rows}) == len(rows)


def test_the_page_has_every_table_as_it_is() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert sorted(names(page)) == sorted(tables())
    assert filled(page) == page, f"run {Path('tests/conformance/matching_page.py')}"
