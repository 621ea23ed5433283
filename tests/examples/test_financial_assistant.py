"""The financial assistant, run by Semantic Kernel against a server that plays the model: its suite passes with the
right answers, and says what is wrong with wrong ones."""

import copy
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from openai_server.fixture import OpenAIServer

from holodeck_core import ConfigError, GraderContext, TestReport, ToolCall, load_suite, run_suite_sync

Script = dict[str, list[Any]]
Load = Callable[[str], ModuleType]

TARN, BRACKWATER, QUILLFEATHER = "Tarn & Wick Lighting", "Brackwater Ferries", "Quillfeather Paper"


def lookup(company: str, item: str, year: int | None = None) -> dict[str, Any]:
    args = {"company": company, "item": item, "year": year}
    return {"name": "lookup", "args": {key: value for key, value in args.items() if value is not None}}


def subtract(a: float, b: float) -> dict[str, Any]:
    return {"name": "subtract", "args": {"a": a, "b": b}}


def divide(a: float, b: float) -> dict[str, Any]:
    return {"name": "divide", "args": {"a": a, "b": b}}


# For each message what a good model does: the calls of each completion, then the answer.
RIGHT: Script = {
    "What was the revenue of Tarn & Wick Lighting in 2024?": [
        [lookup(TARN, "revenue", 2024)],
        "It was 21,177 thousand.",
    ],
    "And in the year before?": [[lookup("tarn", "Revenue", 2023)], "It was 19,608 thousand."],
    "So by how much did it grow?": [[subtract(21177, 19608)], "By 1,569 thousand."],
    "What is that in percent of the earlier figure?": [[divide(1569, 19608)], "That is 8.0%."],
    "How much did Brackwater Ferries spend on fuel in 2023?": [
        [lookup(BRACKWATER, "fuel costs")],
        "27.1 million.",
    ],
    "How much more was that than in 2022?": [[subtract(27.1, 22.6)], "4.5 million more."],
    "By what share did it rise?": [[divide(4.5, 22.6)], "By 19.9%."],
    "What did Tarn & Wick Lighting pay for the move to its new foundry, in thousands?": [
        [lookup(TARN, "new foundry cost", 2024)],
        "The move cost 412 thousand.",
    ],
    "And what was its operating income that year?": [
        [lookup(TARN, "operating income", 2024)],
        "2,753 thousand.",
    ],
    "What share of it is the cost of the move?": [[divide(412, 2753)], "15.0%"],
    "Net sales of Quillfeather Paper in 2023, please.": [
        [lookup(QUILLFEATHER, "net sales", 2023)],
        "4,812.5 thousand.",
    ],
    "And in 2024?": [[lookup(QUILLFEATHER, "net sales", 2024)], "4,610 thousand."],
    "What is the change from the one to the other?": [[subtract(4610, 4812.5)], "It is -202.5 thousand."],
    "In percent?": [[divide(-202.5, 4812.5)], "It is -4.2%."],
    "Remind me, what were the sales of the later year?": ["4,610 thousand."],
    "What passenger revenue did Brackwater Ferries have in 2024?": [
        [lookup(BRACKWATER, "passenger revenue")],
        "96.4 million.",
    ],
    "And freight?": [[lookup(BRACKWATER, "freight", 2024)], "33.0 million."],
    "How many times the one is the other?": [[divide(96.4, 33.0)], "It is 2.92 times as much."],
    "And the year before?": [
        [lookup(BRACKWATER, "passenger revenue", 2023), lookup(BRACKWATER, "freight revenue", 2023)],
        [divide(91.7, 29.8)],
        "It was 3.08 times as much.",
    ],
}


@pytest.fixture
def run(
    examples: Path, load: Load, openai_server: Callable[[dict[str, Any]], OpenAIServer], tmp_path: Path
) -> Callable[[Script], TestReport]:
    """Runs the suite with a model that does what stands in a script."""
    load("financial-assistant/finance_tools.py")  # and lets go of the example's modules after the test

    def run(script: Script) -> TestReport:
        turns = [
            {
                "user": user,
                "steps": [{"text": step} if isinstance(step, str) else {"calls": step} for step in steps],
            }
            for user, steps in script.items()
        ]
        server = openai_server({"models": ["small"], "turns": turns})
        environ = {"OPENAI_BASE_URL": server.endpoint, "OPENAI_MODEL": "small", "HOME": str(tmp_path)}
        suite = load_suite(examples / "financial-assistant" / "agent.yaml", environ=environ)
        assert suite.warnings == ()
        return run_suite_sync(suite)

    return run


