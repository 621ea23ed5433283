"""Secrets are found by their value, in every form in which they are likely to be repeated."""

from __future__ import annotations

import base64
import copy
import json
import pickle
import re
import time
from collections.abc import Callable, Iterator
from html import escape
from itertools import pairwise
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.redaction import MASK, Redactor
from holodeck_core.text import one_line, show_value

SECRET = "sk/Live+47 11?\u00e9\"\\~&<'"

# How an agent may write a secret.
FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "JSON": lambda secret: json.dumps(secret)[1:-1],
    "JSON, not ASCII": lambda secret: json.dumps(secret, ensure_ascii=False)[1:-1],
    "JSON with escaped slashes": lambda secret: json.dumps(secret)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda secret: json.dumps(json.dumps(secret)[1:-1])[1:-1],
    "Python": lambda secret: repr(secret)[1:-1],
    "HTML": escape,
    "HTML between tags": lambda secret: escape(secret, quote=False),
    "HTML of other libraries": lambda secret: escape(secret).replace("&#x27;", "&#39;"),
    "quoted": quote,
    "quoted wholly": lambda secret: quote(secret, safe=""),
    "quoted with small letters": lambda secret: re.sub("%..", lambda found: found[0].lower(), quote(secret, safe="")),
    "quoted with plus": quote_plus,
    "as encodeURIComponent does": lambda secret: quote(secret, safe="!'()*"),
    "Base64": lambda secret: base64.b64encode(secret.encode()).decode(),
    "Base64 without padding": lambda secret: base64.b64encode(secret.encode()).decode().rstrip("="),
    "Base64 for URLs": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode(),
    "Base64 for URLs without padding": lambda secret: base64.urlsafe_b64encode(secret.encode()).decode().rstrip("="),
}  # fmt: skip

# No character of the mask, of which nothing could be told apart then.
PLAIN = st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=MASK)
SECRETS = st.lists(st.text(PLAIN, min_size=8, max_size=20), min_size=1, max_size=3)
FEW = st.lists(st.text("ab", min_size=8, max_size=12), min_size=1, max_size=3)


@st.composite
def texts_with(draw: st.DrawFn, secrets: list[str]) -> str:
    """A text that holds some of the secrets, each in some form, and parts of forms."""
    pieces: list[str] = []
    for _ in range(draw(st.integers(0, 4))):
        form = draw(st.sampled_from(sorted(FORMS)))
        written = FORMS[form](draw(st.sampled_from(secrets)))
        pieces.append(draw(st.text(PLAIN, max_size=5)))
        pieces.append(written[: draw(st.integers(0, len(written)))] if draw(st.booleans()) else written)
    return "".join([*pieces, draw(st.text(PLAIN, max_size=5))])


def cut(text: str, places: list[int]) -> Iterator[str]:
    bounds = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    for start, end in pairwise(bounds):
        yield text[start:end]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_secret_is_masked(form: str) -> None:
    written = FORMS[form](SECRET)
    redacted = Redactor([SECRET]).redact(f"the key is <{written}>.")
    assert redacted == f"the key is <{MASK}>."


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", [b"", b"a", b"ab", b"user:", b"abcde"])
@pytest.mark.parametrize("after", [b"", b"z", b"yz", b"xyz"])
def test_a_secret_inside_of_a_longer_base64_text_is_masked(
    encode: Callable[[bytes], bytes], before: bytes, after: bytes
) -> None:
    text = encode(before + SECRET.encode() + after).decode()
    start, end = -(-8 * len(before) // 6), 8 * len(before + SECRET.encode()) // 6
    redacted = Redactor([SECRET]).redact(text)
    assert MASK in redacted
    assert text[start:end] not in redacted


@given(st.data())
def test_no_form_survives(data: st.DataObject) -> None:
    secrets = data.draw(SECRETS)
    redacted = Redactor(secrets).redact(data.draw(texts_with(secrets)))
    for secret in secrets:
        for form, written in FORMS.items():
            assert written(secret) not in redacted, form


@given(st.lists(st.text("abcdefgh", min_size=8, max_size=12)), st.text("ijklmnop .…", max_size=60))
def test_a_text_without_secrets_is_unchanged(secrets: list[str], text: str) -> None:
    redactor = Redactor(secrets)
    assert redactor.redact(text) == text
    assert redactor.redact_shown(text) == text
    assert redactor.redact_value({text: [text, 1, None]}) == {text: [text, 1, None]}


@given(st.data())
def test_a_stream_is_redacted_as_the_whole_text_is(data: st.DataObject) -> None:
    secrets = data.draw(st.one_of(SECRETS, FEW))
    text = data.draw(st.one_of(texts_with(secrets), st.text("ab", max_size=40)))
    redactor = Redactor(secrets)
    stream = redactor.stream()
    given_back = [
        stream.feed(piece) for piece in cut(text, data.draw(st.lists(st.integers(0, 400), max_size=12)))
    ]
    assert "".join([*given_back, stream.finish()]) == redactor.redact(text)


@pytest.mark.parametrize("secret", [SECRET, "\u00e9" * 8])
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_masked_wherever_a_stream_is_cut(form: str, secret: str) -> None:
    text = f"<{FORMS[form](secret)}>"
    redactor = Redactor([secret])
    for place in range(len(text)):
        stream = redactor.stream()
        assert stream.feed(text[:place]) + stream.feed(text[place:]) + stream.finish() == f"<{MASK}>", place


def test_a_stream_holds_back_only_what_may_become_a_secret() -> None:
    stream = Redactor(["abcdefgh"]).stream()
    assert [stream.feed(piece) for piece in ("hello a", "bc", "x", " abcdefg", "h.")] == [
        "hello ", "", "abcx", " ", f"{MASK}.",
    ]  # fmt: skip
    assert stream.finish() == ""


@given(st.data())
def test_the_scan_of_a_line_overlooks_nothing(data: st.DataObject) -> None:
    secrets = data.draw(SECRETS)
    text = data.draw(texts_with(secrets))
    value: Any = {text: [text, {"a": data.draw(st.text(max_size=10)) + text}]}
    redactor = Redactor(secrets)
    if redactor.redact_value(value) != value:
        assert redactor.is_in_json(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


@pytest.mark.parametrize(
    ("secrets", "text", "redacted"),
    [
        (["abcdefgh", "abcdefghijkl"], "abcdefghijkl", MASK),
        (["abcdefgh", "fghijklmnop"], "-abcdefghijklmnop-", f"-{MASK}-"),
        (["abcdefgh"], "abcdefghabcdefgh", MASK * 2),
        (["abababab"], "abababababab.", f"{MASK}."),
        (["abcdefg", ""], "abcdefg", "abcdefg"),
        (["  abcdefgh\n"], "abcdefgh", MASK),
        ([], "abcdefgh", "abcdefgh"),
    ],
    ids=["longest", "overlapping", "twice", "overlapping itself", "too short", "trimmed", "none"],
)
def test_which_part_of_a_text_is_masked(secrets: list[str], text: str, redacted: str) -> None:
    assert Redactor(secrets).redact(text) == redacted


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ({"12345678": 1, "a": {"12345678": 2}}, {MASK: 1, "a": {MASK: 2}}),
        ({"12345678": 1, "MTIzNDU2Nzg=": 2, "MTIzNDU2Nzg": 3}, {MASK: 1, f"{MASK} (2)": 2, f"{MASK} (3)": 3}),
        (12345678, MASK),
        (-912345678.5, MASK),
        ([1234567, True, None, "12345678"], [1234567, True, None, MASK]),
        (("12345678",), [MASK]),
    ],
)  # fmt: skip
def test_keys_and_numbers_count(value: Any, redacted: Any) -> None:
    assert Redactor(["12345678"]).redact_value(value) == redacted


