"""The text safety of ``text``, for texts that come in pieces: a sequence that is split over two of them is one."""

from __future__ import annotations

from holodeck_core.text import UNFINISHED_SEQUENCE, UNSETTLED, without_hidden, without_sequences

LONGEST_HELD = 4096
"""Characters of an unfinished sequence that are kept back; a longer one is shown as text, as one without an end is."""

_LONGEST_RUN = 64


class StreamSanitizer:
    """``sanitize_tool_output`` for one text that comes in pieces.

    What ``feed`` and at the end ``finish`` give is, joined, what ``sanitize_tool_output`` makes of the whole text,
    surrogate pairs joined; only what the next piece could still change is kept back. (Sequences beyond
    ``LONGEST_HELD`` are the exception: they are made harmless, not removed.)
    """

    def __init__(self) -> None:
        self._sequence = ""  # the beginning of an escape sequence
        self._run = ""  # what is settled by the character behind it
        self._before = ""  # the character before it, which has been given out already

    def feed(self, piece: str) -> str:
        """What can be shown of the text after this piece."""
        text = _with_pairs(self._sequence + piece)
        unfinished = UNFINISHED_SEQUENCE.search(text)
        cut = len(text) if unfinished is None else unfinished.start()
        if len(text) - cut > LONGEST_HELD:
            cut = len(text)
        if cut == len(text) and "\ud800" <= text[-1:] <= "\udbff":
            cut -= 1
        self._sequence = text[cut:]
        return self._settle(without_sequences(text[:cut]), last=False)

    def finish(self) -> str:
        """What was kept back. The sanitizer may then be used for another text."""
        rest = self._settle(without_sequences(self._sequence), last=True)
        self._sequence = self._run = self._before = ""
        return rest

    def _settle(self, text: str, *, last: bool) -> str:
        text = self._run + text
        cut = len(text) if last else _settled(text)
        shown = without_hidden(self._before + text[:cut])[len(self._before) :]
        self._run = text[cut:]
        if shown:
            self._before = "" if UNSETTLED.match(shown[-1]) else shown[-1]
        return shown


def _settled(text: str) -> int:
    """Up to where nothing that follows changes what is shown."""
    end = len(text)
    if text.isascii():
        return end - 1 if text.endswith("\r") else end
    longest = max(0, end - _LONGEST_RUN)
    while end > longest and UNSETTLED.match(text[end - 1]):  # a carriage return is among them
        end -= 1
    return end if end > longest or end == 0 else len(text)


def _with_pairs(text: str) -> str:
    """The text with surrogate pairs joined; lone surrogates stay."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return text
