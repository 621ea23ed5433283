"""Commands: what there is, what is told about what there is not, and how failures end."""

from __future__ import annotations

import importlib
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
import typer

import holodeck_cli
from holodeck_cli.lazy import COMMANDS
from holodeck_core.plugins.names import RESERVED_IDS
from holodeck_core.testing.fake_distribution import FakeDistribution

Holodeck: TypeAlias = Callable[..., "subprocess.CompletedProcess[str]"]

ACME_HOOKS = """
from holodeck_core.plugins import Contribution, hookimpl

@hookimpl
def holodeck_commands():
    return [
        Contribution("serve", "acme_app:app", "serve what was found"),
        Contribution("tools", "acme_app:many", "several commands"),
        Contribution("wrong", "acme_app:number", "no app at all"),
        Contribution("call", "acme_app:call", "takes what no text can be"),
        Contribution("gone", "acme_app:missing", "does not exist"),
    ]
"""

ACME_APP = """
import os
import sys
from typing import Callable
import typer

app = typer.Typer()
many = typer.Typer()
number = 3

@app.command()
def serve(port: int = 80, how: str = "return"):
    print("serving on", port)
    if how == "return":
        return 5
    if how == "exit":
        raise typer.Exit(4)
    if how == "raise":
        raise RuntimeError("no \\x1b[31mport" + os.environ.get("ACME_TOKEN", ""))
    if how == "panic":
        raise Panic("no port")
    if how == "abort":
        raise typer.Abort

class Panic(BaseException): ...

call = typer.Typer()

@call.command()
def takes(back: Callable = None): ...

@many.command()
def one(): print("one")

@many.command()
def two(): print("two")
"""


@pytest.fixture
def acme(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "site"
    folder.mkdir()
    FakeDistribution(
        "holodeck-acme", version="1.2", modules={"acme_hooks.py": ACME_HOOKS, "acme_app.py": ACME_APP}
    ).install(folder)
    return {"PYTHONPATH": str(folder)}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_of_the_table_exists_and_its_id_is_reserved(name: str) -> None:
    assert isinstance(importlib.import_module(COMMANDS[name].module).app, typer.Typer)
    assert name in RESERVED_IDS


@pytest.mark.parametrize("args", [["--version"], ["--debug", "--version"]], ids=" ".join)
def test_the_version(holodeck: Holodeck, args: list[str]) -> None:
    done = holodeck(*args)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"holodeck {holodeck_cli.__version__}\n", "")


def test_the_help_page_lists_commands_and_plugins(holodeck: Holodeck, acme: dict[str, str]) -> None:
    done = holodeck("--help", env=acme)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: holodeck [OPTIONS] COMMAND [ARGS]...\n")
    for name, command in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(command.summary)}$", done.stdout, re.MULTILINE)
    for option in ("--version", "--debug", "--install-completion", "--show-completion", "--help"):
        assert option in done.stdout
    assert re.search(r"^Commands of plugins:\n  acme +of holodeck-acme 1\.2$", done.stdout, re.MULTILINE)


def test_help_works_while_the_plugin_settings_are_broken(holodeck: Holodeck) -> None:
    done = holodeck("--help", env={"HOLODECK_PLUGIN_AUTOLOAD": "maybe"})
    assert done.returncode == 0
    assert "HOLODECK_PLUGIN_AUTOLOAD" in done.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["tets"], "No such command 'tets'. Did you mean 'test'?"),
        (["acm"], "No such command 'acm'. Did you mean 'acme'?"),
        (["\x1b[31mx"], r"No such command '\x1b[31mx'."),
        (["qqq"], "No such command 'qqq'.\n"),
        (["acme", "sevre"], "No such command 'sevre'. Did you mean 'serve'?"),
        (["plugins", "lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["test", "--nope"], "No such option: --nope"),
        (["test", "-p", "0"], "Invalid value for '--parallel-test-cases' / '-p'"),
        (["test", "-p", "many"], "Invalid value for '--parallel-test-cases' / '-p'"),
        (["test", "--format"], "Option '--format' requires an argument."),
        (["test", "-v", "-q"], "-v and -q exclude each other"),
        (["test", "a.yaml", "b\x1b[2J.yaml"], "Got unexpected extra argument"),
        ([], "Usage: holodeck"),
        (["plugins"], "Usage: holodeck plugins"),
        (["acme"], "serve  serve what was found"),
    ],
    ids=repr,
)
def test_a_mistake_in_the_command_line_is_told_and_ends_with_2(
    holodeck: Holodeck, acme: dict[str, str], args: list[str], told: str
) -> None:
    done = holodeck(*args, env=acme)
    assert done.returncode == 2
    assert told in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("args", "code", "shown"),
    [
        pytest.param(["acme", "serve"], 0, "serving on 80\n", id="what-it-returns-means-nothing"),
        pytest.param(["acme", "serve", "--port", "8080"], 0, "serving on 8080\n", id="its-own-options"),
        pytest.param(["acme", "serve", "--how", "exit"], 4, "serving on 80\n", id="its-own-exit-code"),
        pytest.param(["acme", "serve", "--how", "abort"], 130, "serving on 80\n", id="abort"),
        pytest.param(["acme", "tools", "two"], 0, "two\n", id="an-app-of-several-commands"),
    ],
)
def test_a_command_of_a_plugin(
    holodeck: Holodeck, acme: dict[str, str], args: list[str], code: int, shown: str
) -> None:
    done = holodeck(*args, env=acme)
    assert (done.returncode, done.stdout) == (code, shown)


