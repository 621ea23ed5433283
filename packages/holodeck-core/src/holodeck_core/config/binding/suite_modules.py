"""Modules beside an agent file, which another suite of the same process may have under the same names.

Python knows one module of a name. So while a suite imports, what other suites have imported is not there. Afterwards a
name that one suite has is in ``sys.modules``, as after any import; a name that several have is kept here, by the place
of each, and whoever imports it later, such as a function when it is called, is told so: nobody can say whose it is.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

_Modules: TypeAlias = dict[str, ModuleType]

_lock = threading.RLock()
# The thread that has the lock, and how often.
_importing: list[int] = []
# Of the top-level modules that suites have imported, those that stand in `sys.modules`, with their places.
_alone: dict[str, str] = {}
# Those of which there are several: by name and place, each with what is in it.
_several: dict[str, dict[str, _Modules]] = {}
# Those that are out of the way while another suite imports, and the place of each where that suite has one, too.
_away: dict[str, _Modules] = {}
_contested: dict[str, str] = {}


@contextmanager
def modules_of(folders: Sequence[Path]) -> Iterator[None]:
    """What stands in ``folders`` can be imported, the first before the others, and modules of other suites cannot.

    What a module itself adds to ``sys.path`` stays there.
    """
    paths = [str(folder) for folder in folders]
    with _lock:
        importlib.invalidate_caches()
        _importing.append(threading.get_ident())
        away = _put_away(paths)
        before = _tops()
        sys.path[:0] = paths
        try:
            yield
        finally:
            for path in paths:
                with suppress(ValueError):
                    sys.path.remove(path)
            _settle(paths, away, _tops() - before)
            _importing.pop()


def loaded_module(name: str, folder: Path) -> ModuleType | None:
    """The module of that name that the suite in ``folder`` has imported; None where it has none."""
    top = name.partition(".")[0]
    with _lock:
        by_place = _several.get(top)
        own = by_place.get(_place_in(top, [str(folder)]) or "") if by_place else None
        return sys.modules.get(name) if own is None else own.get(name)


def forget_modules(folder: Path) -> None:
    """Drop what stands below ``folder`` and is not in ``sys.modules``: it is imported anew when it is asked for."""
    start = f"{folder.resolve()}{os.sep}"
    with _lock:
        _forget(lambda place: place.startswith(start))


def place_of(spec: ModuleSpec | None) -> str | None:
    """The file of a module, or the folder of a package without one; None where it has neither."""
    if spec is None:
        return None
    if spec.origin is not None and spec.has_location:
        return str(Path(spec.origin).resolve())
    locations = list(spec.submodule_search_locations or ())
    return str(Path(locations[0]).resolve()) if len(locations) == 1 else None


def _put_away(paths: list[str]) -> dict[str, _Modules]:
    """Take out what belongs to other suites, put in what belongs to this one; returns what was taken out."""
    away: dict[str, _Modules] = {}
    # Suites in temporary folders do not pile up: where a file is no more, nothing can be imported from it either.
    _forget(lambda place: not os.path.exists(place))
    for top, place in list(_alone.items()):
        if top in _away:
            continue
        if top not in sys.modules:  # somebody has forgotten it
            del _alone[top]
        elif (other := _place_in(top, paths)) != place:
            if other is not None:
                _contested[top] = other
            away[top] = _away[top] = _taken_out(top)
    for top, by_place in _several.items():
        away[top] = _taken_out(top)
        sys.modules.update(by_place.get(_place_in(top, paths) or "", {}))
    if away and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    return away


def _settle(paths: list[str], away: dict[str, _Modules], new: set[str]) -> None:
    """Keep what was imported, and put back what had been taken out."""
    for top in new.union(_several):
        place = place_of(getattr(sys.modules.get(top), "__spec__", None))
        if place is None or place != _place_in(top, paths):
            continue
        if top in _alone or top in _several:
            _several.setdefault(top, {})[place] = _taken_out(top)
        else:
            _alone[top] = place
    for top, modules in away.items():
        _away.pop(top, None)
        _contested.pop(top, None)
        if top in _alone and (top in _several or sys.modules.get(top) not in (None, modules.get(top))):
            _several.setdefault(top, {})[_alone.pop(top)] = modules
            continue
        if top in _several:
            _taken_out(top)
        sys.modules.update(modules)


def _forget(is_gone: Callable[[str], bool]) -> None:
    for top, by_place in list(_several.items()):
        for place in list(filter(is_gone, by_place)):
            del by_place[place]
        if not by_place:
            del _several[top]


def _tops() -> set[str]:
    return {name for name in list(sys.modules) if "." not in name}


def _taken_out(top: str) -> _Modules:
    names = [name for name in list(sys.modules) if name == top or name.startswith(f"{top}.")]
    return {name: sys.modules.pop(name) for name in names}


def _place_in(top: str, paths: list[str]) -> str | None:
    return place_of(PathFinder.find_spec(top, paths))


class _PutBack(Loader):
    """Gives a module that is there already, as it is."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


class _Finder(MetaPathFinder):
    """For code that imports while others do, or later: gives it what is out of the way, refuses what several have.

    It must not wait: it is asked under Python's own lock, for which the thread that imports may be waiting.
    """

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if threading.get_ident() in _importing:
            return None
        places = [*_several.get(top, ())]
        if (modules := _away.get(top)) is not None:
            if top not in _contested:
                module = modules.get(fullname)
                return None if module is None else spec_from_loader(fullname, _PutBack(module))
            places += filter(None, (_alone.get(top), _contested.get(top)))
        if places := sorted(filter(os.path.exists, places)):
            others = f" and {len(places) - 2} others" if len(places) > 2 else ""
            raise ImportError(
                f"several suites of this process have a module {top!r}, {' and '.join(places[:2])}{others}: "
                "rename one of them, or import it at the top of modules beside the agent file, not in a function",
                name=fullname,
            )
        return None


_finder = _Finder()
