"""Which YAML values are matchers, and what is wrong with those that only nearly are. Pure.

Three kinds of mapping:

- `{fuzzy: X}`, `{regex: X}` and `{plugin/name: X}` are matchers by their key, which stands alone.
- `literal`, `any_of`, `unordered`, `absent`, `contains`, `type` and `approx` are known by the whole shape.
- Everything else is a literal, but a sole key that looks like a slip (`regexp`, `Fuzzy`) is an error.

In a file with aliases of plugins' names, `{alias: X}` is a matcher as well; that is known when names are resolved.

Matchers may stand at any depth of a literal. In `{literal: X}` nothing is a matcher; what a plugin's matcher
makes of its own value is the plugin's business.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any, NamedTuple

from holodeck_core.models.json_value import MAX_DEPTH, Path, json_problems
from holodeck_core.plugins.names import is_name

MATCHER_NAMES = frozenset(
    {"literal", "fuzzy", "regex", "any_of", "unordered", "absent", "contains", "type", "approx"}
)
JSON_TYPES = frozenset({"integer", "number", "string", "boolean", "array", "object"})

PLUGIN_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*/[A-Za-z0-9][\w.-]*")
SLIPS = {"regexp": "regex", "re": "regex", "pattern": "regex", "fuzz": "fuzzy"}


class MatcherShape(NamedTuple):
    """A matcher as it is written: its name, and the YAML value it was given.

    The value is what stands under the name; for `{approx: N, tolerance: T}` it is that whole mapping.
    """

    kind: str
    value: Any


def is_plugin_name(text: str) -> bool:
    """Whether the text has the form `plugin/name`."""
    return "/" in text and PLUGIN_NAME.fullmatch(text) is not None


def stands_alone(key: object) -> bool:
    """Whether the key makes a matcher of its mapping whatever its value is."""
    return isinstance(key, str) and (key in ("fuzzy", "regex") or is_plugin_name(key))


def shape_of(value: Any, aliases: Container[str] = ()) -> MatcherShape | None:
    """The matcher that ``value`` is written as, None for a literal. ``value`` has no ``shape_problems``.

    ``aliases`` are the short names of the file: as the only key of a mapping, each is a matcher.
    """
    if not isinstance(value, dict) or not value or len(value) > 2:
        return None
    if len(value) == 2:
        return MatcherShape("approx", value) if _is_approx_with_tolerance(value) else None
    [(key, operand)] = value.items()
    return MatcherShape(key, operand) if _is_matcher(key, operand) or key in aliases else None


def _is_matcher(key: Any, operand: Any) -> bool:
    match key:
        case "literal" | "contains":
            return True
        case "any_of" | "unordered":
            return isinstance(operand, list)
        case "absent":
            return operand is True
        case "type":
            return isinstance(operand, str) and operand in JSON_TYPES
        case "approx":
            return _is_number(operand)
        case _:
            return stands_alone(key)


def _is_approx_with_tolerance(value: dict[Any, Any]) -> bool:
    return _is_number(value.get("approx")) and _is_number(value.get("tolerance"))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def shape_problems(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield (path, message) for each malformed matcher in ``value`` and each part that JSON cannot hold."""
    if isinstance(value, dict) and value and len(path) < MAX_DEPTH:
        yield from _mapping_problems(value, path)
    elif isinstance(value, list) and len(path) < MAX_DEPTH:
        for index, item in enumerate(value):
            yield from shape_problems(item, (*path, index))
    else:
        yield from json_problems(value, path)


def _mapping_problems(value: dict[Any, Any], path: Path) -> Iterator[tuple[Path, str]]:
    alone = list(filter(stands_alone, value)) if len(value) > 1 else []
    shape = shape_of(value)
    if alone:
        yield (*path, alone[:2][-1]), _crowded(alone)
    elif shape is not None:
        yield from _operand_problems(shape, path)
    elif len(value) == 1 and (meant := _meant(key := next(iter(value)))) is not None:
        yield (*path, key), _slip(key, meant)
    else:
        for key, item in value.items():
            if isinstance(key, str):
                yield from shape_problems(item, (*path, key))
            else:
                yield path, f"the key {key!r} must be text: quote it"


def _crowded(keys: list[str]) -> str:
    names = " and ".join(f"`{key}`" for key in keys[:2])
    what = f"{names} exclude each other" if len(keys) > 1 else f"{names} makes this a matcher"
    return f"{what}: a matcher has no other keys; for a value with such a key write {{literal: {{…}}}}"


def _slip(key: str, meant: str) -> str:
    return (
        f"`{key}` is no matcher: did you mean `{meant}`? For a value with such a key write {{literal: {{…}}}}"
    )


def _operand_problems(shape: MatcherShape, path: Path) -> Iterator[tuple[Path, str]]:
    kind, operand = shape
    below = (*path, kind)
    match kind:
        case "fuzzy":
            if operand is None or isinstance(operand, list | dict):
                null = "; null is expected as `null`, without a matcher" if operand is None else ""
                yield below, f"`fuzzy` compares with a single text or number{null}"
            else:
                yield from json_problems(operand, below)
        case "regex":
            if not isinstance(operand, str):
                yield below, "`regex` needs a pattern as text: quote it"
        case "any_of" if not operand:
            yield below, "`any_of` needs at least one alternative: an empty list can never match"
        case "any_of" | "unordered" | "contains":
            yield from shape_problems(operand, below)
        case "approx":
            yield from json_problems(operand, path if isinstance(operand, dict) else below)
        case _:
            yield from json_problems(operand, below)


def _meant(key: Any) -> str | None:
    """The matcher that a sole key which is none was probably meant to be."""
    if not isinstance(key, str):
        return None
    if key in SLIPS:
        return SLIPS[key]
    lower = key.lower()
    return lower if lower != key and lower in MATCHER_NAMES else None


def reads_as_matchers(value: Any) -> bool:
    """Whether something in ``value`` would be read as a matcher, or refused, outside of `{literal: …}`."""
    return _has_matcher(value) or any(True for _ in shape_problems(value))


def _has_matcher(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_has_matcher, value))
    return isinstance(value, dict) and (shape_of(value) is not None or any(map(_has_matcher, value.values())))


def reads_as_alias(value: Any) -> bool:
    """Whether something in ``value`` would be a matcher, outside of `{literal: …}`, in a file with the right alias."""
    if isinstance(value, list):
        return any(map(reads_as_alias, value))
    if not isinstance(value, dict):
        return False
    alone = len(value) == 1 and isinstance(key := next(iter(value)), str) and is_name(key)
    return alone or any(map(reads_as_alias, value.values()))
