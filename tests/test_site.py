"""The pages of the documentation as a site: all of them are in it, and every link leads somewhere."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def settings() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return loaded


def leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for part in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from leaves(part)


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    """The links of a page that lead nowhere, or out of the site."""
    found = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        if "://" in link or link.startswith("mailto:"):
            continue
        target = (page.parent / path).resolve() if path else page
        if (
            not target.is_file()
            or not target.is_relative_to(DOCS)
            or (anchor and anchor not in anchors(target))
        ):
            found.append(link)
    return found


def test_every_page_has_a_place_in_the_site() -> None:
    placed = list(leaves(settings()["nav"]))
    assert sorted(placed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = DOCS / "reference" / "page-that-is-not-there.md"

    class Text(type(page)):  # type: ignore[misc]
        def read_text(self, *args: Any, **kwargs: Any) -> str:
            return "[a](../index.md) [b](nowhere.md) [c](../../README.md) [d](names.md#nowhere) [e](https://a.b/)"

    assert broken_links(Text(page)) == ["nowhere.md", "../../README.md", "names.md#nowhere"]


def test_the_name_of_a_blocks_file_is_its_title_in_the_site() -> None:
    hook = runpy.run_path(str(DOCS / "site_hooks.py"))["on_page_markdown"]
    text = "```yaml suites/agent.yaml\nname: x\n```\n```text\n```yaml is no fence\n```\n"
    assert hook(text, page=None) == text.replace("yaml suites/agent.yaml", 'yaml title="suites/agent.yaml"')


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="needs requirements-docs.txt")
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "--strict",
            "--quiet",
            "--site-dir",
            str(tmp_path / "site"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    tutorial = (tmp_path / "site/tutorial/index.html").read_text(encoding="utf-8")
    assert '<span class="filename">agent.yaml</span>' in tutorial
    assert "```" not in tutorial
