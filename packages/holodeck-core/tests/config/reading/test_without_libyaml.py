"""Where PyYAML was built without libyaml, the same files mean the same."""

from __future__ import annotations

import json
import subprocess
import sys

SCRIPT = """
import json, sys
sys.modules["yaml._yaml"] = None
import yaml
from holodeck_core.config.reading.shapes import AGENT
from holodeck_core.config.reading.yaml_document import read_yaml
from holodeck_core.errors import ConfigError
assert not yaml.__with_libyaml__
found = []
for text in json.loads(sys.stdin.read()):
    try:
        document = read_yaml(text, "f", AGENT)
        found.append([document.value, [(p.line, p.column, p.message) for p in document.problems]])
    except ConfigError as error:
        found.append([None, [(p.line, p.column, "") for p in error.problems]])
print(json.dumps(found))
"""


def test_the_same_values_and_problems() -> None:
    texts = [
        "test_cases: [{input: 1.50, ground_truth: NO, turn_config: {a: 010, b: 0x1F}}]",
        "a: &a {k: 1}\nb: {<<: *a, l: !x 2}\nc: 1\nc: 2\nd: ! 5\n5: x\n",
        "é: 😀\nb: [.nan]\n",
        "a: &a [*a]",
        "a: 1\n---\nb: 1",
        "a: *x",
        'a: "\\ud835"',
        "[" * 5000,
    ]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    values = json.loads(done.stdout)
    assert values[0] == [
        {"test_cases": [{"input": "1.50", "ground_truth": "NO", "turn_config": {"a": "010", "b": 31}}]},
        [],
    ]
    assert values[1][0] == {"a": {"k": 1}, "b": {"k": 1, "l": 2}, "c": 2, "d": 5, "5": "x"}
    assert [problem[:2] for problem in values[1][1]] == [[2, 16], [4, 1], [5, 4], [6, 1]]
    assert values[2] == [
        {"é": "😀", "b": [0.0]},
        [[2, 5, ".nan is not a finite number: if it is meant as text, quote it"]],
    ]
    assert [problem[:2] for _, (problem,) in values[3:6]] == [[1, 4], [2, 1], [1, 4]]
    assert "half of a surrogate pair" in values[6][1][0][2]
    assert values[7][1]
