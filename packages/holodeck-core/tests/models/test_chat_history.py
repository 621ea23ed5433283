"""The light history: what it keeps, and that nothing is lost on the way to Semantic Kernel's and back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from holodeck_core.models.agent import Agent
from holodeck_core.models.chat import ChatSession, MessageRole
from holodeck_core.models.chat_history import ChatHistory
from holodeck_core.models.tool_execution import ToolStatus


def a_history() -> ChatHistory:
    history = ChatHistory()
    history.add_system_message("Be brief.")
    history.add_user_message(" 3 + 4? ")
    history.add_tool_message("7", function_name="add", arguments={"a": 3, "b": 4}, seconds=0.25)
    history.add_tool_message(None, function_name="note", error="disk full")
    history.add_assistant_message("It is 7.")
    history.add_user_message("Thanks")
    history.add_assistant_message("Welcome")
    return history


def test_calls_are_part_of_the_assistant_message_behind_them() -> None:
    history = a_history()
    assert [message.role for message in history] == ["system", "user", "assistant", "user", "assistant"]
    add, note = history[2].tool_calls
    assert (add.tool_name, add.parameters, add.result, add.execution_time) == (
        "add",
        {"a": 3, "b": 4},
        "7",
        0.25,
    )
    assert (note.status, note.error_message) == (ToolStatus.FAILED, "disk full")
    assert history[4].tool_calls == []
    assert (history[1].content, len(history)) == ("3 + 4?", 5)


def test_calls_without_a_reply_belong_to_no_message() -> None:
    history = ChatHistory()
    history.add_user_message("do it")
    history.add_tool_message("done", function_name="act")
    history.add_user_message("well?")
    history.add_assistant_message("yes")
    assert history[2].tool_calls == []


@pytest.mark.parametrize("content", ["", " \n", "x" * 10_001], ids=["empty", "blank", "too long"])
def test_what_is_no_message_is_refused(content: str) -> None:
    history = ChatHistory()
    with pytest.raises(ValidationError):
        history.add_user_message(content)
    assert len(history) == 0


def test_a_session_takes_it() -> None:
    agent = Agent.model_validate({"name": "a", "model": {"provider": "scripted"}})
    history = a_history()
    assert ChatSession(agent_config=agent, history=history).history is history


def test_clear_forgets_all() -> None:
    history = a_history()
    history.clear()
    assert list(history) == []


class TestSemanticKernel:
    @pytest.fixture(autouse=True)
    def _installed(self) -> None:
        pytest.importorskip("semantic_kernel")

    def test_there_and_back(self) -> None:
        theirs = a_history().to_semantic_kernel()
        assert [message.role.value for message in theirs] == [
            *("system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant")
        ]
        assert self._told(ChatHistory.from_semantic_kernel(theirs)) == self._told(a_history())

    def test_a_session_takes_theirs(self) -> None:
        agent = Agent.model_validate({"name": "a", "model": {"provider": "openai"}})
        theirs = a_history().to_semantic_kernel()
        assert ChatSession(agent_config=agent, history=theirs).history is theirs

    def test_of_a_message_with_calls_the_calls_count(self) -> None:
        from semantic_kernel.contents import ChatHistory as Theirs
        from semantic_kernel.contents import FunctionCallContent, FunctionResultContent, TextContent

        theirs = Theirs()
        theirs.add_user_message("hi")
        call = FunctionCallContent(id="1", name="math-add", arguments='{"a": 1}')
        broken = FunctionCallContent(id="2", name="math-add", arguments='{"a": ')
        theirs.add_assistant_message([TextContent(text="Let me see."), call, broken])
        theirs.add_tool_message([FunctionResultContent(id="1", name="math-add", result=3)])
        theirs.add_tool_message([FunctionResultContent(id="2", name="math-add", result="no JSON")])
        theirs.add_assistant_message("3")
        assert self._told(ChatHistory.from_semantic_kernel(theirs)) == [
            (MessageRole.USER, "hi", []),
            (
                MessageRole.ASSISTANT,
                "3",
                [("add", {"a": 1}, "3", None), ("add", {}, "no JSON", None)],
            ),
        ]

    @given(
        st.lists(
            st.tuples(
                st.text(min_size=1).filter(str.strip),
                st.lists(
                    st.tuples(
                        st.from_regex(r"[a-z_]{1,8}", fullmatch=True),
                        st.dictionaries(
                            st.text("ab", max_size=2), st.integers() | st.text("xyz", max_size=3)
                        ),
                        st.text("rst", max_size=3),
                        st.none() | st.text("uvw", min_size=1, max_size=3),
                    ),
                    max_size=2,
                ),
                st.text(min_size=1).filter(str.strip),
            ),
            max_size=4,
        )
    )
    @settings(max_examples=30, deadline=None)
    def test_any_conversation_there_and_back(
        self, turns: list[tuple[str, list[tuple[str, dict[str, object], str, str | None]], str]]
    ) -> None:
        history = ChatHistory()
        for said, calls, replied in turns:
            history.add_user_message(said)
            for name, args, result, error in calls:
                history.add_tool_message(result, function_name=name, arguments=args, error=error)
            history.add_assistant_message(replied)
        back = ChatHistory.from_semantic_kernel(history.to_semantic_kernel())
        assert self._told(back) == self._told(history)

    @staticmethod
    def _told(history: ChatHistory) -> list[tuple[object, ...]]:
        return [
            (
                message.role,
                message.content,
                [(c.tool_name, c.parameters, c.result, c.error_message) for c in message.tool_calls],
            )
            for message in history
        ]
