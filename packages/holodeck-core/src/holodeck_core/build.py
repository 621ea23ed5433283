"""Suites built in code: an agent that is a Python object, cases that are models or plain values, graders that are
functions. They are checked and bound as a file is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs
from pydantic import BaseModel, SecretStr

from holodeck_core.api.backend import Backend
from holodeck_core.api.grader import Grader
from holodeck_core.api.metric import Metric as ScoringMetric
from holodeck_core.api.suite import Suite
from holodeck_core.backends.factory import Factory
from holodeck_core.backends.own_agent import FactoryBackend, SharedAgent
from holodeck_core.config.binding.agent_sections import read_sections
from holodeck_core.config.binding.suite import Unbound, bind_suite
from holodeck_core.config.reading.built import BuiltDocument
from holodeck_core.config.settings.resolve import Level, command_line_level, resolve_settings
from holodeck_core.config.settings.variables import Variables
from holodeck_core.errors import Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.arg_matcher import ArgMatcher
from holodeck_core.models.code_name import code_name
from holodeck_core.models.config import ExecutionConfig
from holodeck_core.models.evaluation import CodeMetric, Metric
from holodeck_core.models.test_case import TestCaseModel
from holodeck_core.plugins.host import PluginHost

_FILL: Final = "bind it with `functools.partial`, or give it a default"


def build_suite(
    test_cases: Iterable[TestCaseModel | Mapping[str, Any]] | None = None,
    *,
    agent: object = None,
    factory: Callable[..., object] | None = None,
    name: str | None = None,
    evaluations: Iterable[Metric | Mapping[str, Any] | Grader] | None = None,
    settings: ExecutionConfig | Mapping[str, Any] | None = None,
    plugins: PluginHost | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Suite:
    """A suite without a file: the counterpart of ``load_suite``, with the same checks.

    ``agent`` answers: a function from text to reply, an object with ``send(message)`` or an async generator
    ``stream(message)``; one object for all cases, which is never closed. An agent that remembers is made anew for each
    case by a ``factory``, a class or function that is called with the name of the case if it has a parameter
    ``case_name``. In place of both, ``agent`` may be an ``Agent`` or a mapping with the keys of an agent file, or a
    ``Backend``.

    ``test_cases`` are models, or mappings with the keys of the file; None takes those of an ``Agent``. Where a metric
    may stand, a grader may: a function of ``GraderContext``. ``evaluations`` are the metrics of every turn that has
    none of its own. Relative paths start from ``folder``, by default the working directory. No file of settings and no
    ``HOLODECK_…`` setting is read, and ``${…}`` stays as it is; ``settings`` go before those of an ``Agent``.

    Raises ConfigError with every mistake found in what a file would hold; TypeError where the arguments do not name one
    agent, or hold a metric of a plugin in place of its name.
    """
    start = Path("." if folder is None else folder)
    backend, described = _agent(agent, factory, start.absolute())
    plain = _Plain()
    value: dict[str, Any] = {**plain.mapping(described)}
    if name is not None:
        value["name"] = name
    if test_cases is not None:
        value.pop("test_cases_file", None)
        value["test_cases"] = [plain.value(case) for case in test_cases]
    if evaluations is not None:
        value["evaluations"] = {
            **(value.get("evaluations") or {}),
            "metrics": plain.value(list(evaluations), "evaluations"),
        }
    problems: list[Problem] = []
    document = BuiltDocument(value)
    nearest = command_line_level(settings, problems)
    sections = read_sections(document, problems)
    own = Level(sections.execution, lambda _: "agent")
    unbound = Unbound(
        document=document,
        written=value,
        sections=sections,
        execution=resolve_settings(level for level in (nearest, own) if level is not None),
        folder=start,
        variables=Variables(dict(os.environ)),
        problems=problems,
        backend=backend,
        graders=plain.graders,
    )
    return bind_suite(unbound, plugins)


def _agent(
    agent: object, factory: Callable[..., object] | None, folder: Path
) -> tuple[Backend | None, Agent | Mapping[str, Any]]:
    """What opens the sessions, None where the description names it; and the description."""
    if (agent is None) == (factory is None):
        raise TypeError("a suite has either an `agent` or a `factory` that makes one for each case")
    if factory is not None:
        spec = code_name(factory)
        backend: Backend = FactoryBackend.of(folder, spec, Factory(spec, factory, {}, fill=_FILL))
    elif isinstance(agent, Agent | Mapping):
        return None, agent
    elif isinstance(agent, Backend):
        backend, spec = agent, code_name(agent)
    elif isinstance(agent, type):
        raise TypeError(f"{agent.__name__} is a class: give it as `factory`, to be called once for each case")
    else:
        spec = code_name(agent)
        backend = SharedAgent(folder, spec, agent)
    return backend, {"name": spec.rpartition(":")[2], "model": {"provider": "python", "agent": spec}}


def _is_plugins_metric(value: object) -> bool:
    return isinstance(value, ScoringMetric) or (isinstance(value, type) and issubclass(value, ScoringMetric))


@attrs.define
class _Plain:
    """Models as the values that a file would hold. Functions that stand for graders are named, and kept by name."""

    graders: dict[str, Callable[..., Any]] = attrs.field(factory=dict)

    def mapping(self, value: Agent | Mapping[str, Any]) -> dict[str, Any]:
        plain: dict[str, Any] = self.value(value)
        return plain

    def value(self, value: Any, key: str = "") -> Any:
        """``value`` stands under ``key``, or in a list there."""
        if isinstance(value, CodeMetric) and value.callable is not None:
            return {**self._fields(value), "type": "code", "grader": self._named(value.callable)}
        if isinstance(value, BaseModel):
            return self._fields(value)
        if isinstance(value, Mapping):
            return {name: self.value(item, name) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, key) for item in value]
        if isinstance(value, ArgMatcher):
            return value.to_yaml()
        if isinstance(value, SecretStr):
            return value.get_secret_value()
        if key in ("evaluations", "metrics") and _is_plugins_metric(value):
            raise TypeError(
                f"{code_name(value)} is a Metric as plugins contribute it, and is named by its type; in code give a "
                "grader: a function of GraderContext that returns a bool, a number from 0 to 1 or a GraderResult"
            )
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if callable(value) and key in ("evaluations", "metrics"):
            return {"type": "code", "grader": self._named(value)}
        if callable(value) and key == "grader":
            return self._named(value)
        return value

    def _fields(self, model: BaseModel) -> dict[str, Any]:
        # A `type` that the class sets by itself is what tells its kind.
        names = [
            name for name in type(model).model_fields if name in model.model_fields_set or name == "type"
        ]
        names += model.model_extra or {}
        return {name: self.value(getattr(model, name), name) for name in names}

    def _named(self, grader: Callable[..., Any]) -> str:
        """A name of its own for each grader."""
        spec = name = code_name(grader)
        number = 1
        while self.graders.setdefault(name, grader) is not grader:
            number += 1
            name = f"{spec}_{number}"
        return name
