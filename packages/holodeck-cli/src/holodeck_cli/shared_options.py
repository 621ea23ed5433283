"""Options that several commands have, the same in each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

EnvFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--env-file", metavar="PATH", help="Take variables that are not set from NAME=VALUE lines."),
]
Verbose: TypeAlias = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show all that is known of every turn.")
]
Quiet: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help="Show only the summary.")]
Stable: TypeAlias = Annotated[
    bool, typer.Option("--stable", help="Leave ids, times and durations out, and show cases in file order.")
]
NoColor: TypeAlias = Annotated[bool, typer.Option("--no-color", help="Show no colours.")]
StoredRuns: TypeAlias = Annotated[
    Path | None,
    typer.Option("--run-dir", metavar="PATH", help="Where the runs are, if not in .holodeck/runs."),
]
Outputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="PATH",
        help="Write a report to a file; its format is that of the --format before it, else of its suffix.",
    ),
]
Formats: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--format", metavar="NAME", help="The format of the -o behind it; without one, of standard output."
    ),
]
