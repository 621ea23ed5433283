"""No message and no source line that is shown with it holds a secret."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holodeck_core.config.messages.secret_keys import is_secret
from holodeck_core.errors import Problem

Problems = Callable[..., list[Problem]]

SECRET = "s3cr3t-value"
TOOL = "tools: [{type: mcp, name: m, command: c, "
MODEL = "model: {provider: scripted, replies: [], "
JUDGE = f"model: {{provider: 5, api_key: {SECRET}}}"

SECRETS = [
    ("api key", f"{MODEL}api_key: [{SECRET}]}}"),
    ("api key beside a mistake", f"model: {{provider: scripted, replies: 5, api_key: {SECRET}}}"),
    ("misspelled api key", f"{MODEL}apikey: {SECRET}}}"),
    ("header", f"{TOOL}headers: {{X-Anything: [{SECRET}]}}}}]"),
    ("headers", f"{TOOL}headers: {SECRET}}}]"),
    ("environment", f"{TOOL}env: {{ACME_PASS: [{SECRET}]}}}}]"),
    ("environment beside a mistake", f"{TOOL}env: {{ACME_PASS: {SECRET}, A: 5}}}}]"),
    ("environment as text", f"{TOOL}env: 'ACME_KEY={SECRET}'}}]"),
    ("beside an unknown key", f"{TOOL}env: {{ACME_KEY: {SECRET}}}, foo: 1}}]"),
    ("repeated", f"{MODEL}replies: [], db_password: {SECRET}}}"),
    ("by an alias", f"x-own: &own {SECRET}\nmodel: {{provider: scripted, replies: [], api_key: *own, foo: *own}}"),
    ("of a judge", f"evaluations: {{metrics: [{{type: geval, criteria: c, {JUDGE}}}]}}"),
    ("misspelt api key in braces", f"{MODEL}api_kye: {SECRET}}}"),
    ("misspelt api key", f"model:\n  provider: scripted\n  replies: []\n  ap_key: {SECRET}\n"),
    ("misspelt password", f"{MODEL}pasword: {SECRET}}}"),
    ("forgotten colon in braces", f"{MODEL}api_key {SECRET}}}"),
    ("forgotten colon", f"model:\n  api_key {SECRET}\n  provider: scripted\n  replies: []\n"),
    ("forgotten colon below a value", f"model:\n  replies: []\n  provider: scripted\n    api_key {SECRET}\n"),
    ("forgotten colon and quotes", f"{MODEL}api_key '{SECRET}'}}"),
    ("forgotten colon and space", f"{MODEL}api_key:{SECRET}}}"),
    ("camel case on a line that is no YAML", f"model: {{accessToken: {SECRET}, x"),
    ("name of an environment on a line that is no YAML", f"tools:\n  - env:\n      ACME_CREDS: {SECRET}\n    x: [\n"),
    ("environment on a line that is no YAML", f"tools:\n  - env:\n      acme_tokens: {SECRET} : x\n"),
    ("header on a line that is no YAML", f"tools:\n  - headers:\n      X-Any: {SECRET} : x\n"),
    ("password of an address", f"{MODEL}endpoint: 'https://ada:{SECRET}@h.example', replise: 1}}"),
    ("password of an address on a line that is no YAML", f"x: https://ada:{SECRET}@h.example: x: y"),
    ("argument on a line that is no YAML", f"x: [--api-key, {SECRET}"),
    ("as a key", f"{MODEL}api_key: {SECRET}, {SECRET}: 1}}"),
    ("as a number", f"{MODEL}api_key: 1234567890, top_p: 1234567890}}"),
    ("in JSON", f'{{"name": "a", "model": {{"provider": "scripted", "api_key": "{SECRET}" "x": 1}}}}'),
    ("below its key in JSON", f'{{"model": {{"headers": {{\n"X-Any": "{SECRET}"\n"x": 1}}}}}}'),
    ("of many lines that are no YAML", f"api_key: |\n  first\n  second {SECRET}\n\t\n  third\nx: [\n"),
    ("of several lines", f"model:\n  provider: scripted\n  replies: 1\n  api_key: |\n    {SECRET}\n    x-{SECRET}\n"),
]  # fmt: skip


@pytest.mark.parametrize("text", [row[1] for row in SECRETS], ids=[row[0] for row in SECRETS])
def test_no_message_shows_a_secret(problems_with: Problems, text: str) -> None:
    found = problems_with(text)
    assert found
    assert not any(SECRET in str(problem) for problem in found), [str(problem) for problem in found]
    assert not any("1234567890" in str(problem) for problem in found)


def test_what_is_no_secret_is_shown(problems: Problems) -> None:
    found = problems(
        "name: a\nmodel: {provider: scripted, replies: [], max_tokens: many}\n"
        "tools: [{type: mcp, name: m, command: c, env: {PORT: 8080}}]\ntest_cases: [{input: a, min_pass_rate: 7}]\n"
    )
    assert [problem.message.rpartition("got ")[2] for problem in found] == [
        'the text "many"',
        "the number 8080: put it in quotes",
        "7",
    ]


@pytest.mark.parametrize(
    ("path", "secret"),
    [
        ("model.api_key", True),
        ("model.apiKey", True),
        ("model.subscription-key", True),
        ("model.client_secret", True),
        ("model.password", True),
        ("model.DB_PASS", True),
        ("model.auth.user", True),
        ("headers", True),
        ("headers.X-Any", True),
        ("env", True),
        ("env.MY_TOKENS", True),
        ("env.GIT_CREDENTIALS", True),
        ("model.api_kye", True),
        ("model.apkey", True),
        ("model.passwort", True),
        ("model.authorisation", True),
        ("model.connectionString", True),
        ("headers.Accept", False),
        ("env.PORT", False),
        ("model.secretary", False),
        ("model.tokens", False),
        ("model.secure", False),
        ("model.max_tokens", False),
        ("test_cases.min_pass_rate", False),
        ("author", False),
        ("name", False),
    ],
)
def test_what_a_secret_is_called(path: str, secret: bool) -> None:
    assert is_secret(path.split(".")) is secret
