"""How long a conversation may become. Pure."""

from __future__ import annotations

import attrs

WARNED_AT = 0.8


@attrs.frozen
class MessageLimit:
    """At most ``most`` messages of user and agent together; the reply to the last message is always taken."""

    most: int

    def refusal(self, count: int) -> str | None:
        """Why nothing may be sent any more; None while there is room."""
        if count < self.most:
            return None
        return f"this conversation has reached its limit of {self.most} messages"

    def warning(self, before: int, count: int) -> str | None:
        """What to say when the count has just come near the limit."""
        mark = self.most * WARNED_AT
        if not before < mark <= count or count >= self.most:
            return None
        return f"{count} of at most {self.most} messages"
