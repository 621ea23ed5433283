"""Which keys a mapping of a file may have, told from the annotations of the models that read it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

from holodeck_core.models.agent import Agent, Instructions
from holodeck_core.models.config import ExecutionConfig, PluginsConfig
from holodeck_core.models.evaluation import (
    CodeMetric,
    EvaluationConfig,
    EvaluationMetric,
    GEvalMetric,
    RAGMetric,
)
from holodeck_core.models.llm import LLMProvider
from holodeck_core.models.test_case import ExpectedTool, FileInput, TestCaseModel, Turn
from holodeck_core.models.tool import FunctionTool, MCPTool, PromptTool, VectorstoreTool

_HOMES: Final[Sequence[tuple[str, tuple[type[BaseModel], ...]]]] = (
    ("to the top level of the agent file", (Agent,)),
    ("under `model`", (LLMProvider,)),
    ("under `instructions`", (Instructions,)),
    ("to the agent's `evaluations`", (EvaluationConfig,)),
    ("under `execution`", (ExecutionConfig,)),
    ("under `plugins`", (PluginsConfig,)),
    ("to a test case", (TestCaseModel,)),
    ("to a turn", (Turn,)),
    ("to an entry of `expected_tools`", (ExpectedTool,)),
    ("to an entry of `files`", (FileInput,)),
    ("to a metric", (EvaluationMetric, GEvalMetric, RAGMetric, CodeMetric)),
    ("to an entry of `tools`", (FunctionTool, MCPTool, PromptTool, VectorstoreTool)),
)


def keys_of(model: type[BaseModel]) -> list[str]:
    """The keys that a mapping for the model may have, in the order of its fields."""
    return [key for name, field in model.model_fields.items() for key in _names(model, name, field)]


def model_at(model: type[BaseModel], value: Any, path: Iterable[str | int]) -> type[BaseModel] | None:
    """The model of the mapping at the end of ``path`` below ``value``, which ``model`` reads; None where none does.

    Where several could, it is the one that the mapping's own values (its `type`) ask for.
    """
    annotation, value = _at(model, value, path)
    return model_for(annotation, value) if isinstance(value, dict) else None


def model_for(annotation: Any, value: dict[str, Any]) -> type[BaseModel] | None:
    """The model that reads the mapping: of several, the one with the most literal fields equal to the value's."""
    models = [
        member
        for member in _members(annotation)
        if isinstance(member, type) and issubclass(member, BaseModel)
    ]
    if len(models) == 1:
        return models[0]
    best, most = None, -1
    for model in models:
        agreeing = _agreement(model, value)
        if agreeing is not None and agreeing > most:
            best, most = model, agreeing
    return best


def is_union(model: type[BaseModel], value: Any, path: Iterable[str | int]) -> bool:
    """Whether several forms are allowed at the end of ``path``."""
    annotation, _ = _at(model, value, path)
    return len([member for member in _members(annotation) if member is not NoneType]) > 1


def lists_text(model: type[BaseModel], value: Any, path: Iterable[str | int]) -> bool:
    """Whether what is expected at the end of ``path`` may be a list of texts."""
    annotation, _ = _at(model, value, path)
    return str in _members(_of_items(annotation))


def value_at(value: Any, path: Iterable[str | int]) -> Any:
    """What stands at the end of ``path`` below ``value``; None where nothing does."""
    for element in path:
        value = _child(value, element)
    return value


def home_of(key: str) -> str | None:
    """Where in an agent file a key belongs, as the end of "it belongs …"; None where that is not one place or two."""
    homes = [home for home, models in _HOMES if any(key in model.model_fields for model in models)]
    return " or ".join(homes) if 0 < len(homes) <= 2 else None


def _names(model: type[BaseModel], name: str, field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    names = [name] if alias is None or model.model_config.get("populate_by_name") else []
    if isinstance(alias, str):
        names.append(alias)
    elif isinstance(alias, AliasChoices):
        names += [choice for choice in alias.choices if isinstance(choice, str)]
    return names


def _at(annotation: Any, value: Any, path: Iterable[str | int]) -> tuple[Any, Any]:
    """The annotation and the value at the end of the path."""
    for element in path:
        annotation = _of_key(annotation, value, element) if isinstance(value, dict) else _of_items(annotation)
        value = _child(value, element)
    return annotation, value


def _child(value: Any, element: str | int) -> Any:
    try:
        return value[element]
    except (LookupError, TypeError):
        return None


def _of_key(annotation: Any, value: dict[str, Any], key: str | int) -> Any:
    model = model_for(annotation, value)
    if model is not None:
        for name, field in model.model_fields.items():
            if key in _names(model, name, field):
                return field.annotation
        return None
    return next((get_args(member)[1] for member in _members(annotation) if _is(member, dict)), None)


def _of_items(annotation: Any) -> Any:
    return next((get_args(member)[0] for member in _members(annotation) if _is(member, list)), None)


def _is(member: Any, kind: type) -> bool:
    origin = get_origin(member)
    return isinstance(origin, type) and issubclass(origin, kind) and bool(get_args(member))


def _members(annotation: Any) -> list[Any]:
    """What the annotation is a union of, through its aliases and metadata."""
    if hasattr(annotation, "__value__"):  # an alias made by a `type` statement
        return _members(annotation.__value__)
    origin = get_origin(annotation)
    if origin is Annotated:
        return _members(get_args(annotation)[0])
    if origin is Union or origin is UnionType:
        return [member for part in get_args(annotation) for member in _members(part)]
    return [annotation]


def _agreement(model: type[BaseModel], value: dict[str, Any]) -> int | None:
    """How many literal fields of the model the value agrees with; None where it differs in one of a single choice."""
    agreeing = 0
    for name, field in model.model_fields.items():
        if get_origin(field.annotation) is Literal and name in value:
            choices = get_args(field.annotation)
            if value[name] in choices:
                agreeing += 1
            elif len(choices) == 1:
                return None
    return agreeing
