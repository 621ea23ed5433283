"""Reports for CI, from the command line to the files; those of plugins among them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol
from xml.etree import ElementTree

import pytest

from holodeck_core.testing.fake_distribution import FakeDistribution


class Holodeck(Protocol):
    def __call__(self, *args: str, env: Mapping[str, str] | None = None) -> Any: ...


AGENT = """\
name: desk
model:
  provider: scripted
  replies: [{input: a, reply: "1"}, {input: b, reply: "2"}, {input: c, error: out of order}]
evaluations: {metrics: [{type: standard, metric: equality}]}
test_cases:
  - {name: fine, input: a, ground_truth: 1}
  - name: wrong
    turns:
      - {input: a, ground_truth: 1}
      - input: b
        ground_truth: 3
  - {name: broken, input: c, ground_truth: 1}
"""

PLUGIN = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_reporters():
    return [
        Contribution("names", "acme_reports:Names", "the names of the cases"),
        Contribution("broken", "acme_reports:Broken", "breaks"),
    ]
"""
REPORTS = """
import os

from holodeck_core import Reporter

class Names(Reporter):
    def run_finished(self, event):
        text = "".join(f"{result.test_name}\\n" for result in event.results())
        if self.output is None:
            print(text, end="")
        else:
            self.output.write_text(text)

class Broken(Reporter):
    def run_finished(self, event):
        raise RuntimeError("no paper" + os.environ.get("PRINTER_TOKEN", ""))
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """The agent file, of three cases."""
    path = tmp_path / "agent.yaml"
    path.write_text(AGENT)
    return path


@pytest.fixture
def acme(tmp_path: Path) -> dict[str, str]:
    """The environment in which the plugin is installed."""
    modules = {"acme_hooks.py": PLUGIN, "acme_reports.py": REPORTS}
    FakeDistribution("holodeck-acme", modules=modules).install(tmp_path / "site")
    return {"PYTHONPATH": str(tmp_path / "site")}


ANNOTATIONS = """\
::notice title=holodeck test%3A desk::1 passed, 1 failed, 1 errored in
::error file=agent.yaml,line=11,title=wrong%2C turns[1]::equality: expected "3", got "2"
::error file=agent.yaml,line=13,title=broken::AgentError: out of order
"""


def test_a_run_writes_all_that_is_asked_for(holodeck: Holodeck, suite: Path, tmp_path: Path) -> None:
    done = holodeck("test", "-o", "r.xml", "-o", "r.md", "-o", "r.json", "--format", "github")
    assert done.returncode == 1
    for got, expected in zip(done.stdout.splitlines(), ANNOTATIONS.splitlines(), strict=True):
        assert got.startswith(expected)
    assert "FAIL wrong" in done.stderr
    root = ElementTree.parse(tmp_path / "r.xml").getroot()
    assert [case.attrib["name"] for case in root.iter("testcase")] == ["fine", "wrong", "broken"]
    markdown = (tmp_path / "r.md").read_text()
    assert '| ` wrong ` | failed | 1 | ` equality: expected "3", got "2"' in markdown
    assert "| ` broken ` | error |  | ` AgentError: out of order ` |" in markdown
    assert json.loads((tmp_path / "r.json").read_text())["summary"]["failed"] == 2


def test_a_stored_run_is_reported_in_the_same_words(holodeck: Holodeck, suite: Path, tmp_path: Path) -> None:
    assert holodeck("test", "-o", "r.xml", "-o", "r.md").returncode == 1
    suite.unlink()
    done = holodeck("report", "-o", "again.xml", "-o", "again.md")
    assert (done.returncode, done.stderr) == (0, "")
    for first, again in (("r.xml", "again.xml"), ("r.md", "again.md")):
        assert (tmp_path / first).read_bytes() == (tmp_path / again).read_bytes()
    assert holodeck("report", "--format", "github").stdout.count("::error ") == 2


def test_a_plugin_brings_a_format(
    holodeck: Holodeck, suite: Path, acme: dict[str, str], tmp_path: Path
) -> None:
    done = holodeck("test", "--format", "acme/names", "-o", "names.txt", env=acme)
    assert done.returncode == 1
    assert (tmp_path / "names.txt").read_text() == "fine\nwrong\nbroken\n"
    assert holodeck("report", "--format", "acme/names", env=acme).stdout == "fine\nwrong\nbroken\n"


def test_a_report_that_fails_costs_itself_only(
    holodeck: Holodeck, suite: Path, acme: dict[str, str], tmp_path: Path
) -> None:
    args = ("--format", "acme/broken", "-o", "x.txt", "-o", "r.xml")
    done = holodeck("test", *args, env=acme)
    assert done.returncode == 3
    assert "a report could not be written: Broken" in done.stderr
    assert "RuntimeError: no paper" in done.stderr
    assert len(list(ElementTree.parse(tmp_path / "r.xml").getroot().iter("testcase"))) == 3
    (tmp_path / "r.xml").unlink()
    assert holodeck("report", *args, env=acme).returncode == 2
    assert (tmp_path / "r.xml").exists()


@pytest.mark.parametrize("command", ["test", "report"])
def test_why_a_report_fails_is_told_without_the_secrets_of_the_environment(
    holodeck: Holodeck, suite: Path, acme: dict[str, str], command: str
) -> None:
    holodeck("test")
    done = holodeck(command, "--format", "acme/broken", env={**acme, "PRINTER_TOKEN": "not-a-real-token"})
    assert "RuntimeError: no paper[redacted]" in done.stderr


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("agent.json", "Error: -o agent.json: that is the agent file; a report would take its place\n"),
        (
            "x/../agent.json",
            "Error: -o x/../agent.json: that is the agent file; a report would take its place\n",
        ),
        (
            "cases.json",
            "Error: -o cases.json: that is the file of the test cases; a report would take its place\n",
        ),
    ],
)
def test_a_report_never_takes_the_place_of_what_it_reports_on(
    holodeck: Holodeck, tmp_path: Path, path: str, told: str
) -> None:
    (tmp_path / "x").mkdir()
    model = {"provider": "scripted", "replies": [{"reply": "1"}]}
    agent = {"name": "desk", "model": model, "test_cases_file": "cases.json"}
    (tmp_path / "agent.json").write_text(json.dumps(agent))
    (tmp_path / "cases.json").write_text(json.dumps([{"input": "a", "expected_tools": []}]))
    before = (tmp_path / path).read_bytes()
    done = holodeck("test", "agent.json", "-o", path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)
    assert (tmp_path / path).read_bytes() == before


def test_nor_does_one_of_a_run_that_is_kept(holodeck: Holodeck, suite: Path) -> None:
    holodeck("test")
    done = holodeck("report", "--format", "json", "-o", "agent.yaml")
    assert done.returncode == 2
    assert suite.read_text() == AGENT


def test_an_unknown_format_names_those_there_are(holodeck: Holodeck, suite: Path) -> None:
    done = holodeck("test", "--format", "junt")
    assert done.returncode == 2
    assert "junit" in done.stderr


@pytest.mark.parametrize(("suffix", "format_"), [("xml", "junit"), ("md", "markdown")])
def test_a_suffix_in_the_place_of_a_format_is_told(holodeck: Holodeck, suffix: str, format_: str) -> None:
    done = holodeck("test", "--format", suffix)
    assert done.returncode == 2
    assert f"--format {suffix}: that is the suffix of a file; the format is '{format_}'" in done.stderr


def test_the_formats_are_listed(holodeck: Holodeck) -> None:
    shown = holodeck("plugins", "list").stdout
    for name in ("json", "junit", "markdown", "github", "terminal"):
        assert name in shown
