"""How a secret may be written. Pure."""

from __future__ import annotations

import json
import re
from base64 import standard_b64encode, urlsafe_b64encode
from collections.abc import Iterator
from html import escape
from typing import Final
from urllib.parse import quote, quote_plus

from holodeck_core.text import one_line, show_value

# What is left as it is, by Python and by the two functions of JavaScript.
_SAFE_IN_URLS: Final = ("", "/", "!'()*", ";,/?:@&=+$!*'()#")
_HEX: Final = re.compile(r"%[0-9A-F]{2}")

json_text = json.JSONEncoder(ensure_ascii=False).encode
"""JSON text as results are kept in it."""


def forms_of(secret: str) -> Iterator[str]:
    """How a secret may be written."""
    width = 12 * len(secret) + 2  # more than any escape needs
    escaped = {json_text(secret)[1:-1], json.dumps(secret)[1:-1]}
    escaped |= {text.replace("/", "\\/") for text in escaped}
    yield from (secret, secret.strip(), one_line(secret), repr(secret)[1:-1], show_value(secret, width)[1:-1])
    yield from escaped
    inside_of_json = (encode(text)[1:-1] for text in escaped for encode in (json_text, json.dumps))
    yield from inside_of_json
    in_html = escape(secret)
    yield from (in_html, escape(secret, quote=False), in_html.replace("&#x27;", "&#39;"))
    raw = secret.encode("utf-8", "replace")
    for safe in _SAFE_IN_URLS:
        for quoted in (quote(raw, safe), quote_plus(raw, safe), quote(raw, safe).replace("~", "%7E")):
            yield quoted
            yield _HEX.sub(lambda found: found.group().lower(), quoted)
    yield from _base64(raw)
    if secret.isascii() and secret.isdigit():
        yield secret.lstrip("0")  # as a number


def _base64(raw: bytes) -> Iterator[str]:
    """Base64 of the bytes, by themselves and behind one or two others: what these and what follows cannot change, and
    the same up to the end of the text, with its padding and without."""
    for encode in (standard_b64encode, urlsafe_b64encode):
        for before in range(3):
            text = encode(bytes(before) + raw).decode()
            own = (8 * before + 5) // 6
            yield text[own : 8 * (before + len(raw)) // 6]
            yield text[own:].rstrip("=")
            yield text[own:]
