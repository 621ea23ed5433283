"""A conversation with a real language model: three turns, a tool, and a memory of what was said before.

The model is yours: ``HOLODECK_LOCAL_MODEL_ENDPOINT`` is the address of any server that speaks as OpenAI does
(llama.cpp, Ollama, vLLM), such as ``http://127.0.0.1:8080/v1``, and ``HOLODECK_LOCAL_MODEL_NAME`` the model's name,
where the server asks for one. Small models say the right thing in many ways, so what is asserted is the call and a word
of the answer.
"""

import os
from pathlib import Path
from textwrap import dedent

import pytest

from holodeck_core import load_suite, run_suite_sync

ENDPOINT = os.environ.get("HOLODECK_LOCAL_MODEL_ENDPOINT", "")

AGENT = """
    name: shop assistant
    model:
      provider: openai
      name: "${HOLODECK_LOCAL_MODEL_NAME:-local}"
      endpoint: "${HOLODECK_LOCAL_MODEL_ENDPOINT}"
      temperature: 0
      seed: 1
      max_tokens: 100
    instructions: {inline: You are a helpful support assistant.}
    tools: [{type: function, name: order_status, file: local_model_shop.py, function: order_status}]
    execution: {llm_timeout: 300}
    x-says: &says {type: code, grader: "local_model_shop:says", name: says}
    test_cases:
      - name: three turns
        turns:
          - input: "Hi, my name is Ada. Where is my order 1234?"
            expected_tools: [{name: order_status, args: {order_id: {fuzzy: 1234}}, result: {contains: Friday}}]
            turn_config: {word: friday}
            evaluations: [*says]
          - input: On which day does it arrive?
            turn_config: {word: friday}
            evaluations: [*says]
          - input: Thank you! What is my name?
            turn_config: {word: ada}
            evaluations: [*says]
"""
SHOP = '''
    def order_status(order_id: str) -> str:
        """Says where an order is.

        Args:
            order_id: The number of the order.
        """
        return f"Order {order_id} was shipped and arrives on Friday."


    def says(turn):
        return turn.turn_config["word"] in turn.agent_response.casefold()
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the agent's files are."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "local_model_shop.py").write_text(dedent(SHOP), encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(
    not ENDPOINT, reason="HOLODECK_LOCAL_MODEL_ENDPOINT names no server with a language model"
)
@pytest.mark.parametrize("stream", ["false", "true"])
def test_a_conversation_with_a_real_model(folder: Path, stream: str) -> None:
    (folder / "agent.yaml").write_text(
        dedent(AGENT).replace("seed: 1\n", f"seed: 1\n  stream: {stream}\n"), encoding="utf-8"
    )
    report = run_suite_sync(load_suite(folder / "agent.yaml"))
    [case] = report.results
    told = [
        (turn.response, [(call.name, call.args, call.result, call.error) for call in turn.tool_invocations])
        for turn in case.turns or ()
    ]
    print(*told, case.token_usage, sep="\n")
    assert case.passed, (told, [turn.errors for turn in case.turns or ()])
    assert case.token_usage is not None
    assert case.token_usage.completion_tokens > 0
