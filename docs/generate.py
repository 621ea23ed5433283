"""Write the pages of the reference that the code says itself: ``python docs/generate.py``.

The pages of the command line and of the public names are made by the modules beside this one. Of the agent file,
``reference/configuration.md.in`` holds the text. Its markers are replaced by what the models and the packages of this
repository say: ``<!-- keys Turn -->`` by the table of a definition's keys, ``<!-- keys TestCaseModel but Turn -->`` by
those that the other definition does not have in the same words, and ``<!-- providers -->``, ``<!-- metrics -->``,
``<!-- standard -->`` and ``<!-- matchers -->`` by what is contributed.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import yaml

from holodeck_core.config.schema import agent_schema
from holodeck_core.config.schema.installed import names
from holodeck_core.config.schema.matchers import EXAMPLES, MEANINGS
from holodeck_core.plugins.host import PluginHost

Schema: TypeAlias = dict[str, Any]

PAGE: Final = Path(__file__).parent / "reference" / "configuration.md"
TEMPLATE: Final = PAGE.with_suffix(".md.in")

_MARKER: Final = re.compile(r"^<!-- (\w+)(?: (\S+?))?(?: but (\S+))? -->$", re.MULTILINE)
_PLACE: Final = re.compile(r"^#+ (.+)\n(?:(?!#).*\n)*?<!-- keys (\S+)", re.MULTILINE)
_DISPATCHED: Final = {"model": "Model", "metric": "Metrics", "tool": "Tools", "expected": "Matchers"}
_SCALARS: Final = {
    "whole_number": "whole number",
    "number": "number",
    "boolean": "true or false",
}
_PIPE: Final = r"\|"
_BOUNDS: Final = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


class Reference:
    """The page. ``host`` says what is installed."""

    def __init__(self, template: str, host: PluginHost) -> None:
        schema = agent_schema(host)
        self._template = template
        self._parts: Schema = {**schema["$defs"], "Agent": schema}
        self._backends = names(host, "backend")
        self._metrics = names(host, "metric")
        self._headings = {**_DISPATCHED, **{name: heading for heading, name in _PLACE.findall(template)}}
        self._told: set[str] = set()

    def page(self) -> str:
        """The text. Raises ValueError for a definition that has no place in the template."""
        text = _MARKER.sub(self._filled, self._template)
        with_keys = {name for name, part in self._parts.items() if "properties" in part}
        if missing := sorted(with_keys - self._told - set(_DISPATCHED)):
            raise ValueError(f"{TEMPLATE.name} has no place for {', '.join(missing)}")
        return text

    def _filled(self, marker: re.Match[str]) -> str:
        kind, name, other = marker.groups()
        match kind:
            case "keys":
                lines = self._table(name, other)
            case "providers":
                lines = self._sections("model", "provider", self._backends, but="LLMProvider")
            case "metrics":
                types = {"standard": "a metric that `metric` names", **self._metrics}
                lines = self._sections("metric", "type", types, but="PluginMetric")
            case "standard":
                by_type = dict(self._by_value("metric", "type"))
                lines = _list({name: what for name, what in self._metrics.items() if name not in by_type})
            case "matchers":
                lines = _matchers()
            case _:
                raise ValueError(f"{TEMPLATE.name} has an unknown marker: {marker.group()}")
        return "\n".join(lines).rstrip("\n")

    def _by_value(self, definition: str, key: str) -> Iterator[tuple[str, str]]:
        """The values of a key on which the other keys depend, each with the definition of these."""
        for part in self._parts[definition]["allOf"]:
            if "const" in (choice := part["if"]["properties"][key]):
                yield choice["const"], _target(part["then"])

    def _sections(self, definition: str, key: str, summaries: dict[str, str], *, but: str) -> Iterator[str]:
        for value, name in self._by_value(definition, key):
            yield f"### `{key}: {value}`\n\n{_sentence(summaries[value])}\n"
            yield from self._with_parts(name, but, "")

    def _with_parts(self, name: str, but: str | None, path: str) -> Iterator[str]:
        """A table, and below it those of the definitions that only it leads to."""
        own = {
            target: f"`{path}{key}[]`"
            for key, about in self._parts[name]["properties"].items()
            for target in _targets(about)
            if target.startswith(("backend.", "metric."))
        }
        self._headings |= own
        yield from self._table(name, but)
        yield ""
        for target, heading in own.items():
            yield f"#### {heading}\n"
            yield from self._with_parts(target, None, f"{heading.strip('`')}.")

    def _table(self, name: str, but: str | None) -> Iterator[str]:
        self._told.add(name)
        part = self._parts[name]
        known = self._parts[but]["properties"] if but else {}
        keys = {key: about for key, about in part["properties"].items() if about != known.get(key)}
        yield "| key | type | default | meaning | example |"
        yield "| --- | --- | --- | --- | --- |"
        for key in sorted(keys, key=lambda key: key not in part.get("required", ())):
            about = keys[key]
            default = f"`{_flow(about['default'])}`" if "default" in about else ""
            cells = (
                f"`{key}`",
                self._type(about),
                "*required*" if key in part.get("required", ()) else default,
                about["description"],
                f"`{key}: {_flow(_example(about))}`",
            )
            yield _row(cells)

    def _type(self, about: Schema) -> str:
        """What may stand there, in words; null and variables are not told."""
        if "anyOf" in about:
            words = [self._type(part) for part in about["anyOf"] if part.get("type") != "null"]
            return " or ".join(word for word in words if word)
        if target := _target(about):
            return self._reference(target) + _bounds(about)
        if "enum" in about:
            return _or([f"`{_flow(value)}`" for value in about["enum"] if value is not None])
        if "const" in about:
            return f"`{about['const']}`"
        match about.get("type"):
            case "array":
                return f"list of {self._type(about['items'])}{_length(about)}"
            case "object" if isinstance(values := about.get("additionalProperties"), dict):
                return f"mapping of {self._type(values)}"
            case "object":
                return "mapping"
            case "string" | list():
                return "text"
        return "any value"

    def _reference(self, target: str) -> str:
        if target == "variable":
            return ""
        if target in _SCALARS:
            return _SCALARS[target]
        if target not in self._headings:
            raise ValueError(f"{TEMPLATE.name} has no place for {target}")
        heading = self._headings[target]
        slug = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        what = "value or matcher" if target == "expected" else "mapping"
        return f"[{what}](#{slug})"


def _matchers() -> Iterator[str]:
    yield "| matcher | what it accepts |"
    yield "| --- | --- |"
    for name, meaning in MEANINGS.items():
        examples = [{name: EXAMPLES[name]}]
        if name == "approx":
            examples.append({name: EXAMPLES[name], "tolerance": 0.005})
        written = ", ".join(f"`{_flow(example)}`" for example in examples)
        yield f"| {written} | {meaning} |"


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', _PIPE) for cell in cells)} |"


def _or(words: list[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _list(entries: dict[str, str]) -> Iterator[str]:
    for name, what in entries.items():
        yield f"- `{name}`: {what}"


def _target(about: Schema) -> str:
    return str(about.get("$ref", "")).removeprefix("#/$defs/")


def _targets(about: Schema) -> Iterator[str]:
    """The definitions that a key leads to."""
    if target := _target(about):
        yield target
    for part in [*about.get("anyOf", ()), *([about["items"]] if "items" in about else ())]:
        yield from _targets(part)


def _bounds(about: Schema) -> str:
    bounds = {key: _flow(about[key]) for key in _BOUNDS if key in about}
    if list(bounds) == ["minimum", "maximum"]:
        return f" from {bounds['minimum']} to {bounds['maximum']}"
    return "".join(f" {_BOUNDS[key]} {bound}" for key, bound in bounds.items())


def _length(about: Schema) -> str:
    bounds = [
        f"{words} {about[key]}"
        for key, words in (("minItems", "at least"), ("maxItems", "at most"))
        if key in about
    ]
    return f" ({', '.join(bounds)})" if bounds else ""


def _example(about: Schema) -> Any:
    """The first example; of a choice, one that is not the default."""
    if "examples" in about:
        return about["examples"][0]
    if "const" in about:
        return about["const"]
    choices = [value for part in about.get("anyOf", ()) for value in part.get("enum", ())] or [False, True]
    return next(value for value in reversed(choices) if value != about.get("default"))


def _flow(value: Any) -> str:
    """A value on one line, as it may be written in a file."""
    text: str = yaml.safe_dump(
        value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=float("inf")
    )
    return text.removesuffix("\n").removesuffix("\n...")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def page() -> str:
    """The whole page, from the packages of this repository alone."""
    host = PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"})
    return Reference(TEMPLATE.read_text(encoding="utf-8"), host).page()


def pages() -> dict[Path, str]:
    """Every page that is generated, by its file."""
    folder = Path(__file__).parent
    others = {
        name: runpy.run_path(str(folder / f"generate_{name.replace('-', '_')}.py"))["page"]()
        for name in ("command-line", "names")
    }
    return {PAGE: page(), **{PAGE.with_name(f"{name}.md"): text for name, text in others.items()}}


if __name__ == "__main__":
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
