"""Patterns of JSON schemas, on text of a model: each search ends soon, whatever the pattern and the text are.

``re`` can take for ever over a pattern such as ``(a+)+$``, and nothing in its process can interrupt it. So patterns are
read by the engine that pydantic brings, whose time grows with the length of the text alone; function tools are checked
by the same one. What it cannot read, such as look-around, or reads in a way of its own, is searched for by ``re`` in a
process of its own, which is given one second of the processor.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from functools import lru_cache
from typing import Final

from pydantic_core import SchemaError, SchemaValidator, core_schema

from holodeck_core.api.values import well_formed
from holodeck_core.text import show_value

SEARCH_SECONDS: Final = 1
# How long a process may take until then on a busy machine.
_PATIENCE_S: Final = 30.0
_FOUND: Final = 3
_NOT_FOUND: Final = 4
_PROGRAM: Final = f"""
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({SEARCH_SECONDS}, {SEARCH_SECONDS}))
pattern, text = json.load(sys.stdin)
sys.exit({_FOUND} if re.search(pattern, text) else {_NOT_FOUND})
"""
_PART: Final = re.compile(r"\\.|&&|--|~~|.", re.DOTALL)


class NotDecided(Exception):
    """What was to be found out would have taken too long; the text says what."""


def is_pattern(pattern: str) -> bool:
    """Whether one of the engines can read it."""
    if _linear(pattern) is not None:
        return True
    try:
        with warnings.catch_warnings(action="ignore"):  # of what later versions may read otherwise
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def needs_a_process(pattern: str) -> bool:
    """Whether looking for it starts one."""
    return _linear(pattern) is None


def is_found(pattern: str, text: str) -> bool:
    """Whether the pattern matches somewhere in the text. Blocks, at worst for about a second; raises NotDecided."""
    judge = _linear(pattern)
    text = well_formed(text)
    return _found_elsewhere(pattern, text) if judge is None else judge.isinstance_python(text)


@lru_cache(maxsize=256)
def _linear(pattern: str) -> SchemaValidator | None:
    if _means_something_else(pattern):
        return None
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError:
        return None


def _means_something_else(pattern: str) -> bool:
    """Whether that engine gives a meaning of its own to what is plain text elsewhere: the ends of words (``\\<``), and
    sets in sets (``[a[b]]``, ``[a&&b]``)."""
    in_set = False
    for part in _PART.findall(pattern):
        if part in ("\\<", "\\>") or (in_set and part in ("[", "&&", "--", "~~")):
            return True
        in_set = part != "]" if in_set else part == "["
    return False


def _found_elsewhere(pattern: str, text: str) -> bool:
    try:
        ended = subprocess.run(  # noqa: S603 - our own interpreter, with our own program
            [sys.executable, "-I", "-S", "-W", "ignore", "-c", _PROGRAM],
            input=json.dumps([pattern, text]).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_PATIENCE_S,
            start_new_session=True,
            check=False,
        ).returncode
    except subprocess.TimeoutExpired:
        ended = None
    except OSError as error:
        raise NotDecided(
            f"the pattern {show_value(pattern)} could not be searched for: {error.strerror or error}"
        ) from error
    if ended in (_FOUND, _NOT_FOUND):
        return ended == _FOUND
    raise NotDecided(f"the pattern {show_value(pattern)} could not be searched for within {SEARCH_SECONDS} s")
