"""Keeps secrets out of what is told of a configuration. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from holodeck_core.config.messages.secret_values import place_of, secret_texts
from holodeck_core.config.reading.secret_lines import secrets_in_lines
from holodeck_core.errors import Problem
from holodeck_core.redaction import Redactor

# A shorter text would be found in places where it is none. Here it is shorter than in what an agent says: there is
# little text, and what is hidden too much stands in the file.
_SHORTEST: Final = 5
# What the arguments of a test case are called makes no secrets of them.
_CASES: Final = re.compile(r"^test_cases\s*:.*?(?=^[^\s#-]|\Z)", re.MULTILINE | re.DOTALL)
# A variable that is not set is told by its name. In a line of the file the bracket may have been taken for another's.
_REFERENCE: Final = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}?")


def is_secret(path: Iterable[str | int]) -> bool:
    """Whether what stands at the end of ``path`` must not be shown.

    So are `api_key`, everything under `headers`, what `env` holds under a name like `ACME_TOKEN`, and whatever another
    key calls a password, token, secret or the like.
    """
    return place_of(path).secret


def without_secrets_of(given: Any, text: str, path: Iterable[str | int] = ()) -> str:
    """What is told of the value ``given``, which stands at ``path``, without the secrets in that."""
    return hiding(secret_texts(given, path)).redact_shown(text)


def hiding(secrets: Iterable[str]) -> Redactor:
    """What hides the secrets of a file in what is told of it."""
    return Redactor(secrets, _SHORTEST)


def mask_problems(problems: Iterable[Problem], agent: Mapping[str, Any], text: str) -> list[Problem]:
    """The problems without the secrets of the agent file, neither in what they say nor in what they show.

    ``text`` is that of the file: a secret may stand where only its looks tell, as behind a key without its colon.
    """
    problems = list(problems)
    if not problems:
        return problems
    found = [*secret_texts(agent), *secrets_in_lines(_CASES.sub("", text))]
    secrets = hiding(secret for secret in found if not _REFERENCE.fullmatch(secret))
    return [
        problem._replace(
            message=secrets.redact_shown(problem.message),
            path=secrets.redact_shown(problem.path),
            source=None if problem.source is None else secrets.blank(problem.source),
        )
        for problem in problems
    ]
