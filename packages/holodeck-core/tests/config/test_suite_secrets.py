"""What of a configuration is a secret of its suite, wherever it is repeated."""

from __future__ import annotations

import base64
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from holodeck_core import Suite, load_suite
from holodeck_core.redaction import MASK

S = "s3cr3t-value"
TOOL = "tools: [{type: mcp, name: m, command: c, "
REMOTE = "tools: [{type: mcp, name: m, transport: http, "
BASIC = base64.b64encode(f"ada:{S}".encode()).decode()

# What stands in an agent file, and is a secret.
SECRETS = {
    "api key": f"MODEL api_key: {S}",
    "one of letters and digits in another place": f"MODEL, x: {{y: [{{access_token: {S}}}]}}",
    "password of a backend's own option": f"MODEL db_password: {S}",
    "a list of them": f"MODEL client_secret: [{S}]",
    "a misspelt key": f"MODEL api_kye: {S}",
    "model of the metrics": f"evaluations: {{model: {{provider: x, api_key: {S}}}, metrics: []}}",
    "model of a metric": (
        f"evaluations: {{metrics: [{{type: standard, metric: equality, model: {{provider: x, api_key: {S}}}}}]}}"
    ),
    "model of a tool": (
        f"tools: [{{type: prompt, name: p, template: t, model: {{provider: openai, name: m, api_key: {S}}}}}]"
    ),
    "embedding provider": f"embedding_provider: {{name: x, api_key: {S}}}",
    "observability": f"observability: {{exporters: [{{headers: {{x-team: {S}}}}}]}}",
    "database": f"tools: [{{type: vectorstore, name: v, source: any_agent.py, database: {{connection_string: {S}}}}}]",
    "header": f"{REMOTE}url: 'https://h.example', headers: {{X-Any: {S}}}}}]",
    "header with a scheme": f"{REMOTE}url: 'https://h.example', headers: {{Authorization: Bearer {S}}}}}]",
    "header with user and password": (
        f"{REMOTE}url: 'https://h.example', headers: {{Authorization: Basic {BASIC}}}}}]"
    ),
    "cookie": f"{REMOTE}url: 'https://h.example', headers: {{Cookie: 'a=b; session={S}'}}}}]",
    "environment": f"{TOOL}env: {{MY_CREDENTIALS: {S}}}}}]",
    "environment, small letters": f"{TOOL}env: {{authority: {S}}}}}]",
    "argument after its option": f"{TOOL}args: [--api-key, {S}, --port, '80']}}]",
    "argument with its option": f"{TOOL}args: [--api-key={S}]}}]",
    "argument as a header": f"{TOOL}args: [-H, 'Authorization: Bearer {S}']}}]",
    "argument as a setting": f"{TOOL}args: [run, -e, ACME_TOKEN={S}, image]}}]",
    "argument in a command": f"tools: [{{type: mcp, name: m, command: 'serve --token {S} --port 80'}}]",
    "password of an address": f"MODEL endpoint: 'https://ada:{S}@h.example/v1'",
    "user of an address": f"MODEL endpoint: 'https://{S}@h.example/v1'",
    "quoted password of an address": f"MODEL endpoint: 'https://ada:{S.replace('-', '%2D')}@h.example/v1'",
    "query of an address": f"MODEL endpoint: 'https://h.example/v1?sig={S}&x=1'",
    "query of a tool's address": f"{REMOTE}url: 'https://h.example/?k=1&code={S}'}}]",
    "address in an environment": f"{TOOL}env: {{DATABASE_URL: 'postgres://ada:{S}@h.example/db'}}}}]",
    "variable": "MODEL api_key: '${KEY}'",
    "variable in a text": "MODEL authorization: 'a ${KEY} b'",
    "variable in an address": "MODEL endpoint: 'https://ada:${KEY}@h.example/v1'",
    "address in a variable": "MODEL endpoint: '${ADDRESS}'",
    "default of a variable": f"MODEL api_key: '${{NO_KEY:-{S}}}'",
    "a number": "MODEL api_token: 1234567890",
    "several lines": f"x-a: 1\nMODEL_BLOCK\n  api_key: |\n    first line\n    {S}\n",
    "metric of a case": (
        "test_cases: [{input: a, evaluations: [{type: standard, metric: equality, "
        f"model: {{provider: x, api_key: {S}}}}}]}}]"
    ),
    "metric of a turn": (
        "test_cases: [{turns: [{input: a, evaluations: [{type: standard, metric: equality, "
        f"model: {{provider: x, api_key: {S}}}}}]}}]}}]"
    ),
}  # fmt: skip

