"""Files that a file names: instructions, the functions, prompts and sources of tools, the files of a turn."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from holodeck_core import ConfigError, Suite, load_suite

Load: TypeAlias = Callable[..., Suite]
ProblemsOf: TypeAlias = Callable[..., list[str]]
Write: TypeAlias = Callable[..., None]

HEAD = "name: a\nmodel: {provider: scripted, replies: []}\n"
FROM_FILE = HEAD + "instructions: {file: prompts/prompt.md}\n"


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes files of the given texts or bytes; modules among them are forgotten after the test."""

    def write(files: dict[str, str | bytes]) -> None:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())

    yield write
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def load(tmp_path: Path, write: Write) -> Load:
    """Loads an agent beside the files given."""

    def load(agent: str, **files: str | bytes) -> Suite:
        write({"agent.yaml": agent, **files})
        return load_suite(tmp_path / "agent.yaml")

    return load


@pytest.fixture
def problems_of(load: Load, tmp_path: Path) -> ProblemsOf:
    """The mistakes of an agent, each in one line, with file names as they are in the folder."""

    def problems_of(agent: str, **files: str | bytes) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            load(agent, **files)
        return [problem.headline().replace(f"{tmp_path}/", "") for problem in caught.value.problems]

    return problems_of


def prompt(text: str | bytes) -> dict[str, str | bytes]:
    return {"prompts/prompt.md": text}


# Instructions


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param("Be kind.\n", "Be kind.", id="as it stands"),
        pytest.param(
            "\n\n  Be kind.\n\nBe brief.\n\n", "  Be kind.\n\nBe brief.", id="blank lines at the ends"
        ),
        pytest.param(b"\xef\xbb\xbfBe kind.", "Be kind.", id="byte-order mark"),
        pytest.param("Be\r\nkind.\r\n", "Be\nkind.", id="carriage returns"),
        pytest.param("---\nversion: 2\ntags: [a]\n---\n\nBe kind.\n", "Be kind.", id="front matter"),
        pytest.param(
            b"\xef\xbb\xbf---\r\nversion: 2\r\n---\r\nBe kind.", "Be kind.", id="front matter of Windows"
        ),
        pytest.param("--- \n---\t\nBe kind.", "Be kind.", id="empty front matter"),
        pytest.param(
            "---\na: 1\n---\nBe kind.\n---\nBe brief.", "Be kind.\n---\nBe brief.", id="a rule further down"
        ),
        pytest.param("Be kind.\n---\na: 1\n---\n", "Be kind.\n---\na: 1\n---", id="not at the top"),
        pytest.param("\n---\nBe kind.", "---\nBe kind.", id="a rule below an empty line"),
        pytest.param("----\nBe kind.", "----\nBe kind.", id="four hyphens"),
        pytest.param("Say ${HOME} and {{ name }}", "Say ${HOME} and {{ name }}", id="nothing is replaced"),
    ],
)
def test_a_prompt_file_is_sent_without_its_front_matter(load: Load, content: str | bytes, text: str) -> None:
    instructions = load(FROM_FILE, **prompt(content)).agent.instructions
    assert instructions is not None
    assert (instructions.inline, instructions.file) == (text, None)


