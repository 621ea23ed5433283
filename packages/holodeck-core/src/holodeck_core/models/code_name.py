"""What a Python object that was given in code is called where a file would name one."""

from __future__ import annotations

import re
from typing import Final

_NO_WORD: Final = re.compile(r"\W+")


def code_name(target: object) -> str:
    """``module:name`` of a function or a class, that of its class for any other object; not always importable."""
    named = target if isinstance(getattr(target, "__name__", None), str) else type(target)
    name = _NO_WORD.sub("_", getattr(named, "__name__", "")).strip("_") or "function"
    return f"{getattr(named, '__module__', None) or '__main__'}:{name}"
