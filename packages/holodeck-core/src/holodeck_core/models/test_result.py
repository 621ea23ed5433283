"""Results and reports. Files written before a field existed load with its default."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from holodeck_core.models.base import StrictModel, UtcDatetime, rule
from holodeck_core.models.cost import Cost
from holodeck_core.models.test_case import FileInput
from holodeck_core.models.token_usage import TokenUsage

SCHEMA_VERSION: Final = 1

Status: TypeAlias = Literal["passed", "failed", "error", "skipped"]
MetricStatus: TypeAlias = Literal["scored", "skipped", "error"]


def _metric_status(data: dict[str, Any]) -> MetricStatus:
    if data.get("error") is not None:
        return "error"
    return "skipped" if data.get("score") is None else "scored"


def _status(data: dict[str, Any]) -> Status:
    if data.get("skipped"):
        return "skipped"
    return "passed" if data.get("passed") else "failed"


def case_label(name: str | None, index: int) -> str:
    """What a case is called: its name, or ``case 4`` for the fourth of the file where it has none."""
    return f"case {index + 1}" if name is None else name


class MetricResult(StrictModel):
    """What one metric said about one turn, or about a whole case.

    ``passed`` is None for a metric without a verdict and for a skipped one, which has no score either.
    """

    metric_name: str
    kind: str = "standard"
    score: float | None = None
    threshold: float | None = None
    passed: bool | None = None
    scale: float | None = None
    error: str | None = None
    retry_count: int = Field(default=0, ge=0)
    evaluation_time_ms: float | None = Field(default=None, ge=0)
    model_used: str | None = None
    reasoning: str | None = None
    status: MetricStatus = Field(default_factory=_metric_status)


class ToolInvocation(StrictModel):
    """One call of a tool. ``bytes`` is its result's size, ``raw_args`` what could not be parsed."""

    name: str
    args: dict[str, Any] = Field(default_factory=dict)
    result: Any = None
    bytes: int | None = Field(default=None, ge=0)
    duration_ms: float | None = Field(default=None, ge=0)
    error: str | None = None
    raw_args: str | None = None


class ProcessedFile(StrictModel):
    """A file that was sent with a message, and the text that was made of it."""

    original: FileInput
    markdown_content: str | None = None
    processing_time_ms: float | None = Field(default=None, ge=0)
    error: str | None = None


class NearestCall(StrictModel):
    """The call that comes nearest to an expectation that is not met. ``detail`` is the place of the expectation in
    ``arg_match_details``, ``call`` that of the call in ``tool_invocations``; ``args`` are the arguments that differ."""

    detail: int = Field(ge=0)
    call: int = Field(ge=0)
    args: list[str] = Field(default_factory=list)


class Evidence(StrictModel):
    """What a turn's result and a case's result have in common."""

    ground_truth: str | None = None
    expected_tools: list[str | dict[str, Any]] | None = None
    tool_calls: list[str] = Field(default_factory=list)
    tool_invocations: list[ToolInvocation] = Field(default_factory=list)
    tools_matched: bool | None = None
    arg_match_details: list[dict[str, Any]] | None = None
    nearest_calls: list[NearestCall] = Field(default_factory=list)
    metric_results: list[MetricResult] = Field(default_factory=list)
    execution_time_ms: int = Field(ge=0)
    token_usage: TokenUsage | None = None
    errors: list[str] = Field(default_factory=list)
    skipped: bool = False
    grader_details: dict[str, Any] | None = None
    retry_count: int = Field(default=0, ge=0)
    passed: bool
    status: Status = Field(default_factory=_status)


class TurnResult(Evidence):
    """The outcome of one turn. ``tools_matched`` is None where nothing was asserted about tools."""

    turn_index: int = Field(ge=0)
    input: str
    response: str | None = None


