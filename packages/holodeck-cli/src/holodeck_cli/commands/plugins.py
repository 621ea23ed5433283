"""``holodeck plugins``."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from holodeck_core.plugins.records import PluginRecord
    from holodeck_core.testing.check import PluginCheck

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, no_args_is_help=True)


@app.callback()
def plugins() -> None:
    """List the installed plugins, check them against the contract, or create a new one."""


@app.command("list")
def list_plugins(
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> int:
    """List every plugin with its version, its status, what it contributes, and what is wrong with it.

    Hooks are only asked for names; what they name is not imported. A broken plugin does not change the exit code.
    """
    from holodeck_cli.early_end import guarded, tell_plugin_ended
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.streams import others_to_stderr, tell
    from holodeck_core.plugins.host import PluginHost

    with guarded(tell_plugin_ended), others_to_stderr():  # what hooks modules print is no part of the list
        records = PluginHost().records()
    if json:
        from holodeck_cli.json_text import json_text

        tell(json_text({"plugins": [_as_data(record) for record in records]}))
    else:
        for record in records:
            tell(_lines(record))
    return ExitCode.OK


@app.command("check")
def check_plugins(
    plugin: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="The plugin to check; by default all third-party ones."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print every finding as JSON.")] = False,
    call: Annotated[
        bool, typer.Option("--call/--no-call", help="Also use each contribution once, with made-up values.")
    ] = True,
) -> int:
    """Check installed plugins against the contract.

    What they contribute is imported, and each contribution is used once: a grader and a metric are given a turn, a
    reporter a run, and so on; nothing is sent to a backend. Exit codes: 0 all checks passed; 1 one failed; 2 there is
    no such plugin.
    """
    from holodeck_cli.early_end import guarded, tell_plugin_ended
    from holodeck_cli.ending import expect_leftovers
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.streams import others_to_stderr, tell
    from holodeck_core.plugins.host import PluginHost
    from holodeck_core.plugins.names import FIRST_PARTY_IDS
    from holodeck_core.testing.check import check_plugin

    expect_leftovers()
    host = PluginHost()
    if plugin is None:
        records = host.records(load=False)
        ids = sorted({record.id for record in records}.difference(FIRST_PARTY_IDS))
    else:
        ids = [plugin]
    with guarded(tell_plugin_ended), others_to_stderr():  # what plugins print is no part of the findings
        checks = [check_plugin(each, host=host, call=call) for each in ids]
    if json:
        from holodeck_cli.json_text import json_text

        tell(
            json_text(
                {"ok": all(check.ok for check in checks), "plugins": [_check_data(each) for each in checks]}
            )
        )
    else:
        for check in checks:
            tell(_check_lines(check))
        if not checks:
            tell("no third-party plugin is installed")
    return ExitCode.OK if all(check.ok for check in checks) else ExitCode.FAILED


class PluginKind(StrEnum):
    """What a new plugin contributes."""

    GRADER = "grader"
    MATCHER = "matcher"
    METRIC = "metric"
    BACKEND = "backend"
    REPORTER = "reporter"
    VALIDATOR = "validator"
    COMMAND = "command"


@app.command("new")
def new_plugin(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="The plugin's id, such as acme, or the id and a name for the contribution: acme/near.",
        ),
    ],
    kind: Annotated[PluginKind, typer.Option("--kind", help="What it contributes.")],
) -> int:
    """Create the project of a new plugin, with tests, in the new folder holodeck-NAME.

    It works as it is, and passes its tests, mypy, ruff and `holodeck plugins check`. Existing files are never
    overwritten. Exit codes: 0 done; 2 the files could not be written.
    """
    from pathlib import Path

    from holodeck_cli import __version__
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.mistakes import UsageMistake
    from holodeck_cli.new_files import write_new
    from holodeck_cli.new_plugin import full_name_of, plugin_files, read_name
    from holodeck_cli.streams import tell

    try:
        wanted = read_name(name)
    except ValueError as error:
        raise UsageMistake(f"{name!r} cannot be the name of a plugin: {error}") from error
    folder = Path(f"holodeck-{wanted.id}")
    files = plugin_files(wanted, kind.value, __version__)
    if not write_new(folder, files):
        return ExitCode.USAGE
    tell(f"wrote {len(files)} files into {folder}: the {kind.value} {full_name_of(wanted, kind.value)}")
    steps = ["pip install -e '.[dev]'", "pytest", f"holodeck plugins check {wanted.id}"]
    tell(["", "Next:", f"  cd {folder}", *(f"  {step}" for step in steps)])
    return ExitCode.OK


def _check_data(check: PluginCheck) -> dict[str, object]:
    return {
        "id": check.id,
        "distribution": check.distribution,
        "version": check.version,
        "ok": check.ok,
        "findings": [
            {
                "rule": finding.rule,
                "subject": finding.subject,
                "status": finding.status,
                "message": finding.message,
            }
            for finding in check.findings
        ],
    }


def _check_lines(check: PluginCheck) -> Iterator[str]:
    from holodeck_core.text import one_line

    yield one_line(f"{check.id}: {check.distribution} {check.version}, {'ok' if check.ok else 'falls short'}")
    for finding in check.findings:
        yield f"    {one_line(str(finding), 2_000)}"


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
