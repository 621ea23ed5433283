"""Every hook is documented, tested, and used by a plugin."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from holodeck_cli.new_plugin import plugin_files, read_name
from holodeck_core.plugins.hookspecs import HOOKS, Kind

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "plugins" / "hooks.md"


def test_the_page_is_up_to_date() -> None:
    generate = runpy.run_path(str(ROOT / "docs" / "generate_hooks.py"))
    assert generate["page"]() == PAGE.read_text(encoding="utf-8"), (
        "the page is out of date; make it again with:  python docs/generate_hooks.py"
    )


def test_every_hook_has_its_heading() -> None:
    headings = re.findall(r"^## `(\w+)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == list(HOOKS.values())


@pytest.mark.parametrize(("kind", "hook"), HOOKS.items())
def test_every_hook_has_a_test_and_a_plugin_that_uses_it(kind: Kind, hook: str) -> None:
    implementation = re.compile(rf"^(?:async )?def {hook}\(", re.MULTILINE)
    tests = [*ROOT.glob("tests/**/test_*.py"), *ROOT.glob("packages/*/tests/**/*.py")]
    assert any(implementation.search(path.read_text(encoding="utf-8")) for path in tests), (
        f"no test has {hook}"
    )
    hooks = [
        text for path, text in plugin_files(read_name("acme"), kind, "1").items() if path.endswith("hooks.py")
    ]
    assert [len(implementation.findall(text)) for text in hooks] == [1]
