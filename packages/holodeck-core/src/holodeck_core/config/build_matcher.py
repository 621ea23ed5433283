"""From the expected values of a file to matchers."""

from __future__ import annotations

from typing import Any

from holodeck_core.api.faults import USER_FAULTS, describe
from holodeck_core.api.literal import LiteralMatcher
from holodeck_core.api.matcher import Matcher
from holodeck_core.errors import PluginError
from holodeck_core.models.arg_matcher import ArgMatcher
from holodeck_core.models.matcher_shape import shape_of
from holodeck_core.plugins.host import PluginHost


class MatcherError(ValueError):
    """A matcher could not be built. ``value`` is the mapping that it is written as, ``kind`` its key."""

    def __init__(self, message: str, value: Any, kind: str) -> None:
        super().__init__(message)
        self.value = value
        self.kind = kind


class MatcherBuilder:
    """Makes matchers, at every depth, of the values in a file. Plugins are resolved through the host."""

    def __init__(self, host: PluginHost) -> None:
        self._host = host

    def of(self, expected: ArgMatcher) -> Matcher:
        """The matcher of one expected value. Raises MatcherError, also for one that stands deep inside of it."""
        if expected.kind == "literal":
            return LiteralMatcher(expected.value, None if expected.verbatim else self.build)
        return self._make(expected.kind, expected.value, expected.to_yaml())

    def build(self, value: Any) -> Matcher:
        """The matcher of a YAML value; what is not written as a matcher is a literal."""
        shape = shape_of(value)
        if shape is None:
            return LiteralMatcher(value, self.build)
        if shape.kind == "literal":
            return LiteralMatcher(shape.value)
        return self._make(shape.kind, shape.value, value)

    def _make(self, kind: str, operand: Any, value: Any) -> Matcher:
        try:
            matcher = self._host.matcher(kind, Matcher).object
            made: Matcher = matcher(operand, self.build)
        except MatcherError:
            raise
        except (PluginError, ValueError) as error:
            raise MatcherError(str(error), value, kind) from error
        except USER_FAULTS as error:  # boundary: building a plugin's matcher runs its code
            raise MatcherError(f"the matcher `{kind}` failed: {describe(error)}", value, kind) from error
        return made


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