# What stands in an agent file, and is none.
PLAIN = {
    "variable elsewhere": "MODEL flavour: '${KEY}'",
    "header that everybody sends": f"{REMOTE}url: 'https://h.example', headers: {{Accept: {S}}}}}]",
    "environment": f"{TOOL}env: {{MODE: {S}}}}}]",
    "version in a query": f"MODEL endpoint: 'https://h.example/v1?api-version={S}'",
    "query of an address in prose": f"description: see https://h.example/?page={S}",
    "argument": f"{TOOL}args: [--mode, {S}, --max-tokens, {S}, '--key-file={S}']}}]",
    "what a reply must look like": f"response_format: {{properties: {{password: {{type: string, description: {S}}}}}}}",
    "what a tool takes": (
        f"tools: [{{type: prompt, name: p, template: t, parameters: {{token: {{description: {S}}}}}}}]"
    ),
    "argument of a case": f"test_cases: [{{input: a, expected_tools: [{{name: f, args: {{password: {S}}}}}]}}]",
    "prose": f"instructions: {{inline: 'password: {S}'}}",
    "tokens": f"MODEL max_thinking_tokens: {S}",
}

AGENT = "def open(**keys):\n    return str\n"


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Suite]]:
    """Loads an agent whose factory takes any key."""
    monkeypatch.setenv("KEY", S)
    monkeypatch.setenv("ADDRESS", f"https://ada:{S}@h.example")
    (tmp_path / "any_agent.py").write_text(AGENT)

    def load(text: str) -> Suite:
        model = "provider: python, agent: 'any_agent:open'"
        if "MODEL_BLOCK" in text:
            text = text.replace("MODEL_BLOCK", "model:\n  provider: python\n  agent: any_agent:open")
        elif text.startswith("MODEL"):
            text = f"model: {{{model}, {text.removeprefix('MODEL').lstrip(', ')}}}\n"
        else:
            text = f"model: {{{model}}}\n{text}\n"
        (tmp_path / "agent.yaml").write_text(f"name: a\n{text}")
        return load_suite(tmp_path / "agent.yaml")

    yield load
    sys.modules.pop("any_agent", None)


@pytest.mark.parametrize("text", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_masked_wherever_it_is_repeated(load: Callable[[str], Suite], text: str) -> None:
    suite = load(text)
    secret = "1234567890" if "1234567890" in text else S
    assert suite.secrets.redact(f"<{secret}>") == f"<{MASK}>"
    assert S not in str(suite.configuration)
    assert secret not in str(suite.configuration)


@pytest.mark.parametrize("text", PLAIN.values(), ids=PLAIN)
def test_what_is_no_secret_is_left_alone(load: Callable[[str], Suite], text: str) -> None:
    assert load(text).secrets.redact(S) == S


def test_a_suite_shows_and_gives_away_no_secret(load: Callable[[str], Suite]) -> None:
    suite = load(f"MODEL api_key: {S}")
    assert S not in repr(suite)
    assert "secrets" not in repr(suite)
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(attrs.asdict(suite, recurse=False)["secrets"])


def test_a_secret_that_is_renewed_makes_no_other_agent(load: Callable[[str], Suite], tmp_path: Path) -> None:
    texts: list[Any] = [
        f"MODEL api_key: {secret}, endpoint: 'https://ada:{secret}@h.example/?sig={secret}'"
        for secret in ("first-secret", "second-secret", S)
    ]
    first, second, third = [load(text).fingerprint for text in texts]
    assert first == second == third
    assert load(f"MODEL api_key: {S}, endpoint: 'https://h.example'").fingerprint != first
