"""The names of the kit, and what importing it costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import holodeck_core.testing as kit


def test_the_kit_names_the_same_things_for_people_and_for_type_checkers() -> None:
    tree = ast.parse(Path(kit.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("holodeck_core.")
        for alias in node.names
    }
    assert typed == kit._HOMES
    assert sorted(typed) == dir(kit)
    for name in typed:
        assert getattr(kit, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        kit.nothing  # noqa: B018


def test_importing_the_kit_imports_nothing_heavy() -> None:
    script = (
        "import sys, holodeck_core.testing; print({'pydantic', 'yaml', 'asyncio', 'pytest'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
