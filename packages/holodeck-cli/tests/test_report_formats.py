"""Reports for CI: whatever an agent, a tool or a file said, they are well formed, and nothing of it is lost."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from markdown_it.token import Token

from holodeck_cli.reporters.github import GithubReporter
from holodeck_cli.reporters.json import JsonReporter
from holodeck_cli.reporters.junit import JunitReporter
from holodeck_cli.reporters.markdown import MAX_CHARACTERS, MarkdownReporter, code, code_block
from holodeck_cli.reporters.story import case_story, first_reason
from holodeck_cli.reporters.unique_names import UniqueNames
from holodeck_core import Reporter, TestReport, TestResult, TokenUsage
from holodeck_core.config.schema import report_schema
from holodeck_core.engine.repeats import Plan, status_of_case, summarize
from holodeck_core.models.cost import Cost


class Render(Protocol):
    def __call__(
        self,
        reporter: type[Reporter],
        results: Sequence[TestResult],
        *,
        complete: bool = True,
        cost: Cost | None = None,
    ) -> str: ...


MARK = "q7Z"
"""Stands in whatever an agent says here, and in nothing that a reporter says by itself."""

HOSTILE = [
    "# heading",
    "heading\n===",
    "```\n# out of the fence\n```",
    "``````````\n# out",
    "~~~\n# out\n~~~",
    "`a` ``b`` `",
    "| a | b |\n| - | - |\n| c | d |",
    "a \\| b \\\\| c |",
    "[link](https://example.org)",
    "![image](https://example.org/x.png)",
    "https://example.org and www.example.org",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</code></summary></details><h1>out</h1>",
    "</details>\n\n# out",
    "<!-- comment",
    "@everyone and user@example.org",
    "#123 and GH-1 and owner/repo#1",
    "[ref]: https://example.org\n\n[ref]",
    "- item\n  1. item\n> quote\n\n    code",
    "**bold** _em_ ~~gone~~ :smile:",
    "&lt;b&gt; &#64;user &amp;amp;",
    "]]> <![CDATA[ x ]]>",
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY y "z">]>&y;',
    "\x1b[31mred\x1b[0m \x00\x0b\ufffe\uffff",
    "half \ud835 of a character",
    "::error file=a,line=1::out\n::set-output name=x::y",
    "100% done%0A::error::out",
    "line\r\nline\rline\u2028line\x85line",
    "\u202eright to left\u2066\u200b\u00ad",
]
assert len(HOSTILE) == 30


def failing(text: str, *, name: str | None = None, turns: bool = True, index: int = 0) -> TestResult:
    """A case that failed, in which the text stands wherever an agent, a tool or a file can put one."""
    text = f"{MARK}{text}"
    call = {"name": text, "args": {text: [text, 1.5, None]}, "result": {text: text}, "error": text}
    evidence = {
        "tool_invocations": [call, {"name": "f", "raw_args": text}],
        "tools_matched": False,
        "arg_match_details": [{"tool": text, "unmatched_reason": text}],
        "nearest_calls": [{"detail": 0, "call": 0, "args": [text]}],
        "metric_results": [{"metric_name": text, "passed": False, "score": 0.0, "reasoning": text}],
        "errors": [text],
        "passed": False,
        "execution_time_ms": 1234,
        "grader_details": {text: {text: text}},
    }
    turn = {**evidence, "turn_index": 0, "input": text, "response": text}
    return TestResult.model_validate(
        {
            **evidence,
            "test_name": text if name is None else name,
            "test_input": text,
            "agent_response": text,
            "timestamp": datetime.now(UTC),
            "turns": [turn, {**turn, "turn_index": 1}] if turns else None,
            "source": f"{text}.yaml:3",
            "index": index,
        }
    )


def passing(name: str, **more: Any) -> TestResult:
    return TestResult(
        test_name=name, test_input="q", passed=True, execution_time_ms=1, timestamp=datetime.now(UTC), **more
    )


# What the readers of JUnit XML allow: for each element its attributes, those that must be there in capitals, and what
# may stand in it; the pattern is that of the times of a suite. Jenkins' xUnit plugin refuses a file with anything else.
RULES: dict[str, tuple[str, set[str]]] = {
    "testsuites": ("name time tests failures errors", {"testsuite"}),
    "testsuite": (
        "NAME TESTS FAILURES ERRORS group time skipped timestamp hostname id package file log url",
        {"properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": ("NAME time classname group", {"skipped", "error", "failure", "system-out", "system-err"}),
    "properties": ("", {"property"}),
    "property": ("NAME VALUE", set()),
    "failure": ("type message", set()),
    "error": ("type message", set()),
    "skipped": ("type message", set()),
    "system-out": ("", set()),
    "system-err": ("", set()),
}
SUITE_TIME = re.compile(r"[0-9]*\.[0-9]{3}")


def checked_junit(text: str) -> ElementTree.Element:
    """The root of a file that parses, and that the readers take."""
    root = ElementTree.fromstring(text.encode("utf-8"))
    assert root.tag == "testsuites"
    for element in root.iter():
        names, inside = RULES[element.tag]
        assert set(element.attrib) <= set(names.lower().split()), element.tag
        assert {name.lower() for name in names.split() if name.isupper()} <= set(element.attrib)
        assert {child.tag for child in element} <= inside
        assert element.tag not in ("testsuites", "testsuite") or SUITE_TIME.fullmatch(element.attrib["time"])
    [suite] = root
    cases = suite.findall("testcase")
    for what, tag in (("tests", None), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[what]) == len(
            [case for case in cases if tag is None or case.find(tag) is not None]
        )
    names = [(case.attrib["classname"], case.attrib["name"]) for case in cases]
    assert len(set(names)) == len(names)
    assert len({(group, " ".join(name.split())) for group, name in names}) == len(names)
    return root


DETAILS = re.compile(r"<details><summary>(failed|error|skipped|passed): <code>[^<>`\n]*</code></summary>\n")
GFM = MarkdownIt("gfm-like", {"html": True})
BLOCKS = {"paragraph", "table", "thead", "tbody", "tr", "th", "td"}


def tokens(markdown: str) -> Iterator[Token]:
    for token in GFM.parse(markdown):
        yield token
        yield from token.children or ()


def checked_markdown(text: str) -> list[Token]:
    """The tokens of a report in which nothing that was said is anything but code."""
    assert len(text) <= MAX_CHARACTERS
    found = list(tokens(text))
    for token in found:
        kind = token.type.removesuffix("_open").removesuffix("_close")
        match kind:
            case "code_inline" | "fence":
                continue
            case "html_block":
                assert DETAILS.fullmatch(token.content) or token.content == "</details>\n", token.content
            case "text":
                assert MARK not in token.content
            case _:
                assert kind in {*BLOCKS, "inline", "strong", "softbreak"}, (token.type, token.content)
    rows = [cell.type for cell in found if cell.type in ("tr_open", "td_open")]
    assert "".join("r" if kind == "tr_open" else "d" for kind in rows).lstrip("r").replace("rdddd", "") in (
        "",
        "dddd",
    )
    return found


COMMAND = re.compile(r"::(error|notice)(?: ([^:]*))?::(.*)\n")


def checked_github(text: str) -> list[tuple[str, dict[str, str], str]]:
    """The commands: each line is one, and it holds what was meant."""
    found = []
    for line in text.splitlines(keepends=True):
        command = COMMAND.fullmatch(line)
        assert command, line
        kind, properties, message = command.groups()
        pairs = dict(pair.split("=", 1) for pair in properties.split(",")) if properties else {}
        found.append((kind, {name: unquote(value) for name, value in pairs.items()}, unquote(message)))
    return found


def checked_json(text: str) -> None:
    """It is strict JSON, and what ``holodeck schema --report`` says."""
    report = json.loads(text, parse_constant=refuse)
    assert [error.message for error in REPORT.iter_errors(report)] == []


REPORT = Draft202012Validator(report_schema())


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is no JSON")


@pytest.mark.parametrize("text", HOSTILE, ids=[f"{text[:20]!a}" for text in HOSTILE])
@pytest.mark.parametrize("turns", [True, False], ids=["turns", "input"])
def test_what_an_agent_says_is_only_ever_text(text: str, turns: bool, render: Render) -> None:
    results = [failing(text, turns=turns), passing(f"{MARK}{text} too")]

    root = checked_junit(render(JunitReporter, results))
    [failure] = root.iter("failure")
    assert f"reply: {MARK}{text[:2].strip()}" in (failure.text or "") or "\\u" in (failure.text or "")

    found = checked_markdown(render(MarkdownReporter, results))
    [fence] = [token.content for token in found if token.type == "fence"]
    assert MARK in fence

    commands = checked_github(render(GithubReporter, results))
    assert [kind for kind, *_ in commands] == ["notice"] + ["error"] * (3 if turns else 1)
    assert all(MARK in message for _, _, message in commands[1:])

    checked_json(render(JsonReporter, results))


PIECES = [*"`|\\<>&*_[]()#@!:%~-= \n\r\t", "]]>", "\n\n", "http://a.b", "\ud835"]
TEXTS = (
    st.text(max_size=30)
    | st.sampled_from(HOSTILE)
    | st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=1, max_size=3), complete=st.booleans())
def test_whatever_is_said_the_reports_are_well_formed(
    texts: list[str], complete: bool, render: Render
) -> None:
    results = [failing(text, index=number, turns=bool(number % 2)) for number, text in enumerate(texts)]
    checked_junit(render(JunitReporter, results, complete=complete))
    checked_markdown(render(MarkdownReporter, results, complete=complete))
    checked_github(render(GithubReporter, results, complete=complete))
    checked_json(render(JsonReporter, results, complete=complete))


@example("a|b", True)
@example("a\\|b", True)
@example("a\\\\|b\\\\\\|c", True)
@example("`", True)
@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])).map(str.strip), st.booleans())
def test_code_shows_the_text_as_it_is(text: str, in_table: bool) -> None:
    written = code(text, in_table=in_table)
    document = f"| a |\n| - |\n| {written} |\n" if in_table else written
    shown = [token.content for token in tokens(document) if token.type == "code_inline"]
    doubled = re.sub(r"(\\+)\|", lambda found: found[0] if len(found[1]) % 2 == 0 else f"\\{found[0]}", text)
    assert [text.strip() for text in shown] == [doubled.strip() if in_table else text.strip()]


@given(st.lists(st.sampled_from([*"`~ a#<\n", "```", "\n```\n"]), max_size=12).map("".join))
def test_a_block_of_code_is_all_code(text: str) -> None:
    [block] = GFM.parse(code_block(text))
    assert (block.type, block.content) == ("fence", f"{text}\n")


def test_the_cases_of_a_suite_have_names_of_their_own() -> None:
    names = UniqueNames()
    given_names = ["same", "same", "other", "same [case 2]", "same", "same"]
    assert [names.of(name, index) for index, name in enumerate(given_names)] == [
        "same",
        "same [case 2]",
        "other",
        "same [case 2] [case 4]",
        "same [case 5]",
        "same [case 6]",
    ]


def test_junit_tells_errors_from_failures_and_sums_the_tokens(render: Render) -> None:
    usage = TokenUsage(prompt_tokens=3, completion_tokens=2, total_tokens=5)
    lost = passing("lost").model_copy(
        update={"passed": False, "status": "error", "errors": ["the session is lost"]}
    )
    left = passing("left out").model_copy(
        update={"passed": False, "status": "skipped", "errors": ["stopped"]}
    )
    results = [passing("fine", token_usage=usage), passing("too", token_usage=usage), lost, left]
    root = checked_junit(render(JunitReporter, results, complete=False))
    [suite] = root
    counts = {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "0", "errors": "1", "skipped": "1"}
    [error] = root.iter("error")
    assert error.attrib == {"message": "the session is lost", "type": "error"}
    properties = {each.attrib["name"]: each.attrib["value"] for each in root.iter("property")}
    assert (properties["total_tokens"], properties["complete"]) == ("10", "false")
    assert "holodeck_version" in properties
    assert suite.findtext("system-err") == "incomplete: 4 of 5 cases finished"


def repeated(*passed: bool, needed: float, text: str = "") -> TestResult:
    """A case that was run that often, of which that share had to pass; the text stands in whatever failed."""
    plan = Plan(len(passed), needed, all_repeats=True)
    statuses: list[Any] = ["passed" if each else "failed" for each in passed]
    status = status_of_case(plan, statuses)
    repeats = [
        passing("toss") if each else failing(f"{text}{number}", name="toss")
        for number, each in enumerate(passed)
    ]
    shown = repeats[statuses.index(status)]
    update = {
        "repeats": repeats,
        "repeat_summary": summarize(plan, statuses),
        "passed": status == "passed",
        "source": "agent.yaml:3",
    }
    return shown.model_copy(update=update)


RATE = "3/5 passed (60 %, 95 % interval 23–88 %), needs"


@pytest.mark.parametrize(("needed", "status"), [(0.8, "failed"), (0.5, "passed")])
def test_a_repeated_case_shows_its_rate_and_why_repeats_failed(
    needed: float, status: str, render: Render
) -> None:
    results = [repeated(True, False, True, True, False, needed=needed)]
    rate = f"{RATE} {100 * needed:g} %"

    root = checked_junit(render(JunitReporter, results))
    [told] = root.iter("failure" if status == "failed" else "system-out")
    for text in (told.text or "", render(MarkdownReporter, results)):
        assert rate in text
        for number in (1, 4):
            assert re.search(rf"^repeats\[{number}\] failed", text, re.MULTILINE)
            assert f"  - {MARK}{number}: {MARK}{number}\n" in text
        assert "repeats[0]" not in text
    found = checked_markdown(render(MarkdownReporter, results))
    assert sum(token.type == "tr_open" for token in found) == 2
    assert any(token.type == "code_inline" and rate in token.content for token in found)

    commands = checked_github(render(GithubReporter, results))
    assert {kind for kind, *_ in commands[1:]} == {"error" if status == "failed" else "notice"}
    assert [properties["title"] for _, properties, _ in commands[1:]] == [
        "toss, turns[0]",
        "toss, turns[1]",
        "toss",
    ]
    for _, _, message in commands[1:]:
        assert message.startswith(rate)
        assert "repeats[1]: " in message
        assert "repeats[4]: " in message


def test_the_first_reason_is_that_of_a_turn_of_a_repeat_or_of_the_case() -> None:
    turn = {"turn_index": 0, "input": "a", "passed": True, "execution_time_ms": 1}
    update = {"passed": False, "errors": ["not closed"], "turns": [turn]}
    of_the_case = TestResult.model_validate({**passing("toss").model_dump(), **update})
    assert first_reason(of_the_case) == "not closed"
    assert first_reason(failing("why", name="toss")) == f"{MARK}why"
    rate = "1/2 passed (50 %, 95 % interval 9–91 %), needs 50 %"
    assert first_reason(repeated(True, False, needed=0.5, text="why")) == f"{rate}: {MARK}why1"


def test_arguments_that_are_no_json_are_shown_as_they_came() -> None:
    assert f'  call: f "{MARK}raw" -> null' in list(case_story(failing("raw")))


def test_a_repeated_case_that_passed_every_time_is_no_news(render: Render) -> None:
    results = [repeated(True, True, needed=1)]
    [told] = checked_junit(render(JunitReporter, results)).iter("system-out")
    assert (told.text or "").startswith("2/2 passed (100 %, ")
    assert "toss" not in render(MarkdownReporter, results) + render(GithubReporter, results)


@pytest.mark.parametrize("text", HOSTILE, ids=[f"{text[:20]!a}" for text in HOSTILE])
def test_what_is_said_in_a_repeat_is_only_ever_text(text: str, render: Render) -> None:
    results = [repeated(True, False, needed=needed, text=text) for needed in (0.5, 1)]
    checked_junit(render(JunitReporter, results))
    checked_markdown(render(MarkdownReporter, results))
    checked_github(render(GithubReporter, results))
    checked_json(render(JsonReporter, results))


def test_every_report_has_the_tokens_and_what_they_cost(render: Render) -> None:
    usage = TokenUsage(
        prompt_tokens=1_200, completion_tokens=30, total_tokens=1_230, cache_read_tokens=800, partial=True
    )
    results = [passing("fine", token_usage=usage)]
    told = "tokens: at least 1,200 in (800 read from cache), 30 out"
    cost = Cost(unknown="no price is known for the model `x` | <b>y</b>")
    assert any(
        token.type == "code_inline" and told in token.content
        for token in checked_markdown(render(MarkdownReporter, results, cost=cost))
    )
    [(kind, _, message)] = checked_github(render(GithubReporter, results, cost=cost))
    assert (kind, message) == (
        "notice",
        f"1 passed, 0 failed in 1 ms\n{told}\ncost: unknown ({cost.unknown})",
    )
    for price, written in ((cost, "unknown"), (Cost(usd=0.000138), "0.000138")):
        root = checked_junit(render(JunitReporter, results, cost=price))
        properties = {each.attrib["name"]: each.attrib["value"] for each in root.iter("property")}
        assert (properties["cache_read_tokens"], properties["cost_usd"]) == ("800", written)
        assert (properties["complete"], properties["unchecked"]) == ("true", "0")
        report = TestReport.model_validate_json(render(JsonReporter, results, cost=price))
        assert report.summary.token_usage == usage
        assert report.summary.cost == price


def test_markdown_says_what_it_leaves_out(render: Render) -> None:
    results = [failing("x" * 3_000, name=f"case {number}") for number in range(400)]
    text = render(MarkdownReporter, results)
    found = checked_markdown(text)
    rows = sum(token.type == "tr_open" for token in found) - 1
    folded = sum(token.type == "fence" for token in found)
    assert 20 < rows < 400
    assert 2 < folded < rows
    assert f"{400 - rows} cases more did not pass, without a row" in text
    assert f"The details of {400 - folded} cases are left out" in text
    assert len(text) > 30_000


def test_the_rows_of_the_table_in_markdown_leave_no_case_out_between_two(render: Render) -> None:
    results = [failing("x", name=f"{number} {'-' * (150 if number % 2 else 1)}") for number in range(300)]
    rows = re.findall(r"^\| ` (\d+)", render(MarkdownReporter, results), re.MULTILINE)
    assert 20 < len(rows) < 300
    assert rows == [str(number) for number in range(len(rows))]


def test_one_failure_is_never_too_long(render: Render) -> None:
    text = render(MarkdownReporter, [failing("`|" * 40_000)])
    checked_markdown(text)
    assert "characters left out" in text


@pytest.mark.parametrize("said", ["A" * 1_000_000, "# x\n" * 200_000, "\U000e0041" * 20_000, "`|" * 40_000])
def test_however_much_was_said_the_details_say_why_and_where(said: str, render: Render) -> None:
    why = {"errors": ["the reason"], "source": "agent.yaml:3"}
    text = render(MarkdownReporter, [failing(said).model_copy(update=why)])
    [fence] = [token.content for token in checked_markdown(text) if token.type == "fence"]
    assert "- the reason\n" in fence
    assert fence.endswith("at agent.yaml:3\n")


def test_what_is_too_long_leaves_no_details_out_but_its_own(render: Render) -> None:
    results = [failing("`" * 40_000, name=f"long {number}") for number in range(9)]
    text = render(MarkdownReporter, [*results, failing("short", name="short")])
    found = checked_markdown(text)
    assert [token.content for token in found if token.type == "fence"][-1].count(f"reply: {MARK}short") == 2
    folded = sum(token.type == "fence" for token in found)
    assert f"The details of {10 - folded} case" in text


def test_a_table_that_is_short_leaves_its_room_to_the_details(render: Render) -> None:
    results = [failing("y" * 1_500, name=f"case {number}") for number in range(12)]
    text = render(MarkdownReporter, results)
    found = checked_markdown(text)
    [missing] = re.findall(r"The details of (\d+) cases", text)
    longest = max(len(token.content) for token in found if token.type == "fence")
    assert 12 - int(missing) == sum(token.type == "fence" for token in found)
    assert len(text) + longest > MAX_CHARACTERS - 1_000


def test_a_run_without_failures_is_a_line(render: Render) -> None:
    assert render(MarkdownReporter, [passing("fine")]) == "**1 passed, 0 failed in 1 ms** · ` desk `\n"
    assert render(GithubReporter, [passing("fine")]) == (
        "::notice title=holodeck test%3A desk::1 passed, 0 failed in 1 ms\n"
    )


def test_names_of_cases_in_the_summary_of_markdown_are_text(render: Render) -> None:
    text = render(MarkdownReporter, [failing("", name="<b> & `x` @you")])
    [summary] = re.findall(r"<code>(.*?)</code>", text)
    assert html.unescape(summary) == "<b> & `x` @you"


@pytest.mark.parametrize("reporter", [JunitReporter, MarkdownReporter, GithubReporter])
def test_results_are_read_one_by_one(reporter: type[Reporter], render: Render) -> None:
    alive: list[int] = []
    given_result = failing("x").model_dump()

    class Counted(TestResult):
        def model_post_init(self, context: Any) -> None:
            alive.append(1)

        def __del__(self) -> None:
            alive.pop()

    class Stream(Sequence[TestResult]):
        def __len__(self) -> int:
            return 60

        def __getitem__(self, index: Any) -> Any:
            if index >= 60:
                raise IndexError
            assert len(alive) <= 2
            return Counted.model_validate(given_result)

    assert render(reporter, Stream())


def test_an_annotation_points_to_the_line_of_the_turn(
    render: Render, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    cases = tmp_path / "sub" / "cases.yaml"
    cases.write_text("- name: one\n  turns:\n    - input: a\n    - input: b\n    - input: c\n")
    monkeypatch.chdir(tmp_path / "sub")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    turn = {"execution_time_ms": 1, "passed": False, "errors": ["why: 100%\nnot, so"]}
    turns = [
        {**turn, "turn_index": 0, "input": "a", "passed": True, "errors": []},
        {**turn, "turn_index": 1, "input": "b"},
        {**turn, "turn_index": 2, "input": "changed since"},
        {**turn, "turn_index": 3, "input": "d", "skipped": True},
    ]
    case = {"test_name": "one, two: three", "test_input": "a", "timestamp": datetime.now(UTC), "turns": turns}
    result = TestResult.model_validate(
        {**turn, **case, "index": 0, "source": "cases.yaml:1", "errors": ["closed"]}
    )
    text = render(GithubReporter, [result])
    assert text.splitlines()[1] == (
        "::error file=sub/cases.yaml,line=4,title=one%2C two%3A three%2C turns[1]::why: 100%25 not, so"
    )
    assert [(properties.get("line"), message) for _, properties, message in checked_github(text)[1:]] == [
        ("4", "why: 100% not, so"),
        ("1", "why: 100% not, so"),
        ("1", "closed"),
    ]
    cases.unlink()
    assert checked_github(render(GithubReporter, [result]))[1][1]["line"] == "1"
