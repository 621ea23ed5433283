"""What the core itself contributes, through the same door as every plugin."""

from __future__ import annotations

from holodeck_core.plugins import Contribution, hookimpl


@hookimpl
def holodeck_matchers() -> list[Contribution]:
    return [
        Contribution(
            "literal", "holodeck_core.api.literal:LiteralMatcher", "the same JSON value, at every depth"
        ),
    ]


@hookimpl
def holodeck_backends() -> list[Contribution]:
    return [
        Contribution(
            "azure_openai",
            "holodeck_core.backends.semantic_kernel.backend:AzureOpenAIBackend",
            "deployments of Azure OpenAI, with your tools",
        ),
        Contribution(
            "openai",
            "holodeck_core.backends.semantic_kernel.backend:OpenAIBackend",
            "models of OpenAI and of servers that speak like it, with your tools",
        ),
        Contribution("python", "holodeck_core.backends.python:PythonBackend", "your own agent, in Python"),
        Contribution(
            "replay", "holodeck_core.backends.replay:ReplayBackend", "conversations recorded earlier"
        ),
        Contribution(
            "scripted", "holodeck_core.backends.scripted:ScriptedBackend", "replies written in the file"
        ),
    ]
