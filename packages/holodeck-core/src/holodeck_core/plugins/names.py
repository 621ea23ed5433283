"""Names: how plugins and contributions are called, which are HoloDeck's own, what a typo may have meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from holodeck_core.plugins.hookspecs import Kind

PREFIX: Final = "holodeck-"

FIRST_PARTY_IDS: Final = ("cli", "core", "graders")

# The built-in commands: a plugin of such an id could never be reached as `holodeck <id> <command>`.
RESERVED_IDS: Final = frozenset(
    ("test", "chat", "validate", "report", "runs", "compare", "view", "import", "init", "plugins", "schema")
)

_CORE, _GRADERS, _CLI = "holodeck-core", "holodeck-graders", "holodeck-cli"
_SEMANTIC_KERNEL = "holodeck-core[semantic-kernel]"

# Every bare name with what has to be installed for it. The plugins themselves say what they contribute; this
# table is for the name of a distribution that is not there to say it, and for asking the right one only.
FIRST_PARTY_NAMES: Final[Mapping[Kind, Mapping[str, str]]] = {
    "matcher": {
        "literal": _CORE,
        "absent": _GRADERS,
        "any_of": _GRADERS,
        "approx": _GRADERS,
        "contains": _GRADERS,
        "fuzzy": _GRADERS,
        "regex": _GRADERS,
        "type": _GRADERS,
        "unordered": _GRADERS,
    },
    "metric": {
        "bleu": _GRADERS,
        "code": _GRADERS,
        "equality": _GRADERS,
        "f1": _GRADERS,
        "geval": _GRADERS,
        "meteor": _GRADERS,
        "numeric": _GRADERS,
        "rag": _GRADERS,
        "rouge": _GRADERS,
    },
    "grader": {},
    "backend": {
        "python": _CORE,
        "replay": _CORE,
        "scripted": _CORE,
        "anthropic": _SEMANTIC_KERNEL,
        "azure_openai": _SEMANTIC_KERNEL,
        "ollama": _SEMANTIC_KERNEL,
        "openai": _SEMANTIC_KERNEL,
    },
    "reporter": {
        "github": _CLI,
        "html": _CLI,
        "json": _CLI,
        "junit": _CLI,
        "markdown": _CLI,
        "terminal": _CLI,
    },
    "validator": {},
    "command": {"chat": _CLI},
}

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


def normalised(distribution: str) -> str:
    """The name of a distribution in its normal form: lower case, runs of ``-_.`` as one ``-``."""
    return re.sub(r"[-_.]+", "-", distribution.strip()).lower()


def plugin_id(distribution: str) -> str:
    """The id of the plugin that a distribution holds: its normalised name without ``holodeck-``."""
    return normalised(distribution).removeprefix(PREFIX)


def is_plugin_id(text: str) -> bool:
    """Whether the text can be a plugin's id, in normal form."""
    return _ID.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Whether a contribution may be called so: lower-case letters, digits, single ``_`` or ``-``."""
    return _NAME.fullmatch(text) is not None


def is_target(text: str) -> bool:
    """Whether the text has the form ``package.module:Attribute``."""
    module, colon, attribute = text.partition(":")
    return bool(colon) and all(
        part.isidentifier() for dotted in (module, attribute) for part in dotted.split(".")
    )


def split_name(name: str) -> tuple[str | None, str]:
    """``plugin/name`` as (plugin, name); a bare name as (None, name)."""
    plugin, slash, local = name.partition("/")
    return (plugin, local) if slash else (None, name)


def owner_of(kind: Kind, name: str) -> tuple[str, str] | None:
    """Of a first-party name, the plugin's id and what to install for it; None for any other name."""
    requirement = FIRST_PARTY_NAMES[kind].get(name)
    return None if requirement is None else (plugin_id(requirement.partition("[")[0]), requirement)


def is_first_party_name(name: str) -> bool:
    """Whether the bare name is HoloDeck's own, of whatever kind."""
    return any(name in names for names in FIRST_PARTY_NAMES.values())


def near(word: str, choices: Iterable[str]) -> list[str]:
    """The choices that a mistyped word may have meant, the nearest first; case makes no difference."""
    from difflib import get_close_matches

    by_folded = {choice.casefold(): choice for choice in choices}
    return [by_folded[match] for match in get_close_matches(word.casefold(), by_folded, n=3)]
