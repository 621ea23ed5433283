"""Secrets of the agent file that an agent repeats: nothing that a chat shows, keeps or exports has them."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Run: TypeAlias = Callable[..., Any]

KEY = "sk-Zq7:w/9+long enough"
FORMS = (KEY, base64.b64encode(KEY.encode()).decode(), "sk-Zq7%3Aw%2F9%2Blong%20enough")

AGENT = """
import base64
from urllib.parse import quote
from holodeck_core import TextDelta, ToolFinished, ToolStarted

class Agent:
    def __init__(self, api_key):
        self.key = api_key

    async def stream(self, message):
        if message.text == "fail":
            raise ValueError(f"refused: {self.key}")
        encoded = base64.b64encode(self.key.encode()).decode()
        for form in (self.key, encoded, quote(self.key, safe="")):
            for character in f"<{form}> ":
                yield TextDelta(character)
        half = len(self.key) // 2
        yield TextDelta(self.key[:half] + "\\x1b[31m\\u200b" + self.key[half:])
        yield ToolStarted("1", f"tool_{self.key}", {self.key: [self.key], "q": encoded})
        yield ToolFinished("1", {"deep": {self.key: self.key}})
        yield ToolStarted("2", "other", {}, raw_args=f"{{{self.key}")
        yield ToolFinished("2", None, f"no: {self.key}")
"""


@pytest.fixture
def leaking(tmp_path: Path) -> Path:
    (tmp_path / "leaking.py").write_text(AGENT)
    path = tmp_path / "agent.yaml"
    path.write_text(
        "name: desk\nmodel:\n  provider: python\n  agent: leaking:Agent\n"
        f'  api_key: "{KEY}"\nobservability: {{record_content: true}}\n'
    )
    return path


@pytest.mark.parametrize("args", [[], ["-v"], ["--observability"]], ids=" ".join)
def test_nothing_shown_has_them(piped: Run, leaking: Path, args: list[str]) -> None:
    done = piped("hi\nfail\n/history\n/tools\n", *args)
    assert done.returncode == 0
    shown = done.stdout + done.stderr
    assert [form for form in FORMS if form in shown or form.replace("/", "\\/") in shown] == []
    assert shown.count("[redacted]") > 8
    assert "<[redacted]> <[redacted]> <[redacted]> [redacted]" in done.stdout


def test_nothing_kept_has_them(piped: Run, leaking: Path, data: Path, tmp_path: Path) -> None:
    done = piped("hi\n/save kept\n/export cases.jsonl\n")
    assert done.returncode == 0
    assert "secrets in it are masked: a turn that has one cannot pass" in done.stderr
    for file in (data / "kept.json", tmp_path / "cases.jsonl"):
        text = file.read_text()
        assert [form for form in FORMS if form in text] == []
        assert re.search(r"\[redacted\]", text)
    assert "resumed 'kept': 2 messages" in piped("", "--resume", "kept").stdout
