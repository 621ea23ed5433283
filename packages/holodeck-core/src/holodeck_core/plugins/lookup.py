"""From a name to the contribution behind it, importing as little as possible on the way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from holodeck_core.errors import BrokenPlugin, UnknownName
from holodeck_core.plugins import missing
from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.hookspecs import HOOKS, Kind
from holodeck_core.plugins.names import FIRST_PARTY_IDS, is_plugin_id, owner_of, split_name
from holodeck_core.plugins.plugin import Plugin
from holodeck_core.plugins.registry import Registry
from holodeck_core.plugins.switches import AUTOLOAD, Switches
from holodeck_core.plugins.wording import shown


class Lookup:
    """The rules of names, over the plugins that a registry finds."""

    def __init__(self, aliases: Mapping[str, str], switches: Switches, registry: Registry) -> None:
        self.aliases = aliases
        self._switches = switches
        self._registry = registry

    def find(self, kind: Kind, name: str) -> tuple[Plugin, Contribution]:
        """Who contributes that name. Raises UnknownName or BrokenPlugin."""
        full = self.aliases.get(name, name)
        plugin_id, local = split_name(full)
        alias = "" if full == name else f" (alias of '{full}')"
        subject = f"the {kind} {shown(name)}{alias}"
        if plugin_id is None:
            return self._find_first_party(kind, local, subject)
        if plugin_id in FIRST_PARTY_IDS:
            raise UnknownName(missing.first_party_is_bare(subject, local))
        plugin = self.loaded(self.plugin(plugin_id, subject))
        return plugin, plugin.contribution(kind, local) or self._not_contributed(plugin, kind, local, subject)

    def plugin(self, plugin_id: str, subject: str, specifier: str = "") -> Plugin:
        """The plugin of that id, not loaded yet.

        Raises UnknownName where it is not installed or switched off, BrokenPlugin where it must not be
        imported; ``subject`` and ``specifier`` are for the message.
        """
        if not is_plugin_id(plugin_id):
            raise UnknownName(missing.malformed_id(subject, plugin_id))
        if plugin_id in self._switches.disabled:
            by = self._switches.disabled[plugin_id]
            raise UnknownName(f"{subject} is not available: the plugin '{plugin_id}' is disabled by {by}")
        if plugin_id not in FIRST_PARTY_IDS and not self._switches.autoload:
            raise UnknownName(f"{subject} is not available: {AUTOLOAD}=0 hides all third-party plugins")
        plugins = self._registry.of(plugin_id)
        if not plugins:
            # The name is not available in any case, so the environment may be read for what was meant.
            raise UnknownName(missing.not_installed(subject, plugin_id, specifier, self._others()))
        for plugin in plugins:
            if plugin.loadable:
                return plugin
        why = "; ".join(plugin.trouble("; ".join(plugin.problems)) for plugin in plugins)
        raise BrokenPlugin(f"{subject} is not available: {why}")

    def loaded(self, plugin: Plugin) -> Plugin:
        """The plugin, with its hooks asked. Raises BrokenPlugin for a broken one where the host is strict."""
        plugin.load()
        if self._switches.strict and plugin.broken:
            raise BrokenPlugin(plugin.trouble("; ".join(plugin.problems)))
        return plugin

    def installed(self) -> tuple[Plugin, ...]:
        """All plugins, sorted by id."""
        first_party = [plugin for plugin_id in FIRST_PARTY_IDS for plugin in self._registry.of(plugin_id)]
        return tuple(sorted((*first_party, *self.third_party()), key=lambda plugin: plugin.id))

    def third_party(self) -> tuple[Plugin, ...]:
        """All plugins that are not HoloDeck's own, sorted by id."""
        return self._registry.third_party() if self._switches.autoload else ()

    def _others(self) -> dict[str, str | None]:
        """The ids of third-party plugins, also of those that cannot be used, each with why not."""
        return {
            plugin.id: plugin.status if plugin.broken or not plugin.loadable else None
            for plugin in self.third_party()
        }

    def _first_party(self) -> Iterator[Plugin]:
        for plugin_id in FIRST_PARTY_IDS:
            for plugin in self._registry.of(plugin_id):
                yield self.loaded(plugin)

    def _find_first_party(self, kind: Kind, name: str, subject: str) -> tuple[Plugin, Contribution]:
        if owner := owner_of(kind, name):
            plugin_id, requirement = owner
            plugin = self.loaded(self.plugin(plugin_id, subject))
            if contribution := plugin.contribution(kind, name):
                return plugin, contribution
            if why := plugin.why_missing(kind, name):
                raise BrokenPlugin(f"{subject} is not available: {plugin.trouble(why)}")
            raise UnknownName(missing.not_in_this_version(subject, str(plugin), requirement))
        known: list[str] = []
        notes = []
        for plugin in self._first_party():
            if contribution := plugin.contribution(kind, name):
                return plugin, contribution
            known += [each.name for each in plugin.contributions(kind)]
            if why := plugin.why_missing(kind, name):
                notes.append(plugin.trouble(why))
        raise UnknownName(missing.unknown_name(kind, name, sorted(known), self.aliases, notes))

    def _not_contributed(self, plugin: Plugin, kind: Kind, name: str, subject: str) -> NoReturn:
        if why := plugin.why_missing(kind, name):
            raise BrokenPlugin(f"{subject} is not available: {plugin.trouble(why)}")
        known = [each.name for each in plugin.contributions(kind)]
        other_kinds = [other for other in HOOKS if plugin.contribution(other, name)]
        message = missing.not_contributed(
            kind, name, str(plugin), known, other_kinds, plugin.refused_names(kind)
        )
        raise UnknownName("; ".join((message, *plugin.problems)))
