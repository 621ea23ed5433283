"""A distribution on disk, for tests of plugins: real metadata and real modules, without an installer."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path

import attrs

from holodeck_core.plugins.distributions import GROUP
from holodeck_core.plugins.names import normalised, plugin_id


@attrs.frozen
class FakeDistribution:
    """An installed plugin, as its author would publish it, without an installer.

    ``modules`` maps file names below the folder, such as ``acme_hooks.py`` or ``acme/hooks.py``, to their
    source. ``entry_points`` maps names to targets in the ``group``, ``holodeck.v1``. Left out, there is one,
    called as the plugin's id and naming the first of ``modules``; with ``{}`` or without modules there is
    none.

        FakeDistribution("holodeck-acme", modules={"acme_hooks.py": SOURCE}).install(tmp_path)
        monkeypatch.syspath_prepend(tmp_path)
        PluginHost().matcher("acme/near")
    """

    name: str
    version: str = attrs.field(default="1.0", kw_only=True)
    entry_points: Mapping[str, str] | None = attrs.field(default=None, kw_only=True)
    modules: Mapping[str, str] = attrs.field(factory=dict, kw_only=True)
    group: str = attrs.field(default=GROUP, kw_only=True)

    def install(self, folder: Path) -> Path:
        """Write the distribution into the folder, which has to be on ``sys.path`` to be imported from.

        Returns the path of its metadata, a folder called ``….dist-info``.
        """
        folder.mkdir(parents=True, exist_ok=True)
        before = folder.stat().st_mtime_ns
        for name, source in self.modules.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        metadata = folder / f"{normalised(self.name).replace('-', '_')}-{self.version}.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {self.name}\nVersion: {self.version}\n", encoding="utf-8"
        )
        if entry_points := self._entry_points():
            lines = [f"[{self.group}]", *(f"{name} = {target}" for name, target in entry_points.items())]
            (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        # What a folder held is remembered until its time changes; two writes within a tick of the clock do not.
        importlib.invalidate_caches()
        after = max(before, folder.stat().st_mtime_ns) + 1_000_000
        os.utime(folder, ns=(after, after))
        return metadata

    def _entry_points(self) -> Mapping[str, str]:
        if self.entry_points is not None:
            return self.entry_points
        for name in self.modules:
            module = name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            return {plugin_id(self.name): module}
        return {}
