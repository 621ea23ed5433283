"""What a plugin's hooks return."""

from __future__ import annotations

from typing import NamedTuple


class Contribution(NamedTuple):
    """One named thing that a plugin offers.

    ``name`` is what users write: bare for first-party plugins, after ``plugin/`` for all others.
    ``target`` is ``"package.module:Class"``; it is imported when the contribution is first used, not before.
    ``summary`` is one line for listings.
    """

    name: str
    target: str
    summary: str
