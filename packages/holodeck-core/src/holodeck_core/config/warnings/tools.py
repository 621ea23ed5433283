"""What a turn asserts about tools that can never fail or never pass. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from holodeck_core.api.tool_checks import Expectation, ToolChecks, ToolName
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.config.warnings.metrics import Found
from holodeck_core.models.agent import Agent
from holodeck_core.models.llm import OWN_AGENTS
from holodeck_core.models.test_case import NameMatch, TestCaseModel, Turn
from holodeck_core.models.tool import MCPTool
from holodeck_core.text import shorten

_SHOWN: Final = 5
_LONGEST: Final = 60
_REMEMBERED: Final = 4096


def asserts_something(tools: ToolChecks | None) -> bool:
    """Whether there are calls, or a lack of calls, that would fail the turn."""
    return tools is not None and (
        tools.expectations is not None or bool(tools.forbidden) or tools.forbid_extra_calls
    )


class ConfiguredTools:
    """The names of an agent's tools, and what they say of the names that its cases expect and forbid."""

    def __init__(self, agent: Agent) -> None:
        # An MCP server has tools of its own; the name in the file is the server's.
        self._names = [tool.name for tool in agent.tools or () if not isinstance(tool, MCPTool)]
        self._are_all = (
            agent.tools is not None
            and len(self._names) == len(agent.tools)
            and agent.model.provider not in OWN_AGENTS
        )
        self._silent = not self._are_all and len(self._names) < 2
        # Cases name the same few tools over and over.
        self._of_expected = lru_cache(_REMEMBERED)(self._judge_expected)
        self._of_forbidden = lru_cache(_REMEMBERED)(self._judge_forbidden)

    def are_fine(self, tools: ToolChecks) -> bool:
        """Whether ``warnings`` has nothing to say: the same, quickly."""
        if self._silent:
            return True
        for expectation in tools.expectations or ():
            tool = expectation.tool
            if self._of_expected(tool.name, tool.match) is not None:
                return False
        return not tools.forbidden

    def warnings(self, model: Turn | TestCaseModel, tools: ToolChecks) -> Iterator[Found]:
        """What is wrong with the tool names of a turn."""
        for index, expectation in enumerate(tools.expectations or ()):
            tool = expectation.tool
            if message := self._of_expected(tool.name, tool.match):
                yield Found(_place("expected_tools", index, (model.expected_tools or ())[index]), message)
        for index, tool in enumerate(tools.forbidden):
            if message := self._of_forbidden(tool.name, tool.match):
                yield Found(_place("forbidden_tools", index, (model.forbidden_tools or ())[index]), message)

    def _judge_expected(self, name: str, match: NameMatch) -> str | None:
        if match == "regex":  # the cost of a regular expression has no bound
            return None
        found = self._found(name, match)
        if match == "contains" and len(found) > 1:
            return (
                f"{_quoted(name)} is part of the names of several tools, {_listed(found)}: a call to any of them "
                "counts; write `match: exact` for one of them, `match: glob` where several are meant"
            )
        if self._are_all and not found and not self._is_longer(name, match):
            suggestion = self._slip(name, match) or (
                f"; it has {_listed(self._names)}" if self._names else ""
            )
            return f"the agent has no tool {_described(name, match)}: this can never pass{suggestion}"
        return None

    def _judge_forbidden(self, name: str, match: NameMatch) -> str | None:
        """Only what looks like a slip: to forbid what is not there may be a precaution."""
        if match == "regex" or not self._are_all or self._found(name, match):
            return None
        slip = self._slip(name, match)
        return f"the agent has no tool {_described(name, match)}: this can never fail{slip}" if slip else None

    def _found(self, name: str, match: NameMatch) -> list[str]:
        return [*filter(ToolName(name, match).matches, self._names)]

    def _is_longer(self, name: str, match: NameMatch) -> bool:
        """Whether the name holds that of a tool: the prefixed names that some runtimes use are compared as well."""
        return match == "contains" and any(tool in name for tool in self._names)

    def _slip(self, name: str, match: NameMatch) -> str:
        return did_you_mean(name, self._names) if match in ("contains", "exact") else ""


def tool_warnings(model: Turn | TestCaseModel, tools: ToolChecks | None) -> Iterator[Found]:
    """What contradicts itself, or has no effect, in what a turn asserts about tools, whatever the agent has."""
    if model.tool_order is not None and not model.expected_tools:
        yield Found(("tool_order",), f"`tool_order` has no effect {_beside(model)}")
    if tools is None:
        return
    if model.extra_calls == "allow":
        if not model.expected_tools:
            yield Found(("extra_calls",), f"`extra_calls: allow` has no effect {_beside(model)}")
        elif tools.order == "exact":
            yield Found(("extra_calls",), "`extra_calls: allow` has no effect where `tool_order` is `exact`")
    if tools.forbidden and tools.expectations:
        yield from _contradictions(model, tools.expectations, tools.forbidden)


def _contradictions(
    model: Turn | TestCaseModel, expectations: Sequence[Expectation], forbidden: Sequence[ToolName]
) -> Iterator[Found]:
    """The expectations that only forbidden calls can satisfy."""
    exact = {tool.name for tool in forbidden if tool.match == "exact"}
    parts = [tool.name for tool in forbidden if tool.match == "contains"]
    globs = [tool.matches for tool in forbidden if tool.match == "glob"]
    for index, expectation in enumerate(expectations):
        name, match = expectation.tool.name, expectation.tool.match
        # A call of any longer name satisfies `contains`, and must hold the forbidden part as well.
        excluded = match in ("exact", "contains") and any(part in name for part in parts)
        if match == "exact":
            excluded = excluded or name in exact or any(test(name) for test in globs)
        if excluded:
            yield Found(
                _place("expected_tools", index, (model.expected_tools or ())[index]),
                f"the tool {_described(name, match)} is expected and forbidden: this can never pass",
            )


def _beside(model: Turn | TestCaseModel) -> str:
    return (
        "without `expected_tools`"
        if model.expected_tools is None
        else "beside `expected_tools: []`, which allows no call"
    )


def _place(key: str, index: int, written: object) -> tuple[str | int, ...]:
    return (key, index) if isinstance(written, str) else (key, index, "name")


def _described(name: str, match: NameMatch) -> str:
    words = {"exact": "", "contains": "whose name contains ", "glob": "that matches "}
    return f"{words[match]}{_quoted(name)}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(_quoted, names[:_SHOWN]))
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def _quoted(name: str) -> str:
    return f"`{shorten(name, _LONGEST)}`"
