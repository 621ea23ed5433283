"""What an earlier run and this one have in common: hashes of what files say. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

from holodeck_core.config.messages.secret_keys import hiding
from holodeck_core.config.messages.secret_values import secret_texts, without_secrets

# Cases are compared one by one; execution settings and the user's own keys change no result.
_APART: Final = frozenset({"test_cases", "test_cases_file", "execution", "description", "author"})

_canonical = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str).encode


def content_hash(value: Any) -> str:
    """The same for equal JSON values, however they are written: 32 hexadecimal digits."""
    return blake2b(_canonical(value).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def configuration(written: Mapping[str, Any]) -> dict[str, Any]:
    """The agent file as it is written, without its cases, and with every secret in it masked wherever it stands."""
    kept = {key: value for key, value in written.items() if key != "test_cases"}
    hidden: dict[str, Any] = hiding(secret_texts(kept)).redact_value(without_secrets(kept))
    return hidden


def fingerprint(configuration: Mapping[str, Any], instructions: str | None) -> dict[str, str]:
    """A hash for each section of a ``configuration`` that results depend on.

    It is the file before variables are replaced, and without secrets: one that is renewed changes nothing, and none
    goes into a hash. ``instructions`` is the text that is sent, wherever it stands.
    """
    hashes = {key: content_hash(value) for key, value in configuration.items() if _matters(key)}
    if instructions is not None:
        hashes["instructions"] = content_hash(instructions)
    return hashes


def _matters(key: str) -> bool:
    return key not in _APART and not key.startswith("x-")
