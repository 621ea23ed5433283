"""What HoloDeck promises to keep, one fact a line: ``python tests/compatibility/public_names.py`` writes it down.

A fact is ``name: what it is``. Each parameter, field, key and option is a fact of its own, so that adding one adds a
line and changes none. With ``--since-last-tag`` nothing is written: what is written down is compared with what was
under the last tag, and what breaks somebody's code is told.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import attrs
import typer
from pydantic import BaseModel

FILE: Final = Path(__file__).with_name("public_names.txt")
MODULES: Final = ("holodeck_core", "holodeck_core.plugins", "holodeck_core.testing")
DUTIES: Final = ("required", "abstract")
_OURS: Final = "holodeck_"


def facts() -> list[str]:
    """Everything that is public, sorted."""
    found = [*_names(), *_hooks(), *_contributions(), *_keys(), *_command_line()]
    return sorted({f"{name}: {what}" for name, what in found})


def breaks(before: list[str], now: list[str]) -> list[str]:
    """What of ``now`` breaks code that was written for ``before``, in words. Pure."""
    old, new = (dict(fact.split(": ", 1) for fact in each) for each in (before, now))
    told = [f"gone: {name}" for name in old if name not in new]
    told += [
        f"changed: {name}: was {what}, is {new[name]}"
        for name, what in old.items()
        if name in new and new[name] not in (what, what.replace("required", "optional", 1))
    ]
    told += [
        f"a new duty: {name}: {what}"
        for name, what in new.items()
        if name not in old and what.split()[0] in DUTIES and _owner(name) in old
    ]
    return told


def _owner(name: str) -> str:
    """What a parameter, a field or a method belongs to."""
    return name.rpartition("(")[0] if name.endswith(")") else name.rpartition(".")[0]


def _names() -> Iterator[tuple[str, str]]:
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in getattr(module, "__all__", dir(module)):
            value = getattr(module, name)
            if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations":
                yield from _facts_of(f"{module_name}.{name}", value)


def _facts_of(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if inspect.isclass(value):
        yield from _facts_of_class(name, value)
    elif inspect.isfunction(value):
        yield name, "function"
        yield from _signature(name, value)
    else:
        yield name, "value"


def _facts_of_class(name: str, cls: type) -> Iterator[tuple[str, str]]:
    bases = ", ".join(base.__name__ for base in cls.__bases__ if base is not object)
    yield name, f"class of {bases}" if bases else "class"
    if issubclass(cls, BaseModel):
        for field, about in cls.model_fields.items():
            yield f"{name}.{field}", f"{'required' if about.is_required() else 'optional'} field"
    elif attrs.has(cls):
        yield from _signature(name, cls)
    elif "__init__" in vars(cls):
        yield from _signature(name, cls.__init__)
    for owner in cls.__mro__:
        if owner.__module__.startswith(_OURS):
            for member, about in vars(owner).items():
                if not member.startswith("_"):
                    yield from _member(f"{name}.{member}", inspect.unwrap(_plain(about)), about)


def _plain(member: Any) -> Any:
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member


def _member(name: str, function: Any, member: Any) -> Iterator[tuple[str, str]]:
    if isinstance(member, property):
        yield name, "property"
    elif inspect.isfunction(function):
        kind = "coroutine method" if inspect.iscoroutinefunction(function) else "method"
        abstract = "abstract " if getattr(function, "__isabstractmethod__", False) else ""
        yield name, abstract + kind
        yield from _signature(name, function)


def _signature(name: str, target: Any) -> Iterator[tuple[str, str]]:
    """Each parameter by itself. ``self`` and ``cls`` are nobody's to give."""
    for place, parameter in enumerate(inspect.signature(target).parameters.values()):
        if parameter.name in ("self", "cls") or parameter.name.startswith("_"):
            continue
        duty = "optional" if parameter.default is not parameter.empty else "required"
        match parameter.kind:
            case parameter.VAR_POSITIONAL | parameter.VAR_KEYWORD:
                how = "any number"
            case parameter.KEYWORD_ONLY:
                how = f"{duty} by name"
            case _:
                how = f"{duty} in place {place}"
        typed = f", {parameter.annotation}" if isinstance(parameter.annotation, str) else ""
        yield f"{name}({parameter.name})", how + typed


