"""The help desk example: its suite passes as it stands, and notices when the agent changes."""

import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from holodeck_core import GraderContext, Reply, ToolCall, UserMessage

CASES = [
    "Where is my order?",
    "A wick set burned",
    "The same order, the rest of it",
    "Two orders in one message",
    "A typo in the order number",
    "More than a help desk may refund",
    "Not delivered yet",
    "Past the date of return",
    "A person, please",
    "Second thoughts",
    "As people write it",
    "Opening hours",
]

Load = Callable[[str], ModuleType]


@pytest.fixture
def suite(examples: Path, tmp_path: Path) -> Path:
    """A copy of the example that may be changed; its agent file."""
    shutil.copytree(
        examples / "helpdesk", tmp_path / "helpdesk", ignore=shutil.ignore_patterns(".*", "__pycache__")
    )
    return tmp_path / "helpdesk" / "agent.yaml"


def test_all_cases_pass(suite: Path, holodeck_test: Callable[..., Any]) -> None:
    run = holodeck_test(suite)
    assert (run.code, run.report["summary"]["failed"]) == (0, 0), run.output
    assert [result["test_name"] for result in run.report["results"]] == CASES
    assert all(turn["passed"] for turn in run.turns().values())
    assert run.report["summary"]["unchecked"] == 0
    assert "warning" not in run.output.lower()


@pytest.mark.parametrize(
    ("file", "old", "new", "case", "reason"),
    [
        ("agent.yaml", "refund_limit: 500", "refund_limit: 5000", 5, "escalate"),
        ("agent.yaml", "return_days: 30", "return_days: 60", 7, "Returns are possible"),
        ("helpdesk_shop.py", '"price": 129.5', '"price": 129.0', 0, "expected 259"),
        ("helpdesk_agent.py", "amount=offer.amount", "amount=offer.amount + 1", 1, "expected 4.5, got 5.5"),
        ("helpdesk_agent.py", '({"no"} if self._offer', '({"nope"} if self._offer', 9, "refund"),
        (
            "helpdesk_agent.py",
            "digits in ORDER_NUMBER.findall(text)",
            "digits in ORDER_NUMBER.findall(text)[:1]",
            3,
            "expected 2 matching calls, got 1",
        ),
        ("helpdesk_agent.py", "to 17.", "to 5.", 11, "to 5."),
    ],
    ids=["limit", "return-date", "price", "amount", "a-yes-out-of-place", "second-order", "hours"],
)
def test_a_changed_agent_fails_the_case_that_speaks_of_it(
    suite: Path, holodeck_test: Callable[..., Any], file: str, old: str, new: str, case: int, reason: str
) -> None:
    changed = suite.parent / file
    text = changed.read_text(encoding="utf-8")
    assert old in text
    changed.write_text(text.replace(old, new), encoding="utf-8")
    run = holodeck_test(suite)
    assert run.code == 1, run.output
    assert not run.report["results"][case]["passed"]
    assert reason in run.output


class TestAgent:
    """The agent on its own."""

    @pytest.fixture
    def ask(self, load: Load) -> Callable[[str], Reply]:
        desk = load("helpdesk/helpdesk_agent.py").open_desk(refund_limit=500, return_days=30)

        def ask(text: str) -> Reply:
            reply: Reply = desk.send(UserMessage(text))
            return reply

        return ask

    def test_an_order_is_looked_up_once(self, ask: Callable[[str], Reply]) -> None:
        first, second = ask("Where is LM-1001?"), ask("And when did LM-1001 arrive?")
        assert [call.name for call in first.tool_calls] == ["look_up_order"]
        assert second.tool_calls == []
        assert second.text == first.text

    def test_a_failed_call_is_reported_with_its_error(self, ask: Callable[[str], Reply]) -> None:
        [call] = ask("Where is LM-4242?").tool_calls
        assert (call.args, call.result, call.error) == ({"order_id": "LM-4242"}, None, "no order LM-4242")

    @pytest.mark.parametrize(
        "question", ["I want a refund", "What is the price?", "Where is it?", "What share?"]
    )
    def test_it_asks_for_the_order_that_it_needs(self, ask: Callable[[str], Reply], question: str) -> None:
        reply = ask(question)
        assert (reply.text, reply.tool_calls) == ("Which order is it about? Its number starts with LM.", [])

    def test_conversations_share_nothing(self, load: Load) -> None:
        module = load("helpdesk/helpdesk_agent.py")
        for _ in range(2):
            desk = module.open_desk(refund_limit=500, return_days=30)
            replies = [desk.send(UserMessage(text)).text for text in ("Refund LM-1001, please", "Yes")]
            assert replies[1] == "Done: 73.00 EUR are on their way back to you (RF-0001)."


