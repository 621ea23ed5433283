"""What a chat does not use is not imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """
import json, sys
from holodeck_cli.main import main
code = main(sys.argv[1:])
json.dump([code, sorted(sys.modules)], open("modules.json", "w"))
"""


def modules_after(folder: Path, *args: str) -> set[str]:
    (folder / "agent.yaml").write_text(
        "name: a\nmodel: {provider: scripted, replies: [{reply: hi}]}\n"
        "test_cases: [{input: hi, expected_tools: []}]\n"
    )
    subprocess.run(
        [sys.executable, "-c", PROBE, *args], cwd=folder, input=b"hello\n", capture_output=True, check=True
    )
    code, modules = json.loads((folder / "modules.json").read_text())
    assert code == 0
    return set(modules)


def test_the_help_of_chat_imports_nothing_heavy(tmp_path: Path) -> None:
    heavy = {"pydantic", "yaml", "asyncio", "rich", "prompt_toolkit", "semantic_kernel", "attrs"}
    assert modules_after(tmp_path, "chat", "--help") & heavy == set()


def test_a_chat_in_a_pipe_imports_nothing_of_terminals_and_tracing(tmp_path: Path) -> None:
    unused = {"rich", "prompt_toolkit", "opentelemetry", "semantic_kernel", "openai"}
    assert modules_after(tmp_path, "chat") & unused == set()


@pytest.mark.parametrize("args", [("test",), ("validate",), ("--help",)], ids=" ".join)
def test_other_commands_know_nothing_of_it(tmp_path: Path, args: tuple[str, ...]) -> None:
    modules = modules_after(tmp_path, *args)
    assert [name for name in modules if name.startswith(("holodeck_cli.chat", "prompt_toolkit"))] == []
