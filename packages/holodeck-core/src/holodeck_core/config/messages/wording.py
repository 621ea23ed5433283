"""What pydantic says about a value, in the words of the file. Pure."""

from __future__ import annotations

import re
from typing import Any, Final, get_args

from pydantic_core import ErrorDetails, core_schema

from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.models.base import RULE
from holodeck_core.text import one_line, shorten, show_value

_VALUE_WIDTH: Final = 60
_MESSAGE_WIDTH: Final = 500
_MOST_CHOICES: Final = 20

_LIST, _MAPPING, _TEXT = "a list", "a mapping", "text"
_DATE: Final = "a date (2027-01-31)"
_MOMENT: Final = "a date and time (2027-01-31T12:30:00Z)"
_TIME: Final = "a time (12:30:00)"
_DURATION: Final = "a duration, in seconds or as 00:01:30"

# Another kind of value is expected.
_EXPECTED: Final[dict[str, str]] = {
    **dict.fromkeys(("string_type", "string_unicode", "bytes_type", "bytes_invalid_encoding"), _TEXT),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), "a number"),
    **dict.fromkeys(("fraction_type", "fraction_parsing", "complex_type", "complex_str_parsing"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(
        ("list_type", "tuple_type", "set_type", "frozen_set_type", "deque_type", "iterable_type"), _LIST
    ),
    **dict.fromkeys(("named_tuple_type", "arguments_type"), "a list or a mapping"),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "frozen_dict_type", "ordered_dict_type", "counter_type"), _MAPPING
    ),
    **dict.fromkeys(("model_type", "model_attributes_type", "dataclass_type"), _MAPPING),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), _DATE),
    "date_from_datetime_inexact": _DATE,
    **dict.fromkeys(("datetime_type", "datetime_parsing", "datetime_from_date_parsing"), _MOMENT),
    "datetime_object_invalid": _MOMENT,
    **dict.fromkeys(("time_type", "time_parsing"), _TIME),
    **dict.fromkeys(("time_delta_type", "time_delta_parsing"), _DURATION),
    **dict.fromkeys(("url_type", "url_parsing", "url_syntax_violation"), "a URL (https://…)"),
    **dict.fromkeys(("uuid_type", "uuid_parsing"), "a UUID"),
    "json_type": "JSON as text",
    "none_required": "null",
}

# The kind is right, the value is not.
_RULES: Final[dict[str, str]] = {
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "finite_number": "must be a finite number",
    "int_parsing_size": "has too many digits",
    "string_too_short": "must have at least {min_length} character{s}",
    "string_too_long": "must have at most {max_length} character{s}",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "string_not_ascii": "must be ASCII text",
    "bytes_too_short": "must have at least {min_length} byte{s}",
    "bytes_too_long": "must have at most {max_length} byte{s}",
    "date_past": "must be in the past",
    "date_future": "must be in the future",
    "datetime_past": "must be in the past",
    "datetime_future": "must be in the future",
    "timezone_naive": "must have no time zone",
    "timezone_aware": "must have a time zone",
    "timezone_offset": "must have a time zone {tz_expected} seconds from UTC",
    "url_too_long": "must have at most {max_length} character{s}",
    "url_scheme": "must be a URL that begins with {expected_schemes}",
    "uuid_version": "must be a UUID of version {expected_version}",
    "decimal_max_digits": "must have at most {max_digits} digit{s}",
    "decimal_max_places": "must have at most {decimal_places} digit{s} after the point",
    "decimal_whole_digits": "must have at most {whole_digits} digit{s} before the point",
    "json_invalid": "must be JSON as text",
}

# About the value as a whole, which is then not shown.
_PLAIN: Final[dict[str, str]] = {
    "missing": "this key is missing",
    "too_short": "must have at least {min_length} item{s}",
    "too_long": "must have at most {max_length} item{s}",
    "invalid_key": "a key must be text: quote it",
    "recursion_loop": "must not contain itself",
    "recursion_depth_exceeded": "is nested too deeply",
    "union_tag_not_found": "needs the key {discriminator}",
}

