"""``holodeck init``."""

from __future__ import annotations

import re
from typing import Annotated

import typer

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def module_name(project: str) -> str:
    """A name for the project's module that is the project's own: ``my-bot`` has ``my_bot_agent``."""
    words = re.sub(r"[^a-z0-9]+", "_", project.lower()).strip("_")
    return f"agent_{words}" if words[0].isdigit() else f"{words}_agent"


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or name.endswith("."):
        raise typer.BadParameter(
            "a name starts with a letter or a digit and has at most 64 letters, digits, '-', '_' and '.'"
        )
    return name


@app.command()
def init(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", callback=_checked, help="The name of the agent and of its new folder."
        ),
    ],
) -> int:
    """Create a small example agent with test cases in the new folder NAME. It runs without an API key.

    The JSON Schema beside the agent file lets editors check and complete it. Existing files are never overwritten.
    Exit codes: 0 done; 2 the files could not be written.
    """
    from importlib import resources
    from pathlib import Path
    from string import Template

    from holodeck_cli.exit_codes import ExitCode
    from holodeck_cli.new_files import write_new
    from holodeck_cli.schema_text import schema_text
    from holodeck_cli.streams import tell
    from holodeck_core.config.schema import agent_schema
    from holodeck_core.plugins.host import PluginHost

    folder = Path(name)
    module = module_name(name)
    templates = resources.files("holodeck_cli") / "templates"

    def filled(template: str) -> str:
        text = (templates / template).read_text(encoding="utf-8")
        return Template(text).substitute(name=f'"{name}"', module=module)

    files = {
        "agent.yaml": filled("agent.yaml"),
        f"{module}.py": filled("agent.py.txt"),
        "agent.schema.json": schema_text(agent_schema(PluginHost())),
    }
    if not write_new(folder, files):
        return ExitCode.USAGE
    tell(f"wrote {', '.join(str(folder / file) for file in files)}")
    tell(["", "Next:", f"  cd {name}", "  holodeck test", "  holodeck test -v"])
    return ExitCode.OK
