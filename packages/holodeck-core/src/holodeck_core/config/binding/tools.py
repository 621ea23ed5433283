"""From what a turn asserts about tool calls to checks that can be asked."""

from __future__ import annotations

from typing import Any, Literal

import attrs
from pydantic import ValidationError

from holodeck_core.api.matcher import Matcher
from holodeck_core.api.tool_checks import Expectation, ToolChecks, ToolName
from holodeck_core.config.binding.matchers import MatcherBuilder
from holodeck_core.config.messages.validate import Place, sound_part
from holodeck_core.config.messages.wording import foreign
from holodeck_core.config.reading.paths import DocumentPath
from holodeck_core.errors import Problem
from holodeck_core.models.arg_matcher import ArgMatcher
from holodeck_core.models.test_case import ExpectedTool, ForbiddenTool, TestCaseModel, ToolOrder, Turn


@attrs.frozen
class ToolBinder:
    """Binds the tool checks of turns. ``order`` and ``extra_calls`` hold for a turn that does not say otherwise."""

    matchers: MatcherBuilder
    order: ToolOrder
    extra_calls: Literal["allow", "forbid"]

    def bind(
        self, model: Turn | TestCaseModel, place: Place, path: DocumentPath, problems: list[Problem]
    ) -> ToolChecks | None:
        """The checks of the turn at ``path``; None where it asserts nothing about tools."""
        expected, forbidden, extra_calls = model.expected_tools, model.forbidden_tools, model.extra_calls
        if expected is None and forbidden is None and extra_calls is None:
            return None
        expectations = None
        if expected is not None:
            below = (*path, "expected_tools")
            made = [self._expectation(tool, place, (*below, n), problems) for n, tool in enumerate(expected)]
            expectations = tuple([expectation for expectation in made if expectation is not None])
            if extra_calls is None:
                extra_calls = self.extra_calls
        names: tuple[ToolName, ...] = ()
        if forbidden:
            below = (*path, "forbidden_tools")
            names = tuple(
                [self._forbidden(tool, place, (*below, n), problems) for n, tool in enumerate(forbidden)]
            )
        if expectations is None and not names and extra_calls != "forbid":
            return None
        return ToolChecks(
            expectations=expectations,
            forbidden=names,
            order=model.tool_order or self.order,
            forbid_extra_calls=extra_calls == "forbid",
        )

    def check_parts(
        self, turn: dict[str, Any], place: Place, path: DocumentPath, problems: list[Problem]
    ) -> None:
        """Look for what binding would find in a turn that has mistakes: in each tool and argument that has none."""
        for key in ("expected_tools", "forbidden_tools"):
            tools = turn.get(key)
            for index, tool in enumerate(tools if isinstance(tools, list) else ()):
                if isinstance(tool, dict):
                    self._check_tool(tool, place, (*path, key, index), problems)

    def _expectation(
        self, tool: str | ExpectedTool, place: Place, path: DocumentPath, problems: list[Problem]
    ) -> Expectation | None:
        if isinstance(tool, str):
            return Expectation(tool=ToolName(tool))
        before = len(problems)
        args = []
        asserted = {}
        for name, expected in (tool.args or {}).items():
            args.append((name, self._matcher(expected, place, path, ("args", name), problems)))
            asserted[name] = expected.to_yaml()
        result = (
            None if tool.result is None else self._matcher(tool.result, place, path, ("result",), problems)
        )
        tool_name = self._name(tool, place, path, problems)
        if len(problems) > before:
            return None
        return Expectation(
            tool=tool_name,
            args=tuple(args),
            args_asserted=asserted,
            count=tool.count,
            max_count=tool.max_count,
            forbid_extra_args=tool.extra_args == "forbid",
            status=tool.status,
            result=result,
        )

    def _check_tool(
        self, tool: dict[str, Any], place: Place, path: DocumentPath, problems: list[Problem]
    ) -> None:
        named = sound_part(ForbiddenTool, {key: tool[key] for key in ("name", "match") if key in tool})
        if named is not None:
            self._name(named, place, path, problems)
        args = tool.get("args")
        written = [(("args", name), value) for name, value in args.items()] if isinstance(args, dict) else []
        for below, value in [*written, (("result",), tool.get("result"))]:
            try:
                expected = ArgMatcher.from_yaml(value)
            except ValidationError:
                continue
            self._matcher(expected, place, path, below, problems)

    def _matcher(
        self,
        expected: ArgMatcher,
        place: Place,
        path: DocumentPath,
        below: DocumentPath,
        problems: list[Problem],
    ) -> Matcher:
        matcher, faults = self.matchers.of(expected)
        if faults:
            problems += [
                place.problem(foreign(fault.message), (*path, *below, *fault.path)) for fault in faults
            ]
        return matcher

    def _name(
        self, tool: ExpectedTool | ForbiddenTool, place: Place, path: DocumentPath, problems: list[Problem]
    ) -> ToolName:
        if tool.match != "regex":
            return ToolName(tool.name, tool.match)
        pattern, faults = self.matchers.of(ArgMatcher("regex", tool.name))
        problems += [place.problem(foreign(fault.message), (*path, "name")) for fault in faults]
        return ToolName(tool.name, tool.match, pattern)

    def _forbidden(
        self, tool: str | ForbiddenTool, place: Place, path: DocumentPath, problems: list[Problem]
    ) -> ToolName:
        return ToolName(tool, "exact") if isinstance(tool, str) else self._name(tool, place, path, problems)
