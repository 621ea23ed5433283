"""From the agent file to the function: files and modules beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holodeck_core.backends.functions.load import load_function
from holodeck_core.backends.functions.outcome import ToolOutcome
from holodeck_core.backends.functions.user_function import UserFunction
from holodeck_core.engine.workers import Workers
from holodeck_core.models.tool import FunctionTool

SOURCE = """
    def double(number: int) -> int:
        '''Doubles a number.'''
        return 2 * number

    class Desk:
        @staticmethod
        def open(drawer: str) -> str:
            return f"open {drawer}"

    def anything(**options): ...
"""


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., UserFunction]:
    """The function of a tool with those keys."""

    def load(**keys: Any) -> UserFunction:
        return load_function(FunctionTool.model_validate({"name": "t", **keys}), tmp_path, Workers())

    return load


@pytest.mark.parametrize("by", ["file", "module"])
async def test_a_function_of_a_file_or_of_a_module(
    load: Callable[..., UserFunction], module: Callable[[str], str], by: str
) -> None:
    name = module(SOURCE)
    where = {by: f"{name}.py" if by == "file" else name}
    double = load(**where, function="double")
    assert (double.name, double.description) == ("t", "Doubles a number.")
    assert await double.call({"number": 4}) == ToolOutcome(8)
    assert await load(**where, function="Desk.open").call({"drawer": "top"}) == ToolOutcome("open top")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("duble", "has no 'duble'; did you mean \"double\""),
        ("Desk.opn", "has no 'Desk.opn'; did you mean \"open\""),
        ("anything", "it takes \\*\\*options"),
    ],
)
def test_what_cannot_be_had_is_told(
    load: Callable[..., UserFunction], module: Callable[[str], str], function: str, message: str
) -> None:
    name = module(SOURCE)
    with pytest.raises(ValueError, match=message):
        load(module=name, function=function)


def test_a_module_that_is_not_there_is_told(load: Callable[..., UserFunction]) -> None:
    with pytest.raises(ValueError, match="no module named 'nowhere_to_be_found'"):
        load(module="nowhere_to_be_found", function="double")