def test_inline_instructions_stay_as_they_stand(load: Load) -> None:
    instructions = load(
        HEAD + 'instructions: {inline: "---\\na: 1\\n---\\n Be kind.\\n"}\n'
    ).agent.instructions
    assert instructions is not None
    assert instructions.inline == "---\na: 1\n---\n Be kind.\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(
            "---\na: 1\nBe kind.",
            "prompts/prompt.md:1:1: this line begins front matter, and no other line `---` ends it",
            id="no end",
        ),
        pytest.param(
            "---\nBe kind.\n---\nBe brief.",
            "prompts/prompt.md:2:1: the front matter, between the lines `---`, must hold keys and values",
            id="text",
        ),
        pytest.param("---\n- a\n---\nBe kind.", "prompts/prompt.md:2:1: the front matter", id="a list"),
        pytest.param("---\na: 1\nb: [\n---\nBe kind.", "prompts/prompt.md:", id="no YAML"),
        pytest.param(
            "---\na: 1\na: 2\n---\nBe kind.", "prompts/prompt.md:3:1: a: duplicate key", id="a key twice"
        ),
        pytest.param(
            "---\na: 1\n---\n \n",
            "agent.yaml:3:22: instructions.file: the instructions are empty",
            id="front matter only",
        ),
        pytest.param("", "agent.yaml:3:22: instructions.file: the instructions are empty", id="empty"),
        pytest.param(b"Be\xff", "prompts/prompt.md:1:3: byte 0xFF at offset 2 is not UTF-8", id="no UTF-8"),
        pytest.param(
            "Be kind".encode("utf-16"),
            "agent.yaml:3:22: instructions.file: prompts/prompt.md: the file is UTF-16",
            id="UTF-16",
        ),
    ],
)
def test_a_mistake_in_a_prompt_file_is_told_with_its_place(
    problems_of: ProblemsOf, content: str | bytes, message: str
) -> None:
    [problem] = problems_of(FROM_FILE, **prompt(content))
    assert problem.startswith(message)


@pytest.mark.parametrize(
    ("instructions", "message"),
    [
        ("{inline: '  '}", "agent.yaml:3:24: instructions.inline: the instructions are empty"),
        (
            "{file: promt.md}",
            'agent.yaml:3:22: instructions.file: promt.md: there is no such file; did you mean "prompt.md"?',
        ),
        ("{file: folder}", "agent.yaml:3:22: instructions.file: folder: this is a folder, not a file"),
    ],
)
def test_instructions_that_cannot_be_had_are_told_where_they_are_named(
    problems_of: ProblemsOf, instructions: str, message: str
) -> None:
    files = {"prompt.md": "Be kind.", "folder/x": ""}
    assert [
        line.startswith(message) for line in problems_of(f"{HEAD}instructions: {instructions}\n", **files)
    ] == [True]


# Tools

GOOD = "def add(a: int, b: int) -> int:\n    return a + b\n\nnumber = 5\n\nclass Sums:\n    add = staticmethod(add)\n"


