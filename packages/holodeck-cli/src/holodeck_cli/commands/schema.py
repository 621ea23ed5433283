"""``holodeck schema``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def schema(
    report: Annotated[
        bool, typer.Option("--report", help="Print the schema of the JSON report instead.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="Write it to a file instead of standard output."),
    ] = None,
) -> int:
    """Print the JSON Schema of the agent file, with the options of the installed plugins.

    Editors that understand YAML check and complete an agent file whose first line is
    "# yaml-language-server: $schema=PATH", where PATH is relative to the file. Exit codes: 0 done; 2 the schema could
    not be written.
    """
    from holodeck_cli.early_end import guarded, tell_plugin_ended
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.replace_file import replacing
    from holodeck_cli.schema_text import schema_text
    from holodeck_cli.streams import others_to_stderr, tell, tell_error
    from holodeck_core.config.schema import agent_schema, report_schema
    from holodeck_core.plugins.host import PluginHost

    with guarded(tell_plugin_ended), others_to_stderr():  # what plugins print is no part of the schema
        text = schema_text(report_schema() if report else agent_schema(PluginHost()))
    if output is None:
        tell(text.splitlines())
        return ExitCode.OK
    try:
        with replacing(output) as file:
            file.write(text.encode())
    except OSError as error:
        tell_error(f"Error: {output}: {error.strerror or error}")
        return ExitCode.USAGE
    tell(f"wrote {output}")
    return ExitCode.OK
