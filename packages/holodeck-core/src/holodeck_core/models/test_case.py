"""Test cases: the turns of a conversation and what is asserted about each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    Field,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)
from pydantic_core import InitErrorDetails

from holodeck_core.models.arg_matcher import ArgMatcher, ArgMatchers
from holodeck_core.models.base import (
    GatheringModel,
    JsonObject,
    Number,
    Prose,
    StrictModel,
    Text,
    Whole,
    exactly_one,
    given,
    problem,
    rule,
)
from holodeck_core.models.evaluation import Metrics

__all__ = [
    "KEYS_OF_A_TURN",
    "ArgMatcher",
    "ExpectedTool",
    "FileInput",
    "ForbiddenTool",
    "NameMatch",
    "TestCaseModel",
    "ToolOrder",
    "Turn",
]

NameMatch: TypeAlias = Literal["contains", "exact", "glob", "regex"]
ToolOrder: TypeAlias = Literal["any", "in_order", "exact"]


class FileInput(GatheringModel):
    """A file sent with a message: at `path`, relative to the file that names it, or at `url`.

    `pages` count from 1.
    """

    path: Text | None = None
    """The file, relative to the one that names it. Example: `invoice.pdf`"""
    url: Text | None = None
    """Where the file is fetched from. Example: `https://example.org/invoice.pdf`"""
    type: Literal["image", "pdf", "text", "excel", "word", "powerpoint", "csv"]
    """What kind of file it is. Example: `pdf`"""
    description: str | None = None
    """What the file is, in words for people. Example: `The invoice of May`"""
    pages: list[Annotated[Whole, Field(ge=1)]] | None = Field(default=None, min_length=1)
    """Which pages are read, counted from 1. Example: `[1, 2]`"""
    sheet: Text | None = None
    """Which sheet of a workbook is read. Example: `Orders`"""
    range: Text | None = None
    """Which cells of a sheet are read. Example: `A1:C20`"""
    cache: bool | None = None
    """Whether a fetched file is kept for the next run. Example: `false`"""

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "path", "url")


class ExpectedTool(StrictModel):
    """A tool that must be called at least `count` times in the turn, with these arguments."""

    name: Text
    """The name of the tool, or a part or a pattern of it, as `match` says. Example: `look_up_order`"""
    args: ArgMatchers | None = None
    """What the arguments must be, by their names: values or matchers. Others do not matter.
    Example: `{order: 17, reason: {fuzzy: damaged}}`
    """
    count: Whole = 1
    """The smallest number of such calls. Example: `2`"""
    max_count: Whole | None = None
    """The largest number of such calls; not less than `count`. Example: `2`"""
    match: NameMatch = "contains"
    """How `name` is compared with the name that was called: it is a part of it (`contains`), the whole of it
    (`exact`), or a pattern for the whole of it (`glob`, `regex`).
    """
    extra_args: Literal["allow", "forbid"] = "allow"
    """Whether the call may have arguments that `args` does not name."""
    status: Literal["any", "success", "failed"] = "any"
    """How the call must have ended."""
    result: ArgMatcher | None = None
    """What the call must have returned: a value or a matcher. Example: `{price: {type: number}}`"""

    @field_validator("count")
    @classmethod
    def _at_least_one(cls, count: int) -> int:
        if count < 1:
            raise rule("must be at least 1; a tool that must not be called belongs in `forbidden_tools`")
        return count

    @field_validator("max_count")
    @classmethod
    def _not_below_count(cls, max_count: int | None, info: ValidationInfo) -> int | None:
        if max_count is not None and max_count < info.data.get("count", 1):
            raise rule(f"must be at least `count` ({info.data.get('count', 1)})")
        return max_count


class ForbiddenTool(StrictModel):
    """A tool that must not be called in the turn."""

    name: Text
    """The name of the tool, or a part or a pattern of it, as `match` says. Example: `refund`"""
    match: NameMatch = "exact"
    """How `name` is compared with the name that was called."""


M = TypeVar("M", bound=BaseModel)


def _name_or(model: type[M], what: str) -> Callable[[Any, ValidatorFunctionWrapHandler], str | M]:
    """A validator for "a name, or an object": an error concerns the form that was written, not both."""

    def validate(value: Any, handler: ValidatorFunctionWrapHandler) -> str | M:
        if isinstance(value, str):
            if name := value.strip():
                return name
            raise rule(f"{what} needs a name")
        if isinstance(value, Mapping | model):
            return model.model_validate(value)
        raise rule(f"{what} is a name, or a mapping with `name`")

    return validate


_Expected: TypeAlias = Annotated[
    str | ExpectedTool, WrapValidator(_name_or(ExpectedTool, "an expected tool"))
]
_Forbidden: TypeAlias = Annotated[
    str | ForbiddenTool, WrapValidator(_name_or(ForbiddenTool, "a forbidden tool"))
]


class _Assertions(StrictModel):
    """The keys that a turn and a case of one turn share."""

    ground_truth: Prose | None = None
    """The right reply, for metrics that compare with one. A number is its text as written.
    Example: `25587`
    """
    expected_tools: list[_Expected] | None = None
    """The tools that must be called in the turn: names, or mappings that say more. `[]`: no tool may be
    called.
    Example: `[look_up_order, {name: refund, args: {amount: 4.5}}]`
    """
    forbidden_tools: list[_Forbidden] | None = None
    """The tools that must not be called in the turn: whole names, or mappings with `match`.
    Example: `[refund]`
    """
    extra_calls: Literal["allow", "forbid"] | None = None
    """Whether calls may be made that no expectation needs; left out, as `execution` says."""
    tool_order: ToolOrder | None = None
    """Whether the expected calls must come in the order of the list with others between (`in_order`), or be
    the only calls as well (`exact`); left out, as `execution` says.
    """
    files: list[FileInput] | None = Field(default=None, max_length=10)
    """Files that are sent with the message. Example: `[{path: invoice.pdf, type: pdf}]`"""
    retrieval_context: list[str] | None = None
    """What was retrieved for the turn, for metrics that judge by it.
    Example: `[Lamps may be returned for 30 days.]`
    """
    evaluations: Metrics | None = None
    """The metrics here, in place of those of the level above.
    Example: `[{type: standard, metric: equality}]`
    """
    turn_config: JsonObject | None = None
    """Any data that graders may need. Example: `{max_words: 20}`"""


class Turn(_Assertions):
    """One user message, and what is asserted about the agent's answer to it.

    `expected_tools: []` asserts that no tool is called; None asserts nothing.
    """

    input: Text
    """What the user says. A number is its text as written. Example: `What is in order 17?`"""


KEYS_OF_A_TURN: Final = tuple(key for key in Turn.model_fields if key != "evaluations")
"""The keys that belong to one turn. Only metrics may also be set for all turns of a case."""


class TestCaseModel(_Assertions, GatheringModel):
    """One conversation: a single `input` with the keys of a turn, or several `turns`.

    `repeat` runs it that often; it passes if at least `min_pass_rate` of the repeats do.
    """

    __test__: ClassVar[bool] = False

    name: Text | None = None
    """The name in reports; left out, the case's place in the file. Example: `a discount on a known order`"""
    input: Text | None = None
    """What the user says, in a case of one turn. The keys of a turn stand beside it.
    Example: `What is in order 17?`
    """
    turns: list[Turn] | None = Field(default=None, min_length=1)
    """The messages of the user in their order, in a case of several turns.
    Example: `[{input: I am Ada.}, {input: Who am I?, ground_truth: You are Ada.}]`
    """
    tags: list[Text] = Field(default_factory=list)
    """Names to select cases by. Example: `[refund, memory]`"""
    # Recorded conversations are often numbered.
    conversation: Annotated[Prose, Field(coerce_numbers_to_str=True)] | None = None
    """The recorded conversation to replay, by its id; left out, the one whose id is the case's name.
    Example: `task-17`
    """
    repeat: Whole = Field(default=1, ge=1)
    """How often the case is run, each time as a new conversation; fewer times if the verdict is settled earlier.
    Example: `5`
    """
    min_pass_rate: Number = Field(default=1.0, ge=0, le=1)
    """The share of the repeats that must pass. With 0 the case is only measured. Example: `0.8`"""
    on_turn_failure: Literal["continue", "stop"] | None = None
    """Whether a failed turn is followed by the next one; left out, as `execution` says."""

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        if data.get("turns") is None:
            if data.get("input") is None:
                yield problem((), "needs `input` (one turn) or `turns` (several)", data)
            return
        for key in given(data, *KEYS_OF_A_TURN):
            yield problem(
                (key,), f"`turns` and `{key}` exclude each other: `{key}` belongs to a turn", data[key]
            )
