"""What to say of a key that its mapping cannot have, and of one that it lacks. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

from pydantic import BaseModel

from holodeck_core.config.messages.expected_keys import home_of, keys_of, lists_text, model_at, value_at
from holodeck_core.config.reading.suggest import closest
from holodeck_core.models.agent import Agent
from holodeck_core.models.base import Loc
from holodeck_core.text import show_value

_MOST_LISTED: Final = 12
_WIDTH: Final = 60
# What other tools, and people, call a key.
_OTHER_WORDS: Final = {
    **dict.fromkeys(("message", "prompt", "query", "question", "user"), "input"),
    **dict.fromkeys(("answer", "assistant", "expect", "expected", "output", "reference"), "ground_truth"),
    **dict.fromkeys(
        ("expected_answer", "expected_output", "expected_reply", "expected_response"), "ground_truth"
    ),
    **dict.fromkeys(("conversations", "messages", "steps"), "turns"),
    **dict.fromkeys(("arguments", "parameters"), "args"),
}
_PLAIN: Final = re.compile(r"[\w/.-]{1,60}", re.ASCII)


class ValidKeys:
    """Which keys are valid where, in a value that a model reads. ``also`` are valid at its top as well."""

    def __init__(self, model: type[BaseModel], value: Any, also: Iterable[str]) -> None:
        self._model = model
        self._value = value
        self._also = tuple(also)

    def meant(self, loc: Loc) -> str | None:
        """The valid key that the unknown one at the end of ``loc`` was probably meant to be."""
        key, valid = str(loc[-1]), tuple(self._beside(loc))
        other_word = _OTHER_WORDS.get(key.lower())
        return other_word if other_word in valid else _nearest(key, valid)

    def message(self, loc: Loc) -> str:
        """What to say of the unknown key at the end of ``loc``."""
        key = str(loc[-1])
        shown = shown_key(key)
        if (meant := self.meant(loc)) is not None:
            return f'unknown key {shown}; did you mean "{meant}"?'
        if (home := home_of(key)) is not None:
            return f"unknown key {shown}: it belongs {home}"
        valid = self._beside(loc)
        if 0 < len(valid) <= _MOST_LISTED:
            return f"unknown key {shown}; the keys here are {', '.join(valid)}"
        own = "; a key of your own begins with `x-`" if self._model is Agent and len(loc) == 1 else ""
        return f"unknown key {shown}{own}"

    def meant_by(self, loc: Loc) -> str | None:
        """The key beside the missing one at the end of ``loc`` that its model leaves to others, and that is near it."""
        missing, mapping = str(loc[-1]), value_at(self._value, loc[:-1])
        known = self._beside(loc)
        others = [key for key in mapping if key not in known] if isinstance(mapping, dict) else []
        return closest(missing, others)

    def takes_texts(self, loc: Loc) -> bool:
        """Whether the list that is expected at ``loc`` may hold texts."""
        return lists_text(self._model, self._value, loc)

    def _beside(self, loc: Loc) -> list[str]:
        at = model_at(self._model, self._value, loc[:-1])
        keys = [] if at is None else keys_of(at)
        return list(dict.fromkeys([*keys, *self._also])) if len(loc) == 1 else keys


@lru_cache(maxsize=256)  # the same slip is often in every case of a file
def _nearest(key: str, valid: tuple[str, ...]) -> str | None:
    return closest(key, valid) or _only_with_words_of(key, valid)


def _only_with_words_of(key: str, valid: Iterable[str]) -> str | None:
    """The one valid key that has all the words of the key: `parallel_test_cases` for `parallel`."""
    words = set(key.lower().split("_"))
    having = [name for name in valid if words <= set(name.split("_"))]
    return having[0] if len(having) == 1 else None


def shown_key(key: str) -> str:
    """A key of a file as messages show it."""
    return f"`{key}`" if _PLAIN.fullmatch(key) else show_value(key, _WIDTH)
