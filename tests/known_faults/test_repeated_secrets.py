"""Secrets that an agent was given and repeats: in what it says, in calls, in errors, in every encoding.

Each is searched for in everything that a run writes and shows.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote, quote_plus

import pexpect  # type: ignore[import-untyped]
import pytest

from holodeck_core.testing.fake_distribution import FakeDistribution

Write: TypeAlias = Callable[..., Path]

KEY = 'sk/live+4711?\u00e9"~x'
PIN = "4071983356"
HEADER = "h34d3r-t0k3n"

AGENT = r"""
import base64
import json
from urllib.parse import quote, quote_plus

from holodeck_core import Reply, TextDelta, ToolCall, ReplyDone


def forms(key):
    raw = key.encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for text in (raw, b"a" + raw + b"z", b"ab" + raw, b"user:" + raw + b"!!"):
            yield encode(text).decode()
            yield encode(text).decode().rstrip("=")
    yield from (key, json.dumps(key), json.dumps(key, ensure_ascii=False), json.dumps(json.dumps(key)), repr(key))
    yield from (quote(key), quote(key, safe=""), quote_plus(key), quote(key, safe="").lower())


class Agent:
    def __init__(self, keys):
        self.keys = keys
        self.said = "".join(f" <{form}>" for key in keys for form in forms(key))

    def reply(self, text):
        key, pin, *_ = self.keys
        if text == "say":
            return Reply(self.said)
        if text == "long":
            return Reply(" " * 120 + key + " " * 300 + key + " ")
        if text == "hide":
            return Reply("\u200b".join(key) + " " + "\x1b[1m".join(key))
        if text == "call":
            args = {
                "key": key, "said": self.said, key: 1, pin: {key: [key, {"deep": [pin, int(pin), self.said]}]},
                "n": int(pin), "f": float(pin), "json": json.dumps({"key": key}),
                "twice": json.dumps(json.dumps({key: pin})),
            }
            calls = [
                ToolCall("log_in", args, {**args, "text": self.said}, None, float(pin)),
                ToolCall("log_in " + key, {}, None, self.said, None, self.said, key),
            ]
            usage = {"prompt_tokens": int(pin), "completion_tokens": 1, "total_tokens": int(pin) + 1}
            return Reply("done", calls, usage)
        raise RuntimeError(f"refused {self.said}" + " " * 3000 + key)

    async def send(self, message):
        return self.reply(message.text)

    async def close(self):
        raise ValueError(f"cannot log out {self.said}")


class Streaming:
    def __init__(self, keys):
        self.agent = Agent(keys)

    async def stream(self, message):
        reply = self.agent.reply(message.text)
        for start in range(0, len(reply.text), 3):
            yield TextDelta(reply.text[start : start + 3])
        yield ReplyDone()


def open_agent(api_key, pin_token, headers, streaming=False):
    keys = [api_key, pin_token, headers["X-Team"]]
    return Streaming(keys) if streaming else Agent(keys)
"""

GRADERS = r"""
from holodeck_core import GraderResult

import hostile_agent


def repeats(context):
    keys = context.turn_config["keys"]
    said = "".join(f" <{form}>" for key in keys for form in hostile_agent.forms(key))
    whole = said in context.agent_response or context.agent_response == "done"
    details = {keys[0]: [said, int(keys[1])], "said": {"n": keys}}
    return GraderResult(1.0, whole, f"saw {said}" + " " * 500 + keys[0], details)


def fails(context):
    raise ValueError(f"no {context.agent_response} for {context.turn_config['keys']}")
"""

REPORTER = """
from holodeck_core import Reporter

class Everything(Reporter):
    def __init__(self, options, output=None):
        super().__init__(options, output)
        self.seen = []

    def run_started(self, event): self.seen.append(repr(event))
    def case_started(self, event): self.seen.append(repr(event))
    def turn_finished(self, event): self.seen.append(repr(event))
    def case_finished(self, event): self.seen += [event.name, repr(event.read()), event.read().model_dump_json()]
    def run_finished(self, event):
        self.seen += [repr(event.head), repr(event.summary), *(repr(result) for result in event.results())]
        self.output.write_text("\\n".join(self.seen))
        raise OSError("the disk is full, and the key is " + __import__("os").environ["HD_KEY"])
"""
HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_reporters():
    return [Contribution("all", "acme_reporter:Everything", "all there is")]
"""

KEYS = ["${HD_KEY}", "${HD_PIN}", HEADER]
CONFIG = {"keys": KEYS}
GRADED = [
    {"type": "code", "grader": f"hostile_graders:{name}", "name": name} for name in ("repeats", "fails")
]
CASES = [
    {
        "name": f"case of {word} ${{HD_KEY}}",
        "tags": ["${HD_KEY}"],
        "turns": [
            {
                "input": word,
                "turn_config": CONFIG,
                "ground_truth": "${HD_KEY}",
                "evaluations": [*GRADED, {"type": "standard", "metric": "equality", "name": "is ${HD_KEY}"}],
                **more,
            }
        ],
    }
    for word, more in {
        "say": {"expected_tools": ["${HD_KEY}"]},
        "long": {},
        "hide": {},
        "call": {
            "expected_tools": [
                {
                    "name": "log_in",
                    "match": "exact",
                    "args": {"key": "${HD_KEY}", "n": int(PIN), "said": {"contains": "${HD_KEY}"}},
                },
                {"name": "log_in", "args": {"said": "not ${HD_KEY}", "n": 1}},
            ]
        },
        "raise": {},
    }.items()
]  # fmt: skip


