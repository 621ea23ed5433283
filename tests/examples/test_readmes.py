"""What the READMEs of the examples show is what the examples do."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize("example", ["convfinqa", "airline"])
def test_the_data_that_is_shown_becomes_a_suite_that_passes(
    example: str,
    examples: Path,
    tmp_path: Path,
    convert: Callable[..., Path],
    holodeck_test: Callable[..., Any],
) -> None:
    [block] = re.findall(
        r"```json\n(.*?)```", (examples / example / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    record = json.loads(block)
    source = tmp_path / "source"
    source.write_text(json.dumps([record] if example == "convfinqa" else record), encoding="utf-8")
    run = holodeck_test(convert(example, source) / "agent.yaml")
    assert run.code == 0, run.output
    assert all(turn["tools_matched"] for turn in run.turns().values())


def test_the_help_desk_readme_names_its_cases(examples: Path) -> None:
    readme = (examples / "helpdesk" / "README.md").read_text(encoding="utf-8")
    agent = (examples / "helpdesk" / "agent.yaml").read_text(encoding="utf-8")
    named = set(re.findall(r"\*([A-Z][^*|]+)\*", readme))
    cases = set(re.findall(r"^  - name: (.+)$", agent, re.MULTILINE))
    assert named <= cases
    assert len(named) > 8
