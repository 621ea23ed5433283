"""The verdict on a run, as an exit code."""

from __future__ import annotations

import signal

import pytest

from holodeck_cli.exit_codes import ExitCode, exit_code_of


@pytest.mark.parametrize(
    ("total", "failed", "errored", "stopped_by", "unwritten", "code"),
    [
        pytest.param(3, 0, 0, None, 0, ExitCode.OK, id="all-passed"),
        pytest.param(3, 1, 0, None, 0, ExitCode.FAILED, id="a-case-failed"),
        pytest.param(3, 1, 1, None, 0, ExitCode.FAILED, id="a-case-errored"),
        pytest.param(3, 3, 2, None, 0, ExitCode.FAILED, id="all-failed-or-errored"),
        pytest.param(3, 3, 3, None, 0, ExitCode.NOT_RUN, id="every-case-errored"),
        pytest.param(0, 0, 0, None, 0, ExitCode.NOT_RUN, id="no-case"),
        pytest.param(3, 0, 0, None, 1, ExitCode.NOT_RUN, id="a-report-could-not-be-written"),
        pytest.param(3, 1, 0, None, 1, ExitCode.NOT_RUN, id="not-run-before-failed"),
        pytest.param(3, 1, 1, signal.SIGINT, 1, ExitCode.INTERRUPTED, id="interrupted-before-all"),
        pytest.param(0, 0, 0, signal.SIGTERM, 0, ExitCode.TERMINATED, id="terminated-before-all"),
    ],
)
def test_the_verdict_on_a_run(
    total: int, failed: int, errored: int, stopped_by: int | None, unwritten: int, code: ExitCode
) -> None:
    found = exit_code_of(total=total, failed=failed, errored=errored, signal=stopped_by, unwritten=unwritten)
    assert found is code


def test_a_run_that_lacks_cases_is_no_pass() -> None:
    def code(failed: int, signal_: int | None) -> ExitCode:
        return exit_code_of(total=3, failed=failed, errored=0, signal=signal_, unwritten=0, broken_off=True)

    assert (code(0, None), code(1, None)) == (ExitCode.NOT_RUN, ExitCode.NOT_RUN)
    assert code(0, signal.SIGINT) is ExitCode.INTERRUPTED
