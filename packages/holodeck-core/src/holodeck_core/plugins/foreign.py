"""Where code of plugins and of the user is called while a suite is loaded, and whatever it raises becomes a message.

Each such place catches BaseException and calls ``pass_interruptions`` first. ``except Exception`` would not do: a
plugin may end with ``sys.exit``, a module in Rust with a panic, and a test framework ends a test with exceptions of its
own, none of which is an Exception.
"""

from __future__ import annotations

import sys


def pass_interruptions(error: BaseException) -> None:
    """Raise again what is not the plugin's own affair: the user's KeyboardInterrupt, and a cancellation."""
    # This layer does not import it; where nobody has, nothing is cancelled.
    asyncio = sys.modules.get("asyncio.exceptions")
    if isinstance(error, KeyboardInterrupt) or (asyncio and isinstance(error, asyncio.CancelledError)):
        raise error
