"""The execution settings that are in force, and where each of them was set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import attrs

from holodeck_core.models.test_case import ToolOrder


class Setting(NamedTuple):
    """One setting. ``origin`` is ``command line``, ``file:line``, the name of a variable, or ``default``."""

    name: str
    value: int | float | str
    origin: str


@attrs.frozen(kw_only=True)
class ResolvedSettings:
    """The execution settings of a suite, all of them set. Timeouts are in seconds; ``origins`` is keyed by setting."""

    parallel_test_cases: int
    llm_timeout: float
    file_timeout: float
    download_timeout: float
    retries: int
    tool_order: ToolOrder
    extra_calls: Literal["allow", "forbid"]
    on_turn_failure: Literal["continue", "stop"]
    origins: Mapping[str, str]

    def __iter__(self) -> Iterator[Setting]:
        """Every setting, in the order in which the reference lists them."""
        for name, origin in self.origins.items():
            yield Setting(name, getattr(self, name), origin)
