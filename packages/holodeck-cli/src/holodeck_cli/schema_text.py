"""A JSON Schema as the text of a file."""

from __future__ import annotations

import json
from typing import Any

from holodeck_cli.json_text import json_text


def schema_text(schema: dict[str, Any]) -> str:
    """The schema in ASCII, so that any terminal shows it and any program reads it, and with a line break at its end.

    What plugins gave as defaults and is no JSON becomes the nearest that is.
    """
    return json.dumps(json.loads(json_text(schema)), indent=2) + "\n"