def tool(text: str) -> str:
    """The agent with one tool, which begins in column 9 of line 3."""
    return f"{HEAD}tools: [{{name: t, {text}}}]\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("type: function, module: good_tools, function: add", id="module"),
        pytest.param("type: function, module: good_tools, function: Sums.add", id="method"),
        pytest.param("type: function, module: json, function: dumps", id="installed module"),
        pytest.param("type: function, file: good_tools.py, function: add", id="file"),
        pytest.param("type: function, file: ./tools/deep_tools.py, function: both", id="file in a folder"),
        pytest.param("type: prompt, file: prompts/prompt.md", id="prompt"),
        pytest.param("type: vectorstore, source: prompts", id="source folder"),
        pytest.param("type: vectorstore, source: prompts/prompt.md", id="source file"),
        pytest.param("type: vectorstore, source: 'https://example.org/docs'", id="source elsewhere"),
        pytest.param("type: mcp, command: no-such-server", id="MCP servers are not started"),
    ],
)
def test_what_tools_refer_to_is_found_from_the_agent_file(load: Load, text: str) -> None:
    files = {
        "good_tools.py": GOOD,
        # A module finds what stands beside it, and what stands beside the agent file.
        "tools/deep_tools.py": "import beside_deep\nfrom good_tools import add\n\ndef both(): ...\n",
        "tools/beside_deep.py": "",
        **prompt("Be kind."),
    }
    before = list(sys.path)
    load(tool(text), **files)
    assert sys.path == before


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "type: function, module: no_such_tools, function: add",
            "agent.yaml:3:43: tools[0] \"t\".module: no module named 'no_such_tools', neither in",
            id="no such module",
        ),
        pytest.param(
            "type: function, module: broken_tools, function: add",
            "importing 'broken_tools' failed: ZeroDivisionError: division by zero (broken_tools.py:2)",
            id="a module that fails",
        ),
        pytest.param(
            "type: function, module: exiting_tools, function: add",
            "tools[0] \"t\".module: importing 'exiting_tools' failed: SystemExit",
            id="a module that exits",
        ),
        pytest.param(
            "type: function, module: panicking_tools, function: add",
            "tools[0] \"t\".module: importing 'panicking_tools' failed: BaseException: panic",
            id="a module that raises no Exception",
        ),
        pytest.param(
            "type: function, module: good_tools, function: ad",
            "agent.yaml:3:65: tools[0] \"t\".function: 'good_tools' (good_tools.py) has no 'ad'; did you mean \"add\"?",
            id="no such function",
        ),
        pytest.param(
            "type: function, module: good_tools, function: number",
            "tools[0] \"t\".function: 'number' is of type int, which cannot be called",
            id="no function",
        ),
        pytest.param(
            "type: function, module: moody_tools, function: add",
            "tools[0] \"t\".function: looking 'add' up in 'moody_tools' failed: RuntimeError: not today",
            id="a module that refuses",
        ),
        pytest.param(
            "type: function, file: god_tools.py, function: add",
            'agent.yaml:3:41: tools[0] "t".file: god_tools.py: there is no such file; did you mean "good_tools.py"?',
            id="no such file",
        ),
        pytest.param(
            "type: function, file: tools, function: add",
            'tools[0] "t".file: tools: this is a folder',
            id="a folder",
        ),
        pytest.param(
            "type: function, file: notes.txt, function: add",
            'tools[0] "t".file: notes.txt is not the file of a Python module',
            id="no Python",
        ),
        pytest.param(
            "type: function, file: two.dots.py, function: add",
            'tools[0] "t".file: two.dots.py is not the file of a Python module',
            id="a name that cannot be imported",
        ),
        pytest.param(
            "type: function, file: fractions.py, function: add",
            "tools[0] \"t\".file: fractions.py has the name of the standard library's module 'fractions'",
            id="hides the standard library",
        ),
        pytest.param(
            "type: function, file: both_tools.py, function: add",
            "both_tools/__init__.py is imported as 'both_tools', and hides both_tools.py: rename it",
            id="hidden by a package",
        ),
        pytest.param(
            "type: prompt, file: promt.md",
            'agent.yaml:3:39: tools[0] "t".file: promt.md: there is no such file',
            id="no such prompt",
        ),
        pytest.param(
            "type: prompt, file: blank.md",
            'tools[0] "t".file: blank.md: the file is empty',
            id="an empty prompt",
        ),
        pytest.param("type: prompt, file: latin.md", "latin.md:1:1: byte 0xE4", id="a prompt in Latin-1"),
        pytest.param(
            "type: vectorstore, source: nowhere",
            'agent.yaml:3:46: tools[0] "t".source: nowhere: there is no such file',
            id="no such source",
        ),
    ],
)
def test_a_tool_that_cannot_work_is_told_with_its_place(
    problems_of: ProblemsOf, text: str, message: str
) -> None:
    files = {
        "good_tools.py": GOOD,
        "broken_tools.py": "def add(a, b): return a + b\n1 / 0\n",
        "exiting_tools.py": "raise SystemExit(0)\n",
        "panicking_tools.py": "raise BaseException('panic')\n",
        "moody_tools.py": "def __getattr__(name): raise RuntimeError('not today')\n",
        "tools/deep_tools.py": "",
        "notes.txt": "",
        "two.dots.py": "",
        "fractions.py": GOOD,
        "both_tools.py": GOOD,
        "both_tools/__init__.py": GOOD,
        "blank.md": "\n",
        "latin.md": b"\xe4",
    }
    [problem] = problems_of(tool(text), **files)
    assert message in problem


