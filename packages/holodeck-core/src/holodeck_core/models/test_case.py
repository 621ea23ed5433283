"""Test cases: the turns of a conversation and what is asserted about each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, TypeVar

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
    url: Text | None = None
    type: Literal["image", "pdf", "text", "excel", "word", "powerpoint", "csv"]
    description: str | None = None
    pages: list[Annotated[Whole, Field(ge=1)]] | None = Field(default=None, min_length=1)
    sheet: Text | None = None
    range: Text | None = None
    cache: bool | None = None

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        return exactly_one(data, "path", "url")


class ExpectedTool(StrictModel):
    """A tool that must be called at least `count` times in the turn, with these arguments."""

    name: Text
    args: ArgMatchers | None = None
    count: Whole = 1
    max_count: Whole | None = None
    match: NameMatch = "contains"
    extra_args: Literal["allow", "forbid"] = "allow"
    status: Literal["any", "success", "failed"] = "any"
    result: ArgMatcher | None = None

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
    match: NameMatch = "exact"


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
    expected_tools: list[_Expected] | None = None
    forbidden_tools: list[_Forbidden] | None = None
    extra_calls: Literal["allow", "forbid"] | None = None
    tool_order: ToolOrder | None = None
    files: list[FileInput] | None = Field(default=None, max_length=10)
    retrieval_context: list[str] | None = None
    evaluations: Metrics | None = None
    turn_config: JsonObject | None = None


class Turn(_Assertions):
    """One user message, and what is asserted about the agent's answer to it.

    `expected_tools: []` asserts that no tool is called; None asserts nothing.
    """

    input: Text


# A case may set metrics for all its turns; every other key of a turn belongs to one turn.
_KEYS_OF_A_TURN = tuple(key for key in Turn.model_fields if key != "evaluations")


class TestCaseModel(_Assertions, GatheringModel):
    """One conversation: a single `input` with the keys of a turn, or several `turns`.

    `repeat` runs it that often; it passes if at least `min_pass_rate` of the repeats do.
    """

    __test__: ClassVar[bool] = False

    name: Text | None = None
    input: Text | None = None
    turns: list[Turn] | None = Field(default=None, min_length=1)
    tags: list[Text] = Field(default_factory=list)
    # Recorded conversations are often numbered.
    conversation: Annotated[Prose, Field(coerce_numbers_to_str=True)] | None = None
    repeat: Whole = Field(default=1, ge=1)
    min_pass_rate: Number = Field(default=1.0, ge=0, le=1)
    on_turn_failure: Literal["continue", "stop"] | None = None

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        if data.get("turns") is None:
            if data.get("input") is None:
                yield problem((), "needs `input` (one turn) or `turns` (several)", data)
            return
        for key in given(data, *_KEYS_OF_A_TURN):
            yield problem(
                (key,), f"`turns` and `{key}` exclude each other: `{key}` belongs to a turn", data[key]
            )
