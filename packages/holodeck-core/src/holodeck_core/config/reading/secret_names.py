"""Which keys name a secret. The one rule for values, for source lines and for arguments of programs. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_ANYWHERE: Final = frozenset(
    (
        "secret",
        "secrets",
        "password",
        "passwd",
        "passphrase",
        "credential",
        "credentials",
        "authorization",
        "apikey",
    )
)
# At the end of a key these name a secret; `max_tokens` and `min_pass_rate` name none.
_AT_THE_END: Final = frozenset(("key", "token", "pass", "pwd", "auth", "bearer", "cookie"))
_IN_ENVIRONMENT: Final = ("key", "token", "secret", "pass", "pwd", "cred", "auth", "cookie")
# What is often meant by a key that is near it, and how many slips apart it may be.
_OFTEN_MEANT: Final = {
    "apikey": 2,
    "accesstoken": 2,
    "authtoken": 2,
    "password": 2,
    "passphrase": 2,
    "authorization": 2,
    "credentials": 2,
    "clientsecret": 2,
    "secret": 1,
}

ENVIRONMENT: Final = "env"
HEADERS: Final = "headers"


@lru_cache(maxsize=4096)
def names_secret(key: str, in_environment: bool = False) -> bool:
    """Whether the value of the key must not be shown: it is called a key, password, token, secret or the like, also
    with a slip in it. In an environment (``env``) every name that has such a word in it counts."""
    if key == HEADERS:
        return True
    if in_environment and any(part in key.lower() for part in _IN_ENVIRONMENT):
        return True
    words = [word.lower() for word in _WORD.findall(key)]
    if not words:
        return False
    if words[-1] in _AT_THE_END or not _ANYWHERE.isdisjoint(words) or words[-2:] == ["connection", "string"]:
        return True
    joined = "".join(words)
    return any(
        joined[0] == meant[0] and abs(len(joined) - len(meant)) <= most and _slips(joined, meant) <= most
        for meant, most in _OFTEN_MEANT.items()
    )


def _slips(word: str, meant: str) -> int:
    """How many letters are missing, added, wrong or swapped (the optimal string alignment distance)."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for i, letter in enumerate(word, 1):
        above, before, row = before, row, [i]
        for j, wanted in enumerate(meant, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == meant[j - 2] and word[i - 2] == wanted:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]
