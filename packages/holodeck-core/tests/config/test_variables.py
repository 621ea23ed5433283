"""`${NAME}` in files: what is replaced and where, what is a mistake, and that what a variable holds is never told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holodeck_core import ConfigError, Suite, load_suite
from holodeck_core.config.settings.env_file import read_env_file
from holodeck_core.config.settings.variables import VariableMistakes, escape_in_text, replace_in_text

VALUES = {"NAME": "value", "_x9": "low", "EMPTY": "", "NEST": "${NAME}", "BRACE": "}", "LINES": "a\nb: c"}

REPLACED = [
    ("${NAME}", "value"),
    ("a ${NAME} b ${_x9}", "a value b low"),
    ("${NAME}${NAME}", "valuevalue"),
    ("${UNSET:-default}", "default"),
    ("${UNSET:-}", ""),
    ("${UNSET:- two words }", " two words "),
    ("${UNSET:-a:-b-c}", "a:-b-c"),
    ("${UNSET:-{x}}", "{x}"),
    ("${UNSET:-$}${NAME}", "$value"),
    ("${UNSET:-a\nb}", "a\nb"),
    ("${NAME:-default}", "value"),
    ("${EMPTY}", ""),
    ("${EMPTY:-default}", "default"),
    ("${NEST}", "${NAME}"),
    ("${BRACE}", "}"),
    ("$${NAME}", "${NAME}"),
    ("$${", "${"),
    ("$${}", "${}"),
    ("$$${NAME}", "$${NAME}"),
    ("$${${NAME}}", "${value}"),
    ("$5", "$5"),
    ("$NAME", "$NAME"),
    ("$$NAME", "$$NAME"),
    ("$", "$"),
    ("{NAME}", "{NAME}"),
    ("$ {NAME}", "$ {NAME}"),
    ("Cost is $5 and ${NAME}, use $${LITERAL}", "Cost is $5 and value, use ${LITERAL}"),
]


@pytest.mark.parametrize(("text", "replaced"), REPLACED, ids=[row[0] for row in REPLACED])
def test_variables_are_replaced_in_a_text(text: str, replaced: str) -> None:
    assert replace_in_text(text, VALUES) == replaced


MISTAKES = [
    ("${UNSET}", ["UNSET"], []),
    ("${UNSET} ${NAME} ${OTHER} ${UNSET}", ["UNSET", "OTHER"], []),
    ("${name}", ["name"], []),
    ("${}", [], ["`${}` names no variable"]),
    ("${ }", [], ["`${}` names no variable"]),
    ("${a b}", [], ["does not hold the name of a variable"]),
    ("${ NAME }", [], ["does not hold the name of a variable"]),
    ("${9a}", [], ["does not hold the name of a variable"]),
    ("${ñ}", [], ["does not hold the name of a variable"]),
    ("${NAME", [], ["has no closing `}`"]),
    ("${NAME:-a", [], ["has no closing `}`"]),
    ("${", [], ["has no closing `}`"]),
    ("${NAME-default}", [], ["with a default ${NAME:-default}"]),
    ("${NAME:default}", [], ["with a default ${NAME:-default}"]),
    ("${NAME:?why}", [], ["with a default ${NAME:-default}"]),
    ("${NAME:=a}", [], ["with a default ${NAME:-default}"]),
    ("${UNSET:-${NAME}}", [], ["a default cannot hold a variable"]),
    ("${NAME:-${NAME}}", [], ["a default cannot hold a variable"]),
    ("one\ntwo ${}", [], ["(line 2 of the text)"]),
    ("${UNSET} ${} ${", ["UNSET"], ["names no variable", "no closing"]),
    ("${BYTES}", [], ["BYTES holds bytes that are not UTF-8"]),
]


@pytest.mark.parametrize(("text", "missing", "messages"), MISTAKES, ids=[row[0] for row in MISTAKES])
def test_every_mistake_in_a_text_is_told(text: str, missing: list[str], messages: list[str]) -> None:
    with pytest.raises(VariableMistakes) as caught:
        replace_in_text(text, {**VALUES, "BYTES": "a\udcffb"})
    assert caught.value.missing == missing
    assert len(caught.value.messages) == len(messages)
    for message, part in zip(caught.value.messages, messages, strict=True):
        assert part in message


@pytest.mark.parametrize("text", ["${}", "${a b}", "${NAME", "${NAME-a}"])
def test_a_malformed_variable_is_told_with_the_escape(text: str) -> None:
    with pytest.raises(VariableMistakes, match=r"for a literal \$\{ write \$\$\{"):
        replace_in_text(text, VALUES)


dollars = st.text(alphabet="${}:-AB \n", max_size=20)


@given(st.one_of(st.text(), dollars), st.dictionaries(st.sampled_from("AB"), st.text()))
@example("$${", {})
@example("$$${A}", {"A": "b"})
def test_replacing_undoes_escaping(text: str, values: dict[str, str]) -> None:
    assert replace_in_text(escape_in_text(text), values) == text


@given(st.one_of(st.text(), dollars).filter(lambda text: "${" not in text))
def test_a_text_without_a_variable_is_unchanged(text: str) -> None:
    assert replace_in_text(text, VALUES) == text


@given(dollars, st.text(alphabet="${}AB", max_size=5))
def test_what_was_put_in_is_not_looked_at_again(text: str, value: str) -> None:
    before, after = escape_in_text(text).removesuffix("$"), escape_in_text(text)
    assert (
        replace_in_text(f"{before}.${{A}}{after}", {"A": value}) == f"{text.removesuffix('$')}.{value}{text}"
    )


# In files.

HEAD = "name: agent\nmodel: {provider: scripted, replies: []}\n"

Load = Callable[..., Suite]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Writes the files and loads the agent, with a few variables and nothing of the user's."""

    def load(
        agent: str, environ: Mapping[str, str] | None = None, name: str = "agent.yaml", **files: str
    ) -> Suite:
        (tmp_path / name).write_text(agent, encoding="utf-8")
        for other, text in files.items():
            (tmp_path / other.replace("__", ".")).write_text(text, encoding="utf-8")
        return load_suite(tmp_path / name, environ=VALUES if environ is None else environ)

    return load


