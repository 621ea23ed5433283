"""The commands, by name, without importing any of them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Command(NamedTuple):
    """A built-in command: the module whose ``app`` it is, and one line for the help page."""

    module: str
    summary: str


COMMANDS: Final = {
    "test": Command("holodeck_cli.commands.test", "Run the test cases of an agent."),
    "validate": Command(
        "holodeck_cli.commands.validate", "Check an agent file and its cases without sending anything."
    ),
    "report": Command("holodeck_cli.commands.report", "Show a stored run again, in any format."),
    "runs": Command("holodeck_cli.commands.runs", "List stored runs, and remove old ones."),
    "import": Command("holodeck_cli.commands.import_", "Turn recorded conversations into a test suite."),
    "init": Command(
        "holodeck_cli.commands.init", "Create a small example agent that runs without an API key."
    ),
    "plugins": Command(
        "holodeck_cli.commands.plugins", "List the installed plugins, check them, or create a new one."
    ),
    "schema": Command(
        "holodeck_cli.commands.schema", "Print the JSON Schema of the agent file, for editors."
    ),
}
