"""One text safety for everything that HoloDeck shows.

Whatever an agent, a tool, a file or an exception says passes through here on its way to a terminal or a
report: escape sequences, control characters and invisible formatting never reach the reader, the words always
do.
"""

from __future__ import annotations

import json
import re

# A control string (OSC, DCS, SOS, PM, APC) up to its terminator. Its body holds neither a control character
# that could begin another sequence nor a line break, so that an unterminated one swallows nothing and
# matching stays linear.
_STRING = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x08\x0a-\x1f\x7f-\x9f]*"
_STRING_END = r"(?:\x07|\x1b\\|\x9c)"
_CSI = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*"
_TWO_BYTE = r"\x1b[ -/]*"
_SEQUENCES = re.compile(f"{_STRING}{_STRING_END}|{_CSI}[@-~]|{_TWO_BYTE}[0-~]")
UNFINISHED_SEQUENCE = re.compile(f"(?:{_STRING}\\x1b?|{_CSI}|{_TWO_BYTE})\\Z")
"""The beginning of a sequence at the end of a text, which what follows may complete."""

_LINE_BREAKS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")

# C0 but tab and line feed, DEL, C1; every character that Unicode lets a font leave out (Default_Ignorable),
# the bidirectional controls and language tags among them, but for joiners and variation selectors;
# interlinear annotation.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
# One variation selector chooses a form of the character before it; more of them, or one without such a
# character, only carry hidden text. On ASCII they are part of keycap emoji and of nothing else.
_SELECTOR = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_LONE_SELECTOR = re.compile(
    f"(?<![^\x00-\x7f\\s\u200c\u200d{_SELECTOR}])(?!(?<=[0-9#*])\ufe0f\u20e3)[{_SELECTOR}]"
)
# A joiner has a meaning between letters of a joining script and inside emoji; beside ASCII or white space it
# only hides text. Of several in a row one is left.
_LONE_JOINER = re.compile(
    "(?<![^\x00-\x7f\\s])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f\\s\u200c\u200d])"
)
_SURROGATES = re.compile("[\ud800-\udfff]")
UNSETTLED = re.compile(f"{_HIDDEN.pattern}|[\u200c\u200d{_SELECTOR}]")
"""A character that stays or goes by what stands on both sides of it, or that is passed over in looking for that."""

# ``##[…]``, ``##vso[…]`` and ``##teamcity[…]`` are obeyed by the servers of GitHub, Azure and TeamCity wherever they
# stand in what a build prints, ``::…::`` by GitHub's at the beginning of a line, behind white space too.
_COMMAND_ANYWHERE = re.compile(r"(?<=#)#(?=\w*\[)")
_COMMAND_AT_BEGINNING = re.compile(r"^([^\S\n]*:):(?=\S[^\n]*::)", re.MULTILINE)

DEFAULT_WIDTH = 200
_SHORT = 10**18  # integers below it need no shortening

_to_json = json.JSONEncoder(ensure_ascii=False, default=str).encode


def sanitize_tool_output(text: str) -> str:
    """The text without anything that a terminal would act on or a reader could not see.

    Removed: escape sequences (CSI, OSC, DCS and the rest, in their 7-bit and 8-bit forms), control characters
    other than tab and line feed, bidirectional controls and invisible characters. Every kind of line break
    becomes a line feed, a surrogate U+FFFD. Combining marks stay, and so do joiners and variation selectors
    inside emoji and in scripts that use them.
    """
    if text.isascii() and text.isprintable():
        return text
    return without_hidden(without_sequences(text))


def without_sequences(text: str) -> str:
    """The first half of ``sanitize_tool_output``: escape sequences are removed."""
    return _SEQUENCES.sub("", text) if "\x1b" in text or not text.isascii() else text


def without_hidden(text: str) -> str:
    """The second half of ``sanitize_tool_output``, for a text that holds no escape sequence."""
    text = _HIDDEN.sub("", _LINE_BREAKS.sub("\n", text))
    if not text.isascii():
        text = _LONE_JOINER.sub("", _LONE_SELECTOR.sub("", text))
        text = _SURROGATES.sub("\ufffd", text)
    return text


def reveal(text: str) -> str:
    """The text with an escape such as ``\\u001b`` in place of each character that ``sanitize_tool_output`` takes away.

    For files that people read, where nothing of what was said may be lost. Carriage returns before line feeds go;
    what is left holds no control character but tab and line feed, no surrogate and no noncharacter.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _CONCEALED.sub(_escape_each, text.replace("\r\n", "\n"))
    before = None
    while text != before:  # beside an escape, what had a meaning may have none any more
        before = text
        text = _LONE_JOINER.sub(_escape_each, _LONE_SELECTOR.sub(_escape_each, text))
    return text


def without_commands(text: str, number_sign: str = r"\u0023", colon: str = r"\u003a") -> str:
    """The text with an escape in what the server of a build, which reads along, would take for a command to it.

    ``number_sign`` and ``colon`` are written for the second of two such characters.
    """
    if "##" in text:
        text = _COMMAND_ANYWHERE.sub(lambda _: number_sign, text)
    if "::" in text:
        text = _COMMAND_AT_BEGINNING.sub(lambda found: found[1] + colon, text)
    return text


def one_line(text: str, width: int | None = None) -> str:
    """The sanitized text on one line, runs of white space as one space, shortened to ``width``."""
    line = " ".join(sanitize_tool_output(text).split())
    return line if width is None else shorten(line, width)


def shorten(text: str, width: int) -> str:
    """The text, with its middle left out where it is longer than ``width`` characters (at least 3)."""
    if len(text) <= width:
        return text
    head = (width - 3) * 2 // 3
    return f"{text[:head]}...{text[len(text) - (width - 3 - head) :]}"


def show_value(value: object, width: int = DEFAULT_WIDTH) -> str:
    """A JSON value as a reason shows it: JSON text, shortened to ``width`` characters.

    What could not be seen (control characters, unusual spaces, combining forms hidden in a look-alike) stands
    as an escape, so that two different values never look the same.
    """
    if type(value) is int and -_SHORT < value < _SHORT:
        return str(value)
    if (
        type(value) is str
        and value.isascii()
        and value.isprintable()
        and '"' not in value
        and "\\" not in value
    ):
        return shorten(f'"{value}"', width)  # what most values are; the same text, without the detour
    try:
        text = _to_json(value)
    except (ValueError, RecursionError):
        text = f"<{type(value).__name__}>"
    if text.isascii() and text.isprintable():
        return shorten(text, width)
    return shorten(_UNSEEN.sub(_escape, text), width)


# Not printable or not told apart by eye: everything hidden above, spaces other than the plain one, combining
# marks after an ASCII letter (a decomposed form of a letter that has a composed one), joiners, selectors,
# surrogates.
_UNSEEN = re.compile(
    f"{_HIDDEN.pattern}|[\xa0\u1680\u2000-\u200a\u200c\u200d\u2028\u2029\u202f\u205f\u3000\ud800-\udfff{_SELECTOR}]"
    "|(?<=[A-Za-z\u0300-\u036f])[\u0300-\u036f]"
)

# What sanitize_tool_output removes or replaces, and noncharacters.
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(17)
)
_CONCEALED = re.compile(f"{_HIDDEN.pattern}|[\x0b\x0c\r\x85\u2028\u2029\ud800-\udfff{_NONCHARACTERS}]")


def _escape_each(match: re.Match[str]) -> str:
    return "".join(map(_escaped, match.group()))


def _escape(match: re.Match[str]) -> str:
    return _escaped(match.group())


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
