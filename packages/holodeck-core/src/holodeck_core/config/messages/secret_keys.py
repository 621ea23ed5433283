"""Which values of a file are secrets, by the keys that lead to them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from pydantic import SecretStr

from holodeck_core.errors import Problem

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
_ENVIRONMENT: Final = "env"
_IN_ENVIRONMENT: Final = ("key", "token", "secret", "pass", "pwd", "cred", "auth", "cookie")

# A shorter text would be found in places where it is none.
_SHORTEST: Final = 5
_MASK: Final = "*"


def is_secret(path: Iterable[str | int]) -> bool:
    """Whether what stands at the end of ``path`` must not be shown.

    So are `api_key`, everything under `headers`, what `env` holds under a name like `ACME_TOKEN`, and whatever another
    key calls a password, token, secret or the like.
    """
    in_environment = False
    for element in path:
        if isinstance(element, str):
            if _names_a_secret(element, in_environment):
                return True
            in_environment = element == _ENVIRONMENT
    return in_environment


def secrets_in(value: Any, path: Iterable[str | int] = ()) -> Iterator[str]:
    """The text of every secret in ``value``, which stands at ``path``, line by line."""
    keys = [element for element in path if isinstance(element, str)]
    return _secrets(value, is_secret(keys), keys[-1:] == [_ENVIRONMENT])


def _secrets(value: Any, secret: bool, in_environment: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            inside = key == _ENVIRONMENT
            named = (secret and not in_environment) or _names_a_secret(str(key), in_environment)
            yield from _secrets(item, named or inside, inside)
    elif isinstance(value, list):
        for item in value:
            yield from _secrets(item, secret, False)
    elif secret and value is not None and not isinstance(value, bool):
        text = value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        yield from (line.strip() for line in text.splitlines())


def masked(text: str, secrets: Iterable[str]) -> str:
    """The text with each of the secrets replaced by as many asterisks."""
    for secret in sorted({secret for secret in secrets if len(secret) >= _SHORTEST}, key=len, reverse=True):
        text = text.replace(secret, _MASK * len(secret))
    return text


def mask_problems(problems: Iterable[Problem], agent: Mapping[str, Any]) -> list[Problem]:
    """The problems without the secrets of the agent file, neither in what they say nor in what they show.

    What the arguments of a test case are called makes no secrets of them.
    """
    secrets = set(secrets_in({key: value for key, value in agent.items() if key != "test_cases"}))
    if not secrets:
        return list(problems)
    return [
        problem._replace(
            message=masked(problem.message, secrets),
            source=None if problem.source is None else masked(problem.source, secrets),
        )
        for problem in problems
    ]


@lru_cache(maxsize=1024)
def _names_a_secret(key: str, in_environment: bool) -> bool:
    if key == "headers":
        return True
    if in_environment and any(part in key.lower() for part in _IN_ENVIRONMENT):
        return True
    words = [word.lower() for word in _WORD.findall(key)]
    return bool(words) and (words[-1] in _AT_THE_END or not _ANYWHERE.isdisjoint(words))
