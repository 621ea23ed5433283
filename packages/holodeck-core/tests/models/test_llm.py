from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from holodeck_core.models.agent import Agent
from holodeck_core.models.llm import EmbeddingProvider, LLMConfig, LLMProvider

Places = Callable[[Any, Any], list[str]]
KEY = "sk-test-not-real-123"


def test_only_the_provider_is_required() -> None:
    assert LLMProvider(provider="scripted").model_dump(exclude_none=True) == {"provider": "scripted"}


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ({"provider": None}, "provider"),
        ({"provider": ""}, "provider"),
        ({"name": ""}, "name"),
        ({"temperature": -0.1}, "temperature"),
        ({"temperature": 2.1}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"top_p": 1.1}, "top_p"),
        ({"top_p": -1}, "top_p"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 1.5}, "max_tokens"),
        ({"endpoint": " "}, "endpoint"),
        ({"api_key": 5}, "api_key"),
    ],
    ids=repr,
)
def test_refuses(places: Places, keys: dict[str, Any], place: str) -> None:
    assert places(LLMProvider, {"provider": "openai", **keys}) == [place]


@pytest.mark.parametrize(
    "keys", [{"temperature": 0}, {"temperature": 2}, {"top_p": 0}, {"top_p": 1}], ids=repr
)
def test_takes_the_ends_of_a_range(places: Places, keys: dict[str, Any]) -> None:
    assert places(LLMProvider, {"provider": "openai", **keys}) == []


def test_further_keys_are_the_backends_options() -> None:
    model = LLMProvider.model_validate({"provider": "python", "agent": "bot:make", "name": "n", "depth": 3})
    assert model.options == {"agent": "bot:make", "depth": 3}
    assert LLMProvider(provider="x").options == {}


def test_an_embedding_provider_may_be_that_of_the_model() -> None:
    assert EmbeddingProvider(endpoint="https://host.example").provider is None


def test_both_seeds_names_are_one_class() -> None:
    assert LLMConfig is LLMProvider


class TestTheApiKeyIsNeverShown:
    def test_by_repr_and_dumps(self) -> None:
        model = LLMProvider(provider="openai", name="m", api_key=KEY)
        agent = Agent(name="a", model=model)
        for thing in (model, agent):
            for shown in (
                repr(thing),
                str(thing),
                f"{thing}",
                str(thing.model_dump()),
                thing.model_dump_json(),
                str(thing.model_dump(mode="json")),
            ):
                assert KEY not in shown
        assert model.api_key is not None
        assert model.api_key.get_secret_value() == KEY

    @pytest.mark.parametrize(
        "data",
        [
            {"name": "m", "api_key": KEY},
            {"provider": "openai", "api_key": [KEY]},
            {"provider": "openai", "api_key": KEY, "temperature": 9},
        ],
        ids=["provider missing", "key of a wrong type", "another mistake"],
    )
    def test_by_an_error(self, data: dict[str, Any]) -> None:
        for model, value in (
            (LLMProvider, data),
            (Agent, {"model": data}),
            (Agent, {"model": data, "tools": [{}]}),
        ):
            with pytest.raises(ValidationError) as caught:
                model.model_validate(value)
            assert KEY not in str(caught.value)
            assert KEY not in "".join(traceback.format_exception(caught.value))
