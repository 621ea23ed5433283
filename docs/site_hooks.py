"""What the pages need to become a site: the name of a block's file becomes its title."""

from __future__ import annotations

import re
from typing import Any, Final

_NAMED_BLOCK: Final = re.compile(r"^```(\w+) ([\w./-]+)$", re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Called by mkdocs with the text of each page."""
    return _NAMED_BLOCK.sub(r'```\1 title="\2"', markdown)
