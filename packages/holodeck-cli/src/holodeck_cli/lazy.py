"""The commands, by name, without importing any of them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Command(NamedTuple):
    """A built-in command: the module whose ``app`` it is, and one line for the help page."""

    module: str
    summary: str


COMMANDS: Final = {
    "test": Command("holodeck_cli.commands.test", "Run the test cases of an agent."),
    "validate": Command("holodeck_cli.commands.validate", "Check an agent file and its cases; send nothing."),
    "report": Command("holodeck_cli.commands.report", "Show a run that is kept once more, in any format."),
    "runs": Command("holodeck_cli.commands.runs", "List the runs that are kept, and remove old ones."),
    "import": Command("holodeck_cli.commands.import_", "Make a suite of recorded conversations."),
    "init": Command("holodeck_cli.commands.init", "Write a small agent that runs at once, without a key."),
    "plugins": Command(
        "holodeck_cli.commands.plugins", "Show the installed plugins, check one, or write a new one."
    ),
    "schema": Command(
        "holodeck_cli.commands.schema", "Print the JSON Schema of the agent file, for editors."
    ),
}
