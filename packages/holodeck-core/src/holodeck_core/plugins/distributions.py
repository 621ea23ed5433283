"""Finding plugins in the metadata of installed distributions. Nothing here imports a plugin.

A distribution is looked up by its name wherever the name is known; only a listing reads the whole
environment. ``path`` is the folders to search for metadata, None for ``sys.path``. The first distribution of
a name on the path hides the later ones, as it does for imports.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from holodeck_core.plugins.names import normalised, plugin_id
from holodeck_core.plugins.records import Status
from holodeck_core.plugins.wording import error_text, one_line

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

API: Final = 1
GROUP: Final = f"holodeck.v{API}"

_GROUPS: Final = re.compile(r"^\[holodeck\.v(\d{1,9})\]$", re.MULTILINE)


class Found(NamedTuple):
    """One entry point of the group, with the distribution that declares it.

    ``entry_point`` is None where there is none that could be imported; ``problem`` says why, and ``status`` what that
    makes of the plugin.
    """

    plugin_id: str
    distribution: str
    version: str
    entry_point: EntryPoint | None
    problem: str | None = None
    status: Status = "broken"


def declared_by(distribution: str, path: Sequence[str] | None) -> tuple[Found, ...]:
    """What the distribution of that name declares in the group; empty where there is no such distribution."""
    for candidate in _distributions(path, name=distribution):
        apis = _apis(candidate)
        if not apis:
            return ()
        if API not in apis:
            return (_made_for_another(candidate, distribution, max(apis)),)
        try:
            entry_points = sorted(candidate.entry_points.select(group=GROUP), key=lambda found: found.name)
        except Exception as error:  # noqa: BLE001 - boundary: a stranger's metadata, in whatever state it is
            problem = f"its entry points cannot be read: {error_text(error)}"
            return (Found(plugin_id(distribution), distribution, _version(candidate), None, problem),)
        name, version = _name(candidate) or distribution, _version(candidate)
        return tuple(Found(plugin_id(name), name, version, entry_point) for entry_point in entry_points)
    return ()


def declaring(path: Sequence[str] | None) -> tuple[str, ...]:
    """The normalised names of all distributions that declare an entry point of the group, of whatever API, sorted.

    This reads the entry points of everything that is installed.
    """
    names = {_name(candidate) for candidate in _distributions(path) if _apis(candidate)}
    return tuple(sorted({normalised(name) for name in names if name is not None}))


def core_version() -> str:
    """The version of holodeck-core, from its metadata."""
    for candidate in _distributions(None, name="holodeck-core"):
        return _version(candidate)
    return "unknown"


def _distributions(path: Sequence[str] | None, name: str | None = None) -> Iterator[Distribution]:
    # Imported late: it brings email, csv and zipfile, which a program that names no plugin does not need.
    import importlib.metadata

    yield from importlib.metadata.distributions(name=name, path=list(sys.path if path is None else path))


def _apis(candidate: Distribution) -> set[int]:
    """The major versions of the plugin API for which the distribution declares entry points."""
    try:
        text = candidate.read_text("entry_points.txt")
    except Exception:  # noqa: BLE001 - boundary: a stranger's metadata; what cannot be read declares nothing
        return set()
    if text is None or "[holodeck.v" not in text:
        return set()
    return {int(api) for api in _GROUPS.findall(text)}


def _made_for_another(candidate: Distribution, distribution: str, api: int) -> Found:
    name, version = _name(candidate) or distribution, _version(candidate)
    problem = (
        f"it is made for version {api} of the plugin API, and holodeck-core {core_version()} has version {API}: "
        f"install a {name} that is made for it, or {'a newer' if api > API else 'an older'} holodeck-core"
    )
    return Found(plugin_id(name), name, version, None, problem, "incompatible")


def _name(candidate: Distribution) -> str | None:
    return _field(candidate, "Name")


def _version(candidate: Distribution) -> str:
    return _field(candidate, "Version") or "unknown"


def _field(candidate: Distribution, field: str) -> str | None:
    """One header of the metadata. All of it is not parsed: that takes longer than everything else in a listing."""
    try:
        text = candidate.read_text("METADATA") or candidate.read_text("PKG-INFO") or ""
    except Exception:  # noqa: BLE001 - boundary: a stranger's metadata, in whatever state it is
        return None
    found = re.search(rf"^{field}:(.*)$", text.partition("\n\n")[0], re.MULTILINE | re.IGNORECASE)
    return one_line(found[1]) if found else None
