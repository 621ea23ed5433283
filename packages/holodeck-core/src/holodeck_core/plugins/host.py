"""The plugin host: from the names in a file to the objects behind them.

1. A name is looked up among the aliases; what has no ``/`` after that is first-party.
2. The metadata of the one distribution that owns the name is read (of two, for ``plugin/name``).
3. Unless it is disabled, misnamed or otherwise refused, its hooks module is imported and asked for names.
4. The object behind the name is imported.

Each step is taken when it is first needed, and its outcome kept in the host; there is no state outside of it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from holodeck_core.errors import BrokenPlugin
from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.lookup import Lookup
from holodeck_core.plugins.names import RESERVED_IDS
from holodeck_core.plugins.plugin import Plugin
from holodeck_core.plugins.records import PluginRecord, Resolved, full_name
from holodeck_core.plugins.registry import Registry
from holodeck_core.plugins.required import problems_of_required
from holodeck_core.plugins.switches import checked_aliases, read_switches
from holodeck_core.plugins.wording import shown

_NO_ALIASES: Final[Mapping[str, str]] = MappingProxyType({})


class PluginHost:
    """Finds, loads and resolves plugins. Making one costs nothing; it may be used from several threads.

    ``aliases`` maps short names to ``plugin/name``. ``disabled`` are ids that are never imported; the
    environment adds to them (``HOLODECK_DISABLE_PLUGINS=acme,other``). ``HOLODECK_PLUGIN_AUTOLOAD=0`` hides
    all third-party plugins; ``HOLODECK_STRICT_PLUGINS=1`` raises BrokenPlugin for every broken plugin met.
    ``environ`` stands in for ``os.environ``, and ``path`` for ``sys.path`` as the folders that are searched
    for distributions. A plugin whose id is one of ``reserved_ids`` is never imported.

    Raises ValueError for an alias that has the wrong form or hides a first-party name, and for disabling the
    core; ConfigError where the environment disables the core or sets a flag to something else than 0 or 1.
    """

    def __init__(
        self,
        *,
        aliases: Mapping[str, str] = _NO_ALIASES,
        disabled: Iterable[str] = (),
        environ: Mapping[str, str] | None = None,
        path: Sequence[str] | None = None,
        reserved_ids: frozenset[str] = RESERVED_IDS,
    ) -> None:
        self._switches = read_switches(disabled, os.environ if environ is None else environ)
        self._registry = Registry(path, self._switches.disabled, reserved_ids)
        self._lookup = Lookup(checked_aliases(aliases), self._switches, self._registry)
        self._lock = threading.RLock()

    def resolve(self, kind: Kind, name: str, base: type | None = None) -> Resolved:
        """The object behind a name, imported when it is first asked for.

        Raises UnknownName where nothing contributes the name, and BrokenPlugin where its owner cannot be
        loaded, the object cannot be imported, or it is not a subclass of ``base``.
        """
        with self._lock:
            plugin, contribution = self._lookup.find(kind, name)
            return _resolved(plugin, kind, contribution, base)

    def matcher(self, name: str, base: type | None = None) -> Resolved:
        """The matcher of that name; see ``resolve``."""
        return self.resolve("matcher", name, base)

    def metric(self, name: str, base: type | None = None) -> Resolved:
        """The metric of that name; see ``resolve``."""
        return self.resolve("metric", name, base)

    def grader(self, name: str) -> Resolved:
        """The grader of that name; see ``resolve``."""
        return self.resolve("grader", name)

    def backend(self, name: str, base: type | None = None) -> Resolved:
        """The backend of that provider; see ``resolve``."""
        return self.resolve("backend", name, base)

    def reporter(self, name: str, base: type | None = None) -> Resolved:
        """The reporter of that format; see ``resolve``."""
        return self.resolve("reporter", name, base)

    def command(self, name: str) -> Resolved:
        """The command ``plugin/name``, or the first-party one of a bare name; see ``resolve``."""
        return self.resolve("command", name)

    def commands(self, plugin_id: str) -> tuple[Contribution, ...]:
        """The commands of one plugin, by name; none of them is imported.

        Raises UnknownName where there is no such plugin, and BrokenPlugin where its commands cannot be told.
        """
        with self._lock:
            subject = f"a command of the plugin {shown(plugin_id)}"
            plugin = self._lookup.loaded(self._lookup.plugin(plugin_id, subject))
            commands = plugin.contributions("command")
            if not commands and (why := plugin.why_missing("command")):
                raise BrokenPlugin(f"{subject} is not available: {plugin.trouble(why)}")
            return commands

    def validators(self, base: type | None = None) -> tuple[Resolved, ...]:
        """Every validator that is installed, by plugin id and name.

        One that is not available is left out, and its plugin's record says why; where the host is strict,
        BrokenPlugin is raised.
        """
        with self._lock:
            found = []
            for plugin in self._loaded():
                for contribution in plugin.contributions("validator"):
                    try:
                        found.append(_resolved(plugin, "validator", contribution, base))
                    except BrokenPlugin:
                        if self._switches.strict:
                            raise
            return tuple(found)

    def names(self, kind: Kind) -> tuple[str, ...]:
        """All names that can be written for that kind, by plugin id. Imports every hooks module."""
        with self._lock:
            return tuple(
                full_name(plugin.id, contribution.name)
                for plugin in self._loaded()
                for contribution in plugin.contributions(kind)
            )

    def ids(self) -> tuple[str, ...]:
        """The ids of the third-party plugins that can be loaded, from metadata alone: none is imported."""
        with self._lock:
            return tuple(plugin.id for plugin in self._lookup.third_party() if plugin.loadable)

    def record(self, plugin_id: str) -> PluginRecord:
        """The plugin of that id, with what it contributes.

        Raises UnknownName where it is not installed or switched off, BrokenPlugin where it must not be imported.
        """
        with self._lock:
            plugin = self._lookup.plugin(plugin_id, f"the plugin {shown(plugin_id)}")
            plugin.load()
            return plugin.record()

    def records(self, *, load: bool = True) -> tuple[PluginRecord, ...]:
        """All plugins that are installed, by id. Never raises for a broken one.

        With ``load`` their hooks modules are imported, to tell what they contribute, but nothing they name.
        """
        with self._lock:
            plugins = self._lookup.installed()
            if load:
                for plugin in plugins:
                    plugin.load()
            return tuple(plugin.record() for plugin in plugins)

    @property
    def aliases(self) -> Mapping[str, str]:
        """The short names, each with the ``plugin/name`` that it stands for."""
        return self._lookup.aliases

    @property
    def strict(self) -> bool:
        """Whether any broken plugin is fatal (``HOLODECK_STRICT_PLUGINS``)."""
        return self._switches.strict

    def used(self) -> tuple[PluginRecord, ...]:
        """The plugins of which something has been resolved, by id."""
        with self._lock:
            return tuple(plugin.record() for plugin in self._registry.known() if plugin.used)

    def check_required(self, specs: Iterable[str]) -> list[str]:
        """What is wrong with each requirement (``acme``, ``acme>=1.2``) that is not met.

        A required plugin must be installed in that version, switched on, and load without a problem.
        """
        with self._lock:
            return list(problems_of_required(specs, self._lookup))

    def _loaded(self) -> list[Plugin]:
        return [self._lookup.loaded(plugin) for plugin in self._lookup.installed()]


def _resolved(plugin: Plugin, kind: Kind, contribution: Contribution, base: type | None) -> Resolved:
    value = plugin.object_of(kind, contribution, base)
    return Resolved(plugin.record(), contribution, value)
