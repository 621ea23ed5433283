"""Groups of commands that are imported when they are called: the built-in ones, and those of plugins."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup, TyperOption
from typer.exceptions import TyperException

from holodeck_cli.lazy import COMMANDS
from holodeck_core.errors import BrokenPlugin, ConfigError, HoloDeckError, PluginError
from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.names import FIRST_PARTY_IDS, near
from holodeck_core.plugins.wording import error_text
from holodeck_core.text import one_line

_OWN_ID = "cli"


class LazyGroup(TyperGroup):
    """The built-in commands by their names, and the commands of each plugin under its id."""

    def list_commands(self, ctx: Any) -> list[str]:
        host = PluginHost()
        return [*COMMANDS, *_own_commands(host), *host.ids()]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if builtin := COMMANDS.get(cmd_name):
            command = _command_of(importlib.import_module(builtin.module).app, cmd_name)
            command.params.append(_debug_option())
            return command
        host = PluginHost()
        if cmd_name in _own_commands(host):
            return _contributed(host, cmd_name, cmd_name, debug=True)
        return _plugin_group(host, cmd_name) if cmd_name in host.ids() else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}.{_hint(args[0])}")
        return args[0], command, args[1:]

    def invoke(self, ctx: Any) -> Any:
        """The exit code. What a plugin's command returns means nothing; it says one with ``typer.Exit``."""
        result = super().invoke(ctx)
        ours = ctx.invoked_subcommand in COMMANDS or ctx.invoked_subcommand in _own_commands(PluginHost())
        return result if ours and isinstance(result, int) else 0

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(_command_rows())
        if plugins := _plugin_rows():
            with formatter.section("Commands of plugins"):
                formatter.write_dl(plugins)


class PluginGroup(TyperGroup):
    """The commands of one plugin; each is imported when it is called."""

    host: PluginHost
    contributions: Sequence[Contribution]

    def list_commands(self, ctx: Any) -> list[str]:
        return [contribution.name for contribution in self.contributions]

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (typer.Exit, typer.Abort, TyperException, HoloDeckError, SystemExit, OSError):
            raise  # ways to end, and what is told as it is anywhere else
        except BaseException as error:  # boundary: the command of a plugin
            pass_interruptions(error)
            command = f"{self.name} {ctx.invoked_subcommand}"
            why = f"{error_text(error)} (`holodeck --debug {command} …` shows the traceback)"
            raise BrokenPlugin(f"the command `holodeck {command}` failed: {why}") from error

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.list_commands(ctx):
            return None
        return _contributed(self.host, f"{self.name}/{cmd_name}", cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}.{_did_you_mean(args[0], self.list_commands(ctx))}")
        return args[0], command, args[1:]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(each.name, one_line(each.summary)) for each in self.contributions])


def _own_commands(host: PluginHost) -> dict[str, Contribution]:
    """What holodeck-cli contributes through its hook, as every plugin does."""
    try:
        return {each.name: each for each in host.commands(_OWN_ID)}
    except PluginError:  # it is switched off
        return {}


def _contributed(host: PluginHost, name: str, word: str, *, debug: bool = False) -> Any:
    resolved = host.command(name)
    if not isinstance(resolved.object, typer.Typer):
        kind = type(resolved.object).__name__
        raise BrokenPlugin(
            f"the command '{name}' cannot be called: its target is of type {kind}, not a typer.Typer"
        )
    try:
        command = _command_of(resolved.object, word)
    except BaseException as error:  # boundary: what a plugin's command takes is made from its code
        pass_interruptions(error)
        raise BrokenPlugin(f"the command '{name}' cannot be called: {error_text(error)}") from error
    if debug:
        command.params.append(_debug_option())
    return command


def _plugin_group(host: PluginHost, plugin_id: str) -> PluginGroup:
    group = PluginGroup(name=plugin_id, no_args_is_help=True, rich_markup_mode=None)
    group.host = host
    group.contributions = host.commands(plugin_id)
    if not group.contributions:
        raise BrokenPlugin(f"the plugin '{plugin_id}' has no commands")
    return group


def _command_of(app: typer.Typer, name: str) -> Any:
    command = typer.main.get_command(app)
    command.name = name
    completion = ("install_completion", "show_completion")
    command.params = [param for param in command.params if param.name not in completion]
    return command


def _debug_option() -> TyperOption:
    """``--debug`` is looked for in the whole command line: it may stand before or behind the command."""
    help_text = "Show the traceback of an internal error."
    return TyperOption(param_decls=["--debug"], is_flag=True, expose_value=False, help=help_text)


def _command_rows() -> list[tuple[str, str]]:
    rows = [(name, command.summary) for name, command in COMMANDS.items()]
    try:
        own = _own_commands(PluginHost())
    except ConfigError:  # told below, where the plugins stand
        return rows
    return [*rows, *((name, command.summary) for name, command in own.items())]


def _plugin_rows() -> list[tuple[str, str]]:
    try:
        records = PluginHost().records(load=False)
    except ConfigError as error:
        return [("(none)", one_line(str(error)))]
    return [
        (record.id, one_line(f"of {record.distribution} {record.version}"))
        for record in records
        if record.status == "not loaded" and record.id not in FIRST_PARTY_IDS
    ]


def _hint(name: str) -> str:
    records = PluginHost().records(load=False)
    for record in records:
        if record.id == name and record.problems:
            why = "; ".join(record.problems)
            return f" The plugin {record.distribution} {record.version} is {record.status}: {one_line(why)}"
    own = _own_commands(PluginHost())
    return _did_you_mean(
        name, [*COMMANDS, *own, *(each.id for each in records if each.id not in FIRST_PARTY_IDS)]
    )


def _did_you_mean(name: str, choices: Sequence[str]) -> str:
    matches = near(name, choices)
    return f" Did you mean {' or '.join(repr(match) for match in matches)}?" if matches else ""
