"""Whatever is in a file, reading it gives a document or says what is wrong, and has no side effects."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holodeck_core.config.reading.decode import decode
from holodeck_core.config.reading.document import Document
from holodeck_core.config.reading.json_document import read_json
from holodeck_core.config.reading.shapes import AGENT, Shape
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.errors import ConfigError

YAML = """\
# comment é
name: "demo"
x-d: &d {threshold: 0.5, tags: [a, b]}
model: {provider: scripted, replies: [{input: 1, reply: 'it''s'}]}
test_cases:
  - name: one
    <<: *d
    input: 25587
    ground_truth: 1.50
    expected_tools:
      - {name: f, args: {a: 0x1F, b: {fuzzy: 1.50}, c: {literal: {fuzzy: 1}}}}
  - name: "two \\u00e9"
    turns:
    - input: |
        text
         more
      ground_truth: ~
    - {input: >-
        folded
        , ground_truth: no}
""".encode()
JSON = json.dumps(
    {
        "name": "demo",
        "x-y": [1, 2.5, -0, 1e3, True, None, "\U0001f600 é"],
        "test_cases": [
            {
                "name": "a",
                "input": 1.5,
                "turns": [{"input": 5, "expected_tools": [{"name": "f", "args": {"a": {"fuzzy": 1.0}}}]}],
            }
        ],
    },
    indent=1,
).encode()

Reader = Callable[[str, str, Shape], Document]

edits = st.lists(
    st.tuples(st.integers(0, 10_000), st.sampled_from(["remove", "change", "insert"]), st.integers(0, 255)),
    min_size=1,
    max_size=3,
)


def edited(data: bytes, changes: list[tuple[int, str, int]]) -> bytes:
    result = bytearray(data)
    for place, what, byte in changes:
        index = place % len(result)
        if what == "remove":
            del result[index]
        elif what == "change":
            result[index] = byte
        else:
            result.insert(index, byte)
    return bytes(result)


def check(data: bytes, read: Reader) -> None:
    try:
        document = read(decode(data, "f"), "f", AGENT)
    except ConfigError as error:
        problems = list(error.problems)
        assert problems
    else:
        assert type(document.value) is dict
        problems = [
            *document.problems,
            document.problem("m", ("test_cases", 0, "turns", 0, "input"), key=True),
        ]
    for problem in problems:
        assert problem.message.isprintable()
        assert problem.source is None or problem.source.isprintable()
        assert problem.path.isprintable()


@pytest.mark.parametrize(("data", "read"), [(YAML, read_yaml), (JSON, read_json)], ids=["yaml", "json"])
@given(changes=edits)
@settings(max_examples=300)
def test_a_few_bytes_changed(data: bytes, read: Reader, changes: list[tuple[int, str, int]]) -> None:
    check(edited(data, changes), read)


@pytest.mark.parametrize(("data", "read"), [(YAML, read_yaml), (JSON, read_json)], ids=["yaml", "json"])
def test_any_one_byte_removed(data: bytes, read: Reader) -> None:
    for index in range(len(data)):
        check(data[:index] + data[index + 1 :], read)


@pytest.mark.parametrize(("data", "read"), [(YAML, read_yaml), (JSON, read_json)], ids=["yaml", "json"])
def test_any_beginning_alone(data: bytes, read: Reader) -> None:
    for end in range(len(data)):
        check(data[:end], read)


@pytest.mark.parametrize("read", [read_yaml, read_json], ids=["yaml", "json"])
@given(
    data=st.binary(max_size=40)
    | st.text("{}[],:\"'&*!#|>-?%@`\n\t \\<0159.eE~ab", max_size=30).map(str.encode)
)
@settings(max_examples=300)
def test_anything_at_all(read: Reader, data: bytes) -> None:
    check(data, read)


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("name", ["a.yaml", "a.json", "bad.yaml"])
def test_garbage_collection_is_left_as_it_was(
    read: Callable[..., Document], write: Callable[..., Path], enabled: bool, name: str
) -> None:
    write("", "keep")
    try:
        (gc.enable if enabled else gc.disable)()
        if name == "bad.yaml":
            with pytest.raises(ConfigError):
                read("a: [", name)
        else:
            read('{"a": 1}', name)
        assert gc.isenabled() is enabled
    finally:
        gc.enable()


def test_what_somebody_has_frozen_stays_frozen(read: Callable[..., Document]) -> None:
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        read("a: 1")
        assert gc.get_freeze_count() == pytest.approx(before, abs=1000)
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
