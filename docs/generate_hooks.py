"""Write the reference of the hooks: ``python docs/generate_hooks.py``.

What it says of each hook is the docstring of its specification.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from holodeck_core.plugins import hookspecs
from holodeck_core.plugins.hookspecs import HOOKS

PAGE: Final = Path(__file__).parent / "plugins" / "hooks.md"

HEAD: Final = """# Hooks

A plugin is a distribution with one entry point in the group `holodeck.v1`, which names a module. The functions of that
module that are marked with `@hookimpl` and have one of the names below say what the plugin contributes.
[Writing a plugin](writing.md) explains how to make one, and [Loading](loading.md) how plugins are found.

All hooks are alike. They take no arguments, are synchronous, and return a list of
`Contribution(name, "package.module:attribute", summary)`. A name is lower-case letters and digits, with single `_` or
`-` between. The object behind a name is imported when it is first used, so a hooks module imports nothing but
`holodeck_core.plugins`. Each hook is called at most once.

A hook that only newer versions of the core know is marked with `@hookimpl(optionalhook=True)`.
"""


def page() -> str:
    """The whole page. Raises ValueError for a docstring that is not made as the others are."""
    sections = [section for kind, hook in HOOKS.items() for section in _section(kind, hook)]
    return "\n".join([HEAD, *sections])


def _section(kind: str, hook: str) -> Iterator[str]:
    parts = re.fullmatch(
        r"(Fires .+?)\n\n(Return: .+)\n(Target: .+)\n(If it raises: .+)",
        inspect.getdoc(getattr(hookspecs, hook)) or "",
        re.DOTALL,
    )
    if parts is None:
        raise ValueError(
            f"the docstring of {hook} does not say when it fires, what it returns, names and risks"
        )
    yield f"## `{hook}`\n"
    yield _joined(parts[1])
    yield ""
    for part in parts.groups()[1:]:
        label, _, text = _joined(part).partition(": ")
        yield f"- **{label}:** {text}"
    yield f"- **Start with:** `holodeck plugins new NAME --kind {kind}`"
    yield ""


def _joined(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
