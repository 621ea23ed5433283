"""What a module of the user's imports from beside the agent file, by what stands in its source. Nothing is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path


def with_imports(files: Iterable[Path], folder: Path) -> set[Path]:
    """The files, and those of all modules below ``folder`` that they import in turn, also inside of functions.

    What is installed elsewhere is left to its version, and names that a program puts together to the program.
    """
    found: set[Path] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        if file.suffix == ".py" and file.is_relative_to(folder):
            waiting += _imported(file, folder)
    return found


def _imported(file: Path, folder: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # nothing can be told of it
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(alias.name, (folder, file.parent))
        elif isinstance(node, ast.ImportFrom):
            roots = (
                (file.parents[node.level - 1],)
                if 0 < node.level <= len(file.parents)
                else (folder, file.parent)
            )
            for alias in node.names:
                yield from _modules(f"{node.module}.{alias.name}" if node.module else alias.name, roots)


def _modules(name: str, roots: Iterable[Path]) -> Iterator[Path]:
    """The files of the module of that name and of the packages around it; its last part may be a name in a module."""
    for root in roots:
        path = root
        for part in name.split("."):
            path /= part
            yield from (file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file())
