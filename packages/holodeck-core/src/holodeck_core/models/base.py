"""What all models share: unknown keys are errors, and every mistake of a model is reported at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeAlias, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ModelWrapValidatorHandler,
    StringConstraints,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from holodeck_core.models.json_value import json_problems

RULE = "holodeck"
"""The error type of every rule of ours. Its message is in the words of the file already."""

Loc: TypeAlias = tuple[int | str, ...]

_PYDANTIC_TYPES = frozenset(get_args(core_schema.ErrorType))


def rule(message: str) -> PydanticCustomError:
    """An error whose message is shown to the user as it stands (braces included)."""
    return PydanticCustomError(RULE, message)


def problem(loc: Loc, message: str, value: Any = None) -> InitErrorDetails:
    """One mistake at a place of its own below the value that is being validated."""
    return InitErrorDetails(type=rule(message), loc=loc, input=value)


def gathered(
    title: str, problems: list[InitErrorDetails], error: ValidationError | None = None
) -> ValidationError:
    """One error that holds ``problems`` and, behind them, the lines of ``error``."""
    lines = error.errors(include_url=False) if error is not None else []
    return ValidationError.from_exception_data(title, [*problems, *map(_again, lines)], hide_input=True)


def _again(line: ErrorDetails) -> InitErrorDetails:
    kind: Any = line["type"]
    if kind not in _PYDANTIC_TYPES:
        kind = PydanticCustomError(kind, line["msg"])
    return InitErrorDetails(type=kind, loc=line["loc"], input=line["input"], ctx=line.get("ctx", {}))


class StrictModel(BaseModel):
    """A model that refuses unknown keys and non-finite numbers.

    Its errors do not print what they were given, which may be a secret.
    """

    model_config = ConfigDict(
        extra="forbid", allow_inf_nan=False, hide_input_in_errors=True, protected_namespaces=()
    )


class GatheringModel(StrictModel):
    """A model with rules that span several keys.

    ``structure`` judges the mapping as it was written. What it finds is reported together with the errors
    of the fields, which a validator that runs after the fields could not do.
    """

    @classmethod
    def structure(cls, data: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
        """Yield what is wrong with the keys of ``data`` taken together; one that is None is absent."""
        raise NotImplementedError

    @model_validator(mode="wrap")
    @classmethod
    def _gather(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        problems = list(cls.structure(data)) if isinstance(data, Mapping) else []
        if not problems:
            return handler(data)
        try:
            handler(data)
        except ValidationError as error:
            raise gathered(cls.__name__, problems, error) from None
        raise gathered(cls.__name__, problems)


def given(data: Mapping[str, Any], *keys: str) -> list[str]:
    """Those of ``keys`` that are present; None is absent."""
    return [key for key in keys if data.get(key) is not None]


def exactly_one(data: Mapping[str, Any], first: str, second: str) -> Iterator[InitErrorDetails]:
    """The rule of two keys of which one must be given and the other not."""
    present = given(data, first, second)
    if len(present) == 2:
        yield problem((second,), f"`{first}` and `{second}` exclude each other: keep one", data[second])
    elif not present:
        yield problem((), f"needs `{first}` or `{second}`", data)


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise rule(f"must be a number, not {str(value).lower()}")
    if isinstance(value, str) and "_" in value:  # Python would read `1_0` as a number
        raise rule(f"must be a number, not the text {value!r}")
    return value


def _json(value: Any) -> Any:
    if problems := [problem(path, message) for path, message in json_problems(value)]:
        raise gathered("JSON value", problems)
    return value


def _mapping_or_text(value: Any, handler: ValidatorFunctionWrapHandler) -> dict[str, Any] | str:
    """One error for a value that is neither, where a plain union would give one for each of its members."""
    if isinstance(value, str) and value.strip():
        return value.strip()
    if isinstance(value, dict):
        return dict(_json(value))
    raise rule("must be a mapping or a text")


def _empty_if_null(value: Any) -> Any:
    return {} if value is None else value


def utc(moment: datetime) -> datetime:
    """The same moment as an aware UTC time; a naive one is taken to be UTC."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


Whole: TypeAlias = Annotated[int, BeforeValidator(_no_bool)]
Number: TypeAlias = Annotated[float, BeforeValidator(_no_bool)]
# Text that cannot be blank; white space at its ends is trimmed.
Text: TypeAlias = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
# Text that is kept as it stands.
Prose: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
# A mapping that JSON can hold. The reader gives nothing else; a suite built in code is held to it here.
JsonObject: TypeAlias = Annotated[dict[str, Any], AfterValidator(_json)]
MappingOrText: TypeAlias = Annotated[dict[str, Any] | str, WrapValidator(_mapping_or_text)]
# Before a section of optional keys: one that is left empty in the file (null) sets nothing.
NullIsEmpty = BeforeValidator(_empty_if_null)
UtcDatetime: TypeAlias = Annotated[datetime, AfterValidator(utc)]
