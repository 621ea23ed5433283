from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from holodeck_core.models.agent import Agent
from holodeck_core.models.chat import ChatConfig, ChatSession, Message, MessageRole, SessionState
from holodeck_core.models.tool_execution import ToolExecution

Problems = Callable[[Any, Any], list[tuple[str, str]]]
Places = Callable[[Any, Any], list[str]]

AGENT = Agent.model_validate({"name": "a", "model": {"provider": "scripted"}})
HISTORY = SimpleNamespace(messages=[])


def session(**keys: Any) -> ChatSession:
    return ChatSession.model_validate({"agent_config": AGENT, "history": HISTORY, **keys})


class TestMessage:
    def test_content_is_trimmed(self) -> None:
        assert Message(role=MessageRole.USER, content="  hi \n").content == "hi"

    def test_defaults(self) -> None:
        message = Message(role=MessageRole.USER, content="hi")
        assert (message.tool_calls, message.tokens_used) == ([], None)
        assert message.timestamp.tzinfo is UTC

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"content": ""}, "content"),
            ({"content": " \n"}, "content"),
            ({"content": "x" * 10_001}, "content"),
            ({"role": "tool"}, "role"),
            ({"tool_calls": [{"tool_name": "add"}]}, "tool_calls"),
            ({"role": "system", "tool_calls": [{"tool_name": "add"}]}, "tool_calls"),
            ({"text": "x"}, "text"),
        ],
        ids=lambda value: repr(value)[:60],
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(Message, {"role": "user", "content": "hi", **keys}) == [place]

    @pytest.mark.parametrize(
        ("role", "content"),
        [
            ("user", "x" * 10_000),
            ("user", " " * 9 + "x" * 10_000),
            ("assistant", "x" * 10_001),
            ("system", "x" * 10_001),
        ],
        ids=["user at the limit", "user at the limit when trimmed", "assistant", "system"],
    )
    def test_only_user_messages_have_a_limit(self, places: Places, role: str, content: str) -> None:
        assert places(Message, {"role": role, "content": content}) == []

    def test_the_assistant_calls_tools(self) -> None:
        call = ToolExecution(tool_name="add")
        assert Message(role=MessageRole.ASSISTANT, content="3", tool_calls=[call]).tool_calls == [call]


class TestSession:
    def test_defaults(self) -> None:
        first, second = session(), session()
        assert isinstance(first.session_id, UUID)
        assert first.session_id != second.session_id
        assert (first.message_count, first.state, first.metadata) == (0, SessionState.INITIALIZING, {})
        assert first.started_at.tzinfo is UTC
        assert first.history is HISTORY

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            ({"session_id": "nine"}, "session_id"),
            ({"message_count": -1}, "message_count"),
            ({"started_at": datetime(9999, 1, 1, tzinfo=UTC)}, "started_at"),
            ({"state": "lost"}, "state"),
            ({"history": []}, "history"),
            ({"history": None}, "history"),
            ({"agent_config": None}, "agent_config"),
        ],
        ids=repr,
    )
    def test_refuses(self, places: Places, keys: dict[str, Any], place: str) -> None:
        assert places(ChatSession, {"agent_config": AGENT, "history": HISTORY, **keys}) == [place]

    def test_the_start_is_kept_in_utc(self) -> None:
        started = session(
            started_at=datetime(2026, 1, 2, 5, 0, tzinfo=timezone(timedelta(hours=2)))
        ).started_at
        assert started.isoformat() == "2026-01-02T03:00:00+00:00"

    @pytest.mark.parametrize(
        ("before", "after"),
        [("initializing", "active"), ("initializing", "terminated"), ("active", "terminated")],
    )
    def test_goes_forward(self, before: str, after: str) -> None:
        chat = session(state=before)
        chat.move_to(SessionState(after))
        assert chat.state == after

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("active", "initializing"),
            ("active", "active"),
            ("terminated", "active"),
            ("terminated", "initializing"),
            ("terminated", "terminated"),
        ],
    )
    def test_never_goes_back(self, before: str, after: str) -> None:
        chat = session(state=before)
        with pytest.raises(ValueError, match=f"that is {before} cannot become {after}"):
            chat.move_to(SessionState(after))
        assert chat.state == before


class TestConfig:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        path = tmp_path / "agent.yaml"
        path.write_text("name: a\n")
        return path

    def test_defaults(self, path: Path) -> None:
        config = ChatConfig(agent_config_path=path)
        assert (config.verbose, config.enable_observability, config.max_messages) == (False, False, 50)

    @pytest.mark.parametrize("limit", [0, -1])
    def test_the_limit_is_positive(self, places: Places, path: Path, limit: int) -> None:
        assert places(ChatConfig, {"agent_config_path": path, "max_messages": limit}) == ["max_messages"]

    def test_the_file_must_exist(self, problems: Problems, tmp_path: Path) -> None:
        missing = tmp_path / "none.yaml"
        assert problems(ChatConfig, {"agent_config_path": missing}) == [
            ("agent_config_path", f"{missing} does not exist")
        ]

    def test_a_folder_is_no_file(self, problems: Problems, tmp_path: Path) -> None:
        assert problems(ChatConfig, {"agent_config_path": tmp_path}) == [
            ("agent_config_path", f"{tmp_path} is not a file")
        ]

    def test_the_file_must_be_readable(
        self, problems: Problems, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(os, "access", lambda *_: False)  # root may read everything
        assert problems(ChatConfig, {"agent_config_path": path}) == [
            ("agent_config_path", f"{path} cannot be read")
        ]