def problems(load: Load, agent: str, environ: Mapping[str, str] | None = None, **files: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(agent, environ, **files)
    return [
        problem.headline().replace(f"{Path(problem.file).parent}/", "", 1)
        if problem.file
        else problem.headline()
        for problem in caught.value.problems
    ]


def inputs(suite: Suite) -> list[str]:
    return [case.turns[0].message.text for case in suite.cases]


@pytest.mark.parametrize("provider_name", ["agent.yaml", "agent.json"])
def test_values_of_an_agent_file_are_replaced_and_stay_text(load: Load, provider_name: str) -> None:
    agent = {
        "name": "${NAME}",
        "description": "${LINES}",
        "model": {"provider": "scripted", "temperature": "${T:-0.5}", "replies": [{"reply": "${NAME}"}]},
        "execution": {"retries": "${R:-5}"},
        "test_cases": [
            {
                "input": "${N}",
                "tags": ["${NAME}"],
                "expected_tools": [{"name": "f", "args": {"a": "${N}", "${N}": 1}}],
            }
        ],
    }
    suite = load(json.dumps(agent), {**VALUES, "N": "5"}, provider_name)
    assert suite.agent.name == "value"
    assert suite.agent.description == "a\nb: c"
    assert suite.agent.model.temperature == 0.5
    assert suite.agent.execution.retries == 5
    [case] = suite.cases
    assert case.tags == ("value",)
    assert case.turns[0].message.text == "5"
    assert case.turns[0].tools is not None
    assert case.turns[0].tools.expectations is not None
    assert case.turns[0].tools.expectations[0].args_asserted == {"a": "5", "${N}": 1}


@pytest.mark.parametrize("written", [r'"\x24{NAME}"', r'"\u0024{NAME}"', r'"$\x7bNAME}"', '"$\\\n{NAME}"'])
def test_an_escape_of_the_file_does_not_hide_a_variable(load: Load, written: str) -> None:
    assert inputs(load(f"{HEAD}test_cases: [{{input: {written}}}]\n")) == ["value"]


def test_own_keys_are_left_alone_until_they_are_aliased(load: Load) -> None:
    suite = load(
        HEAD + "x-own: {a: '${UNSET}', b: &b {input: '${NAME}'}}\ntest_cases: [*b, {<<: *b, name: c}]\n"
    )
    assert inputs(suite) == ["value", "value"]


def test_what_is_missing_in_several_places_by_aliases_is_told_once(load: Load) -> None:
    found = problems(load, HEAD + "x-own: &b\n  input: '${UNSET}'\ntest_cases: [*b, *b, *b]\n")
    assert len(found) == 1
    assert found[0].startswith(
        "agent.yaml:4:10: test_cases[0].input: the variable UNSET is not set: set it, or write"
    )


@pytest.mark.parametrize(
    "model",
    [
        "{provider: scripted, replies: [], api_key: '${UNSET}'}",
        '{provider: scripted, replies: [], api_key: "${UNSET}"}',
        "\n  provider: scripted\n  replies: []\n  api_key: ${UNSET}",
    ],
)
def test_a_variable_that_is_missing_in_a_secret_is_told_by_its_name(load: Load, model: str) -> None:
    [found] = problems(load, f"name: agent\nmodel: {model}\n")
    assert "the variable UNSET is not set: set it, or write a default, ${UNSET:-…}" in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cases__yaml", "[{input: 'a ${UNSET} ${} $${'}]"),
        ("cases__json", '[{"input": "a ${UNSET} ${} $${"}]'),
        ("cases__jsonl", '{"input": "a ${UNSET} ${} $${"}\n'),
    ],
)
def test_nothing_is_replaced_in_a_file_of_cases(load: Load, name: str, text: str) -> None:
    suite = load(f"{HEAD}test_cases_file: {name.replace('__', '.')}\n", **{name: text})
    assert inputs(suite) == ["a ${UNSET} ${} $${"]


