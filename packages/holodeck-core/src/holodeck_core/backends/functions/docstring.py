"""What a docstring says about a function and about each of its parameters."""

from __future__ import annotations

import inspect
import re

# Where the prose ends and a style begins to speak of parameters and results.
_SECTION = re.compile(
    r"^(?:Args|Arguments|Parameters|Params|Returns|Yields|Raises|Examples?|Notes?)\s*:?\s*$|^[:@]\w+.*:",
    re.IGNORECASE,
)


def first_paragraph(docstring: str | None) -> str:
    """The first paragraph on one line; "" where there is none."""
    lines = []
    for line in inspect.cleandoc(docstring or "").splitlines():
        if not line.strip() or _SECTION.match(line):
            break
        lines.append(line.strip())
    return " ".join(lines)


def parameter_descriptions(docstring: str | None) -> dict[str, str]:
    """What the docstring says about parameters, by name: Google's, NumPy's, reStructuredText's or Epydoc's style.

    Empty where it says nothing, cannot be understood, or nothing is installed that reads it: the package
    ``docstring_parser`` comes with the extras of the providers that tell a model about tools.
    """
    if not docstring:
        return {}
    try:
        from docstring_parser import ParseError, parse
    except ImportError:
        return {}
    try:
        # Some styles are only seen behind a first paragraph.
        parsed = parse(f"-\n\n{inspect.cleandoc(docstring)}")
    except ParseError:
        return {}
    return {
        name.strip().lstrip("*"): " ".join(parameter.description.split())
        for parameter in parsed.params
        if parameter.description
        for name in parameter.arg_name.split(",")
    }