def _hooks() -> Iterator[tuple[str, str]]:
    from holodeck_core.plugins.hookspecs import HOOKS

    for kind, name in HOOKS.items():
        yield f"hook {name}", kind


def _contributions() -> Iterator[tuple[str, str]]:
    """The names that files and command lines may use without a prefix."""
    from holodeck_core.plugins.hookspecs import HOOKS

    for package in ("core", "graders", "cli"):
        hooks = importlib.import_module(f"{_OURS}{package}.hooks")
        for kind, hook in HOOKS.items():
            for contribution in getattr(hooks, hook, list)():
                yield f"{kind} {contribution.name}", "named contribution"


def _keys() -> Iterator[tuple[str, str]]:
    """The keys of the agent file."""
    from holodeck_core.config.schema import agent_schema
    from holodeck_core.plugins.host import PluginHost

    schema = agent_schema(PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"}))
    for owner, part in {**schema["$defs"], "Agent": schema}.items():
        yield f"file {owner}", "mapping" if "properties" in part else "value"
        for key in part.get("properties", {}):
            yield f"file {owner}.{key}", "required key" if key in part.get("required", ()) else "optional key"


def _command_line() -> Iterator[tuple[str, str]]:
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.lazy import COMMANDS

    for code in ExitCode:
        yield f"exit code {code.name}", str(code.value)
    for name in ("--version", "--debug", "--help"):
        yield f"holodeck({name})", "optional flag"
    modules = {name: command.module for name, command in COMMANDS.items()}
    for name, module in {**modules, "chat": "holodeck_cli.chat.command"}.items():
        yield from _command(f"holodeck {name}", typer.main.get_command(importlib.import_module(module).app))


def _command(name: str, command: Any) -> Iterator[tuple[str, str]]:
    yield name, "command"
    for parameter in command.params:
        if parameter.name in ("install_completion", "show_completion"):  # of the program, not of one command
            continue
        duty = "required" if parameter.required else "optional"
        if parameter.param_type_name == "argument":
            yield f"{name}({parameter.human_readable_name.upper()})", f"{duty} argument"
            continue
        takes = "flag" if parameter.is_flag else "option"
        for spelling in (*parameter.opts, *parameter.secondary_opts):
            yield f"{name}({spelling})", f"{duty} {takes}"
    for child, below in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {child}", below)


def last_tag(folder: Path) -> str | None:
    """The tag of the last release that the checkout comes from; None where there is none."""
    done = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0"], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or None


def written_under(tag: str, file: Path) -> list[str] | None:
    """What was written down under a tag; None where nothing was."""
    shown = subprocess.run(
        ["git", "show", f"{tag}:./{file.name}"], cwd=file.parent, capture_output=True, text=True, check=False
    )
    return shown.stdout.splitlines() if shown.returncode == 0 else None


def since_last_tag(file: Path = FILE) -> tuple[str | None, list[str]]:
    """The last tag, None where there is none to compare with; and what breaks code that was written for it."""
    tag = last_tag(file.parent)
    before = None if tag is None else written_under(tag, file)
    if before is None:
        return None, []
    return tag, breaks(before, file.read_text(encoding="utf-8").splitlines())


def main(args: list[str]) -> int:
    if args == ["--since-last-tag"]:
        tag, told = since_last_tag()
        print(*told, sep="\n", end="\n" if told else "")
        print("no tag to compare with" if tag is None else f"{len(told)} breaking changes since {tag}")
        return 1 if told else 0
    if args:
        print(__doc__)
        return 2
    FILE.write_text("\n".join(facts()) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