def test_all_cases_pass_with_the_right_answers(
    run: Callable[[Script], TestReport], openai_server: Any
) -> None:
    report = run(RIGHT)
    assert (report.summary.passed, report.summary.failed) == (5, 0), [
        (result.errors, [turn.errors for turn in result.turns or ()]) for result in report.results
    ]
    assert [len(result.turns or ()) for result in report.results] == [4, 3, 3, 5, 4]
    assert all(turn.passed for result in report.results for turn in result.turns or ())


def test_without_a_key_nothing_is_sent_to_openai(examples: Path, load: Load, tmp_path: Path) -> None:
    load("financial-assistant/finance_tools.py")
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        load_suite(examples / "financial-assistant" / "agent.yaml", environ={"HOME": str(tmp_path)})


WRONG: dict[str, tuple[list[Any], str]] = {
    # message: what the model does instead, and what the report says of it
    "What was the revenue of Tarn & Wick Lighting in 2024?": (
        [[lookup(TARN, "revenue", 2023)], "It was 19,608 thousand."],
        "arg 'year': expected \"2024\" (fuzzy), got 2023",
    ),
    "So by how much did it grow?": (["By 1,569 thousand."], "nothing was calculated"),
    "What is that in percent of the earlier figure?": (
        [[divide(1569, 21177)], "That is 7.4%."],
        "calculated divide(1569, 21177), expected divide(subtract(21177, 19608), 19608)",
    ),
    "How much more was that than in 2022?": (
        [[subtract(22.6, 27.1)], "4.5 million more."],
        "calculated subtract(22.6, 27.1), expected subtract(27.1, 22.6)",
    ),
    "And what was its operating income that year?": (
        [[lookup(TARN, "operating income", 2024)], [subtract(2753, 0)], "2,753 thousand."],
        "subtract",
    ),
    "Remind me, what were the sales of the later year?": (
        [[lookup(QUILLFEATHER, "net sales", 2024)], "4,610."],
        "lookup",
    ),
    "And freight?": (
        [[lookup(BRACKWATER, "freight", 2024)], "29.8 million in 2023 and 33.0 in 2024."],
        "extract",
    ),
    "And the year before?": (
        [[divide(91.7, 29.8)], [lookup(BRACKWATER, "revenue", 2023)], "It was 3.08 times as much."],
        "expected 2 matching calls, got 1",
    ),
}


def test_every_wrong_turn_fails_and_no_other_does(run: Callable[[Script], TestReport]) -> None:
    report = run({**copy.deepcopy(RIGHT), **{user: steps for user, (steps, _) in WRONG.items()}})
    turns = [turn for result in report.results for turn in result.turns or ()]
    assert {turn.input for turn in turns if not turn.passed} == set(WRONG)
    for turn in turns:
        if not turn.passed:
            calls = [record["unmatched_reason"] for record in turn.arg_match_details or ()]
            told = "; ".join(map(str, (*calls, *(metric.reasoning for metric in turn.metric_results))))
            assert WRONG[turn.input][1] in told


def test_a_model_that_errs_and_tries_again_passes(run: Callable[[Script], TestReport]) -> None:
    again = {
        "And in the year before?": [
            [lookup(TARN, "revenue", 1999)],
            [{"name": "look_up", "args": {}}],
            [{"name": "lookup", "raw": '{"company": "tarn'}],
            *RIGHT["And in the year before?"],
        ],
        "By what share did it rise?": [[divide(4.5, 0)], *RIGHT["By what share did it rise?"]],
    }
    report = run({**RIGHT, **again})
    assert report.summary.failed == 0
    errors = [call.error for call in (report.results[0].turns or ())[1].tool_invocations]
    assert (
        errors[0]
        == "ValueError: the report of Tarn & Wick Lighting has no 1999; its years are 2022, 2023, 2024"
    )
    assert errors[-1] is None
    assert all(errors[:-1])


