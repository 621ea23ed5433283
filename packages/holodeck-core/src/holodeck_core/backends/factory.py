"""The factory of a user's own agent: what it takes is checked before it is called."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from pydantic import SecretStr

from holodeck_core.api.values import thaw
from holodeck_core.backends.blocking import runs_on_loop
from holodeck_core.config.reading.suggest import did_you_mean
from holodeck_core.models.llm import LLMProvider, ProviderSettings

CASE_NAME = "case_name"
_SETTINGS = frozenset(ProviderSettings.model_fields)
# A label as much as a setting, so that a factory need not take it.
_LABEL = "name"
_UNCALLABLE = "cannot be called as a factory, once a session, to make an agent"
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Misfit(ValueError):
    """A factory cannot be called with the keys that are given. ``faults`` are (key, what is wrong), the key None where
    none of those that are written is at fault."""

    def __init__(self, spec: str, faults: list[tuple[str | None, str]]) -> None:
        self.faults = [(key, f"{spec} {_UNCALLABLE}: {what}") for key, what in faults]
        super().__init__(f"{spec} {_UNCALLABLE}: {'; '.join(what for _, what in faults)}")


class Factory:
    """A callable that makes one agent for each session.

    It is called with those of ``case_name`` and the keys of ``model`` that its signature names; with ``**kwargs`` it is
    given every key. Raises ValueError for a key it does not take and for a parameter that no key fills. The settings
    that ``model`` may hold for any provider (``temperature``, …) are known when a session is opened, and checked then.
    """

    def __init__(
        self, spec: str, target: object, keys: Mapping[str, Any], *, fill: str | None = None
    ) -> None:
        """``fill`` says how a parameter is given a value, where that is not under ``model``."""
        if not callable(target):
            what = f"it is of type {type(target).__name__}, which cannot be called"
            raise ValueError(
                f"{spec} is no factory: {what}; name the class, or a function that makes an agent"
            )
        self._spec = spec
        self._target: Callable[..., Any] = target
        self._keys = keys
        self._fill = fill
        self._parameters = _parameters(target)
        self._named = [parameter.name for parameter in self._parameters if parameter.kind in _NAMED]
        self._takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in self._parameters)
        self.is_async = runs_on_loop(target)
        self._refuse([*self._unusable(), *self._unknown(keys), *self._missing(keys.keys() | _SETTINGS)])

    def call(self, case_name: str | None, model: LLMProvider) -> Callable[[], Any]:
        """One call of the factory, to be made. Raises ValueError where the settings of ``model`` do not fit it."""
        settings = {key: getattr(model, key) for key in _SETTINGS & model.model_fields_set}
        keys = {key: value for key, value in settings.items() if value is not None} | dict(self._keys)
        self._refuse([*self._unknown(keys), *self._missing(keys)])
        given = {key: _plain(value) for key, value in keys.items() if self._takes(key)}
        if CASE_NAME in self._named:
            given[CASE_NAME] = case_name
        return lambda: self._target(**given)

    def _takes(self, key: str) -> bool:
        return self._takes_any or key in self._named

    def _unusable(self) -> Iterator[tuple[str | None, str]]:
        for parameter in self._parameters:
            if parameter.kind is parameter.POSITIONAL_ONLY and parameter.default is parameter.empty:
                yield (
                    None,
                    f"its parameter `{parameter.name}` is positional-only, and parameters are given by name",
                )
        if CASE_NAME in self._keys:
            yield CASE_NAME, f"`{CASE_NAME}` is the name of the test case, and cannot be a key of `model`"

    def _unknown(self, keys: Mapping[str, Any]) -> Iterator[tuple[str | None, str]]:
        for key in keys:
            if key not in (_LABEL, CASE_NAME) and not self._takes(key):
                yield key, f"it takes no `{key}`{did_you_mean(key, self._named)}"

    def _missing(self, keys: Collection[str]) -> Iterator[tuple[str | None, str]]:
        for parameter in self._parameters:
            name = parameter.name
            if (
                name in self._named
                and parameter.default is parameter.empty
                and name not in (CASE_NAME, *keys)
            ):
                how = self._fill or f"give `{name}` under `model`, or a default"
                yield None, f"its parameter `{name}` has no value: {how}{self._if_it_is_the_agent()}"

    def _if_it_is_the_agent(self) -> str:
        """What to do where the callable looks like an agent, a function of one text, rather than like its factory."""
        if self._fill is not None or not inspect.isfunction(self._target) or len(self._parameters) != 1:
            return ""
        return "; if it is the agent itself, from text to reply, name a function that returns it"

    def _refuse(self, faults: list[tuple[str | None, str]]) -> None:
        if faults:
            raise Misfit(self._spec, faults)


def _parameters(target: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return list(inspect.signature(target).parameters.values())
    except ValueError:  # some callables that are not written in Python say nothing about themselves
        return [inspect.Parameter("keys", inspect.Parameter.VAR_KEYWORD)]


def _plain(value: Any) -> Any:
    """A value of its own for each session; a secret as the text that it hides."""
    return value.get_secret_value() if isinstance(value, SecretStr) else thaw(value)
