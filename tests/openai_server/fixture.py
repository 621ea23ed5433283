"""The scripted server for tests: one process a test session, a script of its own for each test.

A ``conftest.py`` that needs it says ``from openai_server.fixture import openai_process, openai_server``, and a test:

    server = openai_server({"turns": [{"user": "Hi", "text": "Hello"}]})
    ... server.endpoint, server.azure ...
    assert server.requests()[0]["body"]["messages"] == [...]
"""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SERVE = Path(__file__).with_name("serve.py")


@dataclass(frozen=True)
class OpenAIServer:
    """A running server. ``url`` is its address without a path."""

    url: str

    @property
    def endpoint(self) -> str:
        """The base URL for clients of OpenAI."""
        return f"{self.url}/v1"

    @property
    def azure(self) -> str:
        """The endpoint for clients of Azure OpenAI."""
        return self.url

    def play(self, script: dict[str, Any]) -> None:
        """Play this script from now on, and forget what was asked so far."""
        self._ask("PUT", "/script", script)

    def requests(self) -> list[dict[str, Any]]:
        """What was asked so far (see ``serve.py``)."""
        found: list[dict[str, Any]] = self._ask("GET", "/requests")
        return found

    def _ask(self, method: str, path: str, value: Any = None) -> Any:
        data = None if value is None else json.dumps(value).encode()
        request = urllib.request.Request(self.url + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise ValueError(error.read().decode()) from None


def started(*arguments: str | Path) -> tuple[subprocess.Popen[str], OpenAIServer]:
    """A server process, and where it listens. It ends when its standard input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-S", str(SERVE), *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, OpenAIServer(process.stdout.readline().strip())


def stop(process: subprocess.Popen[str]) -> None:
    """Let the server end, and wait for it."""
    process.communicate(timeout=10)


@pytest.fixture(scope="session")
def openai_process() -> Iterator[OpenAIServer]:
    """The one process that all tests share."""
    process, server = started()
    yield server
    stop(process)


@pytest.fixture
def openai_server(openai_process: OpenAIServer) -> Callable[[dict[str, Any]], OpenAIServer]:
    """Lets the server play a script; where it is."""

    def openai_server(script: dict[str, Any]) -> OpenAIServer:
        openai_process.play(script)
        return openai_process

    return openai_server