class TestTools:
    """The tools on their own."""

    @pytest.mark.parametrize(
        ("args", "found"),
        [
            ((TARN, "revenue", 2024), {"revenue": {"2024": 21177}}),
            (("tarn", "Operating Income"), {"operating income": {"2022": 2189, "2023": 2255, "2024": 2753}}),
            (
                (BRACKWATER, "revenue", 2022),
                {"passenger revenue": {"2022": 84.2}, "freight revenue": {"2022": 31.5}},
            ),
            (("brackwater", "cost of fuel", 2023), {"fuel": {"2023": -27.1}}),
        ],
    )
    def test_rows_of_a_table(self, load: Load, args: tuple[Any, ...], found: dict[str, Any]) -> None:
        assert load("financial-assistant/finance_tools.py").lookup(*args)["rows"] == found

    def test_sentences_of_the_text(self, load: Load) -> None:
        found = load("financial-assistant/finance_tools.py").lookup("Brackwater", "dividend")
        assert found["sentences"] == [
            "A dividend of GBP 6.5 million was paid for 2023, and one of GBP 7.0 million for 2024."
        ]

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            (
                ("", "revenue"),
                "there is no one company ''; there are Brackwater Ferries, Quillfeather Paper, Tarn",
            ),
            ((TARN, "profit"), "says nothing about 'profit'; its table has revenue, cost of goods sold, "),
            ((TARN, "revenue", 2030), "has no 2030; its years are 2022, 2023, 2024"),
        ],
    )
    def test_what_is_not_there_is_told(self, load: Load, args: tuple[Any, ...], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            load("financial-assistant/finance_tools.py").lookup(*args)


def calculated(*calls: tuple[str, float, float, float]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(name, {"a": a, "b": b}, result=result) for name, a, b, result in calls)


GROWTH = "subtract(21177, 19608); divide(#0, 19608)"


class TestSameProgram:
    """Programs are the same where they have the same value, whatever the figures are."""

    @pytest.fixture
    def judge(self, load: Load) -> Callable[..., Any]:
        grader = load("financial-assistant/finance_graders.py").same_program

        def judge(program: str, *calls: Any, before: Any = ()) -> Any:
            previous = GraderContext(turn_input="?", agent_response="!", tool_invocations=calculated(*before))
            return grader(
                GraderContext(
                    turn_input="?",
                    agent_response="!",
                    tool_invocations=(ToolCall("lookup", {}), *calculated(*calls)),
                    turn_config={"program": program},
                    previous_turns=(previous,),
                )
            )

        return judge

    @pytest.mark.parametrize(
        ("calls", "before"),
        [
            ([("subtract", 21177, 19608, 1569), ("divide", 1569, 19608, 0.0800183598531212)], []),
            (
                [
                    ("divide", 21177, 19608, 1.080018359853121),
                    ("subtract", 1.080018359853121, 1, 0.0800183598),
                ],
                [],
            ),
            ([("divide", 1569, 19608, 0.0800183598531212)], [("subtract", 21177, 19608, 1569)]),
            ([("divide", 1569.0, 19608, 0.0800183598531212)], [("subtract", 21177, 19608, 1569)]),
            ([("subtract", 5, 3, 2), ("subtract", 21177, 19608, 1569), ("divide", 1569, 19608, 0.08)], []),
        ],
        ids=["as-written", "ratio-less-one", "from-the-turn-before", "as-a-float", "after-a-detour"],
    )
    def test_the_same(self, judge: Callable[..., Any], calls: list[Any], before: list[Any]) -> None:
        assert judge(GROWTH, *calls, before=before).score == 1

    @pytest.mark.parametrize(
        ("calls", "reason"),
        [
            ([], "nothing was calculated, expected divide(subtract(21177, 19608), 19608)"),
            ([("subtract", 21177, 19608, 1569)], "calculated subtract(21177, 19608), expected divide("),
            ([("divide", 1569, 19608, 0.08)], "calculated divide(1569, 19608), expected divide(subtract("),
            (
                [("subtract", 19608, 21177, -1569), ("divide", -1569, 19608, -0.08)],
                "calculated divide(subtract(19608",
            ),
            ([("subtract", 21177, 19608, 1569), ("divide", 1569, 21177, 0.07)], "21177), expected divide("),
        ],
        ids=["nothing", "half-of-it", "a-figure-from-nowhere", "operands-swapped", "another-base"],
    )
    def test_another(self, judge: Callable[..., Any], calls: list[Any], reason: str) -> None:
        result = judge(GROWTH, *calls)
        assert result.score == 0
        assert reason in result.reason

    def test_signs_go_with_their_figures(self, judge: Callable[..., Any]) -> None:
        assert judge("subtract(27.1, 22.6)", ("subtract", -22.6, -27.1, 4.5)).score == 1
        assert judge("subtract(27.1, 22.6)", ("subtract", -27.1, -22.6, -4.5)).score == 0

    @pytest.mark.parametrize("program", ["", "subtract(1)", "multiply(1, 2)", "divide(1, 2); and more"])
    def test_a_program_that_cannot_be_read_is_told(self, judge: Callable[..., Any], program: str) -> None:
        with pytest.raises(ValueError, match=r"turn_config\.program cannot be read"):
            judge(program, ("subtract", 2, 1, 1))

    def test_any_growth_rate_is_found_in_both_its_forms(self, judge: Callable[..., Any]) -> None:
        figures = random.Random(3)
        for _ in range(20):
            old, new = figures.randint(2, 10**6), figures.randint(10**6, 10**7)
            ratio = float(Fraction(new, old))
            calls = [("divide", new, old, ratio), ("subtract", ratio, 1, ratio - 1)]
            assert judge(f"subtract({new}, {old}); divide(#0, {old})", *calls).score == 1
