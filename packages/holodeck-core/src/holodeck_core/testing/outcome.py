"""What came of a project that was run, with assertions that say what happened instead."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from holodeck_core.errors import Problem
from holodeck_core.explain import explain_case, explain_turn
from holodeck_core.models.test_result import TestReport, TestResult
from holodeck_core.text import one_line


@attrs.frozen
class Outcome:
    """The ``report`` of a run, or the ``problems`` for which there was none.

    ``str()`` of it is a line for each case and each reason, or the problems. The assertion methods raise AssertionError
    with that text, and return the outcome where they hold, so that they can follow one another.
    """

    report: TestReport | None = None
    problems: tuple[Problem, ...] = ()

    def __str__(self) -> str:
        if self.report is None:
            return "\n".join(["the configuration was refused:", *map(str, self.problems)])
        return "\n".join(line for result in self.report.results for line in _lines(result))

    def case(self, name: str) -> TestResult:
        """The result of the case of that name. Raises AssertionError where there is none."""
        results = self._report().results
        for result in results:
            if result.label == name:
                return result
        raise AssertionError(
            f"there is no case {name!r}, but {', '.join(result.label for result in results) or 'none'}"
        )

    def assert_passed(self, *names: str) -> Outcome:
        """The cases of these names passed; without names, all did, and there was at least one."""
        results = [self.case(name) for name in names] or self._report().results
        assert results, "no case was run"
        for result in results:
            assert result.passed, f"{result.label} did not pass:\n{self}"
        return self

    def assert_failed(self, name: str, *because: str) -> Outcome:
        """The case failed (it did not error), and each of these texts is part of a reason."""
        result = self.case(name)
        assert result.status == "failed", f"{name} is {result.status}, not failed:\n{self}"
        return self._with_reasons(result, because)

    def assert_errored(self, name: str, *because: str) -> Outcome:
        """The case could not be judged, and each of these texts is part of a reason."""
        result = self.case(name)
        assert result.status == "error", f"{name} is {result.status}, no error:\n{self}"
        return self._with_reasons(result, because)

    def assert_counts(self, *, passed: int, failed: int = 0, errored: int = 0) -> Outcome:
        """So many cases passed, failed and errored; those that errored are not among the failed."""
        statuses = [result.status for result in self._report().results]
        found = tuple(statuses.count(status) for status in ("passed", "failed", "error"))
        assert found == (passed, failed, errored), (
            f"{found[0]} passed, {found[1]} failed, {found[2]} errored, "
            f"not {passed}, {failed} and {errored}:\n{self}"
        )
        return self

    def assert_refused(self, *because: str) -> Outcome:
        """The configuration was refused, and each of these texts is part of a problem, its place included."""
        assert self.problems, f"the configuration was not refused:\n{self}"
        told = [problem.headline() for problem in self.problems]
        for text in because:
            assert any(text in line for line in told), f"no problem says {text!r}:\n{self}"
        return self

    def _report(self) -> TestReport:
        if self.report is None:
            raise AssertionError(str(self))
        return self.report

    def _with_reasons(self, result: TestResult, because: tuple[str, ...]) -> Outcome:
        reasons = list(_reasons(result))
        for text in because:
            assert any(text in reason for reason in reasons), f"no reason says {text!r}:\n{self}"
        return self


def _lines(result: TestResult) -> Iterator[str]:
    yield f"{result.status}: {one_line(result.label)}"
    for reason in _reasons(result):
        yield f"    {reason}"


def _reasons(result: TestResult) -> Iterator[str]:
    for turn in result.turns or ():
        for reason in explain_turn(turn):
            yield f"turns[{turn.turn_index}]: {reason}"
    yield from explain_case(result)
