"""``holodeck test``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

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


@app.command(cls=OrderedCommand)
def run_cases(
    ctx: typer.Context,
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="The agent file.")] = Path("agent.yaml"),
    parallel_test_cases: Annotated[
        int | None,
        typer.Option(
            "--parallel-test-cases", "-p", min=1, metavar="N", help="Run up to N cases side by side."
        ),
    ] = None,
    llm_timeout: Annotated[
        float | None, typer.Option("--llm-timeout", metavar="S", help="Seconds that a turn may take.")
    ] = None,
    env_file: Annotated[
        Path | None,
        typer.Option(
            "--env-file", metavar="PATH", help="Take variables that are not set from NAME=VALUE lines."
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            "-k",
            metavar="EXPR",
            help="Run the cases whose name holds EXPR, words joined by 'and', 'or', 'not' and brackets.",
        ),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="T", help="Run the cases with this tag, or one of several."),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show every turn.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show what did not pass, and the summary.")
    ] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Show no colours.")] = False,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Write a report to a file; its format is that of the --format before it, else of its suffix.",
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the option's name
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The format of the -o behind it; without one, of standard output.",
        ),
    ] = None,
) -> int:
    """Run the test cases of an agent, each as one conversation, and check every turn.

    Exit codes: 0 all passed; 1 a case failed; 2 a mistake in configuration or usage; 3 the run could not be
    carried out; 130 interrupted.
    """
    from holodeck_cli.outputs import plan_outputs
    from holodeck_cli.run_tests import RunRequest, run_tests

    if llm_timeout is not None and llm_timeout <= 0:
        raise typer.BadParameter("must be more than 0", param_hint="--llm-timeout")
    if verbose and quiet:
        raise typer.BadParameter("-v and -q exclude each other")
    try:
        outputs = plan_outputs(ctx.meta[_ORDER])
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="-o/--format") from None
    settings = {"parallel_test_cases": parallel_test_cases, "llm_timeout": llm_timeout}
    request = RunRequest(
        agent=agent,
        settings={key: value for key, value in settings.items() if value is not None},
        env_file=env_file,
        name=name,
        tags=tuple(tag or ()),
        verbosity=verbose - quiet,
        color=not no_color,
        outputs=tuple(outputs),
    )
    return run_tests(request)
