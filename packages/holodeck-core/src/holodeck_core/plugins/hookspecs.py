"""The hooks of a plugin: the contract between HoloDeck and whoever extends it.

A hooks module marks functions of these names with ``@hookimpl``. All hooks are alike: they are synchronous,
take no arguments, and return ``Contribution`` values, that is names. They do no work and import nothing
heavy: what a contribution names is imported when it is first used. A host calls each hook of a plugin once,
when it first needs to know what the plugin contributes.

A plugin whose hook raises, returns an awaitable or returns anything but contributions is *broken*: that is
recorded and shown, what its other hooks contribute stays usable, and nothing else happens until somebody asks
for what is missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

import pluggy

from holodeck_core.plugins.contribution import Contribution

PROJECT: Final = "holodeck"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

Kind: TypeAlias = Literal["matcher", "metric", "grader", "backend", "reporter", "validator", "command"]

HOOKS: Final[Mapping[Kind, str]] = {
    "matcher": "holodeck_matchers",
    "metric": "holodeck_metrics",
    "grader": "holodeck_graders",
    "backend": "holodeck_backends",
    "reporter": "holodeck_reporters",
    "validator": "holodeck_validators",
    "command": "holodeck_commands",
}


@hookspec
def holodeck_matchers() -> Iterable[Contribution]:
    """Fires when a matcher of an expected argument is looked up, and for listings.

    Return: one contribution per matcher; its name is the key that users write, ``{name: value}``.
    Target: a subclass of ``holodeck_core.Matcher``.
    If it raises: the plugin is broken and contributes no matchers; its other hooks still work.
    """
    raise NotImplementedError


@hookspec
def holodeck_metrics() -> Iterable[Contribution]:
    """Fires when a metric is looked up (by ``type``; ``metric`` under ``standard``), and for listings.

    Return: one contribution per metric; its name is the ``type`` or ``metric`` that users write.
    Target: a subclass of ``holodeck_core.Metric``.
    If it raises: the plugin is broken and contributes no metrics; its other hooks still work.
    """
    raise NotImplementedError


@hookspec
def holodeck_graders() -> Iterable[Contribution]:
    """Fires when the ``grader`` of a ``type: code`` metric is looked up by name, and for listings.

    Return: one contribution per grader; its name is what users write after ``grader:``.
    Target: a callable ``GraderContext -> GraderResult``, or one that returns a bool or a number in [0, 1].
    If it raises: the plugin is broken and contributes no graders; its other hooks still work.
    """
    raise NotImplementedError


@hookspec
def holodeck_backends() -> Iterable[Contribution]:
    """Fires when ``model.provider`` is looked up, and for listings.

    Return: one contribution per backend; its name is the ``provider`` that users write.
    Target: a subclass of ``holodeck_core.Backend``.
    If it raises: the plugin is broken and contributes no backends; its other hooks still work.
    """
    raise NotImplementedError


@hookspec
def holodeck_reporters() -> Iterable[Contribution]:
    """Fires when a report format is looked up, and for listings.

    Return: one contribution per reporter; its name is the format that users write after ``--format``.
    Target: a subclass of ``holodeck_core.Reporter``.
    If it raises: the plugin is broken and contributes no reporters; its other hooks still work.
    """
    raise NotImplementedError


@hookspec
def holodeck_validators() -> Iterable[Contribution]:
    """Fires when a chat starts, and for listings; all validators take part, HoloDeck's own first, then
    in the order of plugin ids.

    Return: one contribution per validator; its name is shown in listings only.
    Target: a subclass of ``holodeck_core.Validator``.
    If it raises: the plugin is broken and contributes no validators; its other hooks still work.
    """
    raise NotImplementedError


@hookspec
def holodeck_commands() -> Iterable[Contribution]:
    """Fires when a command under the plugin's id is called (``holodeck acme serve``), and for listings.

    Return: one contribution per command; its name is the word after the plugin's id.
    Target: a ``typer.Typer``.
    If it raises: the plugin is broken and contributes no commands; its other hooks still work.
    """
    raise NotImplementedError
