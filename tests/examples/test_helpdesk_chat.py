"""A chat with the help desk becomes a test case that passes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

TALK = """\
Hello! Where is my order LM-1002?
And what did it cost?
Just the total as a number, please.
One of the wick sets in LM-1001 burned up. Can I have a refund?
Yes, please.
What share of the order is that?
Where are LM-1001 and LM-1002?
Where is LM-9999?
I want to talk to a manager.
Thanks a lot!
"""


@pytest.mark.parametrize("file", ["regression.yaml", "agent.yaml", "cases.jsonl"])
def test_ten_turns_that_are_exported_pass(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "helpdesk"
    shutil.copytree(ROOT / "examples" / "helpdesk", folder, ignore=shutil.ignore_patterns(".holodeck"))
    talk = f"{TALK}/export {file}\n"
    chatted = _holodeck(folder, "chat", "agent.yaml", text=talk)
    assert chatted.returncode == 0, chatted.stderr
    assert "exported 10 turns as the test case 'Hello! Where is my order LM-1002?'" in chatted.stdout
    if file == "cases.jsonl":
        agent = (folder / "agent.yaml").read_text()
        (folder / "agent.yaml").write_text(
            agent[: agent.index("\ntest_cases:")] + f"\ntest_cases_file: {file}\n"
        )
    tested = _holodeck(folder, "test", "agent.yaml" if file == "cases.jsonl" else file)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "PASS Hello! Where is my order LM-1002? (10 turns" in tested.stdout


def _holodeck(folder: Path, *args: str, text: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "holodeck_cli", *args],
        cwd=folder,
        env=environment,
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
