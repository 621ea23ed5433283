"""Evidence: JSON values, copied on arrival and read-only."""

from __future__ import annotations

import copy
import inspect
import json
import pickle
from decimal import Decimal
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holodeck_core import GraderContext, ToolCall, to_json
from holodeck_core.api.values import EMPTY_DICT, MAX_DEPTH, MAX_NODES, thaw

CYCLE: list[Any] = []
CYCLE.append(CYCLE)


class Broken:
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Count(int):
    pass


@pytest.mark.parametrize(
    ("value", "copied"),
    [
        ((1, (2,)), [1, [2]]),
        ({3}, [3]),
        ({1: "a", None: "b", (1, 2): "c"}, {"1": "a", "None": "b", "(1, 2)": "c"}),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ([float("inf")], ["inf"]),
        (Decimal("1.50"), "1.50"),
        (b"x", "b'x'"),
        (Broken(), "<Broken>"),
        (Count(5), 5),
        (10**400, 10**400),
        (1 << 20_000, "<integer of 20001 bits>"),
        ("\ud835", "\ufffd"),
        ("a\ud83c\udf78b", "a\U0001f378b"),
        (["\udc00\ud800"], ["\ufffd\ufffd"]),
        (True, True),
        (None, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_an_agent_reports_becomes_json_values(value: Any, copied: Any) -> None:
    found = to_json(value)
    assert found == copied
    assert type(found) is not Count
    json.dumps(found, allow_nan=False).encode()


def test_depth_and_size_are_bounded() -> None:
    deep: Any = "end"
    for _ in range(MAX_DEPTH + 50):
        deep = [deep]
    assert "..." in json.dumps(to_json(deep))
    assert "..." in json.dumps(to_json(CYCLE))
    wide = "x"
    doubled: Any = [wide, wide]
    for _ in range(60):
        doubled = [doubled, doubled]
    assert len(json.dumps(to_json(doubled))) < 20 * MAX_NODES


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_a_json_value_is_copied_as_it_is_and_serialises_alike(value: Any) -> None:
    found = to_json(value)
    assert found == value
    assert json.dumps(found) == json.dumps(value)
    assert copy.deepcopy(found) == pickle.loads(pickle.dumps(found)) == thaw(found) == value


class Writable(dict[str, Any]):
    __slots__ = ()


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.__setitem__("a", 1),
        lambda value: value.update(a=1),
        lambda value: value.pop("a"),
        lambda value: value.setdefault("b", 1),
        lambda value: value.clear(),
        lambda value: value.__ior__({"b": 1}),
        lambda value: value.__init__({"b": 1}),
        lambda value: type(value).__init__(value, b=1),
        lambda value: setattr(value, "__class__", Writable),
        lambda value: delattr(value, "__class__"),
        lambda value: value["a"].__init__([1]),
        lambda value: value["a"].__imul__(2),
        lambda value: value["a"].append(1),
        lambda value: value["a"].__setitem__(0, 1),
        lambda value: value["a"].sort(),
        lambda value: value["a"].__iadd__([1]),
        lambda value: value["a"][0].update(x=1),
    ],
)
def test_a_copy_cannot_be_written_to_at_any_depth(change: Any) -> None:
    value = to_json({"a": [{"x": 0}, 2]})
    with pytest.raises(TypeError, match="cannot be changed"):
        change(value)
    assert value == {"a": [{"x": 0}, 2]}
    assert isinstance(value, dict)
    assert isinstance(value["a"], list)


def test_empty_values_stay_empty() -> None:
    for empty in (EMPTY_DICT, to_json([])):
        with pytest.raises(TypeError, match="cannot be changed"):
            type(empty).__init__(empty, [("a", 1)])
        assert not empty


CALL = ToolCall("find", to_json({"a": 1}), "found")
CONTEXT = GraderContext(turn_input="hi", agent_response="ho", tool_invocations=(CALL,), turn_config={"a": 1})


@pytest.mark.parametrize("value", [CALL, CONTEXT], ids=["call", "context"])
@pytest.mark.parametrize(
    "change",
    [
        lambda value: setattr(value, "args", {}),
        lambda value: setattr(value, "agent_response", "ok"),
        lambda value: setattr(value, "new", 1),
        lambda value: delattr(value, "args"),
        lambda value: value.__init__("other"),
        lambda value: value.__init__(turn_input="other", agent_response="other"),
        lambda value: setattr(value, "__class__", Writable),
        lambda value: value.__setstate__({"args": {}}),
    ],
)
def test_a_turn_and_its_calls_cannot_be_written_to(value: Any, change: Any) -> None:
    before = repr(value)
    with pytest.raises((TypeError, AttributeError)) as raised:
        change(value)
    assert repr(value) == before
    assert raised.type is TypeError or "__setstate__" in str(raised.value)  # which there is not


@pytest.mark.parametrize("value", [CALL, CONTEXT], ids=["call", "context"])
def test_a_turn_and_its_calls_can_be_copied(value: Any) -> None:
    assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    assert attrs.evolve(value) == value
    assert list(inspect.signature(type(value)).parameters) == [
        field.alias for field in attrs.fields(type(value))
    ]


@attrs.frozen(kw_only=True)
class Wider(GraderContext):
    more: int


def test_a_copy_of_a_value_of_a_subclass_is_of_it_too() -> None:
    value = Wider(turn_input="a", agent_response="b", more=1)
    for copied in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (type(copied), copied) == (Wider, value)


def test_a_plain_copy_can_be_changed() -> None:
    value = to_json({"a": [1]})
    plain = thaw(value)
    plain["a"].append(2)
    assert value == {"a": [1]}
