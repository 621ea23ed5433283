"""Why a name is not available, and what to do about it: the messages of UnknownName."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.names import (
    FIRST_PARTY_IDS,
    FIRST_PARTY_NAMES,
    PREFIX,
    is_plugin_id,
    near,
    plugin_id,
)
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
    kind: Kind,
    name: str,
    plugin: str,
    known: Sequence[str],
    other_kinds: Sequence[Kind],
    refused: Iterable[str] = (),
) -> str:
    """The plugin is there, and contributes no such name; ``other_kinds`` are those of which it does, and ``refused``
    are names that it would contribute if nothing were wrong with them."""
    other = f", but a {' and a '.join(other_kinds)} of that name" if other_kinds else ""
    advice = did_you_mean(name, {*known, *refused}) or "."
    return f"{plugin} contributes no {kind} {shown(name)}{other}{advice} {listed(f'Its {kind}s', known)}"


def not_in_this_version(subject: str, plugin: str, requirement: str) -> str:
    """A first-party name that its owner, installed and well, does not contribute."""
    install = pip_install(requirement, "--upgrade")
    return f"{subject} is not part of {plugin}; a later version may have it: {install}"


def not_installed(
    subject: str, wanted: str, specifier: str = "", others: Mapping[str, str | None] | None = None
) -> str:
    """The plugin is not there. ``others`` are the ids that may have been meant, with what is wrong with each of them.

    Only of HoloDeck's own distributions is the command told that installs them: whose an unknown name is, only its
    documentation can say.
    """
    if wanted.startswith(PREFIX):
        bare = wanted.removeprefix(PREFIX)
        return f"{subject} is not available: plugins are named without '{PREFIX}'; write '{bare}'"
    distribution = f"{PREFIX}{wanted}{specifier}"
    if wanted in FIRST_PARTY_IDS:
        return f"{subject} is not available: {PREFIX}{wanted} is not installed: {pip_install(distribution)}"
    others = others or {}
    meant = [f"'{other}'{f' ({others[other]})' if others[other] else ''}" for other in near(wanted, others)]
    advice = f"; did you mean {' or '.join(meant)}? Else install" if meant else "; install"
    return (
        f"{subject} is not available: no plugin '{wanted}' is installed{advice} what its documentation names, "
        f"{distribution} or {wanted}{specifier}. {listed('Installed plugins', sorted(others))}"
    )


def malformed_id(subject: str, wanted: str) -> str:
    """This cannot be a plugin's id, or is not how it is written."""
    normal = plugin_id(wanted)
    advice = f"; did you mean '{normal}'?" if is_plugin_id(normal) else ""
    return f"{subject} is not available: {shown(wanted)} is not the id of a plugin{advice}"


def first_party_is_bare(subject: str, name: str) -> str:
    """A first-party name was written with the plugin's id."""
    return (
        f"{subject} is not available: HoloDeck's own names are written without a plugin; write {shown(name)}"
    )
