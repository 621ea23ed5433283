"""``holodeck schema`` prints what editors and other programs check files with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from jsonschema import Draft202012Validator

from holodeck_cli.schema_text import schema_text
from holodeck_core.testing.fake_distribution import FakeDistribution

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

ACME_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_metrics():
    return [Contribution("pii", "acme_things:Pii", "no personal data, 5 €")]
"""

ACME_THINGS = """
from pydantic import BaseModel
from holodeck_core import Metric

class Options(BaseModel):
    share: float = float("inf")

class Pii(Metric):
    Options = Options

    def score(self, turn):
        raise NotImplementedError
"""

AGENT = """
name: a
model: {provider: scripted, replies: [{reply: hi}]}
test_cases:
  - input: hi
    ground_truth: hi
    evaluations: [{type: standard, metric: equality}]
  - turns: [{input: hi, expected_tools: [add]}]
"""


@pytest.mark.parametrize(
    ("args", "title"),
    [([], "HoloDeck agent file"), (["--report"], "HoloDeck report")],
    ids=["agent", "report"],
)
def test_it_prints_a_schema(holodeck: Holodeck, args: list[str], title: str) -> None:
    done = holodeck("schema", *args)
    assert (done.returncode, done.stderr) == (0, "")
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == title


def test_what_plugins_print_is_no_part_of_it(holodeck: Holodeck, tmp_path: Path) -> None:
    modules = {
        "acme_hooks.py": f"print('hello')\n{ACME_HOOKS}",
        "acme_things.py": f"print('hi')\n{ACME_THINGS}",
    }
    FakeDistribution("holodeck-acme", modules=modules).install(tmp_path / "site")
    done = holodeck("schema", env={"PYTHONPATH": str(tmp_path / "site")})
    assert json.loads(done.stdout)["title"] == "HoloDeck agent file"
    assert done.stderr == "hello\nhi\n"


def test_it_writes_it_to_a_file(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.schema.json").write_text("old")
    done = holodeck("schema", "-o", "agent.schema.json")
    assert (done.returncode, done.stdout, done.stderr) == (0, "wrote agent.schema.json\n", "")
    assert (tmp_path / "agent.schema.json").read_text() == holodeck("schema").stdout


def test_a_file_that_cannot_be_written_is_told(holodeck: Holodeck, tmp_path: Path) -> None:
    done = holodeck("schema", "-o", "missing/agent.schema.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: missing/agent.schema.json: No such file or directory\n"


def test_options_of_plugins_are_in_it_as_plain_json(holodeck: Holodeck, tmp_path: Path) -> None:
    site = tmp_path / "site"
    modules = {"acme_hooks.py": ACME_HOOKS, "acme_things.py": ACME_THINGS}
    FakeDistribution("holodeck-acme", modules=modules).install(site)
    FakeDistribution("holodeck-bang", modules={"bang_hooks.py": "raise SystemExit"}).install(site)
    done = holodeck("schema", env={"PYTHONPATH": str(site)})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.isascii()
    pii = json.loads(done.stdout, parse_constant=pytest.fail)["$defs"]["metric.acme.pii"]
    assert "share" in pii["properties"]


def test_a_report_fulfils_the_schema_of_reports(holodeck: Holodeck, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(AGENT)
    assert holodeck("test", "agent.yaml", "-o", "report.json").returncode == 1
    report = json.loads((tmp_path / "report.json").read_text())
    schema = json.loads(holodeck("schema", "--report").stdout)
    assert not list(Draft202012Validator(schema).iter_errors(report))


def test_a_schema_reads_back_as_it_was() -> None:
    schema = {"description": "5 €\u202e", "enum": [None, 1.5, "a\nb"]}
    assert json.loads(schema_text(schema)) == schema
