"""Reading large documents without the cyclic garbage collector looking over the shoulder."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Run the body without automatic garbage collection.

    A document of 400,000 nodes makes millions of objects that all stay alive, and the collector would walk through all
    of them again and again: that takes several times as long as the reading itself. Nesting, and use from several
    threads, leave collection switched on if it was.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not gc.get_freeze_count():
                # Together these make all that was made here old at once, so that the first of the frequent collections
                # of young objects does not walk through it. What somebody else has frozen stays frozen.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
