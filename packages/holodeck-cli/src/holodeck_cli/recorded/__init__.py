"""Conversations that were held, as test cases: what ``holodeck import`` and the chat's ``/export`` write."""

from __future__ import annotations

from holodeck_cli.recorded.append import Appended, append_case
from holodeck_cli.recorded.case import RecordedCase, RecordedTurn

__all__ = ["Appended", "RecordedCase", "RecordedTurn", "append_case"]
