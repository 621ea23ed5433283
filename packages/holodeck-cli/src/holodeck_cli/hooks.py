"""What holodeck-cli contributes, by name."""

from __future__ import annotations

from holodeck_core.plugins import Contribution, hookimpl


@hookimpl
def holodeck_reporters() -> list[Contribution]:
    """The reports of ``holodeck test``."""
    return [
        Contribution(
            "terminal",
            "holodeck_cli.reporters.terminal:TerminalReporter",
            "progress, what failed and why, and a summary, for people",
        ),
        Contribution(
            "json",
            "holodeck_cli.reporters.json:JsonReporter",
            "the whole report as one JSON document",
        ),
        Contribution(
            "junit",
            "holodeck_cli.reporters.junit:JunitReporter",
            "JUnit XML, for Jenkins, GitLab and other readers",
        ),
        Contribution(
            "markdown",
            "holodeck_cli.reporters.markdown:MarkdownReporter",
            "a summary for a pull request, with what failed and why",
        ),
        Contribution(
            "github",
            "holodeck_cli.reporters.github:GithubReporter",
            "annotations at the lines of what failed, for GitHub Actions",
        ),
    ]


@hookimpl
def holodeck_validators() -> list[Contribution]:
    """What every message of a chat must be."""
    return [
        Contribution(
            "message", "holodeck_cli.chat.validators:MessageRules", "not blank, not too long, valid text"
        ),
    ]


@hookimpl
def holodeck_commands() -> list[Contribution]:
    """Commands that stand beside the built-in ones."""
    return [
        Contribution("chat", "holodeck_cli.chat.command:app", "Talk to an agent in the terminal."),
    ]