_CHOICES: Final = frozenset(("literal_error", "enum", "union_tag_invalid"))
_BY_RAISING: Final = {"value_error": "Value error, ", "assertion_error": "Assertion failed, "}
_PYDANTICS_OWN: Final = frozenset(get_args(core_schema.ErrorType))
_QUOTED: Final = re.compile(r"'([^']*)'")
_FIELD: Final = re.compile(r"\{(\w+)\}")


def words(line: ErrorDetails, *, secret: bool = False) -> str:
    """What is wrong, and what would be right. The value is shown unless it is ``secret``."""
    kind, value = line["type"], line["input"]
    context = {**line.get("ctx", {})}
    if kind == RULE:
        return shorten(line["msg"], _MESSAGE_WIDTH)
    if kind in _EXPECTED:
        return not_expected([_EXPECTED[kind]], value, secret=secret)
    if kind in _CHOICES:
        return _not_among(context, value, secret=secret)
    if kind == "string_too_short" and context["min_length"] == 1:
        return f"must not be empty{_got(value, secret)}"
    if kind in _RULES:
        return f"{_filled(_RULES[kind], context)}{_got(value, secret)}"
    if kind in _PLAIN:
        return _filled(_PLAIN[kind], context)
    if kind in _BY_RAISING:
        return foreign(line["msg"].removeprefix(_BY_RAISING[kind]))
    if kind in _PYDANTICS_OWN:
        return f"is not accepted here{_got(value, secret)}"
    return foreign(line["msg"])


def expected(line: ErrorDetails) -> str | None:
    """What kind of value is expected where the error is that it is of another kind, else None."""
    kind, value = line["type"], line["input"]
    if kind in _CHOICES and not isinstance(value, str):
        return f"one of {', '.join(_choices(line.get('ctx', {}))) or 'the choices'}"
    return _EXPECTED.get(kind)


def not_expected(kinds: list[str], value: Any, *, secret: bool) -> str:
    """One sentence for a value that is of none of the kinds."""
    hint = ": put it in quotes" if kinds == [_TEXT] and isinstance(value, int | float) else ""
    return f"expected {' or '.join(kinds)}, got {_kind(value, secret)}{hint}"


def foreign(message: str) -> str:
    """What somebody else's code says, on one line of bounded length and safe to show."""
    return one_line(message, _MESSAGE_WIDTH) or "is not accepted here"


def _not_among(context: dict[str, Any], value: Any, *, secret: bool) -> str:
    if "tag" in context:
        value = context["tag"]
    choices = _choices(context)
    if not choices:
        return f"must be {foreign(str(context.get('expected', 'another value')))}{_got(value, secret)}"
    listed = ", ".join(choices[:_MOST_CHOICES]) + (", …" if len(choices) > _MOST_CHOICES else "")
    must = f"must be one of {listed}" if len(choices) > 1 else f"must be {listed}"
    hint = did_you_mean(value, choices) if isinstance(value, str) and not secret else ""
    return f"{must}{_got(value, secret)}{hint}"


def _choices(context: dict[str, Any]) -> list[str]:
    return _QUOTED.findall(str(context.get("expected_tags") or context.get("expected", "")))


def _filled(template: str, context: dict[str, Any]) -> str:
    counted = _FIELD.search(template)
    count = context.get(counted.group(1)) if counted else None
    safe = {key: _bound(value) for key, value in context.items()}
    return template.format_map({**safe, "s": "" if count == 1 else "s"})


def _bound(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return foreign(str(int(value) if whole else value))


def _got(value: Any, secret: bool) -> str:
    return "" if secret else f", got {_shown(value)}"


def _shown(value: Any) -> str:
    return show_value(value, _VALUE_WIDTH)


def _kind(value: Any, secret: bool) -> str:
    match value:
        case None:
            return "nothing (null)"
        case bool():
            kind = "true or false" if secret else _shown(value)
        case int() | float():
            kind = "a number" if secret else f"the number {_shown(value)}"
        case str():
            kind = "text" if secret else f"the text {_shown(value)}"
        case list():
            kind = _LIST
        case dict():
            kind = _MAPPING
        case _:
            kind = type(value).__name__
    return kind
