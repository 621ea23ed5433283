"""Which entry points there are for an id, and which of them may be imported."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from holodeck_core.plugins.distributions import Found, declared_by, declaring
from holodeck_core.plugins.names import FIRST_PARTY_IDS, PREFIX, normalised, plugin_id
from holodeck_core.plugins.plugin import Plugin


class Registry:
    """The entry points of the group, by id. All is looked up once and kept; nothing is imported here."""

    def __init__(
        self, path: Sequence[str] | None, disabled: Mapping[str, str], reserved_ids: frozenset[str]
    ) -> None:
        self._path = path
        self._disabled = disabled
        self._reserved_ids = reserved_ids
        self._by_id: dict[str, tuple[Plugin, ...]] = {}
        self._third_party: tuple[Plugin, ...] | None = None

    def of(self, wanted: str, among: Container[str] | None = None) -> tuple[Plugin, ...]:
        """The plugins of that id, by the metadata of the one or two distributions that may hold it.

        At most one of them is loadable. ``among`` are all the distributions that declare anything, where that is
        known.
        """
        if wanted not in self._by_id:
            distributions = [PREFIX + wanted] if wanted in FIRST_PARTY_IDS else [PREFIX + wanted, wanted]
            found = [
                each
                for distribution in distributions
                if among is None or distribution in among
                for each in declared_by(distribution, self._path)
            ]
            self._by_id[wanted] = self._judged([each for each in found if each.plugin_id == wanted])
        return self._by_id[wanted]

    def third_party(self) -> tuple[Plugin, ...]:
        """All plugins that are not HoloDeck's own, by id. The first call reads the whole environment."""
        if self._third_party is None:
            distributions = declaring(self._path)
            ids = {plugin_id(distribution) for distribution in distributions}.difference(FIRST_PARTY_IDS)
            plugins = [plugin for each in ids for plugin in self.of(each, distributions)]
            plugins += [
                Plugin(found, "broken", f"the id '{found.plugin_id}' belongs to {PREFIX}{found.plugin_id}")
                for distribution in distributions
                if distribution in FIRST_PARTY_IDS
                for found in declared_by(distribution, self._path)
            ]
            self._third_party = tuple(sorted(plugins, key=_place))
        return self._third_party

    def known(self) -> tuple[Plugin, ...]:
        """The plugins that have been looked up so far, sorted by id."""
        return tuple(sorted((plugin for plugins in self._by_id.values() for plugin in plugins), key=_place))

    def _judged(self, found: Sequence[Found]) -> tuple[Plugin, ...]:
        claims = [
            each for each in found if each.entry_point is not None and each.entry_point.name == each.plugin_id
        ]
        plugins = [self._misnamed(each) for each in found if each not in claims]
        plugins += [self._claimed(each, claims) for each in claims]
        return tuple(sorted(plugins, key=_place))

    def _misnamed(self, found: Found) -> Plugin:
        if found.entry_point is None:
            return Plugin(found, found.status, found.problem)
        reason = (
            f"its entry point is called '{found.entry_point.name}' and must be called '{found.plugin_id}'"
        )
        return Plugin(found, "misnamed", reason)

    def _claimed(self, found: Found, claims: Sequence[Found]) -> Plugin:
        if found.plugin_id in self._disabled:
            return Plugin(found, "disabled", f"disabled by {self._disabled[found.plugin_id]}")
        if found.plugin_id in self._reserved_ids:
            return Plugin(found, "broken", f"the id '{found.plugin_id}' is the name of a built-in command")
        if len(claims) > 1:
            both = " and ".join(sorted(f"{each.distribution} {each.version}" for each in claims))
            return Plugin(
                found, "broken", f"the id '{found.plugin_id}' is claimed by {both}; uninstall one of them"
            )
        return Plugin(found)


def _place(plugin: Plugin) -> tuple[str, str, str]:
    entry_point = plugin.found.entry_point
    return (plugin.id, normalised(plugin.found.distribution), "" if entry_point is None else entry_point.name)