def test_nothing_is_replaced_in_a_recording(load: Load) -> None:
    messages = [{"role": "user", "content": "a ${UNSET}"}, {"role": "assistant", "content": "${NAME}"}]
    suite = load(
        "name: a\nmodel: {provider: replay, file: r.jsonl}\ntest_cases: [{name: c, input: 'a $${UNSET}'}]\n",
        r__jsonl=json.dumps({"id": "c", "messages": messages}) + "\n",
    )
    assert inputs(suite) == ["a ${UNSET}"]


def test_mistakes_are_gathered_with_their_places_and_with_all_others(load: Load) -> None:
    found = problems(
        load,
        """\
name: ${HD_UNSET}
model:
  provider: scripted
  replies: []
  temperature: ${HD_TEMP} ${}
instructions: {inline: "Cost is $5 and ${HD_UNSET}, use $${LITERAL}"}
test_cases:
  - {input: a, inptu: b}
  - {input: "${NAM}"}
""",
    )
    assert [line.split(" is not set")[0].split("; for a literal")[0] for line in found] == [
        "agent.yaml:1:7: name: the variable HD_UNSET",
        "agent.yaml:5:16: model.temperature: the variable HD_TEMP",
        "agent.yaml:5:16: model.temperature: `${}` names no variable",
        "agent.yaml:6:24: instructions.inline: the variable HD_UNSET",
        found[4],
        "agent.yaml:9:13: test_cases[1].input: the variable NAM",
    ]
    assert "agent.yaml:8:16: test_cases[0].inptu: " in found[4]
    assert found[5].endswith('did you mean "NAME"?')


@pytest.mark.parametrize(
    "text",
    [
        "execution: {retries: '${UNSET}', tool_order: in_order}",
        "execution: {tool_order: '${UNSET}'}",
        "test_cases_file: ${UNSET}.yaml",
        "evaluations: {metrics: [{type: code, grader: '${UNSET}:f'}]}",
        "evaluations: {metrics: [{type: '${UNSET}'}]}",
        "test_cases: [{input: a, expected_tools: [{name: f, args: {a: {regex: '(${UNSET}'}}}]}]",
    ],
)
def test_what_only_follows_from_a_missing_variable_is_not_told(load: Load, text: str) -> None:
    [found] = problems(load, HEAD + text)
    assert "UNSET is not set" in found


# What a variable holds is never told.

