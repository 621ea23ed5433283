"""A problem shows its source line: short, harmless, without secrets, and the caret under the right character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core.config.reading.source import WIDTH, Source


def caret_character(text: str, index: int) -> str:
    """The character that the caret of a printed problem stands under."""
    *_, source, caret = str(Source("f", text).problem("m", index)).split("\n")
    assert caret.strip() == "^"
    return source.ljust(len(caret))[len(caret) - 1]


@pytest.mark.parametrize(
    ("text", "index", "line", "column", "source_line"),
    [
        ("abc", 1, 1, 2, "abc"),
        ("a\nbc\nd", 3, 2, 2, "bc"),
        ("a\r\nbc\r\n", 4, 2, 2, "bc"),
        ("a\rbc", 3, 2, 2, "bc"),
        ("a\u2028\x85b\nc", 3, 1, 4, "a\ufffd\ufffdb"),
        ("é😀x", 2, 1, 3, "é😀x"),
        ("ab\n", 3, 2, 1, ""),
        ("ab", 99, 1, 3, "ab"),
        ("", 0, 1, 1, ""),
        ("\ta: \x07\x1b[31m\u202e", 4, 1, 5, " a: \ufffd\ufffd[31m\ufffd"),
    ],
)
def test_lines_and_columns_count_characters(
    text: str, index: int, line: int, column: int, source_line: str
) -> None:
    place = Source("f", text).position(index)
    assert (place.line, place.column, place.source_line) == (line, column, source_line)


def test_one_line_of_a_file_keeps_its_number() -> None:
    assert Source("f", "a\rb", line=7).position(2)[:2] == (7, 3)
    assert Source("f", "ab", line=7).line(1) == 7


@given(st.text(alphabet="ab é😀\t", min_size=1, max_size=900), st.data())
def test_a_long_line_is_cut_around_the_caret(line: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(line) - 1))
    text = f"first\n{line}\nlast"
    place = Source("f", text).position(6 + index)
    assert (place.line, place.column) == (2, index + 1)
    assert len(place.source_line) <= WIDTH
    assert place.source_line[place.caret] == line[index].replace("\t", " ")
    assert caret_character(text, 6 + index) == line[index].replace("\t", " ")


def test_a_line_of_megabytes_is_cut_too() -> None:
    text = "x" * 3_000_000 + "y" + "z" * 3_000_000
    place = Source("f", text).position(3_000_000)
    assert place.column == 3_000_001
    assert len(place.source_line) == WIDTH
    assert caret_character(text, 3_000_000) == "y"


SECRET = "sk-live-4711"


@pytest.mark.parametrize(
    "line",
    [
        f"  api_key: {SECRET}",
        f"  api_key: '{SECRET}'",
        f'  "api_key" : "{SECRET}",',
        f"model: {{provider: openai, api_key: {SECRET}, name: x}}",
        f'{{"model": {{"api_key": "x\\"{SECRET}", "name": 1}}}}',
        f"  api-key: {SECRET} {SECRET}",
        f"  apiKey: {SECRET}",
        f"  OPENAI_API_KEY: {SECRET}, {SECRET}",
        f'  api_key: "{SECRET}',
        f"  api_key: ${{KEY:-{SECRET}}}",
        f"  Authorization: Bearer {SECRET}",
        f"  client_secret: {SECRET}",
        f"  password: {SECRET}",
        f"  access_token: {SECRET}",
        f"  args: [--api-key={SECRET}]",
        f"{{api_key: a, other: b, api_key: {SECRET}}}",
        f"{{provider: x, accessToken: {SECRET}",
        f"{{provider: x, api_kye: {SECRET}, name: x}}",
        f"  api_key {SECRET}",
        f"  - api_key {SECRET}",
        f"{{provider: x, api_key {SECRET}, name: x}}",
        f"  api_key 'a {SECRET}'",
        f"  authorization Bearer {SECRET}",
        f"  ACME_CREDS: {SECRET}",
        f"  place: postgres://ada:{SECRET}@h.example/db",
        f"  args: [--api-key, {SECRET}, --port, 80]",
        f'  "args": ["--api-key", "{SECRET}"],',
        f"  command: serve --token {SECRET} --port 80",
        f"  headers: {{X-Any: {SECRET}}}",
        "x" * 150 + f" api_key: {SECRET}" + "y" * 300,
    ],
)
@pytest.mark.parametrize("at_end", [False, True])
def test_secrets_are_masked_at_the_same_length(line: str, at_end: bool) -> None:
    index = len(line) - 1 if at_end else 0
    place = Source("f", line).position(index)
    assert SECRET not in place.source_line
    assert "****" in place.source_line
    assert place.column == index + 1


def test_what_follows_a_secret_in_braces_is_still_shown() -> None:
    line = f"{{api_key: {SECRET}, temperature: hot}}"
    assert Source("f", line).position(26).source_line == f"{{api_key: {'*' * len(SECRET)}, temperature: hot}}"


@pytest.mark.parametrize("above", ["api_key: |", "api_key: >-", '"api_key":', "  password:  "])
def test_a_secret_on_the_line_below_its_key_is_masked(above: str) -> None:
    place = Source("f", f"{above}\n  {SECRET}\nx: 1").position(len(above) + 3)
    assert place.source_line == "  " + "*" * len(SECRET)


@pytest.mark.parametrize(
    "line",
    [
        "the password is told in words",
        "args: [--max-tokens, '100', -v]",
        "see https://h.example/@ada",
        "ACME_MODE: fast",
        "max_tokens: 100",
        "keys: [a]",
        "tokenizer: x",
        "secretary: y",
        "token_usage: 5",
    ],
)
def test_what_only_looks_like_a_secret_is_shown(line: str) -> None:
    assert Source("f", line).position(0).source_line == line