@pytest.mark.parametrize(
    ("quantity", "amount", "error"),
    [(1, 64.5, "64.50 is not the price of these items"), (2, 128.0, "LM-1001 has no 2 of HARBOUR-LAMP left")],
    ids=["wrong-sum", "more-than-was-bought"],
)
def test_the_shop_pays_back_only_what_was_paid(load: Load, quantity: int, amount: float, error: str) -> None:
    module = load("helpdesk/helpdesk_shop.py")
    items = [{"sku": "HARBOUR-LAMP", "quantity": quantity}]
    with pytest.raises(module.ToolError, match=error):
        module.Shop().refund("LM-1001", items=items, amount=amount, reason="damaged")


class TestGraders:
    """The example's own checks."""

    @pytest.mark.parametrize(
        ("response", "config", "reason"),
        [
            ("Your lamp is on its way.", {}, None),
            ("one " * 30, {}, None),
            ("one " * 31, {}, "31 words, expected 1 to 30"),
            ("one two", {"max_words": 1}, "2 words, expected 1 to 1"),
            ("", {}, "0 words, expected 1 to 30"),
            ("I can refund WICK-SET.", {}, "the stock code WICK-SET means nothing to a customer"),
            ("LM-1001 is on its way.", {}, None),
        ],
        ids=["short", "just-short-enough", "too-long", "own-limit", "empty", "stock-code", "order-number"],
    )
    def test_plain_language(
        self, load: Load, response: str, config: dict[str, Any], reason: str | None
    ) -> None:
        grader = load("helpdesk/helpdesk_graders.py").plain_language
        result = grader(GraderContext(turn_input="?", agent_response=response, turn_config=config))
        assert (result.score, result.reason) == ((1, "short and plain") if reason is None else (0, reason))

    @pytest.mark.parametrize(
        ("response", "score", "missing"),
        [("Red and BLUE", 1, []), ("red", 0.5, ["blue"]), ("green", 0, ["red", "blue"])],
        ids=["all", "half", "none"],
    )
    def test_mentions(self, load: Load, response: str, score: float, missing: list[str]) -> None:
        grader = load("helpdesk/helpdesk_graders.py").mentions
        context = GraderContext(
            turn_input="?", agent_response=response, turn_config={"mentions": ["red", "blue"]}
        )
        result = grader(context)
        assert (result.score, result.details) == (score, {"missing": missing})

    @pytest.mark.parametrize(
        ("asked", "called", "answered", "verdict"),
        [
            ("Where is LM-1001?", "LM-1001", "LM-1001 is here.", True),
            ("where is lm 1001?", "LM-1001", "LM-1001 is here.", True),
            ("Where is LM-1001?", "LM-1001", "LM-1002 is here.", False),
            ("Where is it?", None, "LM-1000 is here.", True),
            ("Where is it?", None, "It is here.", True),
        ],
        ids=["asked-for", "looked-up", "invented", "from-the-turn-before", "no-order"],
    )
    async def test_no_invented_orders(
        self, load: Load, asked: str, called: str | None, answered: str, verdict: bool
    ) -> None:
        grader = load("helpdesk/helpdesk_graders.py").no_invented_orders
        calls = (ToolCall("look_up_order", {"order_id": called}),) if called else ()
        before = GraderContext(turn_input="LM-1000, please", agent_response="Yes?")
        context = GraderContext(
            turn_input=asked, agent_response=answered, tool_invocations=calls, previous_turns=(before,)
        )
        assert await grader(context) is verdict