SECRETS = {
    "plain": "sk-test-not-real-123",
    "short": "x7",
    "four": "pa55",
    "long": "sk-" + "Abc9-Defg8" * 40,
    "quotes": 'it\'s "quoted" \\ twice',
    "lines": "-----BEGIN KEY-----\nMIIEvQ+not+real\n-----END KEY-----\n",
    "unseen": "tab\there\x1b[31mred\u200bzero",
    "spaces": "  padded   inside  ",
    "letters": "ключ-секрет-ü",
}

PLACES = [
    "model: {provider: scripted, replies: [], temperature: '${SECRET}'}",
    "model: {provider: scripted, replies: [], top_p: 'a${SECRET}b'}",
    "model: {provider: '${SECRET}'}",
    "model: {provider: scripted, replies: '${SECRET}'}",
    "execution: {tool_order: '${SECRET}'}",
    "execution: {retries: 'Bearer ${SECRET} and more, much more, so that it is cut in the middle'}",
    "execution: {llm_timeout: '${SECRET}'}",
    "test_cases_file: '${SECRET}.yaml'",
    "test_cases_file: '${SECRET}'",
    "tools: [{name: a, type: '${SECRET}'}]",
    "tools: [{name: '${SECRET}', type: prompt, template: a}, {name: '${SECRET}', type: prompt, template: a}]",
    "evaluations: {metrics: [{type: '${SECRET}'}]}",
    "evaluations: {metrics: [{type: standard, metric: '${SECRET}'}]}",
    "evaluations: {metrics: [{type: code, grader: '${SECRET}'}]}",
    "evaluations: {metrics: [{type: code, grader: '${SECRET}:${SECRET}'}]}",
    "test_cases: [{name: '${SECRET}', input: a, inptu: b}]",
    "test_cases: [{input: a, expected_tools: [{name: f, args: {a: {regex: '${SECRET}('}}}]}]",
    "test_cases: [{input: a, expected_tools: [{name: f, args: {a: {type: '${SECRET}'}, b: {regexp: a}}}]}]",
    "plugins: {required: ['${SECRET}']}",
    "plugins: {aliases: {a: '${SECRET}'}}",
    "plugins: {disabled: ['${SECRET}', core]}",
]


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("place", PLACES)
def test_what_a_variable_holds_is_in_no_message(load: Load, place: str, secret: str) -> None:
    head = "name: agent\n" if place.startswith("model") else HEAD
    with pytest.raises(ConfigError) as caught:
        load(head + place, {"SECRET": secret})
    told = str(caught.value)
    pieces = {secret, secret.strip(), json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
    if len(secret) < 4:
        pieces = {f"'{secret}'", f'"{secret}"', f"`{secret}`"}
    elif len(secret) > 40:
        pieces |= {secret[:8], secret[-8:], *secret.splitlines()}
    assert [piece for piece in pieces if piece in told] == []


def test_a_variable_shows_as_it_is_written(load: Load) -> None:
    [found] = problems(load, HEAD + "execution: {retries: 'no ${NAME}'}")
    assert 'got the text "no ${NAME}"' in found


def test_a_short_value_is_hidden_where_it_is_quoted(load: Load) -> None:
    found = problems(load, HEAD + "execution: {tool_order: '${N}', retries: -1}", {"N": "1"})
    assert [line.rpartition(", got ")[2] for line in found] == ['"${N}"', "-1"]


def test_keys_are_told_also_where_a_variable_holds_the_same_word(load: Load) -> None:
    [found] = problems(
        load, HEAD + "execution: {retries: many}\ndescription: ${WORD}\n", {"WORD": "execution"}
    )
    assert "execution.retries: " in found


def test_a_default_is_told_as_it_stands_in_the_file(load: Load) -> None:
    [found] = problems(load, HEAD + "execution: {retries: '${UNSET:-many}'}")
    assert 'got the text "many"' in found


def test_a_file_that_was_read_keeps_its_name(load: Load) -> None:
    [found] = problems(
        load, HEAD + "test_cases_file: ${CASES}\n", {"CASES": "cases.yaml"}, cases__yaml="[{}]"
    )
    assert found.startswith("cases.yaml:1:2: ")


# Files of variables.

ENV_FILE = [
    ("A=b", "b"),
    ("export A=b", "b"),
    ("  A = b  ", "b"),
    ("A=", ""),
    ("A=b c", "b c"),
    ("A=b # c", "b"),
    ("A=b#c", "b#c"),
    ("A=#c", "#c"),
    ("A= # c", ""),
    ("A=b=c", "b=c"),
    ("A=$B ${C}", "$B ${C}"),
    (r"A=b\nc", r"b\nc"),
    ("A='b # c'  # d", "b # c"),
    (r"A='b\n\\'", r"b\n\\"),
    ("A='b\nc'", "b\nc"),
    ('A="b \' c"', "b ' c"),
    (r'A="b\n\t\r\"\\\$\x"', 'b\n\t\r"\\$\\x'),
    ('A="b\nc"', "b\nc"),
    ('A=""', ""),
    ("A=it's", "it's"),
    ("# A=c\n\n  # more\nA=b\n", "b"),
    ("A=b\r\nB=c\r\n", "b"),
    ("\ufeffA=b", "b"),
    ("B='x'\nA=b", "b"),
]


@pytest.mark.parametrize(("text", "value"), ENV_FILE, ids=[repr(row[0]) for row in ENV_FILE])
def test_a_file_of_variables(tmp_path: Path, text: str, value: str) -> None:
    (tmp_path / ".env").write_text(text, encoding="utf-8", newline="")
    assert read_env_file(tmp_path / ".env")["A"].value == value


ENV_MISTAKES = [
    ("no =", "A=b\n  words", ["2:3: expected NAME=VALUE"]),
    ("a bad name", "A-B=c", ["1:1: expected NAME=VALUE"]),
    ("a digit first", "export 1=c", ["1:1: expected NAME=VALUE"]),
    ("an open quote", "A='s3cret\nB=c\n", ["1:3: the quote that begins the value of A is not closed"]),
    (
        "text behind a quote",
        "A='s3cret' s3cret\nB",
        ["1:11: only a comment may follow", "2:1: expected NAME="],
    ),
    ("twice", "A=s3cret\nB=c\nA=d", ["3:1: A is set twice (first in .env:1)"]),
    ("not UTF-8", b"A=s3cret\xff", ["1:9: byte 0xFF at offset 8 is not UTF-8"]),
    ("a control character", b"A=s3cret\x00", ["1:9: the file contains the control character U+0000"]),
]


@pytest.mark.parametrize(
    ("text", "messages"), [row[1:] for row in ENV_MISTAKES], ids=[row[0] for row in ENV_MISTAKES]
)
def test_mistakes_in_a_file_of_variables_have_their_place_and_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | bytes, messages: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ConfigError) as caught:
        read_env_file(Path(".env"))
    found = str(caught.value).splitlines()
    assert len(found) == len(messages)
    for line, message in zip(found, messages, strict=True):
        assert line.startswith(f".env:{message}")
    assert "s3cret" not in str(caught.value)


def load_with(tmp_path: Path, environ: dict[str, str], **options: Any) -> Suite:
    (tmp_path / "agent.yaml").write_text(HEAD.replace("agent", "${NAME:-none}"))
    (tmp_path / ".env").write_text("NAME=file")
    return load_suite(tmp_path / "agent.yaml", environ=environ, **options)


def test_the_environment_goes_before_the_file_of_variables(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    assert load_with(tmp_path, {"NAME": "process"}, env_file=file).agent.name == "process"
    assert load_with(tmp_path, {}, env_file=file).agent.name == "file"
    assert load_with(tmp_path, {"NAME": ""}, env_file=file).agent.name == "none"


def test_a_file_of_variables_is_read_only_when_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_with(tmp_path, {}).agent.name == "none"


def test_a_file_of_variables_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nothing.env: there is no such file|\.env"):
        load_with(tmp_path, {}, env_file=tmp_path / "nothing.env")


def test_the_environment_of_the_process_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HD_TEST_NAME", "from outside")
    (tmp_path / "agent.yaml").write_text(HEAD.replace("agent", "${HD_TEST_NAME}"))
    assert load_suite(tmp_path / "agent.yaml").agent.name == "from outside"
