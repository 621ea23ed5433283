"""Imports what a file names in the user's own code: ``module.path:name``.

The folder of the file goes first on ``sys.path`` while its module is imported. A module found there must not be hidden
by another one that is already loaded, nor itself hide a module of the standard library: both would run other code than
the one that stands beside the file.
"""

from __future__ import annotations

import importlib
import sys
import threading
import traceback
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from holodeck_core.api.faults import USER_FAULTS, describe

_path_lock = threading.RLock()


def import_object(spec: str, folder: Path) -> Any:
    """The object that ``module.path:name`` names, with ``folder`` importable.

    Raises ValueError that says what is wrong: no such module, an exception while it was imported (with its place),
    no such name in it, or a module of another file in its way.
    """
    module_name, _, attribute = spec.partition(":")
    if not module_name or not attribute:
        raise ValueError(f"{spec!r} must be written module.path:name")
    module = _import(module_name, folder)
    value: Any = module
    for part in attribute.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise ValueError(f"{module_name!r} ({module.__file__}) has no {attribute!r}") from None
    return value


def _import(name: str, folder: Path) -> ModuleType:
    top = name.partition(".")[0]
    with _path_lock:
        beside = PathFinder.find_spec(top, [str(folder)])
        if beside is not None:
            _check_shadowing(top, beside)
        sys.path.insert(0, str(folder))
        try:
            importlib.invalidate_caches()
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
                raise ValueError(
                    f"no module named {error.name!r}, neither in {folder} nor installed"
                ) from None
            raise ValueError(f"importing {name!r} failed: {_with_place(error, folder)}") from error
        except USER_FAULTS as error:  # boundary: importing runs the user's code
            raise ValueError(f"importing {name!r} failed: {_with_place(error, folder)}") from error
        finally:
            sys.path.remove(str(folder))


def _check_shadowing(top: str, beside: ModuleSpec) -> None:
    place = _place(beside)
    loaded = sys.modules.get(top)
    if top in sys.stdlib_module_names:
        raise ValueError(f"{place} has the name of the standard library's module {top!r}: rename it")
    if loaded is None:
        return
    elsewhere = _place(loaded.__spec__) if loaded.__spec__ is not None else str(loaded.__file__)
    if elsewhere != place:
        raise ValueError(
            f"the module {top!r} is already loaded from {elsewhere}, so {place} cannot be: rename it"
        )


def _place(spec: ModuleSpec) -> str:
    if spec.origin is not None and spec.has_location:
        return str(Path(spec.origin).resolve())
    locations = list(spec.submodule_search_locations or ())
    return str(Path(locations[0]).resolve()) if locations else str(spec.origin)


def _with_place(error: BaseException, folder: Path) -> str:
    """The exception, with the line of the user's code where it came from."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(str(folder))]
    return f"{describe(error)} ({own[-1].filename}:{own[-1].lineno})" if own else describe(error)
