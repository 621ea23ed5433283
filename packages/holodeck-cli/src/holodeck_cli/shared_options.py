"""Options that several commands have, the same in each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

EnvFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--env-file",
        metavar="PATH",
        help="Read variables that are not already set from a file of NAME=VALUE lines.",
    ),
]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show everything about every turn.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show only the summary.")]
Stable: TypeAlias = Annotated[
    bool, typer.Option("--stable", help="Leave out ids, times and durations, and show cases in file order.")
]
NoColor: TypeAlias = Annotated[bool, typer.Option("--no-color", help="Do not use colours.")]
StoredRuns: TypeAlias = Annotated[
    Path | None,
    typer.Option("--run-dir", metavar="PATH", help="Where runs are stored, if not in .holodeck/runs."),
]
Outputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Write a report to a file, in the format of the --format before it or of the file's suffix.",
    ),
]
Formats: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="The format of the -o that follows; without one, the report goes to standard output.",
    ),
]
