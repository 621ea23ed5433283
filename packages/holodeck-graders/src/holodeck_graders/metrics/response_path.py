"""``response_path``: one value of a response that is JSON."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from holodeck_core import show_value

_NAME, _INDEX = r"[^.\[\]]+", r"\[[0-9]{1,9}\]"
_PATH = re.compile(rf"(?:{_NAME}|{_INDEX})(?:\.{_NAME}|{_INDEX})*")
_STEP = re.compile(rf"{_NAME}|{_INDEX}")


class _Written(str):
    """A number as it is written in the JSON text, so that none of its digits is lost."""


class ResponsePath:
    """A path into JSON: names with ``.`` between them, and places in lists in brackets, from 0:
    ``orders[0].total``."""

    def __init__(self, text: str) -> None:
        """Raises ValueError for what is no path."""
        if not _PATH.fullmatch(text):
            raise ValueError(f"`response_path` is written like `a.b[0]`, not {show_value(text)}")
        self._text = text
        self._steps = [int(step[1:-1]) if step[0] == "[" else step for step in _STEP.findall(text)]

    def read(self, response: str) -> str:
        """The value there as text: a string as it is, anything else in its JSON spelling (``false``, ``12.50``).

        Raises ValueError where the response is not JSON, or has no such value, or a list or a mapping in its
        place.
        """
        try:
            value = json.loads(
                response, parse_int=_Written, parse_float=_Written, parse_constant=_refuse_constant
            )
        except RecursionError:
            raise ValueError("the response is JSON that is nested too deeply") from None
        except ValueError as error:
            raise ValueError(
                f"the response is not JSON, which response_path needs: {error} in {show_value(response)}"
            ) from None
        for step in self._steps:
            value = self._below(value, step)
        if isinstance(value, dict | list):
            raise ValueError(f"response_path {self._text} leads to {_kind(value)}, not to a single value")
        return str(value) if isinstance(value, str) else json.dumps(value)

    def _below(self, value: Any, step: str | int) -> Any:
        if isinstance(step, str):
            if isinstance(value, dict) and step in value:
                return value[step]
        elif isinstance(value, list) and step < len(value):
            return value[step]
        missing = f"key {show_value(step)}" if isinstance(step, str) else f"item [{step}]"
        raise ValueError(f"response_path {self._text} finds no {missing} in {_kind(value)}")


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"a mapping with the keys {show_value(list(value))}"
    return f"a list of {len(value)}" if isinstance(value, list) else "a single value"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
