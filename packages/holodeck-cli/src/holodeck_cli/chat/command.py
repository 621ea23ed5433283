"""The command ``holodeck chat``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from holodeck_cli.shared_options import EnvFile

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def chat(
    agent: Annotated[Path, typer.Argument(metavar="AGENT", help="The agent file.")] = Path("agent.yaml"),
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show tool calls in full.")] = False,
    observability: Annotated[
        bool, typer.Option("--observability", help="Trace the conversation with OpenTelemetry.")
    ] = False,
    max_messages: Annotated[
        int,
        typer.Option("--max-messages", min=1, metavar="N", help="How many messages a conversation may have."),
    ] = 50,
    resume: Annotated[
        str | None, typer.Option("--resume", metavar="ID", help="Go on with a conversation that was saved.")
    ] = None,
    env_file: EnvFile = None,
) -> int:
    """Talk to an agent in the terminal, or send it the lines of a pipe.

    Exit codes: 0 you left; 2 a mistake in configuration or usage; 3 the agent could not be started, or the
    conversation was lost; 130 you left with Ctrl-C.
    """
    from holodeck_cli.chat.run_chat import ChatRequest, run_chat
    from holodeck_cli.loading import agent_file

    request = ChatRequest(
        agent=agent_file(agent),
        verbose=verbose,
        observability=observability,
        max_messages=max_messages,
        resume=resume,
        env_file=env_file,
    )
    return run_chat(request)
