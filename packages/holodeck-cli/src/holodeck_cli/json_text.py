"""JSON that every reader accepts, a terminal included: no NaN, no lone surrogates, no raw controls. Pure."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from holodeck_core.text import without_commands


def _as_json(value: object) -> Any:
    """Times and the like, in the form that the models give them."""
    from pydantic_core import to_jsonable_python

    return to_jsonable_python(value)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False, default=_as_json).encode


# JSON escapes the control characters of ASCII only; the others, and the invisible and the bidirectional ones,
# are written as escapes as well, and so is a part of what the server of a build would obey. None of them can stand
# outside of a string.
_UNSAFE = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff]"
)


def json_text(value: Any) -> str:
    """A JSON value, or what a model dumps in Python mode, on one line.

    Non-finite numbers become their text, surrogates in pairs their character, and lone ones U+FFFD.
    """
    try:
        text = _encode(value)
        text.encode("utf-8")
    except ValueError:  # a number that is not finite, or, as UnicodeEncodeError, a surrogate
        text = _encode(_cleaned(value))
    return without_commands(_UNSAFE.sub(_escape, text))


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value
