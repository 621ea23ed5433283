"""The project of a new plugin: which files it has, and what stands in them. Pure but for reading the templates."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from importlib import resources
from string import Template
from typing import Final, NamedTuple

from holodeck_core.plugins.hookspecs import HOOKS, Kind
from holodeck_core.plugins.names import (
    FIRST_PARTY_IDS,
    PREFIX,
    RESERVED_IDS,
    is_name,
    is_plugin_id,
    plugin_id,
    split_name,
)


class Example(NamedTuple):
    """What the new plugin contributes: a small thing of its kind that works, to be replaced.

    ``usage`` is how users write it, for the README; ``target`` is its name in the module, by default that of a class.
    """

    name: str
    summary: str
    usage: str
    target: str = "{stem}{kind}"


def _in_file(text: str) -> str:
    return f"```yaml\n{text}```\n"


EXAMPLES: Final[Mapping[Kind, Example]] = {
    "grader": Example(
        "mentions",
        "the reply mentions every word of the ground truth",
        _in_file("evaluations:\n  metrics:\n    - {type: code, grader: $full}\n"),
        "{module}",
    ),
    "matcher": Example(
        "prefix",
        "a text that starts with the expected one",
        _in_file('expected_tools:\n  - {name: look_up, args: {order: {$full: "ORD-"}}}\n'),
    ),
    "metric": Example(
        "brevity",
        "a reply of few words",
        _in_file("evaluations:\n  metrics:\n    - {type: $full, most_words: 40}\n"),
    ),
    "backend": Example(
        "echo",
        "an agent that says again what it was told",
        _in_file("model: {provider: $full, greeting: Heard}\n"),
    ),
    "reporter": Example(
        "jsonl",
        "one line of JSON for each case",
        "```bash\nholodeck test --format $full -o cases.jsonl\n```\n",
    ),
    "validator": Example(
        "cards",
        "no numbers of payment cards are sent",
        "Once it is installed, `holodeck chat` asks it about every message.\n",
    ),
    "command": Example(
        "count", "count the test cases of an agent", "```bash\nholodeck $id $name\n```\n", "app"
    ),
}


# Names that mean something else in the files of the project.
_TAKEN: Final = frozenset({"annotations", "grade", "hooks", "pytest", "turn"})


class PluginName(NamedTuple):
    """The id of a plugin, and the name of its contribution where one was given."""

    id: str
    contribution: str | None


def read_name(text: str) -> PluginName:
    """``acme`` or ``acme/near``, with or without ``holodeck-``. Raises ValueError that says what is wrong with it."""
    written, name = split_name(text) if "/" in text else (text, None)
    wanted = (written or "").removeprefix(PREFIX)
    if not is_plugin_id(wanted):
        normal = plugin_id(wanted)
        advice = f"; did you mean '{normal}'?" if is_plugin_id(normal) else ""
        raise ValueError(f"a plugin's name is lower-case letters and digits, with single '-' between{advice}")
    if wanted in FIRST_PARTY_IDS:
        raise ValueError(f"'{wanted}' is the id of HoloDeck's own {PREFIX}{wanted}: choose another name")
    if wanted in RESERVED_IDS:
        raise ValueError(f"'{wanted}' is the name of a command of holodeck: choose another name")
    if name is not None and not is_name(name):
        raise ValueError("what follows '/' is lower-case letters and digits, with single '_' or '-' between")
    return PluginName(wanted, name)


def full_name_of(name: PluginName, kind: Kind) -> str:
    """What the new contribution is called in a file."""
    return f"{name.id}/{name.contribution or EXAMPLES[kind].name}"


def plugin_files(name: PluginName, kind: Kind, core: str) -> dict[str, str]:
    """The files of the project, by their path in it. ``core`` is the version that the plugin needs at least."""
    example = EXAMPLES[kind]
    full = full_name_of(name, kind)
    contribution = full.partition("/")[2]
    words = contribution.replace("-", "_")
    module = f"{words}_" if keyword.iskeyword(words) or words in _TAKEN else words
    stem = "".join(word.capitalize() for word in words.split("_"))
    package = f"{PREFIX}{name.id}".replace("-", "_")
    values = {
        "core": core,
        "distribution": f"{PREFIX}{name.id}",
        "full": full,
        "hook": HOOKS[kind],
        "id": name.id,
        "kind": kind,
        "module": module,
        "name": contribution,
        "package": package,
        "requirement": "holodeck-cli" if kind == "command" else "holodeck-core",
        "summary": example.summary,
        "stem": stem,
        "target": example.target.format(stem=stem, kind=kind.capitalize(), module=module),
    }
    values["usage"] = Template(example.usage).substitute(values)
    sources = {
        "pyproject.toml": "pyproject.toml.txt",
        "README.md": "README.md.txt",
        ".gitignore": "gitignore.txt",
        ".github/workflows/tests.yml": "ci.yml.txt",
        f"src/{package}/hooks.py": "hooks.py.txt",
        f"src/{package}/{module}.py": f"{kind}.py.txt",
        f"tests/test_{module}.py": f"{kind}_test.py.txt",
    }
    templates = resources.files("holodeck_cli") / "templates" / "plugin"
    files = {
        path: Template((templates / template).read_text(encoding="utf-8")).substitute(values)
        for path, template in sources.items()
    }
    init = f'"""A {kind} for HoloDeck: {example.summary}."""\n'
    return {**files, f"src/{package}/__init__.py": init, f"src/{package}/py.typed": ""}