def test_every_tool_is_looked_at(problems_of: ProblemsOf) -> None:
    agent = HEAD + (
        "tools:\n"
        "- {name: a, type: prompt, file: a.md}\n"
        "- {name: b, type: function, file: b.py, function: b}\n"
        "- {name: c, type: vectorstore, source: c}\n"
    )
    assert [line.split(":")[1] for line in problems_of(agent)] == ["4", "5", "6"]


def test_a_mistake_elsewhere_hides_nothing(problems_of: ProblemsOf) -> None:
    agent = (
        HEAD
        + "nmae: a\ninstructions: {file: a.md}\n"
        + "tools: [{name: a}, {name: b, type: prompt, file: b.md}]\n"
        + "test_cases: [{input: a, inptu: b, files: [{path: c.md, type: text}, 5]}]\n"
    )
    found = problems_of(agent)
    assert [line.split(": ")[1] for line in found] == [
        "nmae",
        "instructions.file",
        'tools[0] "a"',
        'tools[1] "b".file',
        "test_cases[0].inptu",
        "test_cases[0].files[0].path",
        "test_cases[0].files[1]",
    ]


def test_a_module_that_extends_the_path_keeps_what_it_added(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = list(sys.path)
    text = "import sys\nsys.path.append('/added')\n\ndef add(): ...\n"
    load(tool("type: function, file: path_tools.py, function: add"), **{"path_tools.py": text})
    assert sys.path == [*before, "/added"]


# Files of a turn


CASE_FILES = {
    "yaml": "- input: a\n  expected_tools: []\n  files: [{path: %s, type: text}]\n",
    "jsonl": '{"input": "a", "expected_tools": [], "files": [{"path": "%s", "type": "text"}]}\n',
}


@pytest.mark.parametrize("kind", list(CASE_FILES))
def test_a_file_of_a_turn_is_found_from_the_file_that_names_it(load: Load, tmp_path: Path, kind: str) -> None:
    suite = load(
        f"{HEAD}test_cases_file: cases/cases.{kind}\n",
        **{f"cases/cases.{kind}": CASE_FILES[kind] % "data/note.txt", "cases/data/note.txt": "hi"},
    )
    [case] = suite.cases
    [file] = case.turns[0].message.files
    assert file.path == str(tmp_path / "cases/data/note.txt")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nte.txt", 'there is no such file; did you mean "note.txt"?'),
        ("data/x.txt", "the folder cases/data does not exist"),
        ("folder", "cases/folder: this is a folder, not a file"),
        ("note.txt/x", "there is no such file"),
        ("a" * 300, "the file cannot be reached: File name too long"),
    ],
)
@pytest.mark.parametrize("kind", list(CASE_FILES))
def test_a_file_of_a_turn_that_is_not_there_is_told_with_its_place(
    problems_of: ProblemsOf, kind: str, path: str, message: str
) -> None:
    files = {
        f"cases/cases.{kind}": CASE_FILES[kind] % path,
        "cases/note.txt": "",
        "cases/folder/x": "",
    }
    [problem] = problems_of(f"{HEAD}test_cases_file: cases/cases.{kind}\n", **files)
    line, column = (3, 18) if kind == "yaml" else (1, 57)
    assert problem.startswith(f"cases/cases.{kind}:{line}:{column}: ")
    assert "files[0].path: " in problem
    assert message in problem


def test_the_file_of_a_turn_deep_in_a_case_is_told_with_its_place(problems_of: ProblemsOf) -> None:
    files = "[{url: 'http://x', type: pdf}, {path: x, type: pdf}]"
    agent = HEAD + f"test_cases: [{{turns: [{{input: a}}, {{input: b, files: {files}}}]}}]\n"
    [problem] = problems_of(agent)
    assert problem.startswith(
        "agent.yaml:3:91: test_cases[0].turns[1].files[1].path: x: there is no such file"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_file_of_a_turn_is_not_opened(load: Load, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    load(HEAD + "test_cases: [{input: a, expected_tools: [], files: [{path: pipe, type: image}]}]\n")
