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
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from holodeck_core.api.faults import USER_FAULTS, describe
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.plugins.loading import pass_interruptions
from holodeck_core.text import shorten

_LONGEST: Final = 80

_path_lock = threading.RLock()


def import_object(spec: str, folder: Path) -> Any:
    """The object that ``module.path:name`` names, with ``folder`` importable.

    Raises ValueError that says what is wrong: no such module, an exception while it was imported (with its place),
    no such name in it, or a module of another file in its way.
    """
    module_name, _, attribute = spec.partition(":")
    if not module_name or not attribute:
        raise ValueError(f"{_quoted(spec)} must be written module.path:name")
    return attribute_of(import_module(module_name, folder), attribute)


def import_module(name: str, *folders: Path) -> ModuleType:
    """The module of that name, with ``folders`` importable, the first before the others.

    Raises ValueError as ``import_object`` does.
    """
    top = name.partition(".")[0]
    with _path_lock:
        importlib.invalidate_caches()
        beside = PathFinder.find_spec(top, [str(folders[0])])
        if beside is not None:
            _check_shadowing(top, beside)
        # What a module itself adds to the path stays there.
        sys.path[:0] = map(str, folders)
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
                raise ValueError(
                    f"no module named {_quoted(error.name)}, neither in {folders[0]} nor installed"
                ) from None
            raise ValueError(f"importing {_quoted(name)} failed: {_with_place(error, folders)}") from error
        except BaseException as error:  # boundary: importing a user's module runs its code
            pass_interruptions(error)
            raise ValueError(f"importing {_quoted(name)} failed: {_with_place(error, folders)}") from error
        finally:
            for folder in folders:
                with suppress(ValueError):
                    sys.path.remove(str(folder))


def import_file(path: Path, *folders: Path) -> ModuleType:
    """The module that a file is, with the file's own folder importable, before ``folders``.

    It has the name of the file, so that every import of that name gives the same module. Raises ValueError as
    ``import_object`` does.
    """
    name = path.stem
    if path.suffix != ".py" or "." in name:
        raise ValueError(f"{path} is not the file of a Python module: its name must be `module.py`")
    module = import_module(name, path.parent, *folders)
    if module.__spec__ is None or _place(module.__spec__) != str(path.resolve()):
        raise ValueError(f"{module.__file__} is imported as {name!r}, and hides {path}: rename it")
    return module


def attribute_of(module: ModuleType, name: str) -> Any:
    """What ``name``, with dots in it to go deeper, is in the module. Raises ValueError where there is no such name."""
    value: Any = module
    for part in name.split("."):
        names = dir(value)
        try:
            value = getattr(value, part)
        except AttributeError:
            what = f"{module.__name__!r} ({module.__file__}) has no {_quoted(name)}"
            raise ValueError(f"{what}{did_you_mean(part, names)}") from None
        except USER_FAULTS as error:  # boundary: a module may look names up in code of its own
            raise ValueError(
                f"looking {_quoted(name)} up in {module.__name__!r} failed: {describe(error)}"
            ) from error
    return value


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


def _quoted(name: str) -> str:
    return repr(shorten(name, _LONGEST))


def _with_place(error: BaseException, folders: Sequence[Path]) -> str:
    """The exception, with the line of the user's code where it came from."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(tuple(map(str, folders)))]
    return f"{describe(error)} ({own[-1].filename}:{own[-1].lineno})" if own else describe(error)
