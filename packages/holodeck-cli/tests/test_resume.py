"""``holodeck test --resume``: only what is missing runs, and what speaks against that is told."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]
Launch: TypeAlias = Callable[..., "subprocess.Popen[str]"]

ANEW = "; without --resume all cases are run\n"


@pytest.fixture
def killed(holodeck: Holodeck, logged: Any) -> str:
    """The id of a run of five cases, of which the second errored, that was killed in the fourth."""
    logged.write("a", "bad", "c", "d", "e")
    logged.at("kill", "d")
    assert holodeck("test").returncode == -signal.SIGKILL
    logged.never("kill")
    assert logged.sent() == ["a", "bad", "c", "d"]
    [run] = logged.ids()
    return str(run)


@pytest.mark.parametrize(
    "args",
    [
        ["--resume"],
        ["--resume", "agent.yaml"],
        ["--resume=last~0"],
        ["--resume", "ID", "agent.yaml"],
        ["--resume", ".holodeck/runs/ID"],
    ],
    ids=" ".join,
)
def test_only_what_is_missing_is_sent_and_everything_is_reported(
    holodeck: Holodeck, logged: Any, killed: str, tmp_path: Path, args: list[str]
) -> None:
    done = holodeck("test", "-o", "report.json", *[arg.replace("ID", killed) for arg in args])
    assert done.returncode == 1, done.stderr  # the case that failed before counts
    assert logged.sent() == ["d", "e"]
    report = json.loads((tmp_path / "report.json").read_text())
    assert (report["run_id"], report["complete"]) == (killed, True)
    assert [result["test_name"] for result in report["results"]] == ["a", "bad", "c", "d", "e"]
    assert report["summary"]["passed"] == 4
    lines = done.stdout.splitlines()
    assert lines[0].startswith("ERROR bad (1 turn, ")  # of those taken over, what did not pass is shown again
    assert lines[6].startswith("    - RuntimeError: out of order (logged_agent.py:")
    words = [line.split()[0] for line in lines if line and line[0] != " "]
    assert words == ["ERROR", "PASS", "PASS", "ERROR", "4", "resumed"]
    assert lines[-1] == f"resumed {killed}: 3 taken over, 2 new"
    assert logged.ids() == [killed]


def test_a_run_that_was_taken_up_and_is_complete_is_not_taken_up_by_itself_again(
    holodeck: Holodeck, killed: str
) -> None:
    assert holodeck("test", "--resume").returncode == 1
    again = holodeck("test", "--resume")
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "Error: .holodeck/runs holds no run of agent.yaml that is incomplete" + ANEW
    assert f"resumed {killed}: 5 taken over\n" in holodeck("test", "--resume", "last").stdout


def test_a_run_that_is_killed_again_and_again_comes_to_its_end(
    holodeck: Holodeck, logged: Any, killed: str
) -> None:
    logged.at("kill", "e")
    assert holodeck("test", "--resume").returncode == -signal.SIGKILL
    assert logged.sent() == ["d", "e"]
    logged.never("kill")
    assert holodeck("test", "--resume").returncode == 1
    assert logged.sent() == ["e"]
    assert logged.ids() == [killed]


def test_the_last_run_is_the_one_that_was_last_worked_on(
    holodeck: Holodeck, logged: Any, killed: str
) -> None:
    assert holodeck("test", "-q", "-k", "c").returncode == 0
    assert holodeck("test", "-q", "--resume", killed).returncode == 1
    assert holodeck("report", "-q").stdout.startswith("4 passed, 0 failed, 1 errored")
    logged.sent()
    assert holodeck("test", "-q", "--last-failed").returncode == 3
    assert logged.sent() == ["bad"]
    shown = holodeck("runs", "list").stdout.splitlines()
    assert [line.split("  ")[-1] for line in shown[2:]] == [
        "4 passed, 0 failed, 1 errored",
        "1 passed, 0 failed",
    ]


def test_a_line_that_was_torn_off_costs_its_own_case(
    holodeck: Holodeck, logged: Any, killed: str, tmp_path: Path
) -> None:
    journal = logged.runs / killed / "results.jsonl"
    journal.write_bytes(journal.read_bytes()[:-7])
    assert holodeck("test", "--resume", "-o", "report.json").returncode == 1
    assert logged.sent() == ["c", "d", "e"]
    assert json.loads((tmp_path / "report.json").read_text())["summary"]["total_tests"] == 5
    assert len([json.loads(line) for line in journal.read_bytes().splitlines()]) == 5


def test_a_line_that_is_no_result_costs_nothing(holodeck: Holodeck, logged: Any, killed: str) -> None:
    journal = logged.runs / killed / "results.jsonl"
    journal.write_bytes(b"\0" * 100 + b"\n{}\n" + journal.read_bytes())
    told = f"warning: {journal}: lines 1, 2 cannot be read: what was there counts as not run\n"
    assert holodeck("report").stderr == told
    assert holodeck("test", "--resume").returncode == 1
    assert logged.sent() == ["d", "e"]
    assert holodeck("report").stdout.splitlines()[-1].startswith("4 passed, 0 failed, 1 errored in ")


def test_changed_and_new_cases_run_and_removed_ones_are_left_out(
    holodeck: Holodeck, logged: Any, killed: str, tmp_path: Path
) -> None:
    logged.write("a", "other", "c", "d", "e", "f")
    done = holodeck("test", "--resume", "-o", "report.json")
    assert done.returncode == 0
    assert logged.sent() == ["other", "d", "e", "f"]
    assert f"resumed {killed}: 2 taken over, 1 changed, 3 new\n" in done.stdout
    logged.write("a", "other", "c")
    done = holodeck("test", "--resume", "last", "-o", "report.json")
    assert f"resumed {killed}: 3 taken over, 3 left out\n" in done.stdout
    report = json.loads((tmp_path / "report.json").read_text())
    assert [result["test_name"] for result in report["results"]] == ["a", "other", "c"]
    again = json.loads(holodeck("report", "--format", "json").stdout)
    assert again == report


def test_a_result_of_a_case_that_has_changed_does_not_hold_while_the_case_runs_again(
    holodeck: Holodeck, logged: Any, killed: str
) -> None:
    cases = [{"name": text, "input": text, "ground_truth": "new"} for text in ("a", "bad", "c", "d", "e")]
    logged.write(cases=cases)
    logged.at("kill", "bad")
    assert holodeck("test", "--resume").returncode == -signal.SIGKILL
    shown = holodeck("report", "-q").stdout.splitlines()[-1]
    assert shown.startswith("incomplete, 2 of 5 cases finished: ")  # the new one of a, and the old one of c


def test_the_cases_are_those_that_the_run_was_started_with(holodeck: Holodeck, logged: Any) -> None:
    cases = [{"name": text, "input": text, "tags": [text[0]]} for text in ("a1", "a2", "b1", "b2", "a3")]
    logged.write(cases=cases)
    logged.at("kill", "a2")
    holodeck("test", "--tag", "a", "-k", "not 1")
    logged.never("kill")
    assert logged.sent() == ["a2"]
    assert holodeck("test", "--resume").returncode == 0
    assert logged.sent() == ["a2", "a3"]


def test_what_the_last_failed_were_is_known_when_their_run_is_resumed(
    holodeck: Holodeck, logged: Any
) -> None:
    cases = [{"name": text, "input": text, "ground_truth": "no"} for text in ("a", "b", "c")]
    logged.write(cases=cases, evaluations={"metrics": [{"type": "standard", "metric": "equality"}]})
    assert holodeck("test").returncode == 1
    logged.sent()
    logged.at("kill", "b")
    holodeck("test", "--last-failed")
    logged.never("kill")
    assert logged.sent() == ["a", "b"]
    assert holodeck("test", "--resume").returncode == 1
    assert logged.sent() == ["b", "c"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"instructions": {"inline": "Be brief."}},
            ["    `instructions` of the agent file was added"],
        ),
        (
            {"name": "other", "evaluations": {"metrics": []}},
            ["    `evaluations` of the agent file was added", "    `name` of the agent file has changed"],
        ),
    ],
    ids=["added", "two-changes"],
)
def test_a_changed_agent_file_is_refused_with_what_has_changed(
    holodeck: Holodeck, logged: Any, killed: str, change: dict[str, Any], told: list[str]
) -> None:
    logged.write("a", "bad", "c", "d", "e", **change)
    done = holodeck("test", "--resume")
    assert (done.returncode, done.stdout, logged.sent()) == (2, "", [])
    first, *changes, last = done.stderr.splitlines()
    assert first.startswith(f"Error: the run {killed} cannot be resumed, ")
    assert changes == told
    assert "--allow-changes" in last


def test_another_version_of_a_plugin_is_refused(holodeck: Holodeck, logged: Any, killed: str) -> None:
    path = logged.runs / killed / "run.json"
    head = json.loads(path.read_text())
    path.write_text(json.dumps({**head, "plugins": {**head["plugins"], "core": "0.0.9", "acme": "2"}}))
    done = holodeck("test", "--resume")
    assert done.returncode == 2
    assert "    the plugin acme was 2 and is not used\n" in done.stderr
    assert "    the plugin core was 0.0.9 and is " in done.stderr


def test_another_model_by_a_variable_is_refused(holodeck: Holodeck, logged: Any) -> None:
    agent = (logged.folder / "logged_agent.py").read_text()
    (logged.folder / "logged_agent.py").write_text(f"{agent}\ndef named(name):\n    return Agent()\n")
    model = {"provider": "python", "agent": "logged_agent:named", "name": "${MODEL:-one}"}
    logged.write("a", "b", model=model)
    logged.at("kill", "b")
    assert holodeck("test").returncode == -signal.SIGKILL
    logged.never("kill")
    done = holodeck("test", "--resume", env={"MODEL": "two"})
    assert (done.returncode, done.stdout) == (2, "")
    assert "    `model.name` was one and is two, by a variable\n" in done.stderr
    assert holodeck("test", "--resume", env={"MODEL": "one"}).returncode == 0
    assert logged.sent() == ["a", "b", "b"]


def test_changes_that_are_allowed_are_allowed_for_the_rest_of_the_run(
    holodeck: Holodeck, logged: Any, killed: str
) -> None:
    logged.write("a", "bad", "c", "d", "e", instructions={"inline": "Be brief."})
    logged.at("kill", "e")
    assert holodeck("test", "--resume", "--allow-changes").returncode == -signal.SIGKILL
    assert logged.sent() == ["d", "e"]
    logged.never("kill")
    assert holodeck("test", "--resume").returncode == 1
    assert logged.sent() == ["e"]


def test_execution_settings_may_change(holodeck: Holodeck, logged: Any, killed: str) -> None:
    logged.write("a", "bad", "c", "d", "e", execution={"parallel_test_cases": 3, "llm_timeout": 9})
    assert holodeck("test", "--resume", "-p", "2").returncode == 1
    assert sorted(logged.sent()) == ["d", "e"]


CALLS = [{"name": text, "input": text, "expected_tools": []} for text in ("a", "bad", "c", "d", "e")]


@pytest.mark.parametrize(
    ("execution", "project"),
    [
        ({"tool_order": "exact"}, ""),
        ({"extra_calls": "forbid"}, ""),
        ({"on_turn_failure": "stop"}, ""),
        ({}, "execution: {extra_calls: forbid}"),
    ],
    ids=["tool_order", "extra_calls", "on_turn_failure", "of the project"],
)
def test_cases_whose_rules_have_changed_run_again(
    holodeck: Holodeck, logged: Any, killed: str, execution: dict[str, str], project: str
) -> None:
    logged.write(cases=CALLS, execution=execution)
    (logged.folder / "holodeck.yaml").write_text(project)
    done = holodeck("test", "--resume")
    assert f"resumed {killed}: 0 taken over, 3 changed, 2 new\n" in done.stdout
    assert logged.sent() == ["a", "bad", "c", "d", "e"]


@pytest.mark.parametrize(
    ("agent", "files", "changed"),
    [
        (
            {"model": {"provider": "replay", "file": "said.jsonl"}},
            {"said.jsonl": '{"id": "a", "messages": [{"role": "user", "content": "a"}]}\n'},
            '{"id": "a", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}\n',
        ),
        (
            {"evaluations": {"metrics": [{"type": "code", "grader": "own_graders:kind"}]}},
            {"own_graders.py": "def kind(turn):\n    return True\n"},
            "def kind(turn):\n    return False\n",
        ),
        ({}, {"logged_agent.py": ""}, "class Agent:\n    def send(self, message):\n        return 'no'\n"),
    ],
    ids=["recording", "grader", "agent"],
)
def test_a_changed_file_that_results_come_from_is_refused(
    holodeck: Holodeck, logged: Any, agent: dict[str, Any], files: dict[str, str], changed: str
) -> None:
    for name, text in files.items():
        if text:
            (logged.folder / name).write_text(text)
    logged.write("a", **agent)
    assert holodeck("test").returncode == 0
    assert holodeck("test", "--resume", "last").returncode == 0
    (logged.folder / name).write_text(changed)
    done = holodeck("test", "--resume", "last")
    assert done.returncode == 2
    assert f"    the file {name} has changed\n" in done.stderr
    assert holodeck("test", "--resume", "last", "--allow-changes").returncode == 0


@pytest.mark.parametrize(
    ("line", "name"),
    [
        pytest.param("import helping", "helping.py", id="a module"),
        pytest.param("from parts import helping", "parts/helping.py", id="a module of a package"),
        pytest.param("import parts.helping", "parts/__init__.py", id="the package of a module"),
        pytest.param("from parts.helping import word", "parts/deeper.py", id="what a module imports in turn"),
        pytest.param("def kind2():\n    import helping", "helping.py", id="inside of a function"),
    ],
)
def test_a_changed_file_that_is_imported_is_refused(
    holodeck: Holodeck, logged: Any, line: str, name: str
) -> None:
    (logged.folder / "parts").mkdir()
    for file, text in {
        "helping.py": "word = 1\n",
        "parts/__init__.py": "",
        "parts/helping.py": "from .deeper import word\nimport os, json\n",
        "parts/deeper.py": "from . import helping\nword = 1\n",
        "unused.py": "",
        "own_graders.py": f"{line}\ndef kind(turn):\n    return True\n",
    }.items():
        (logged.folder / file).write_text(text)
    logged.write("a", evaluations={"metrics": [{"type": "code", "grader": "own_graders:kind"}]})
    assert holodeck("test").returncode == 0
    (logged.folder / "unused.py").write_text("# changed")
    assert holodeck("test", "--resume", "last").returncode == 0
    (logged.folder / name).write_text((logged.folder / name).read_text() + "# changed")
    done = holodeck("test", "--resume", "last")
    assert (done.returncode, f"    the file {name} has changed\n" in done.stderr) == (2, True)


def test_changed_instructions_in_a_file_are_refused(holodeck: Holodeck, logged: Any) -> None:
    (logged.folder / "say.md").write_text("Be brief.")
    logged.write("a", instructions={"file": "say.md"})
    holodeck("test")
    (logged.folder / "say.md").write_text("Be verbose.")
    assert "    `instructions` of the agent file has changed\n" in holodeck("test", "--resume", "last").stderr


def test_a_run_that_is_going_on_is_refused(holodeck: Holodeck, logged: Any, launch: Launch) -> None:
    logged.write("a", "b", "c")
    logged.at("hold", "b")
    process = launch("test")
    logged.wait_for("b")
    done = holodeck("test", "--resume")
    [run] = logged.ids()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: the run {run} is still running in another process\n"
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate()
    logged.never("hold")
    assert logged.sent() == ["a", "b"]
    assert holodeck("test", "--resume").returncode == 0
    assert logged.sent() == ["b", "c"]


def test_an_interrupted_run_says_how_to_go_on(logged: Any, launch: Launch, command: tuple[str, ...]) -> None:
    logged.write("a", "b", "c")
    logged.at("hold", "b")
    process = launch("test")
    logged.wait_for("b")
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate(timeout=20)
    logged.never("hold")
    assert logged.sent() == ["a", "b"]
    how = shown.splitlines()[-1]
    assert how.startswith("resume: holodeck test agent.yaml --resume ")
    words = shlex.split(how.removeprefix("resume: holodeck "))
    done = subprocess.run([*command, *words], cwd=logged.folder, capture_output=True, check=False)
    assert (done.returncode, logged.sent()) == (0, ["b", "c"])


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--resume"], "Error: .holodeck/runs holds no run of agent.yaml that is incomplete" + ANEW),
        (["--resume", "last"], "Error: there is no last: .holodeck/runs holds no runs of agent.yaml\n"),
        (["--resume", "last~2"], "Error: there is no last~2: .holodeck/runs holds no runs of agent.yaml\n"),
        (
            ["--resume", "nope\x1b[31m"],
            r"Error: there is no run 'nope\x1b[31m' in .holodeck/runs, and no such",
        ),
        (["--resume", "missing.yaml"], "Error: there is no run 'missing.yaml' in "),
        (["--resume", "folder"], "/folder is not the folder of a run: run.json: No such file or directory"),
        (["--resume", "broken"], "/broken/run.json does not describe a run: "),
        (
            ["--resume", "--run-dir", "away"],
            "Error: away holds no run of agent.yaml that is incomplete" + ANEW,
        ),
        (["--resume", "-k", "a"], "a resumed run keeps the cases that it was started with"),
        (["--resume", "--tag", "a"], "a resumed run keeps the cases that it was started with"),
        (["--resume", "--last-failed"], "a resumed run keeps the cases that it was started with"),
        (["--allow-changes"], "--allow-changes goes with --resume"),
    ],
    ids=lambda value: ascii(" ".join(value)) if isinstance(value, list) else "",
)
def test_what_cannot_be_resumed(
    holodeck: Holodeck, logged: Any, tmp_path: Path, args: list[str], told: str
) -> None:
    logged.write("a")
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text('{"run_id": 3}')
    done = holodeck("test", *args)
    assert (done.returncode, done.stdout, logged.sent()) == (2, "", [])
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_agent_that_changes_the_working_directory_moves_no_run_that_is_resumed(
    holodeck: Holodeck, logged: Any, killed: str, tmp_path: Path
) -> None:
    (tmp_path / "logged_agent.py").write_text(
        "import os\nclass Agent:\n    def send(self, message):\n        os.chdir('/')\n        return 'ok'\n"
    )
    done = holodeck("test", "--resume", f".holodeck/runs/{killed}", "--allow-changes")
    assert (done.returncode, done.stderr) == (1, "")
    assert json.loads((logged.runs / killed / "run.json").read_text())["complete"] is True


def test_a_run_of_another_agent_file_is_another_run(
    holodeck: Holodeck, logged: Any, killed: str, tmp_path: Path
) -> None:
    (tmp_path / "other.yaml").write_text((tmp_path / "agent.yaml").read_text())
    done = holodeck("test", "other.yaml", "--resume")
    assert (done.returncode, logged.sent()) == (2, [])
    assert "holds no run of other.yaml that is incomplete" in done.stderr
    assert holodeck("test", "other.yaml", "--resume", killed).returncode == 1  # asked for by its id
    assert logged.sent() == ["d", "e"]
