"""The bound suite: everything resolved, checked and built, ready to run. The engine knows nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import attrs

from holodeck_core.api.backend import Backend, CaseRef
from holodeck_core.api.metric import Metric
from holodeck_core.api.reply import UserMessage
from holodeck_core.api.settings import ResolvedSettings
from holodeck_core.api.tool_checks import ToolChecks
from holodeck_core.api.values import EMPTY_DICT
from holodeck_core.errors import Problem
from holodeck_core.models.agent import Agent
from holodeck_core.models.test_result import case_label
from holodeck_core.redaction import NO_SECRETS, Redactor

FILE_IN_FINGERPRINT: Final = "file "


@attrs.frozen(kw_only=True)
class BoundMetric:
    """A metric with the rules for its verdict. ``name`` is unique within a turn."""

    name: str
    kind: str
    metric: Metric
    threshold: float | None = None
    scale: float | None = None
    fail_on_error: bool = False


@attrs.frozen(kw_only=True)
class BoundTurn:
    """One message to send and what is asserted about its answer.

    ``expected_tools`` is their form in the file, for reports.
    """

    message: UserMessage
    ground_truth: str | None = None
    tools: ToolChecks | None = None
    metrics: tuple[BoundMetric, ...] = ()
    retrieval_context: tuple[str, ...] | None = None
    turn_config: Mapping[str, Any] = EMPTY_DICT
    expected_tools: Sequence[str | dict[str, Any]] | None = None

    @property
    def checked(self) -> bool:
        """Whether the turn asserts anything."""
        return self.tools is not None or bool(self.metrics)


@attrs.frozen(kw_only=True)
class BoundCase:
    """One conversation to hold. ``index`` counts from 0, in file order; ``source`` is ``file:line`` where it stands.

    ``multi_turn`` says that the case was written with ``turns``, even with one. Cases of one ``content_hash`` are the
    same; None where that cannot be told. It is run ``repeat`` times, and passes if the share ``min_pass_rate`` does.
    """

    index: int
    turns: tuple[BoundTurn, ...]
    name: str | None = None
    multi_turn: bool = True
    conversation: str | None = None
    tags: tuple[str, ...] = ()
    on_turn_failure: Literal["continue", "stop"] = "continue"
    source: str | None = None
    content_hash: str | None = None
    repeat: int = 1
    min_pass_rate: float = 1.0

    @property
    def label(self) -> str:
        """The name, or ``case 4`` for the fourth case where it has none."""
        return case_label(self.name, self.index)

    @property
    def ref(self) -> CaseRef:
        """What a backend is told of the case."""
        return CaseRef(self.index, self.name, self.conversation)


class CaseSource(Protocol):
    """Where cases come from. It can be read several times, always from the first case, and need not hold them all."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[BoundCase]: ...


@attrs.frozen(kw_only=True)
class Suite:
    """An agent and its cases, bound. ``path`` is the agent file, None for a suite built in code.

    ``llm_timeout`` is in seconds and bounds each attempt at a turn, of which ``retries`` may follow the first;
    ``parallel`` is how many cases run side by side. ``plugins`` maps the ids of the plugins in use to their versions;
    ``fingerprint`` maps the sections of the agent file that results depend on to hashes of what they hold, and so the
    files that it names, each as ``FILE_IN_FINGERPRINT`` and its path;
    ``configuration`` is the file as it is written, without secrets and cases; ``warnings`` hold what can never fail or
    never pass; ``settings`` says where each execution setting of a suite that was loaded comes from; ``secrets`` takes
    what the configuration holds of them out of everything that is written or told.
    """

    agent: Agent
    backend: Backend
    cases: CaseSource
    parallel: int = 1
    llm_timeout: float = 60.0
    retries: int = 2
    path: Path | None = None
    plugins: Mapping[str, str] = attrs.field(factory=dict)
    fingerprint: Mapping[str, str] = attrs.field(factory=dict)
    configuration: Mapping[str, Any] = attrs.field(factory=dict)
    warnings: tuple[Problem, ...] = ()
    settings: ResolvedSettings | None = None
    secrets: Redactor = attrs.field(default=NO_SECRETS, repr=False, eq=False)
