"""Why a name cannot be had, and what to do about it: the messages of UnknownName."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.names import FIRST_PARTY_NAMES, PREFIX, is_plugin_id, plugin_id
from holodeck_core.plugins.wording import did_you_mean, listed, pip_install, shown


def unknown_name(
    kind: Kind, name: str, known: Sequence[str], aliases: Iterable[str], notes: Iterable[str]
) -> str:
    """Nobody contributes the bare name. ``notes`` are about plugins that might have."""
    advice = (
        did_you_mean(name, {*known, *aliases, *FIRST_PARTY_NAMES[kind]})
        or "; a plugin's names are written plugin/name."
    )
    return "; ".join((f"there is no {kind} {shown(name)}{advice} {listed(f'Known {kind}s', known)}", *notes))


def not_contributed(
    kind: Kind, name: str, plugin: str, known: Sequence[str], other_kinds: Sequence[Kind]
) -> str:
    """The plugin is there, and contributes no such name; ``other_kinds`` are those of which it does."""
    other = f", but a {' and a '.join(other_kinds)} of that name" if other_kinds else ""
    advice = did_you_mean(name, known) or "."
    return f"{plugin} contributes no {kind} {shown(name)}{other}{advice} {listed(f'Its {kind}s', known)}"


def not_in_this_version(subject: str, plugin: str, requirement: str) -> str:
    """A first-party name that its owner, installed and well, does not contribute."""
    install = pip_install(requirement, "--upgrade")
    return f"{subject} is not part of {plugin}; a later version may have it: {install}"


def not_installed(subject: str, wanted: str, specifier: str = "", ids: Iterable[str] = ()) -> str:
    """The plugin is not there. An id that is there and looks like it comes first: this may be a typo."""
    if wanted.startswith(PREFIX):
        return f"{subject} cannot be had: plugins are named without '{PREFIX}'; write '{wanted.removeprefix(PREFIX)}'"
    advice = did_you_mean(wanted, ids)
    install = pip_install(f"{PREFIX}{wanted}{specifier}")
    instead = f"{advice} Else" if advice else ""
    return f"{subject} cannot be had: {PREFIX}{wanted} is not installed{instead}: {install}"


def malformed_id(subject: str, wanted: str) -> str:
    """This cannot be a plugin's id, or is not how it is written."""
    normal = plugin_id(wanted)
    advice = f"; did you mean '{normal}'?" if is_plugin_id(normal) else ""
    return f"{subject} cannot be had: {shown(wanted)} is not the id of a plugin{advice}"


def first_party_is_bare(subject: str, name: str) -> str:
    """A first-party name was written with the plugin's id."""
    return f"{subject} cannot be had: HoloDeck's own names are written without a plugin; write {shown(name)}"