def forms_of(key: str) -> Iterator[str]:
    """All that must be nowhere, without what depends on what is around it."""
    raw = key.encode()
    yield from (key, json.dumps(key)[1:-1], json.dumps(key, ensure_ascii=False)[1:-1], repr(key)[1:-1])
    yield from (quote(key), quote(key, safe=""), quote_plus(key), quote(key, safe="").lower())
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):
            text = encode(b"x" * before + raw).decode()
            yield text[-(-8 * before // 6) : 8 * (before + len(raw)) // 6]


def assert_holds_no_secret(where: str, text: str) -> None:
    for key in (KEY, PIN, HEADER):
        for form in forms_of(key):
            place = text.find(form)
            assert place < 0, f"{where} holds {form!r}: {text[max(0, place - 80) : place + 80]!r}"


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
    else:
        yield str(value)


class Outputs(NamedTuple):
    """What a run has written and shown, and its report."""

    texts: dict[str, str]
    report: dict[str, Any]


@pytest.fixture(scope="module", params=[False, True], ids=["sent", "streamed"])
def outputs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Outputs:
    folder = tmp_path_factory.mktemp("desk")
    FakeDistribution("holodeck-acme", modules={"acme_hooks.py": HOOKS, "acme_reporter.py": REPORTER}).install(
        folder / "site"
    )
    model = {
        "provider": "python",
        "agent": "hostile_agent:open_agent",
        "api_key": "${HD_KEY}",
        "pin_token": "${HD_PIN}",
        "headers": {"X-Team": HEADER},
        "streaming": request.param,
    }
    (folder / "hostile_agent.py").write_text(AGENT)
    (folder / "hostile_graders.py").write_text(GRADERS)
    agent = {
        "name": "desk of ${HD_KEY}",
        "description": f"with {HEADER}",
        "model": model,
        "test_cases": CASES,
    }
    (folder / "agent.yaml").write_text(json.dumps(agent))
    hidden = ("HOLODECK_", "NO_COLOR", "FORCE_COLOR", "TERM")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment |= {"HD_KEY": KEY, "HD_PIN": PIN, "PYTHONPATH": str(folder / "site"), "LC_ALL": "C.UTF-8"}
    texts: dict[str, str] = {}
    for name, args in {
        "test": (
            "test",
            "-v",
            "-o",
            "report.json",
            "-o",
            "r.xml",
            "-o",
            "r.md",
            "--format",
            "acme/all",
            "-o",
            "all.txt",
        ),
        "report": ("report", "last", "-v"),
        "report as JSON": ("report", "last", "--format", "json"),
        "report for GitHub": ("report", "last", "--format", "github"),
        "validate": ("validate", "--show-settings"),
        "runs": ("runs", "list", "--json"),
    }.items():
        done = subprocess.run(
            [sys.executable, "-m", "holodeck_cli", *args],
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        texts[f"{name}: stdout"], texts[f"{name}: stderr"] = done.stdout, done.stderr
    for path in (folder / ".holodeck").rglob("*.json*"):
        texts[path.name] = path.read_text()
    for path in [folder / name for name in ("report.json", "r.xml", "r.md", "all.txt")]:
        texts[path.name] = path.read_text()
    return Outputs(texts, json.loads(texts["report.json"]))


def test_no_output_holds_a_secret(outputs: Outputs) -> None:
    assert {"results.jsonl", "run.json", "report.json", "r.xml", "r.md", "all.txt"} <= outputs.texts.keys()
    for name, text in outputs.texts.items():
        assert text or name.endswith("stderr")
        assert_holds_no_secret(name, text)
        if "json" in name.lower() and text.lstrip().startswith("{"):
            for line in text.splitlines() if name == "results.jsonl" else [text]:
                for part in texts_in(json.loads(line)):
                    assert_holds_no_secret(name, part)
    assert "[redacted]" in outputs.texts["test: stdout"]
    assert "the disk is full, and the key is [redacted]" in outputs.texts["test: stderr"]


def test_graders_and_matchers_see_the_original(outputs: Outputs) -> None:
    turns = [result["turns"][0] for result in outputs.report["results"]]
    assert outputs.report["results"][0]["test_name"] == "case of say [redacted]"
    verdicts = [[metric["passed"] for metric in turn["metric_results"][:1]] for turn in turns]
    assert verdicts[0] == [True]
    if turns[3]["tool_invocations"]:
        assert verdicts[3] == [True]
        first, second = turns[3]["arg_match_details"]
        assert first["unmatched_reason"] is None
        assert second["unmatched_reason"] is not None
        call = turns[3]["tool_invocations"][0]
        assert call["bytes"] > len(json.dumps(call["result"]).encode())
        assert call["args"]["[redacted]"] == 1
        assert call["args"]["n"] == call["args"]["f"] == "[redacted]"
        assert call["duration_ms"] is turns[3]["token_usage"] is None


def test_a_terminal_shows_no_secret_while_the_run_goes_on(write: Write, tmp_path: Path) -> None:
    model = {
        "provider": "scripted",
        "replies": [{"reply": f"it is {HEADER}", "delay": 0.2}],
        "api_key": HEADER,
    }
    write(
        {"model": model, "test_cases": [{"name": f"n {HEADER}", "input": "a", "expected_tools": ["x"]}] * 3}
    )
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "holodeck_cli", "test", "-v"],
        cwd=str(tmp_path),
        env={**os.environ, "TERM": "xterm-256color"},
        encoding="utf-8",
        dimensions=(24, 200),
        timeout=30,
    )
    terminal.expect(pexpect.EOF)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.before)
    assert "FAIL n [redacted]" in shown
    assert "it is [redacted]" in shown
    assert_holds_no_secret("the terminal", shown)