def test_the_help_of_a_command_of_a_plugin_offers_no_completion_of_its_own(
    holodeck: Holodeck, acme: dict[str, str]
) -> None:
    done = holodeck("acme", "serve", "--help", env=acme)
    assert done.returncode == 0
    assert "--port" in done.stdout
    assert "--install-completion" not in done.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (
            ["acme", "wrong"],
            "error: the command 'acme/wrong' cannot be called: its target is of type int, not a typer.Typer",
        ),
        (["acme", "gone"], "error: the command 'acme/gone' of holodeck-acme 1.2 is broken"),
        (
            ["acme", "call"],
            "error: the command 'acme/call' cannot be called: RuntimeError: Type not yet supported",
        ),
    ],
    ids=["no-app", "missing-target", "no-command"],
)
def test_a_broken_command_of_a_plugin_ends_with_3(
    holodeck: Holodeck, acme: dict[str, str], args: list[str], told: str
) -> None:
    done = holodeck(*args, env=acme)
    assert done.returncode == 3
    assert done.stderr.startswith(told)


def test_why_a_plugin_has_no_commands_is_told(holodeck: Holodeck, acme: dict[str, str]) -> None:
    done = holodeck("acme", "serve", env={**acme, "HOLODECK_DISABLE_PLUGINS": "acme"})
    assert done.returncode == 2
    assert "No such command 'acme'. The plugin holodeck-acme 1.2 is disabled" in done.stderr


@pytest.mark.parametrize(
    ("how", "error"),
    [("raise", "RuntimeError: no \N{REPLACEMENT CHARACTER}[31mport"), ("panic", "Panic: no port")],
)
def test_a_failure_of_a_plugins_command_is_one_line_and_not_holodecks(
    holodeck: Holodeck, acme: dict[str, str], how: str, error: str
) -> None:
    done = holodeck("acme", "serve", "--how", how, env=acme)
    line = f"the command `holodeck acme serve` failed: {error} (`holodeck --debug acme serve …` shows the traceback)"
    assert (done.returncode, done.stderr) == (3, f"error: {line}\n")


def test_debug_shows_the_traceback_of_a_plugins_command(holodeck: Holodeck, acme: dict[str, str]) -> None:
    folder = acme["PYTHONPATH"]
    done = holodeck("--debug", "acme", "serve", "--how", "raise", env={**acme, "PWD": folder})
    assert done.returncode == 3
    assert f'File "{folder}/acme_app.py", line ' in done.stderr
    assert done.stderr.startswith("Traceback (most recent call last):")
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("args", [[], ["--debug"]], ids=["a-line", "a-traceback"])
def test_an_internal_error_tells_no_secret_of_the_environment(
    holodeck: Holodeck, acme: dict[str, str], args: list[str]
) -> None:
    done = holodeck(*args, "acme", "serve", "--how", "raise", env={**acme, "ACME_TOKEN": "sk-not-a-real-key"})
    assert done.returncode == 3
    assert "RuntimeError: no \N{REPLACEMENT CHARACTER}[31mport[redacted]" in done.stderr
    assert "sk-not-a-real-key" not in done.stderr


@pytest.mark.parametrize("args", [[], ["--debug"]], ids=["a-line", "a-traceback"])
def test_an_internal_error_tells_no_secret_of_the_agent_file(
    holodeck: Holodeck, tmp_path: Path, args: list[str]
) -> None:
    (tmp_path / "breaks.py").write_text(
        "import holodeck_cli.run_tests as run_tests\n"
        "def agent(api_key):\n"
        "    def fail(**known):\n"
        "        raise RuntimeError(f'no code for {api_key}') from ValueError(api_key)\n"
        "    run_tests.exit_code_of = fail\n"
        "    return lambda text: text\n"
    )
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'breaks:agent', api_key: sk-not-a-real-key}\n"
        "test_cases: [{input: hi, expected_tools: []}]\n"
    )
    done = holodeck("test", *args)
    assert done.returncode == 3
    assert "RuntimeError: no code for [redacted]" in done.stderr
    assert ("Traceback" in done.stderr) is bool(args)
    assert "sk-not-a-real-key" not in done.stdout + done.stderr


def test_what_is_logged_of_a_task_of_the_agent_has_no_secret_and_is_no_command(
    holodeck: Holodeck, tmp_path: Path
) -> None:
    (tmp_path / "leaves.py").write_text(
        "import asyncio\n"
        "def agent(api_key):\n"
        "    async def fail():\n"
        "        raise RuntimeError(f'##vso[x] \\x1b[31m{api_key}')\n"
        "    async def send(text):\n"
        "        asyncio.create_task(fail())\n"
        "        await asyncio.sleep(0.01)\n"
        "        return text\n"
        "    return send\n"
    )
    (tmp_path / "agent.yaml").write_text(
        "name: a\nmodel: {provider: python, agent: 'leaves:agent', api_key: sk-not-a-real-key}\n"
        "test_cases: [{input: hi, expected_tools: []}]\n"
    )
    done = holodeck("test")
    assert done.returncode == 0
    assert "Task exception was never retrieved" in done.stderr
    assert r"RuntimeError: #\u0023vso[x] [redacted]" in done.stderr
    assert "sk-not-a-real-key" not in done.stderr


def test_debug_shows_no_traceback_of_a_mistake_in_a_file(holodeck: Holodeck) -> None:
    done = holodeck("test", "--debug", "missing.yaml")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["missing.yaml: there is no such file", "1 problem in missing.yaml"]


def test_shell_completion_is_there(holodeck: Holodeck) -> None:
    shown = holodeck("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert (shown.returncode, "_HOLODECK_COMPLETE" in shown.stdout) == (0, True)
    completed = holodeck(
        env={"_HOLODECK_COMPLETE": "complete_bash", "COMP_WORDS": "holodeck va", "COMP_CWORD": "1"}
    )
    assert completed.stdout.split() == ["validate"]
