"""What the sessions of one backend share: connections, models, tools. Imports Semantic Kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from semantic_kernel.contents import AuthorRole, ChatMessageContent, TextContent

from holodeck_core.api.backend import Session
from holodeck_core.backends.functions.load import load_function
from holodeck_core.backends.semantic_kernel.chat_model import ChatModel
from holodeck_core.backends.semantic_kernel.completion import Completion
from holodeck_core.backends.semantic_kernel.connector import connector, http_client
from holodeck_core.backends.semantic_kernel.conversation import Conversation
from holodeck_core.backends.semantic_kernel.options import ChatModelOptions, Target, target
from holodeck_core.backends.semantic_kernel.schemas import as_request
from holodeck_core.backends.semantic_kernel.tools import Toolset
from holodeck_core.models.agent import Agent


class Runtime:
    """Opens conversations with one agent; they share its connections, which ``close`` ends."""

    def __init__(self) -> None: ...
