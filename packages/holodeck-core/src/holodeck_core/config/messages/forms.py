"""What to write where a section of an agent file has another form than it may have. Pure."""

from __future__ import annotations

from typing import Any

_SHORTHANDS = {
    "model": "write {provider: …}, with the keys of that provider",
    "instructions": "write {inline: …} or {file: …}",
}


def form_hint(loc: tuple[str | int, ...], value: Any) -> str:
    """The form that ``value``, which stands at ``loc`` and is of another kind than expected, was meant to have.

    ``evaluations`` has two of them: a mapping for the agent, a list for a case or a turn.
    """
    if isinstance(value, str) and len(loc) == 1 and loc[0] in _SHORTHANDS:
        return f": {_SHORTHANDS[str(loc[0])]}"
    if loc == ("evaluations",) and isinstance(value, list):
        return ": for the agent, write {metrics: […]}"
    if loc[-1:] == ("evaluations",) and isinstance(value, dict) and "metrics" in value:
        return ": for a case or a turn, write the list of its metrics alone"
    return ""
