"""The agent file as a run keeps it: as written, and without a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from holodeck_core import load_suite

AGENT = """\
name: a
model:
  provider: scripted
  replies:
    - {reply: my key is sk-secret-123, calls: [{name: log_in, args: {pass_token: 98765, user: ada}}]}
  api_key: sk-secret-123
  endpoint: "${PLACE}"
test_cases: [{input: hi}]
"""


def test_secrets_are_masked_wherever_they_stand_and_variables_stay_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", "https://ada:pass@models.example")
    (tmp_path / "agent.yaml").write_text(AGENT)
    kept = load_suite(tmp_path / "agent.yaml").configuration
    assert "test_cases" not in kept
    assert kept["model"]["endpoint"] == "${PLACE}"
    assert kept["model"]["api_key"] == "[redacted]"
    [reply] = kept["model"]["replies"]
    assert reply["calls"][0]["args"] == {"pass_token": "[redacted]", "user": "ada"}
    assert "sk-secret" not in str(kept)
    assert "98765" not in str(kept)
