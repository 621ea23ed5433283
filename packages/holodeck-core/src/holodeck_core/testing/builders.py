"""Suites built in code, without a file: every part is a real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from holodeck_core.api.backend import Backend
from holodeck_core.api.metric import Metric
from holodeck_core.api.reply import Reply, UserMessage
from holodeck_core.api.suite import BoundCase, BoundMetric, BoundTurn, Suite
from holodeck_core.api.values import thaw, to_json
from holodeck_core.backends.scripted import ScriptedBackend, ScriptedOptions
from holodeck_core.models.agent import Agent


def scripted(*replies: str | Reply | Mapping[str, Any]) -> ScriptedBackend:
    """A backend that answers each conversation with these, one after the other.

    A reply is its text, a ``Reply`` with tool calls, or an entry as it stands in a file (``{"error": "timeout"}``).
    """
    options = ScriptedOptions.model_validate({"replies": [_entry(reply) for reply in replies]})
    return ScriptedBackend(options, Path.cwd())


def _entry(reply: str | Reply | Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(reply, str):
        return {"reply": reply}
    if not isinstance(reply, Reply):
        return dict(reply)
    calls = [
        {"name": call.name, "args": thaw(to_json(call.args)), "result": call.result, "error": call.error}
        for call in reply.tool_calls
    ]
    return {"reply": reply.text, "calls": calls, "usage": reply.usage}


def case(
    *turns: str | BoundTurn,
    name: str | None = None,
    metrics: Sequence[Metric | BoundMetric] = (),
    ground_truth: str | None = None,
    **more: Any,
) -> BoundCase:
    """A conversation. A text is a turn that sends it, with the ``metrics`` and the ``ground_truth``.

    ``more`` are further fields of the ``BoundCase``. ``suite`` gives it its place.
    """
    bound = tuple(_bound(metric) for metric in metrics)
    return BoundCase(
        index=0,
        name=name,
        turns=tuple(
            BoundTurn(message=UserMessage(each), metrics=bound, ground_truth=ground_truth)
            if isinstance(each, str)
            else each
            for each in turns
        ),
        **more,
    )


def _bound(metric: Metric | BoundMetric) -> BoundMetric:
    if isinstance(metric, BoundMetric):
        return metric
    name = type(metric).__name__.lower()
    return BoundMetric(name=name, kind=name, metric=metric)


def suite(backend: Backend, *cases: BoundCase, name: str = "agent", **more: Any) -> Suite:
    """The suite of these cases, in this order. ``more`` are further fields of the ``Suite``."""
    agent = Agent.model_validate({"name": name, "model": {"provider": "scripted", "replies": []}})
    placed = [attrs.evolve(each, index=index) for index, each in enumerate(cases)]
    return Suite(agent=agent, backend=backend, cases=placed, **more)
