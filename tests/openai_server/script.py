"""What the server says, and when: a script, read from JSON.

```json
{
  "api_key": "sk-right",
  "models": ["gpt-4o-mini"],
  "turns": [
    {"user": "What is 2 + 3?", "steps": [
      {"text": "Let me see.", "calls": [{"name": "add", "args": {"a": 2, "b": 3}}]},
      {"text": "It is {{results}}."}]},
    {"pattern": "I am (\\w+)", "text": "Hello {{1}}!"},
    {"user": "Once more", "first": [{"fault": "rate_limit", "retry_after": 1}], "text": "Here it is."}
  ]
}
```

Everything is optional. With ``api_key`` another key is refused, with ``models`` another model (or deployment).

**A turn** answers the requests whose last user message is equal to ``user`` or fully matches ``pattern`` (Python's
``re``), in the conversation's turn of the number ``turn`` (from 1); the first turn in the file that fits is taken. Its
``steps`` answer the completions of that turn in order: the step is found from the number of assistant messages behind
the last user message, so the server keeps no conversations, and any number of them may run side by side. A turn of one
step may hold the step's own keys. With ``repeat`` the last step is played again and again.

**A step** is a completion: ``text`` (streamed word by word) or ``pieces`` (streamed as they are), ``calls`` (``name``,
``args`` or ``raw``, the text of the arguments as it is sent, and ``id``), ``finish`` (the finish reason), ``usage``
(``prompt``, ``completion``, ``cached``; null for a server that reports none), ``delay`` and ``piece_delay`` in seconds.
Or it is a ``fault`` (see ``faults.py``), or an answer in a dialect: ``body`` (the JSON that is sent) with ``status``
(200) and ``location`` (of a redirection), or ``events`` (of a stream: JSON, or texts that are sent as they are, with
``data:`` before them unless they end with an empty line). ``first`` is a list of steps that are
played before it, one a request, to requests with the very same messages: a fault there is met once, and a client that
tries again gets further.

``{{…}}`` in texts and arguments stands for a group of the pattern, by number or name, or for ``results`` (of the tools
called in this turn, joined by ``" | "``), ``users`` (all user messages so far, joined likewise), ``system`` or
``count`` (of messages). Other braces stay as they are.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_SCRIPT = {"api_key", "models", "turns"}
_TURN = {"user", "pattern", "turn", "steps", "repeat"}
_STEP = {
    *("text", "pieces", "calls", "finish", "usage", "delay", "piece_delay", "first"),
    *("body", "status", "location", "events"),
    *("fault", "after_pieces", "retry_after", "retry_after_ms", "retry_after_date"),
}
_CALL = {"name", "args", "raw", "id"}
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


class ScriptError(ValueError):
    """The script is wrong, or has no answer. It says which."""


@dataclass(frozen=True)
class Conversation:
    """The messages of a request, as far as a script looks at them."""

    messages: Sequence[Mapping[str, Any]]

    @property
    def users(self) -> list[str]:
        """The texts of the user messages."""
        return [_text(message) for message in self.messages if message["role"] == "user"]

    @property
    def behind(self) -> Sequence[Mapping[str, Any]]:
        """The messages behind the last user message."""
        last = max((n for n, message in enumerate(self.messages) if message["role"] == "user"), default=-1)
        return self.messages[last + 1 :]

    @property
    def step(self) -> int:
        """Which completion of the turn is asked for, from 0."""
        return sum(message["role"] == "assistant" for message in self.behind)

    def values(self) -> dict[str, str]:
        """What placeholders stand for."""
        results = [_text(message) for message in self.behind if message["role"] == "tool"]
        systems = [_text(message) for message in self.messages if message["role"] in ("system", "developer")]
        return {
            "results": " | ".join(results),
            "users": " | ".join(self.users),
            "system": "\n".join(systems),
            "count": str(len(self.messages)),
        }


@dataclass
class Script:
    """A script that is being played. It remembers only which of the steps under ``first`` were used."""

    turns: Sequence[Mapping[str, Any]] = ()
    api_key: str | None = None
    models: Sequence[str] | None = None
    _used: Counter[str] = field(default_factory=Counter)

    @classmethod
    def read(cls, data: Any) -> Script:
        """Raises ScriptError for what is none."""
        _check_keys(data, _SCRIPT, "the script")
        turns = data.get("turns", [])
        for number, turn in enumerate(turns):
            _check_turn(turn, f"turns[{number}]")
        return cls(turns, data.get("api_key"), data.get("models"))

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """The step for a request with these messages, with its placeholders filled in.

        Raises ScriptError where the script has none.
        """
        conversation = Conversation(messages)
        users = conversation.users
        for number, turn in enumerate(self.turns):
            groups = _groups(turn, users)
            if groups is not None:
                step = self._step(turn, number, conversation)
                return dict(_filled(step, {**conversation.values(), **groups}))
        raise ScriptError(f"the script has nothing for turn {len(users)}, {users[-1:]}")

    def _step(self, turn: Mapping[str, Any], number: int, conversation: Conversation) -> Mapping[str, Any]:
        steps = turn.get("steps", [turn])
        index = conversation.step
        if index >= len(steps):
            if not turn.get("repeat"):
                raise ScriptError(f"turns[{number}] has no step {index}: it has {len(steps)}")
            index = len(steps) - 1
        step: Mapping[str, Any] = steps[index]
        first: Sequence[Mapping[str, Any]] = step.get("first", ())
        if first:
            key = json.dumps([number, index, conversation.messages], sort_keys=True)
            self._used[key] += 1
            if self._used[key] <= len(first):
                return first[self._used[key] - 1]
        return step


def _groups(turn: Mapping[str, Any], users: Sequence[str]) -> dict[str, str] | None:
    """The groups of the turn's pattern where the turn fits, else None."""
    if turn.get("turn", len(users)) != len(users):
        return None
    last = users[-1] if users else ""
    if "pattern" in turn:
        match = re.fullmatch(turn["pattern"], last, re.DOTALL)
        if match is None:
            return None
        numbered = {str(n): value or "" for n, value in enumerate(match.groups(), start=1)}
        return {**numbered, **{name: value or "" for name, value in match.groupdict().items()}}
    return {} if turn.get("user", last) == last else None


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    if isinstance(value, dict):
        return {key: _filled(item, values) for key, item in value.items()}
    return value


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def _check_turn(turn: Any, where: str) -> None:
    own = _TURN if isinstance(turn, Mapping) and "steps" in turn else _TURN | _STEP
    _check_keys(turn, own, where)
    for number, step in enumerate(turn.get("steps", ())):
        _check_step(step, f"{where}.steps[{number}]")
    if "steps" not in turn:
        _check_step({key: value for key, value in turn.items() if key not in _TURN}, where)


def _check_step(step: Any, where: str) -> None:
    _check_keys(step, _STEP, where)
    for number, call in enumerate(step.get("calls", ())):
        _check_keys(call, _CALL, f"{where}.calls[{number}]")
    for number, earlier in enumerate(step.get("first", ())):
        _check_step(earlier, f"{where}.first[{number}]")


def _check_keys(value: Any, known: set[str], where: str) -> None:
    if not isinstance(value, Mapping):
        raise ScriptError(f"{where} is no mapping")
    if unknown := sorted(value.keys() - known):
        raise ScriptError(f"{where} has unknown keys: {', '.join(unknown)}")
