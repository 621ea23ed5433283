"""The page of the command line, from the commands themselves; ``generate.py`` writes it."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import typer

from holodeck_cli.exit_codes import ExitCode
from holodeck_cli.lazy import COMMANDS

_INTRODUCTION: Final = """\
# Command line

Written by `python docs/generate.py` from the commands themselves. `--help` behind a command says the same;
`holodeck --version` shows the version, and `--debug` behind a command the traceback of an internal error. How to use
the commands: [the tutorial](../tutorial.md), [reports](../reports.md), [repeats](../repeats.md), [chat](../chat.md).
"""

_MODULES: Final = {
    **{name: command.module for name, command in COMMANDS.items()},
    "chat": "holodeck_cli.chat.command",
}


def page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION]
    for name, module in _MODULES.items():
        parts += _command(f"holodeck {name}", typer.main.get_command(importlib.import_module(module).app))
    return "\n".join([*parts, *_exit_codes()])


def _command(name: str, command: Any, level: int = 2) -> Iterator[str]:
    shown = [param for param in command.params if param.name not in ("install_completion", "show_completion")]
    arguments = [param for param in shown if param.param_type_name == "argument"]
    usage = [_argument(param) if param.required else f"[{_argument(param)}]" for param in arguments]
    yield f"{'#' * level} `{' '.join((name, *usage))}`\n"
    yield f"{inspect.cleandoc(command.help or '').strip()}\n"
    if shown:
        yield "| argument or option | default | does |"
        yield "| --- | --- | --- |"
        yield from (_row(param) for param in shown)
        yield ""
    for child, below in getattr(command, "commands", {}).items():
        yield from _command(f"{name} {child}", below, level + 1)


def _argument(param: Any) -> str:
    return str(param.metavar or param.human_readable_name.upper())


def _row(param: Any) -> str:
    if param.param_type_name == "argument":
        spelling = f"`{_argument(param)}`"
    else:
        choices = "|".join(map(str, getattr(param.type, "choices", ())))
        value = "" if param.is_flag else f" {param.metavar or choices or 'TEXT'}"
        spelling = ", ".join(f"`{each}{value}`" for each in (*param.opts, *param.secondary_opts))
    default = "" if param.default in (None, False, ()) or callable(param.default) else f"`{param.default}`"
    cells = (spelling, "*required*" if param.required else default, " ".join((param.help or "").split()))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes\n"
    yield f"They are the same for every command. {' '.join((ExitCode.__doc__ or '').split())}\n"
    yield "| code | name | means |"
    yield "| --- | --- | --- |"
    about = _attribute_docs()
    yield from (f"| {code.value} | `{code.name}` | {about[code.name]} |" for code in ExitCode)
    yield ""


def _attribute_docs() -> dict[str, str]:
    """The text below each member, as Python forgets it."""
    [cls] = ast.parse(inspect.getsource(ExitCode)).body
    assert isinstance(cls, ast.ClassDef)
    return {
        target.id: " ".join(text.value.value.split())
        for member, text in pairwise(cls.body)
        if isinstance(member, ast.Assign) and isinstance(target := member.targets[0], ast.Name)
        if isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
