"""``holodeck import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command("import")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Recorded conversations, in JSON or JSON Lines.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The folder to write the suite to.")
    ],
    ground_truth: Annotated[
        bool,
        typer.Option(
            "--ground-truth/--no-ground-truth", help="Whether each reply must equal the recorded one."
        ),
    ] = True,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier import.")] = False,
) -> int:
    """Turn recorded conversations into a regression suite.

    FILE holds conversations in OpenAI's chat format: one, a list of them, or one per line; each is a list of messages,
    or {"id": ..., "messages": [...]}. Each conversation becomes a test case, each user message a turn, each reply its
    ground truth, and each tool call an expected tool. The recording itself passes; any reply, call or argument that
    differs from it fails. Exit codes: 0 done; 2 FILE has mistakes, or the suite could not be written.
    """
    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.patience import patience
    from holodeck_cli.problems import problem_lines
    from holodeck_cli.recorded.suite import import_suite
    from holodeck_cli.streams import tell, tell_error

    try:
        with patience(f"reading {file}"):
            done = import_suite(file, output, ground_truth=ground_truth, force=force)
    except OSError as error:
        tell_error(f"Error: {error.filename or output}: {error.strerror or error}")
        return ExitCode.USAGE
    for note in done.notes:
        tell_error(problem_lines(note, "note: "))
    if done.more_notes:
        tell_error(f"{done.more_notes} more notes")

    def counted(number: int, noun: str) -> str:
        return f"{number} {noun}{'' if number == 1 else 's'}"

    parts = (counted(done.cases, "case"), counted(done.turns, "turn"), counted(done.calls, "tool call"))
    tell(f"wrote {', '.join(map(str, done.files))}: {', '.join(parts)}")
    tell(
        "They contain all that was said, including personal data and secrets: check them before you share them."
    )
    tell(["", "Next:", f"  holodeck test {done.files[0]}"])
    return ExitCode.OK
