"""``holodeck test``."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Annotated, Any

import typer

from holodeck_cli.option_order import OrderedCommand, asked_outputs, with_optional_value
from holodeck_cli.shared_options import EnvFile, Formats, NoColor, Outputs, Quiet, Stable, Verbose

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


class TestCommand(OrderedCommand):
    """``--resume`` may stand without a value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_optional_value(args, "--resume"))


@app.command(cls=TestCommand)
def run_cases(
    ctx: typer.Context,
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="The agent file, or its folder.")] = Path(
        "agent.yaml"
    ),
    parallel_test_cases: Annotated[
        int | None,
        typer.Option(
            "--parallel-test-cases", "-p", min=1, metavar="N", help="Run up to N cases side by side."
        ),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat", min=1, metavar="N", help="Run each case N times, regardless of its own 'repeat'."
        ),
    ] = None,
    all_repeats: Annotated[
        bool,
        typer.Option("--all-repeats", help="Also run repeats that can no longer change a case's verdict."),
    ] = False,
    llm_timeout: Annotated[
        float | None,
        typer.Option("--llm-timeout", metavar="S", help="The time limit for a turn, in seconds."),
    ] = None,
    env_file: EnvFile = None,
    name: Annotated[
        str | None,
        typer.Option(
            "-k",
            metavar="EXPR",
            help="Run the cases whose name contains EXPR, which may use 'and', 'or', 'not' and brackets.",
        ),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="T", help="Run the cases with this tag; repeat the option to allow several."
        ),
    ] = None,
    last_failed: Annotated[
        bool, typer.Option("--last-failed", help="Run the cases that did not pass in the latest run.")
    ] = False,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Start no case after the first that did not pass.")
    ] = False,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume",
            metavar="[RUN]",
            help="Resume the latest incomplete run, or RUN: an id, 'last', 'last~1', or a path.",
        ),
    ] = None,
    allow_changes: Annotated[
        bool,
        typer.Option(
            "--allow-changes",
            help="Resume even if the agent file, a file that it names, or a plugin has changed.",
        ),
    ] = False,
    run_dir: Annotated[
        Path | None,
        typer.Option(
            "--run-dir",
            metavar="PATH",
            help="Where to store runs, instead of .holodeck/runs beside the agent file.",
        ),
    ] = None,
    verbose: Verbose = False,
    quiet: Quiet = False,
    stable: Stable = False,
    no_color: NoColor = False,
    output: Outputs = None,
    format: Formats = None,  # noqa: A002 - the option's name
) -> int:
    """Run the test cases of an agent, each as one conversation, and check every turn.

    Exit codes: 0 all passed; 1 a case failed; 2 a mistake in configuration or usage; 3 the run could not be
    carried out; 130 interrupted.
    """
    from holodeck_cli.loading import agent_file
    from holodeck_cli.run_tests import RunRequest, run_tests
    from holodeck_core.engine.repeats import RepeatOptions

    if llm_timeout is not None and not 0 < llm_timeout < inf:
        raise typer.BadParameter("must be more than 0, and finite", param_hint="--llm-timeout")
    if verbose and quiet:
        raise typer.BadParameter("-v and -q exclude each other")
    if allow_changes and resume is None:
        raise typer.BadParameter("--allow-changes goes with --resume")
    if resume is not None and (repeat is not None or all_repeats):
        raise typer.BadParameter(
            "a resumed run keeps the repeats that it was started with: "
            "use --resume without --repeat and --all-repeats"
        )
    if resume is not None and (name is not None or tag or last_failed):
        raise typer.BadParameter(
            "a resumed run keeps the cases that it was started with: "
            "use --resume without -k, --tag and --last-failed"
        )
    settings = {"parallel_test_cases": parallel_test_cases, "llm_timeout": llm_timeout}
    request = RunRequest(
        agent=agent_file(agent),
        settings={key: value for key, value in settings.items() if value is not None},
        env_file=env_file,
        name=name,
        tags=tuple(tag or ()),
        last_failed=last_failed,
        repeats=RepeatOptions(repeat, all_repeats),
        fail_fast=fail_fast,
        run_dir=run_dir,
        resume=resume,
        allow_changes=allow_changes,
        verbosity=verbose - quiet,
        color=not no_color,
        stable=stable,
        outputs=tuple(asked_outputs(ctx)),
    )
    return run_tests(request)