class RateInterval(StrictModel):
    """The interval in which the probability to pass lies, with a ``confidence`` from 0 to 1. ``z`` is the quantile of
    the normal distribution that belongs to it."""

    method: Literal["wilson"] = "wilson"
    confidence: float = Field(ge=0, le=1)
    z: float = Field(ge=0)
    low: float = Field(ge=0, le=1)
    high: float = Field(ge=0, le=1)


class RepeatSummary(StrictModel):
    """How often a repeated case passed. Rates and estimates are shares from 0 to 1.

    ``run`` of the ``planned`` repeats count; where they are fewer, the others could not change the verdict. ``failed``
    includes ``errored``. ``pass_at_k[k-1]`` estimates how likely it is that one of k conversations passes,
    ``pass_hat_k[k-1]`` that all k do.
    """

    planned: int = Field(ge=1)
    run: int = Field(ge=1)
    stopped_early: bool
    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    errored: int = Field(ge=0)
    pass_rate: float = Field(ge=0, le=1)
    min_pass_rate: float = Field(ge=0, le=1)
    interval: RateInterval
    pass_at_k: list[float]
    pass_hat_k: list[float]


class TestResult(Evidence):
    """The outcome of one case. ``turns`` is set for a case that was written with `turns`, even with one.

    ``source`` is ``file:line``; ``checked`` is False for a case that asserts nothing.

    A case that is repeated has ``repeats``, its conversations one by one, and ``repeat_summary``. Its own evidence is
    that of the first repeat that came out as the case did; its time, retries and token usage are those of all.
    """

    __test__: ClassVar[bool] = False

    test_name: str | None = None
    test_input: str
    agent_response: str | None = None
    processed_files: list[ProcessedFile] = Field(default_factory=list)
    timestamp: UtcDatetime
    turns: list[TurnResult] | None = None
    repeats: list[TestResult] | None = None
    repeat_summary: RepeatSummary | None = None
    checked: bool = True
    session_id: str | None = None
    index: int | None = Field(default=None, ge=0)
    case_hash: str | None = None
    source: str | None = None
    tags: list[str] = Field(default_factory=list)

    @property
    def label(self) -> str:
        """The name, or ``case 4`` for the fourth case where it has none."""
        return case_label(self.test_name, self.index or 0)


class ReportSummary(StrictModel):
    """Totals, in cases. ``failed`` includes ``errored``, ``passed`` includes ``unchecked``.

    ``token_usage`` is the sum over all turns, None where none reported any; ``cost`` is what those tokens cost.
    """

    total_tests: int = Field(ge=0)
    passed: int = Field(ge=0)
    failed: int = Field(ge=0)
    errored: int = Field(default=0, ge=0)
    unchecked: int = Field(default=0, ge=0)
    pass_rate: float = Field(ge=0, le=100)
    total_duration_ms: int = Field(ge=0)
    metrics_evaluated: dict[str, int] = Field(default_factory=dict)
    metric_states: dict[str, dict[str, int]] = Field(default_factory=dict)
    average_scores: dict[str, float] = Field(default_factory=dict)
    token_usage: TokenUsage | None = None
    cost: Cost | None = None

    @model_validator(mode="after")
    def validate_test_counts(self) -> Self:
        """Every case either passed or failed."""
        if self.passed + self.failed != self.total_tests:
            raise rule(
                f"`passed` ({self.passed}) + `failed` ({self.failed}) "
                f"must equal `total_tests` ({self.total_tests})"
            )
        return self


class TestReport(StrictModel):
    """One run: its results in file order, and their origin. An interrupted run is not ``complete``."""

    __test__: ClassVar[bool] = False

    schema_version: int = Field(default=SCHEMA_VERSION, ge=1)
    run_id: str | None = None
    complete: bool = True
    agent_name: str
    agent_config_path: str | None = None
    results: list[TestResult]
    summary: ReportSummary
    timestamp: UtcDatetime
    holodeck_version: str
    environment: dict[str, Any] = Field(default_factory=dict)
