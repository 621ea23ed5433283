"""JSON values: the evidence of a run, copied on arrival and read-only from then on.

What an agent reports becomes JSON values once, here. The copies are read-only subclasses of ``dict`` and ``list``:
they compare equal to the plain ones, pass ``isinstance`` and go through ``json.dumps``, and writing to them raises
TypeError. So one copy serves the matchers, the metrics, the graders and the journal, and nothing can change it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Set
from typing import Any, ClassVar, Final, NoReturn, TypeAlias, TypeVar

import attrs

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
C = TypeVar("C")

MAX_DEPTH = 100
MAX_NODES = 200_000
# What an integer of 640 decimal digits needs: CPython converts that to text whatever limit a process sets for it, and a
# longer one might be written nowhere.
MAX_INT_BITS = 2_125


def _read_only(self: object, *_args: object, **_kwargs: object) -> NoReturn:
    raise TypeError("this value is evidence of the run and cannot be changed; copy it first")


class _Sealed(type):
    """Makes values that are filled once: ``__init__``, which anybody could call again, has no part in it."""

    def __call__(cls, items: Iterable[Any] = ()) -> Any:
        made: Any = cls.__new__(cls)  # type: ignore[call-overload]
        fill = dict.update if issubclass(cls, dict) else list.extend
        fill(made, items)
        return made


class FrozenDict(dict[str, Any], metaclass=_Sealed):
    """A read-only dict."""

    __slots__ = ()
    __init__ = __setattr__ = __delattr__ = _read_only
    __setitem__ = __delitem__ = __ior__ = _read_only
    clear = pop = popitem = setdefault = update = _read_only

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {key: thaw(value) for key, value in self.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[Any], metaclass=_Sealed):
    """A read-only list."""

    __slots__ = ()
    __init__ = __setattr__ = __delattr__ = _read_only
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _read_only
    append = clear = extend = insert = pop = remove = reverse = sort = _read_only

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [thaw(value) for value in self]

    def __reduce__(self) -> tuple[Any, ...]:
        return (FrozenList, (list(self),))


EMPTY_DICT = FrozenDict()


class FilledOnce:
    """The base of an attrs class that is ``read_only``: calling ``__init__`` of a value again is writing to it."""

    __slots__ = ()
    __attrs_attrs__: ClassVar[tuple[attrs.Attribute[Any], ...]]

    def __attrs_pre_init__(self) -> None:
        if hasattr(self, self.__attrs_attrs__[0].name):
            _read_only(self)


def read_only(cls: type[C]) -> type[C]:
    """Of a frozen attrs class without ``__setstate__``: whoever writes to a value of it gets a TypeError."""

    def reduce(self: Any) -> tuple[Any, ...]:
        own = type(self)  # maybe a subclass
        return _made, (own, {field.alias: getattr(self, field.name) for field in attrs.fields(own)})

    for name, method in {
        "__reduce__": reduce,
        "__setattr__": _read_only,
        "__delattr__": _read_only,
    }.items():
        setattr(cls, name, method)
    return cls


def _made(cls: type[C], fields: dict[str, Any]) -> C:
    return cls(**fields)


_CONTAINERS: Final = (dict, list)


def thaw(value: Any) -> Any:
    """A plain, writable copy of a JSON value, at every depth."""
    if isinstance(value, dict):
        return {key: thaw(item) if isinstance(item, _CONTAINERS) else item for key, item in value.items()}
    if isinstance(value, list):
        return [thaw(item) if isinstance(item, _CONTAINERS) else item for item in value]
    return value


def well_formed(text: str) -> str:
    """The text with surrogate pairs joined and every lone surrogate replaced by U+FFFD: it can be encoded as UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def to_json(value: object) -> Any:
    """A read-only copy of ``value`` made of JSON values only.

    Tuples and sets become lists, keys become strings, non-finite numbers and all other objects their text. Depth and
    size are bounded (``MAX_DEPTH``, ``MAX_NODES``); what lies beyond, a cycle included, becomes the text ``"..."``.
    """
    kind = type(value)
    if kind is str or kind is int or kind is float or kind is bool or value is None:
        return _scalar(value, kind)
    return _Copier().copy(value, 0)


def _scalar(value: Any, kind: type[Any]) -> Any:
    """The copy of a value of one of those types, not of a subclass of it."""
    if kind is str:
        return value if value.isascii() else well_formed(value)
    if kind is int:
        return value if value.bit_length() <= MAX_INT_BITS else f"<integer of {value.bit_length()} bits>"
    if kind is float:
        return value if math.isfinite(value) else str(value)
    return value


class _Copier:
    """One copy of one value; counts the nodes it has made."""

    __slots__ = ("nodes",)

    def __init__(self) -> None:
        self.nodes = 0

    def copy(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        kind = type(value)
        if kind is str or kind is int or kind is float or kind is bool or value is None:
            return _scalar(value, kind)
        if kind is not dict and kind is not list:
            if isinstance(value, str):
                return well_formed(str.__str__(value))
            if isinstance(value, int):
                return _scalar(int(value), int)
            if isinstance(value, float):
                return _scalar(float(value), float)
        if depth >= MAX_DEPTH or self.nodes > MAX_NODES:
            return "..."
        if kind is dict or isinstance(value, Mapping):
            copies = {}
            for key, item in value.items():
                name = key if type(key) is str and key.isascii() else text_of(key)
                copies[name] = self.copy(item, depth + 1)
            return FrozenDict(copies)
        if isinstance(value, list | tuple | Set):
            return FrozenList([self.copy(item, depth + 1) for item in value])
        return text_of(value)


def text_of(value: object) -> str:
    """``str(value)``, well formed; the name of its type where that fails."""
    try:
        return well_formed(str(value))
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - boundary: an agent's own object may raise anything from __str__
        return f"<{type(value).__name__}>"
