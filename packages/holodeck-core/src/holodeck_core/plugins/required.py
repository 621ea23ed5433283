"""The plugins that a file requires, by id and version."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holodeck_core.errors import PluginError
from holodeck_core.plugins.lookup import Lookup
from holodeck_core.plugins.names import plugin_id
from holodeck_core.plugins.wording import shown


def problems_of_required(specs: Iterable[str], lookup: Lookup) -> Iterator[str]:
    """What is wrong with each requirement that is not met: ``acme``, ``acme>=1.2``, ``acme>=1.2,<2``."""
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.version import InvalidVersion, Version

    for spec in specs:
        try:
            requirement = Requirement(spec)
        except InvalidRequirement:
            requirement = None
        if requirement is None or requirement.url or requirement.extras or requirement.marker:
            yield f"{shown(spec)} is not a plugin's id with versions, like 'acme>=1.2'"
            continue
        wanted = plugin_id(requirement.name)
        try:
            plugin = lookup.plugin(wanted, f"the required plugin '{wanted}'", str(requirement.specifier))
            plugin.load()
        except PluginError as error:
            yield str(error)
            continue
        if plugin.broken:
            why = plugin.trouble("; ".join(plugin.problems))
            yield f"the required plugin '{wanted}' is not available: {why}"
        try:
            met = requirement.specifier.contains(Version(plugin.found.version), prereleases=True)
        except InvalidVersion:
            met = not requirement.specifier
        if not met:
            yield f"the plugin '{wanted}' is required as {requirement.specifier}, and {plugin} is installed"
