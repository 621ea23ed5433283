"""What the host tells about plugins: plain values for listings, report headers and users of contributions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.names import FIRST_PARTY_IDS

Status: TypeAlias = Literal["ok", "broken", "misnamed", "incompatible", "disabled", "not loaded"]


class PluginRecord(NamedTuple):
    """One plugin as it is known at the moment.

    ``status`` is ``ok`` for a plugin that loaded without a problem; ``broken`` where anything about it is
    wrong (what stands in ``contributions`` can be used all the same); ``misnamed`` where the entry point is
    not called ``id``, ``incompatible`` where it is made for another version of the plugin API, and ``disabled``
    where the user said so (none of these is ever imported); else ``not loaded``. ``problems`` says what is
    wrong, or by what the plugin is disabled, one line each. ``module`` is the one that has its hooks; None where
    none may be imported.
    """

    id: str
    distribution: str
    version: str
    status: Status
    contributions: Mapping[Kind, tuple[Contribution, ...]]
    problems: tuple[str, ...]
    module: str | None = None


class Resolved(NamedTuple):
    """A contribution with the object that it names, and the plugin it comes from."""

    plugin: PluginRecord
    contribution: Contribution
    object: Any

    @property
    def name(self) -> str:
        """The full name: bare for first-party contributions, ``plugin/name`` for all others."""
        return full_name(self.plugin.id, self.contribution.name)


def full_name(plugin_id: str, name: str) -> str:
    """What users write for a contribution of that plugin."""
    return name if plugin_id in FIRST_PARTY_IDS else f"{plugin_id}/{name}"
