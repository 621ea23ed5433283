"""The schema of a model, as pydantic makes it, with the docstrings below its fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from holodeck_core.config.reading.shapes import PLAIN
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.config.schema.attribute_docs import AttributeDocs, first_paragraph
from holodeck_core.config.schema.keywords import Schema, references, target
from holodeck_core.config.schema.scalars import with_bounds
from holodeck_core.errors import ConfigError


class _Generator(GenerateJsonSchema):
    """Adds to each model and its fields what their docstrings say, and leaves out what says nothing."""

    docs: ClassVar[AttributeDocs]
    ignored_warning_kinds = {"skipped-choice", "non-serializable-default", "skipped-discriminator"}  # noqa: RUF012

    def sort(self, value: Any, parent_key: str | None = None) -> Any:
        return value

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> dict[str, Any]:
        model: type[BaseModel] = schema["cls"]
        made = super().model_schema(schema)
        if model.__doc__:
            made["description"] = first_paragraph(model.__doc__)
        docs = self.docs.of(model)
        for name, part in made.get("properties", {}).items():
            if part.get("default", ...) is None:
                del part["default"]
            if name in docs:
                part.setdefault("description", docs[name].meaning)
                if (example := docs[name].example) is not None:
                    part.setdefault("examples", [_value(example)])
        return made

    def str_schema(self, schema: core_schema.StringSchema) -> dict[str, Any]:
        made = super().str_schema(schema)
        if schema.get("strip_whitespace") and schema.get("min_length"):
            made["pattern"] = r"\S"
        return made

    def dict_schema(self, schema: core_schema.DictSchema) -> dict[str, Any]:
        made = super().dict_schema(schema)
        for pattern, values in made.pop("patternProperties", {}).items():  # the pattern that all keys have
            made["propertyNames"] = {**made.get("propertyNames", {}), "pattern": pattern}
            made["additionalProperties"] = values
        return made


def _value(example: str) -> Any:
    """The value that is written so in a file; of what is no YAML, the text."""
    try:
        return read_yaml(f"example: {example}\n", "", PLAIN).value["example"]
    except (ConfigError, KeyError):
        return example


class ModelSchemas:
    """Makes schemas of models, and keeps the definitions of all of them. ``change`` is made to everything."""

    def __init__(self, change: Callable[[Schema], Schema] = with_bounds) -> None:
        self.definitions: Schema = {}
        self._change = change
        self._generator = type("_GeneratorWithDocs", (_Generator,), {"docs": AttributeDocs()})

    def of(self, model: type[BaseModel], prefix: str = "") -> Schema:
        """The schema of one model; those that it refers to become definitions, under names with the prefix.

        Raises whatever the model's own code raises, and pydantic's errors for what no schema can say.
        """
        made = model.model_json_schema(
            schema_generator=self._generator, ref_template=f"#/$defs/{prefix}{{model}}"
        )
        parts = {prefix + name: part for name, part in made.pop("$defs", {}).items()}
        if missing := set().union(*map(references, [made, *parts.values()])) - parts.keys():
            raise ValueError(f"the schema refers to {', '.join(sorted(missing))}, which it does not have")
        made = self._change(made)
        parts = {name: self._change(part) for name, part in parts.items()}
        self.definitions |= parts
        # A model that holds itself is a definition.
        return {**parts[target(made)]} if target(made) in parts else made
