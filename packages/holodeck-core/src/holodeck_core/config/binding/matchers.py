"""From the expected values of a file to matchers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from holodeck_core.api.faults import describe
from holodeck_core.api.literal import LiteralMatcher
from holodeck_core.api.matcher import Matcher
from holodeck_core.errors import PluginError
from holodeck_core.models.arg_matcher import ArgMatcher
from holodeck_core.models.matcher_shape import shape_of
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.host import PluginHost

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})


class MatcherFault(NamedTuple):
    """Why a matcher could not be built. ``path`` leads to its key, from the expected value that holds it."""

    message: str
    path: tuple[str | int, ...]


class _Failure(NamedTuple):
    message: str
    value: Any
    kind: str


class MatcherBuilder:
    """Makes matchers, at every depth, of the values in a file. Each name is resolved through the host once."""

    def __init__(self, host: PluginHost) -> None:
        self._host = host
        self._aliases = host.aliases
        self._classes: dict[str, type[Matcher]] = {}

    def of(self, expected: ArgMatcher) -> tuple[Matcher, Sequence[MatcherFault]]:
        """The matcher of one expected value, and whatever is wrong with it and with those deep inside of it. Where
        anything is, the matcher is not fit to be asked."""
        kind, value = expected.kind, expected.value
        if kind == "literal" and (expected.verbatim or type(value) in _SCALARS):
            return LiteralMatcher(value), ()
        failures: list[_Failure] = []
        root = expected.to_yaml()
        matcher = (
            self._build(failures, root) if kind == "literal" else self._make(failures, kind, value, root)
        )
        return matcher, [
            MatcherFault(failure.message, (*(path_of(failure.value, root) or ()), failure.kind))
            for failure in failures
        ]

    def _build(self, failures: list[_Failure], value: Any) -> Matcher:
        """The matcher of a YAML value; what is not written as a matcher is a literal."""
        shape = shape_of(value, self._aliases)
        if shape is None:
            return LiteralMatcher(value, partial(self._build, failures), self._aliases)
        if shape.kind == "literal":
            return LiteralMatcher(shape.value)
        return self._make(failures, shape.kind, shape.value, value)

    def _make(self, failures: list[_Failure], kind: str, operand: Any, value: Any) -> Matcher:
        try:
            return self._class(kind)(operand, partial(self._build, failures))
        except PluginError as error:
            named = "/" in kind or kind in self._aliases
            hint = "; for a value with such a key write {literal: {…}}" if named else ""
            failures.append(_Failure(f"{error}{hint}", value, kind))
        except ValueError as error:
            failures.append(_Failure(str(error), value, kind))
        except BaseException as error:  # noqa: BLE001 - boundary: building a plugin's matcher runs its code
            pass_interruptions(error)
            failures.append(_Failure(f"the matcher `{kind}` failed: {describe(error)}", value, kind))
        return _STAND_IN

    def _class(self, kind: str) -> type[Matcher]:
        found = self._classes.get(kind)
        if found is None:
            found = self._classes[kind] = self._host.matcher(kind, Matcher).object
        return found


_STAND_IN: Final = LiteralMatcher(None)


def path_of(target: Any, value: Any) -> tuple[str | int, ...] | None:
    """Where the very object ``target`` stands below ``value``; None where it does not."""
    if value is target:
        return ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        below = path_of(target, item)
        if below is not None:
            return (key, *below)
    return None
