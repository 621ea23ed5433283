"""Imports what a file names in the user's own code: ``module.path:name``.

The folder of the file goes first on ``sys.path`` while its module is imported. A module found there must not be hidden
by another one that is already loaded, nor itself hide a module of the standard library: both would run other code than
the one that stands beside the file.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from holodeck_core.api.faults import describe
from holodeck_core.config.binding.imported_files import with_imports
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.plugins.foreign import pass_interruptions
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
    with _importable(folders):
        _check_shadowing(name.partition(".")[0], folders)
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
                what = f"no module named {_quoted(error.name)}, neither in {folders[0]} nor installed"
                raise ValueError(f"{what}{_meant(name, folders[0])}") from None
            raise ValueError(f"importing {_quoted(name)} failed: {_with_place(error, folders)}") from error
        except BaseException as error:  # boundary: importing a user's module runs its code
            pass_interruptions(error)
            raise ValueError(f"importing {_quoted(name)} failed: {_with_place(error, folders)}") from error


def import_file(path: Path, *folders: Path) -> ModuleType:
    """The module that a file is, with the file's own folder importable, before ``folders``.

    It has the name of the file, so that every import of that name gives the same module. Raises ValueError as
    ``import_object`` does.
    """
    name = path.stem
    if path.suffix != ".py" or "." in name:
        raise ValueError(f"{path} is not the file of a Python module: its name must be `module.py`")
    module = import_module(name, path.parent, *folders)
    if _place(module.__spec__) != str(path.resolve()):
        raise ValueError(f"{module.__file__} is imported as {name!r}, and hides {path}: rename it")
    return module


def attribute_of(module: ModuleType, name: str) -> Any:
    """What ``name``, with dots in it to go deeper, is in the module. Raises ValueError where there is no such name."""
    value: Any = module
    for part in name.split("."):
        names: list[str] = []
        try:
            names = dir(value)
            value = getattr(value, part)
        except AttributeError:
            what = f"{module.__name__!r} ({module.__file__}) has no {_quoted(name)}"
            raise ValueError(f"{what}{did_you_mean(part, names)}") from None
        except BaseException as error:  # boundary: a module may look names up in code of its own
            pass_interruptions(error)
            raise ValueError(
                f"looking {_quoted(name)} up in {module.__name__!r} failed: {describe(error)}"
            ) from error
    return value


@contextmanager
def _importable(folders: Sequence[Path]) -> Iterator[None]:
    """What stands in ``folders`` can be imported. What a module itself adds to the path stays there."""
    with _path_lock:
        importlib.invalidate_caches()
        sys.path[:0] = map(str, folders)
        try:
            yield
        finally:
            for folder in folders:
                with suppress(ValueError):
                    sys.path.remove(str(folder))


def _check_shadowing(top: str, folders: Sequence[Path]) -> None:
    """Nothing hides the module of that name in the first of ``folders``, nor what it imports from there in turn."""
    place = _beside(top, folders[0])
    if place is None:
        return
    if top in sys.stdlib_module_names:
        raise ValueError(f"{place} has the name of the standard library's module {top!r}: rename it")
    for name in (top, *_loaded_names(folders[0], top)):
        elsewhere, place = _loaded_from(name), _beside(name, folders[0])
        if elsewhere not in (None, place) and (name == top or _imports(top, name, folders[0])):
            raise ValueError(
                f"the module {name!r} is already loaded from {elsewhere}, so {place} cannot be: rename one of them"
            )


def _loaded_names(folder: Path, top: str) -> list[str]:
    """The names in the folder but ``top`` under which modules are loaded, of whatever place; not those of the standard
    library."""
    names = {name.removesuffix(".py") for name in os.listdir(folder)}
    return sorted(names.intersection(sys.modules).difference(sys.stdlib_module_names, {top}))


def _imports(top: str, name: str, folder: Path) -> bool:
    """Whether the module ``top`` imports the module ``name``, both in the folder, itself or through others there."""
    files = [folder / f"{top}.py", *(folder / top).glob("**/*.py")]
    wanted = {folder / f"{name}.py", folder / name / "__init__.py"}
    return not wanted.isdisjoint(with_imports(filter(Path.is_file, files), folder))


def _loaded_from(top: str) -> str | None:
    module = sys.modules.get(top)
    if module is None:
        return None
    return _place(getattr(module, "__spec__", None)) or str(getattr(module, "__file__", None))


def _beside(top: str, folder: Path) -> str | None:
    return _place(PathFinder.find_spec(top, [str(folder)]))


def _place(spec: ModuleSpec | None) -> str | None:
    """The file of a module, or the folder of a package without one; None where it has neither."""
    if spec is None:
        return None
    if spec.origin is not None and spec.has_location:
        return str(Path(spec.origin).resolve())
    locations = list(spec.submodule_search_locations or ())
    return str(Path(locations[0]).resolve()) if len(locations) == 1 else None


def _meant(name: str, folder: Path) -> str:
    """The module in the folder that a name which leads to none was probably meant to be."""
    if name.endswith(".py"):
        return f": a module is named without its `.py`, {_quoted(name.removesuffix('.py'))}"
    return did_you_mean(name, sorted(file.stem for file in folder.glob("*.py")))


def _quoted(name: str) -> str:
    return repr(shorten(name, _LONGEST))


def _with_place(error: BaseException, folders: Sequence[Path]) -> str:
    """The exception, with the line of the user's code where it came from."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{type(error).__name__}: {error.msg} ({error.filename}:{error.lineno})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(tuple(map(str, folders)))]
    return f"{describe(error)} ({own[-1].filename}:{own[-1].lineno})" if own else describe(error)
