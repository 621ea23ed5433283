"""Command lines that say more than the values of their options: in which order they stand, and which have none."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from holodeck_cli.outputs import Output

_ORDER = "holodeck_cli.outputs"


class OrderedCommand(TyperCommand):
    """Remembers in which order ``--format`` and ``-o`` stand; typer only tells the values of each."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given = list(args)
        rest = super().parse_args(ctx, args)
        values, _, order = self.make_parser(ctx).parse_args(given)
        each = {name: iter(values.get(name) or ()) for name in ("format", "output")}
        ctx.meta[_ORDER] = [(param.name, next(each[param.name])) for param in order if param.name in each]
        return rest


def asked_outputs(ctx: typer.Context) -> list[Output]:
    """The reports that the command line of an ``OrderedCommand`` asks for."""
    from holodeck_cli.outputs import plan_outputs

    try:
        return plan_outputs(ctx.meta[_ORDER])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="-o/--format") from None


def with_optional_value(args: Sequence[str], option: str) -> list[str]:
    """The arguments, in which an option without a value has the empty one: ``--resume`` becomes ``--resume=``.

    What follows the option is its value, unless it is an option or names a file: ``--resume last agent.yaml`` and
    ``--resume agent.yaml``.
    """
    spelled: list[str] = []
    for position, arg in enumerate(args):
        if arg == "--":
            return [*spelled, *args[position:]]
        following = args[position + 1 : position + 2]
        alone = not following or following[0].startswith("-") or Path(following[0]).is_file()
        spelled.append(f"{arg}=" if arg == option and alone else arg)
    return spelled
