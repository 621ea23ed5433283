"""What libyaml says about a file that is not YAML, in words that help. Pure."""

from __future__ import annotations

import re
from typing import Final

from yaml import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from holodeck_core.config.reading.source import Source
from holodeck_core.errors import Problem

_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_TAB: Final = "a tab cannot indent: use spaces"
_MISFIT: Final = (
    "this does not belong to {what}: check the indentation, and whether a quote or bracket above is closed"
)
_AFTER_QUOTE: Final = (
    "nothing can follow a quoted text: inside single quotes a ' is written twice, "
    'inside double quotes a " as \\"'
)

# libyaml's problem -> what to say. {what} is the construct that it was reading, with the line in which that begins.
_EXPLAINED: Final = {
    "mapping values are not allowed in this context": (
        "a key is not allowed here: check the indentation, and quote a text that has ': ' in it"
    ),
    "block sequence entries are not allowed in this context": (
        "a '- ' item is not allowed here: put it on a line of its own, or quote the text"
    ),
    "could not find expected ':'": "there is no ':' after {what}: check the indentation, or add the ':'",
    "did not find expected key": _MISFIT,
    "did not find expected '-' indicator": _MISFIT,
    "did not find expected ',' or ']'": "{what} is not closed: a ',' or ']' is missing",
    "did not find expected ',' or '}'": "{what} is not closed: a ',' or '}' is missing",
    "did not find expected node content": "a value is missing here, or this bracket closes nothing",
    "did not find expected comment or line break": "after | or > the text begins on the next line",
    "did not find expected <document start>": "this does not belong to the document above: check the indentation",
    "found unexpected end of stream": "{what} is not closed: its quote is missing",
    "found unexpected document indicator": "{what} is not closed: its quote is missing",
    "found unknown escape character": (
        "this is no escape in double quotes: write the backslash twice, or use single quotes"
    ),
    "found invalid Unicode character escape code": (
        "this escape is no character by itself: write the character, or \\U and its eight digits"
    ),
    "found a tab character where an indentation space is expected": _TAB,
    "found a tab character that violates indentation": _TAB,
    "found undefined alias": "there is no anchor of this name above: quote a text that begins with *",
    "second occurrence": "this anchor is defined twice: give it another name",
    "but found another document": "a file holds one document: leave out the '---' or '...' before this",
    "found undefined tag handle": "tags are not supported: leave this out, or quote a text that begins with !",
    "found unknown directive name": "directives are not supported: quote a text that begins with %",
    "found incompatible YAML document": "this version of YAML is not supported: leave out the %YAML line",
    "exceeded maximum nesting depth": "nested too deeply",
}
_IN_CONTEXT: Final = {
    "while scanning an alias": "a text that begins with * must be quoted",
    "while scanning an anchor": "a text that begins with & must be quoted",
    "while scanning a tag": "tags are not supported: quote a text that begins with !",
    "while parsing a tag": "tags are not supported: quote a text that begins with !",
    "while scanning a directive": "directives are not supported: quote a text that begins with %",
}
_CONSTRUCTS: Final = {
    "while scanning a quoted scalar": "the quoted text",
    "while scanning a simple key": "the text",
    "while parsing a flow sequence": "the list",
    "while parsing a flow mapping": "the mapping",
    "while parsing a block mapping": "the mapping",
    "while parsing a block collection": "the list",
}
_FLOW: Final = frozenset(("while parsing a flow sequence", "while parsing a flow mapping"))
# These are best shown where the construct begins: what is wrong was noticed only at its end.
_AT_BEGINNING: Final = frozenset(
    {
        "could not find expected ':'",
        "found unexpected end of stream",
        "found unexpected document indicator",
        "did not find expected ',' or ']'",
        "did not find expected ',' or '}'",
    }
)


def syntax_problem(error: YAMLError, source: Source) -> Problem:
    """The problem that a YAML error is, at its place."""
    if isinstance(error, ReaderError):
        return _character_problem(source)
    if not isinstance(error, MarkedYAMLError):
        return Problem(f"this is not YAML: {error}", source.file)
    mark = error.problem_mark or error.context_mark
    index = mark.index if mark else 0
    if _is_variable_in_brackets(error, source, index):
        return source.problem('within brackets, a text with a variable must be quoted: "${NAME}"', index - 1)
    message = _message(error, source, index)
    if error.problem in _AT_BEGINNING and error.context_mark:
        index = error.context_mark.index
    return source.problem(message, index)


def _is_variable_in_brackets(error: MarkedYAMLError, source: Source, index: int) -> bool:
    """Whether the bracket that surprises YAML is that of a variable: within { } and [ ], none may stand in a text."""
    return error.context in _FLOW and index > 0 and source.text.startswith("${", index - 1)


def _message(error: MarkedYAMLError, source: Source, index: int) -> str:
    problem, context = error.problem or "", error.context or ""
    if problem == "found character that cannot start any token":
        character = source.text[index : index + 1]
        return _TAB if character == "\t" else f"a text cannot begin with {character}: quote it"
    if problem == "did not find expected key" and source.text[:index].rstrip(" ").endswith(("'", '"')):
        return _AFTER_QUOTE
    explained = _EXPLAINED.get(problem) or _IN_CONTEXT.get(context)
    if explained is None:
        return f"this is not YAML: {', '.join(part for part in (context, problem) if part)}"
    what = _CONSTRUCTS.get(context, "what stands above")
    if error.context_mark and context in _CONSTRUCTS:
        what += f" that begins in line {source.line(error.context_mark.index)}"
    return explained.replace("{what}", what)


def _character_problem(source: Source) -> Problem:
    # libyaml counts bytes here, so the character is looked for.
    found = _FORBIDDEN.search(source.text)
    if found is None:
        return Problem("the file holds a character that YAML does not allow", source.file)
    message = f"YAML does not allow the character U+{ord(found.group()):04X}: write it as an escape in double quotes"
    return source.problem(message, found.start())
