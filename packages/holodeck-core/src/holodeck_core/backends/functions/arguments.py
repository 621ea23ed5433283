"""The arguments of a function: as a JSON Schema for a model, and from what a model sent to what Python takes."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired, Required, get_args, get_origin

from pydantic import ConfigDict, PydanticSchemaGenerationError, TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import ErrorDetails, PydanticSerializationError, SchemaError, to_jsonable_python
from typing_extensions import TypedDict  # before Python 3.12, pydantic takes no other

from holodeck_core.api.faults import describe
from holodeck_core.api.values import to_json
from holodeck_core.backends.functions.signature import Parameter
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.text import show_value

_EXACT = 2.0**53
"""Above it a float does not stand for one integer alone."""


class WrongArguments(ValueError):
    """What a model sent does not fit the parameters; the text says where, in words that the model may be told."""


class Arguments:
    """What a function can be given. Raises ValueError for a parameter that no JSON value can fill."""

    def __init__(self, parameters: Sequence[Parameter], descriptions: Mapping[str, str]) -> None:
        self._parameters = parameters
        self._adapter, self.schema = _adapter(parameters)
        for parameter in parameters:
            _explain(self.schema["properties"][parameter.name], parameter, descriptions.get(parameter.name))
        try:
            json.dumps(self.schema, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"what its types add to the JSON schema is no JSON: {error}") from error

    def read(self, arguments: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The positional and the keyword arguments of a call.

        The types are JSON's: the text "1" is no number and 1 is not true, but 2.0 is the integer 2; a date, a UUID or
        a member of an enumeration is read from its text. Raises WrongArguments that names all that do not fit.
        """
        text = json.dumps(_whole(to_json(arguments)))
        try:
            values: dict[str, Any] = self._adapter.validate_json(text, strict=True)
        except ValidationError as error:
            names = [parameter.name for parameter in self._parameters]
            lines = [_line(line, names) for line in error.errors(include_url=False)]
            raise WrongArguments("; ".join(lines)) from None
        first = [parameter for parameter in self._parameters if parameter.by_position]
        by_position = [values.pop(parameter.name, parameter.default) for parameter in first]
        return by_position, values


class _Untitled(GenerateJsonSchema):
    """Without titles, which only repeat the names, and without defaults that JSON cannot hold."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - the name is pydantic's

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def encode_default(self, dft: Any) -> Any:
        return _in_json(super().encode_default(dft))


def _adapter(parameters: Sequence[Parameter]) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    """What reads all arguments at once, and its JSON Schema."""
    try:
        return _typed({p.name: (Required if p.required else NotRequired)[_type(p)] for p in parameters})
    except BaseException as error:  # boundary: the types are the user's
        pass_interruptions(error)
        for parameter in parameters:
            _refuse_unfit(parameter)
        raise


def _typed(fields: dict[str, Any]) -> tuple[TypeAdapter[Any], dict[str, Any]]:
    make: Any = TypedDict
    kind = make("Arguments", fields)
    kind.__pydantic_config__ = ConfigDict(extra="forbid")
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    schema = adapter.json_schema(schema_generator=_Untitled)
    del schema["title"]
    return adapter, schema


def _refuse_unfit(parameter: Parameter) -> None:
    try:
        _typed({parameter.name: _type(parameter)})
    except (PydanticSchemaGenerationError, PydanticInvalidForJsonSchema) as error:
        what = inspect.formatannotation(parameter.annotation)
        raise ValueError(
            f"its parameter `{parameter.name}` is a {what}, which no JSON value can become"
        ) from error
    except BaseException as error:  # boundary: a type may bring code of its own
        pass_interruptions(error)
        lines = describe(error).splitlines()
        why = lines[-1 if isinstance(error, SchemaError) else 0]  # it tells the reason last
        raise ValueError(f"its parameter `{parameter.name}` cannot be filled: {why}") from error


def _type(parameter: Parameter) -> Any:
    """The type of a parameter; one whose default is None may be null, even where its annotation forgets to say so."""
    annotation = parameter.annotation
    forgets = not parameter.required and parameter.default is None and annotation is not Any
    return annotation | None if forgets else annotation


def _explain(schema: dict[str, Any], parameter: Parameter, description: str | None) -> None:
    """Add what the type does not say. A description at the annotation goes before that of the docstring."""
    annotation = parameter.annotation
    notes = get_args(annotation)[1:] if get_origin(annotation) is Annotated else ()
    noted = next((note for note in notes if isinstance(note, str)), description)
    if noted and "description" not in schema:
        schema["description"] = noted
    if not parameter.required and "default" not in schema:
        try:
            schema["default"] = _in_json(to_jsonable_python(parameter.default))
        # boundary: a default may be any object; the model need not know it
        except BaseException as error:  # noqa: BLE001
            pass_interruptions(error)
            return


def _in_json(value: Any) -> Any:
    """The value. Raises PydanticSerializationError for one that holds a number that JSON does not know."""
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise PydanticSerializationError(str(error)) from error
    return value


def _whole(value: Any) -> Any:
    """JSON has one kind of number: 2.0 is an integer."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _EXACT else value
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return value


def _line(error: ErrorDetails, names: Sequence[str]) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"]).lstrip(".")
    match error["type"]:
        case "missing":
            return f"`{path}` is missing"
        case "extra_forbidden":
            return f"there is no `{path}`{did_you_mean(path, names)}"
        case _:
            return f"`{path}`: {error['msg']}, got {show_value(error['input'])}"
