"""--last-failed: which cases are those that did not pass."""

from __future__ import annotations

from typing import Any

import pytest

from holodeck_cli.selection import did_not_pass
from holodeck_core import BoundCase

PASSED = {"index": 0, "test_name": "a", "case_hash": "h-a", "status": "passed"}
FAILED = {"index": 1, "test_name": "b", "case_hash": "h-b", "status": "failed"}
ERROR = {"index": 2, "test_name": None, "case_hash": "h-2", "status": "error"}


@pytest.mark.parametrize(
    ("case", "selected"),
    [
        pytest.param((0, "a", "h-a"), False, id="passed"),
        pytest.param((1, "b", "h-b"), True, id="failed"),
        pytest.param((2, None, "h-2"), True, id="ended-in-an-error"),
        pytest.param((3, "c", "h-c"), False, id="new"),
        pytest.param((3, None, "h-3"), False, id="new-and-without-a-name"),
        pytest.param((7, "b", "h-b"), True, id="failed-and-moved"),
        pytest.param((1, "b", "edited"), True, id="failed-and-edited"),
        pytest.param((7, "b", "edited"), True, id="failed-moved-and-edited"),
        pytest.param((7, None, "h-2"), True, id="without-a-name-and-moved"),
        pytest.param((2, None, "edited"), True, id="without-a-name-and-edited"),
        pytest.param((7, None, "edited"), False, id="without-a-name-moved-and-edited"),
        pytest.param((1, "c", "h-c"), False, id="another-one-in-the-place-of-a-failed-one"),
        pytest.param((2, "c", "h-c"), False, id="another-one-in-the-place-of-one-without-a-name"),
        pytest.param((0, None, None), False, id="of-unknown-content"),
    ],
)
def test_a_case_is_known_by_its_content_and_its_name(case: tuple[Any, ...], selected: bool) -> None:
    index, name, content_hash = case
    bound = BoundCase(index=index, turns=(), name=name, content_hash=content_hash)
    assert did_not_pass([PASSED, FAILED, ERROR])(bound) is selected


@pytest.mark.parametrize("record", [{"index": 1}, {"index": 1, "test_name": ["b"], "case_hash": {}}])
def test_a_record_that_is_damaged_selects_no_other_case(record: dict[str, Any]) -> None:
    assert not did_not_pass([record])(BoundCase(index=0, turns=(), name="a", content_hash="h-a"))
