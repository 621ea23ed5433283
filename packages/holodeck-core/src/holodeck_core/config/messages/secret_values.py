"""The secrets that a configuration holds, by the keys that lead to them and by what they look like. Pure."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote, unquote_plus

import attrs
from pydantic import SecretStr

from holodeck_core.config.reading.secret_names import ENVIRONMENT, HEADERS, names_secret
from holodeck_core.redaction import MASK
from holodeck_core.redaction.spans import merged, replaced

# Cases hold what is said and asserted; the others are prose, or describe what only has the name of a secret.
_NO_SETTINGS: Final = frozenset(("test_cases", "response_format", "instructions"))
# The arguments of a program, and keys of addresses.
_ARGUMENTS: Final = frozenset(("args", "argv", "arguments", "command", "cmd"))
_ADDRESS: Final = re.compile(r"(?:^|_)(?:endpoint|url|uri|host|server|address|base)$", re.IGNORECASE)
# What everybody may know though it stands among headers or in a query.
_HARMLESS: Final = frozenset(
    (
        "accept",
        "accept-encoding",
        "accept-language",
        "anthropic-version",
        "api-version",
        "api_version",
        "content-type",
        "user-agent",
        "version",
    )
)

_USER_INFO: Final = re.compile(r"://(?P<user>[^/?#\s\"'@:]*)(?::(?P<password>[^/?#\s\"']*))?@")
_QUERY: Final = re.compile(r"[?&](?P<name>[^=&\s#\"']+)=(?P<value>[^&\s#\"']+)")
_SETTING: Final = re.compile(
    r"(?<![\w-])-{0,2}(?P<name>[A-Za-z][\w.-]*)(?:=|:\s*|\s+)(?P<value>\"[^\"]*\"|'[^']*'|\S.*)"
)
_OPTION: Final = re.compile(
    r"(?<![\w-])--?(?P<name>[A-Za-z][\w-]*)(?:=|\s+)(?P<value>\"[^\"]*\"|'[^']*'|[^\s-]\S*)"
)
_FLAG: Final = re.compile(r"--?([A-Za-z][\w-]*)")
_SCHEME: Final = re.compile(r"(?P<scheme>[A-Za-z]+)\s+(?P<rest>\S+)")
_PAIR: Final = re.compile(r"(?:^|[;,])\s*[^=;,\s]+=([^;,]+)")
_VARIABLE: Final = re.compile(r"(?<!\$)\$\{([A-Za-z_][A-Za-z0-9_]*)")


@attrs.frozen
class _Place:
    """Where a value stands: ``secret`` where all of it is, ``environment`` inside ``env``, and the nearest key."""

    key: str = ""
    secret: bool = False
    environment: bool = False

    def below(self, key: str) -> _Place:
        named = names_secret(key, self.environment) or (self.secret and not self.environment)
        if self.key == HEADERS and key.lower() in _HARMLESS:
            named = False
        return _Place(key, named or key == ENVIRONMENT, key == ENVIRONMENT)

    def items(self, values: Iterable[Any]) -> Iterator[tuple[Any, _Place]]:
        """The items of a list with their places. After ``--api-key`` comes a key."""
        inside = _Place(self.key, self.secret)
        follows = False
        for item in values:
            text = item if isinstance(item, str) and self.key in _ARGUMENTS else ""
            flag = _FLAG.fullmatch(text)
            yield item, inside if flag or not follows else _Place(self.key, secret=True)
            follows = flag is not None and names_secret(flag[1])


def place_of(path: Iterable[str | int]) -> _Place:
    """What the keys that lead to a value say of it."""
    place = _Place()
    for element in path:
        if isinstance(element, str):
            place = place.below(element)
    return place


def secret_texts(value: Any, path: Iterable[str | int] = ()) -> Iterator[str]:
    """The text of every secret in ``value``, which stands at ``path``: the whole of it, its lines, and those of its
    parts that may stand alone. Sections that hold no settings are passed over."""
    for place, text in _leaves(_settings(value), place_of(path)):
        for part in _secret_parts(place, text):
            yield from _with_parts(place, part)


def variables_of_secrets(written: Any) -> set[str]:
    """The names of the variables that stand in secrets of a configuration as it is written."""
    return {
        name
        for place, text in _leaves(_settings(written), _Place())
        for part in _secret_parts(place, text)
        for name in _VARIABLE.findall(part)
    }


def without_secrets(value: Any) -> Any:
    """A configuration with ``MASK`` for every secret where it stands, however short."""
    return _hidden(value, _Place())


def _settings(value: Any) -> Any:
    """The value without what is no setting in an agent file."""
    if not isinstance(value, Mapping):
        return value
    settings = {key: item for key, item in value.items() if key not in _NO_SETTINGS}
    if isinstance(tools := settings.get("tools"), list):
        settings["tools"] = [
            {key: item for key, item in tool.items() if key != "parameters"}
            if isinstance(tool, Mapping)
            else tool
            for tool in tools
        ]
    return settings


def _leaves(value: Any, place: _Place) -> Iterator[tuple[_Place, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, place.below(str(key)))
    elif isinstance(value, list | tuple):
        for item, inside in place.items(value):
            yield from _leaves(item, inside)
    elif value is not None and not isinstance(value, bool):
        yield place, value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def _secret_parts(place: _Place, text: str) -> Iterator[str]:
    if place.secret:
        yield text
    else:
        yield from (text[start:end] for start, end in _spans(place, text))


def _spans(place: _Place, text: str) -> list[tuple[int, int]]:
    """Where secrets stand in a text that is not one itself, in order."""
    spans: list[tuple[int, int]] = []
    if "://" in text:
        for found in _USER_INFO.finditer(text):
            spans += [found.span(part) for part in ("user", "password") if found[part]]
        everything = bool(_ADDRESS.search(place.key)) or place.key in _ARGUMENTS
        spans += [
            found.span("value")
            for found in _QUERY.finditer(text)
            if names_secret(found["name"]) or (everything and found["name"].lower() not in _HARMLESS)
        ]
    if place.key in _ARGUMENTS:
        whole = _SETTING.fullmatch(text)
        if whole and names_secret(whole["name"], whole["name"].isupper()):
            return [whole.span("value")]
        spans += [found.span("value") for found in _OPTION.finditer(text) if names_secret(found["name"])]
    return merged(spans)


def _with_parts(place: _Place, text: str) -> Iterator[str]:
    """A secret, and what of it is one by itself: its lines, what is behind `Bearer`, the password behind `Basic`, the
    values of cookies, and what an address has in other letters."""
    yield text
    yield text.strip()
    yield text.strip("\"' ")
    yield from (line.strip() for line in text.splitlines())
    if "%" in text or "+" in text:
        yield from (unquote(text), unquote_plus(text))
    if "://" in text:
        yield from (text[start:end] for start, end in _spans(place, text))
    if scheme := _SCHEME.fullmatch(text.strip()):
        yield scheme["rest"]
        if scheme["scheme"].lower() == "basic":
            yield from _user_and_password(scheme["rest"])
    if place.key.lower() in ("cookie", HEADERS):
        yield from (value.strip() for value in _PAIR.findall(text))


def _user_and_password(encoded: str) -> Iterator[str]:
    try:
        both = b64decode(encoded, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return
    yield both
    yield from both.split(":", 1)


def _hidden(value: Any, place: _Place) -> Any:
    if isinstance(value, Mapping):
        return {key: _hidden(item, place.below(str(key))) for key, item in value.items()}
    if isinstance(value, list):
        return [_hidden(item, inside) for item, inside in place.items(value)]
    if value is None or isinstance(value, bool):
        return value
    if place.secret:
        return MASK
    if isinstance(value, str):
        return replaced(value, MASK, _spans(place, value))
    return value
