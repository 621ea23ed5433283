"""What the keyboard does while the agent speaks: keys are kept for the next prompt, and not shown."""

from __future__ import annotations

import termios
from typing import Final

_LOCAL_MODES: Final = 3  # the index in what tcgetattr returns


class QuietKeyboard:
    """Switches echo and line editing of a terminal off; ``restore`` may be called at any time, and again."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._before = termios.tcgetattr(descriptor)

    def begin(self) -> None:
        """Keys are not shown from now on. Ctrl-C still is a signal."""
        quiet = termios.tcgetattr(self._descriptor)
        quiet[_LOCAL_MODES] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self._descriptor, termios.TCSANOW, quiet)

    def restore(self) -> None:
        """As it was before."""
        termios.tcsetattr(self._descriptor, termios.TCSANOW, self._before)
