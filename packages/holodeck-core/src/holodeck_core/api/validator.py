"""Validators: check what a person typed before it is sent to an agent."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import attrs


@attrs.frozen
class Accepted:
    """The text to send, which may differ from what was typed; ``notes`` tell the person how."""

    text: str
    notes: tuple[str, ...] = ()


@attrs.frozen
class Refused:
    """The text is not sent; ``reason`` is one line for the person who typed it."""

    reason: str


Validation: TypeAlias = Accepted | Refused


class Validator(ABC):
    """One link of the chain that user input passes through."""

    @abstractmethod
    def check(self, text: str) -> Validation:
        """Accept the text, changed or not, or refuse it."""
