"""``holodeck plugins``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holodeck_core.plugins.records import PluginRecord

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def plugins() -> None:
    """Show the installed plugins and what each contributes."""


@app.command("list")
def list_plugins(
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> int:
    """List every plugin with its version, its state, what it contributes, and what is wrong with it.

    Hooks are asked for names; nothing that they name is imported. A broken plugin does not change the exit
    code.
    """
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.streams import tell
    from holodeck_core.plugins.host import PluginHost

    records = PluginHost().records()
    if json:
        from holodeck_cli.json_text import json_text

        tell(json_text({"plugins": [_as_data(record) for record in records]}))
    else:
        for record in records:
            tell(_lines(record))
    return ExitCode.OK


def _as_data(record: PluginRecord) -> dict[str, object]:
    from holodeck_core.plugins.records import full_name

    return {
        "id": record.id,
        "distribution": record.distribution,
        "version": record.version,
        "status": record.status,
        "contributions": [
            {
                "kind": kind,
                "name": full_name(record.id, each.name),
                "target": each.target,
                "summary": each.summary,
            }
            for kind, contributions in record.contributions.items()
            for each in contributions
        ],
        "problems": list(record.problems),
    }


def _lines(record: PluginRecord) -> Iterator[str]:
    from holodeck_core.plugins.records import full_name
    from holodeck_core.text import one_line

    yield one_line(f"{record.id}: {record.distribution} {record.version}, {record.status}")
    for kind, contributions in record.contributions.items():
        for each in contributions:
            yield f"    {kind:<10} {full_name(record.id, each.name):<24} {one_line(each.summary)}".rstrip()
    for problem in record.problems:
        yield f"    problem: {one_line(problem)}"