def test_a_number_has_no_leading_zeros() -> None:
    assert Redactor(["0012345678"]).redact_value({"a": 12345678}) == {"a": MASK}


LONG = "sk-live-" + "0123456789abcdefghij" * 2


@pytest.mark.parametrize("at", range(0, 240, 7))
def test_a_secret_that_was_cut_short_is_masked_too(at: int) -> None:
    text = "." + " " * at + LONG + " " * (240 - at)
    shown = Redactor([LONG]).redact_shown(show_value(text))
    assert not any(LONG[start : start + 5] in shown for start in range(len(LONG) - 4)), shown


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("0123…", f"{MASK}…"),
        ("…89ab", f"…{MASK}"),
        ("01234567…89ab", f"{MASK}…{MASK}"),
        ("0123456789a...0123456789a... 456789ab.", f"{MASK}...{MASK}... 456789ab."),
        ("a 0123 0123…", f"a 0123 {MASK}…"),
        ("…89ab 89ab b", f"…{MASK} 89ab b"),
        ("012…9ab", "012…9ab"),
        ("89ab…0123", "89ab…0123"),
        ("0124…79ab", "0124…79ab"),
        ("0123..89ab", "0123..89ab"),
    ],
)
def test_what_is_left_of_a_secret_beside_a_cut(text: str, redacted: str) -> None:
    assert Redactor(["0123456789ab"]).redact_shown(text) == redacted


@pytest.mark.parametrize("hidden", ["\u200b", "\x1b[31m", "\x00", "\u2060", "\ufe0f", "\U000e0041"])
def test_hidden_characters_do_not_carry_a_secret_to_the_reader(hidden: str) -> None:
    redactor = Redactor([LONG])
    text = f"it is {LONG[:9]}{hidden}{LONG[9:]}"
    assert redactor.is_in_json(json.dumps({"a": text}, ensure_ascii=False).encode())
    assert one_line(redactor.redact_shown(text)) == f"it is {MASK}"


def test_a_redactor_shows_and_gives_away_nothing() -> None:
    redactor = Redactor([LONG, "abcdefgh", "short"])
    assert repr(redactor) == "<Redactor of 2 secrets>"
    assert copy.deepcopy({"a": redactor})["a"] is copy.copy(redactor) is redactor
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(redactor)
    assert redactor
    assert not Redactor(["short"])


@pytest.mark.parametrize(
    "text",
    ["..." * 100_000, "sk-l..." * 50_000, "sk-live" * 50_000, "a..." * 50_000, LONG * 5_000],
    ids=["cuts", "fragments", "beginnings", "many cuts", "secrets"],
)
def test_what_an_agent_says_does_not_make_it_slow(text: str) -> None:
    redactor = Redactor([LONG])
    started = time.process_time()
    redactor.redact_value({"a": text})
    redactor.is_in_json(json.dumps(text).encode())
    assert time.process_time() - started < 5
