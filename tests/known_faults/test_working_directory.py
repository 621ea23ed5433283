"""Agents and graders that changed the working directory, and so what relative paths meant for the cases after them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Write: TypeAlias = Callable[..., Path]
Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

GRADER = """
import os

def leaves(turn):
    os.chdir("/")
    return True
"""

AGENT = """
import os
from pathlib import Path

class Agent:
    def send(self, message):
        os.chdir("/")
        return "".join(Path(file.path).read_text() for file in message.files)
"""

METRICS = {"metrics": [{"type": "code", "grader": "wandering:leaves"}]}
NOTED = [{"type": "standard", "metric": "equality"}]


def recording(name: str) -> str:
    messages = [{"role": "user", "content": name}, {"role": "assistant", "content": "ok"}]
    return json.dumps({"id": name, "messages": messages})


@pytest.mark.parametrize(
    ("agent", "files"),
    [
        (
            {
                "model": {"provider": "replay", "file": "said.jsonl"},
                "test_cases": [{"name": name, "input": name} for name in ("a", "b", "c")],
            },
            {"said.jsonl": "\n".join(map(recording, "abc"))},
        ),
        (
            {"model": {"provider": "python", "agent": "leaving:Agent"}, "test_cases_file": "cases.jsonl"},
            {"cases.jsonl": "\n".join(json.dumps({"name": name, "input": name}) for name in "abc")},
        ),
        (
            {
                "model": {"provider": "python", "agent": "leaving:Agent"},
                "test_cases": [
                    {
                        "input": name,
                        "files": [{"path": "note.txt", "type": "text"}],
                        "ground_truth": "noted",
                        "evaluations": NOTED,
                    }
                    for name in "abc"
                ],
            },
            {"note.txt": "noted"},
        ),
    ],
    ids=["recordings", "cases", "files"],
)
def test_relative_paths_are_those_of_the_start(
    write: Write, holodeck: Holodeck, tmp_path: Path, agent: dict[str, Any], files: dict[str, str]
) -> None:
    (tmp_path / "suite").mkdir()
    for name, text in files.items():
        (tmp_path / "suite" / name).write_text(text)
    (tmp_path / "suite" / "wandering.py").write_text(GRADER)
    (tmp_path / "suite" / "leaving.py").write_text(AGENT)
    write({"evaluations": METRICS, **agent}).rename(tmp_path / "suite" / "agent.yaml")
    done = holodeck("test", "suite/agent.yaml", "-o", "report.json")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["summary"]["passed"] == 3
    assert report["agent_config_path"] == "suite/agent.yaml"
    [run] = (tmp_path / "suite" / ".holodeck" / "runs").iterdir()
    assert json.loads((run / "run.json").read_text())["complete"] is True
    assert holodeck("report", "--run-dir", "suite/.holodeck/runs").returncode == 0


def test_an_annotation_stands_at_the_line_of_its_turn_wherever_an_agent_goes(
    write: Write, holodeck: Holodeck, tmp_path: Path
) -> None:
    (tmp_path / "suite").mkdir()
    (tmp_path / "suite" / "leaving.py").write_text(AGENT)
    write("""name: desk
model: {provider: python, agent: "leaving:Agent"}
evaluations: {metrics: [{type: standard, metric: equality}]}
test_cases:
  - turns:
      - input: a
      - {input: b, ground_truth: no}
""").rename(tmp_path / "suite" / "agent.yaml")
    done = holodeck(
        "test", "suite/agent.yaml", "--format", "github", GITHUB_WORKSPACE=str(tmp_path / "suite")
    )
    assert "::error file=agent.yaml,line=7," in done.stdout
