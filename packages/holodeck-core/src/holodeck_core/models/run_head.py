"""What ``run.json`` holds: what a run is, and how it ended."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from pydantic import Field

from holodeck_core.models.base import StrictModel, UtcDatetime
from holodeck_core.models.cost import PricedModel
from holodeck_core.models.test_result import ReportSummary

RUN_SCHEMA_VERSION: Final = 1


class Selection(StrictModel):
    """What picked the cases of a run: the expression of ``-k``, the tags of ``--tag``, and the id of the run of which
    ``--last-failed`` took those that did not pass."""

    name: str | None = None
    tags: list[str] = Field(default_factory=list)
    last_failed: str | None = None


class RunHead(StrictModel, extra="ignore"):
    """A run without its results. It holds no secret.

    ``model`` is that of the agent, with its variables replaced.
    ``agent_config_path`` is the agent file as it was named, ``agent_file`` its whole path. ``total`` is the number of
    cases that were to run; it and what follows are there when they are known. A run that was killed has no ``summary``.
    ``resumed_at`` is when it was last taken up again, ``results_bytes`` how long ``results.jsonl`` was at its end.
    ``repeat`` is how often each case is run, None as often as it says itself; with ``all_repeats`` also when its
    verdict stands before.
    """

    schema_version: int = Field(default=RUN_SCHEMA_VERSION, ge=1, le=RUN_SCHEMA_VERSION)
    run_id: str
    agent_name: str
    agent_config_path: str | None = None
    agent_file: str | None = None
    started_at: UtcDatetime
    resumed_at: UtcDatetime | None = None
    complete: bool = False
    holodeck_version: str
    environment: dict[str, Any] = Field(default_factory=dict)
    plugins: dict[str, str] = Field(default_factory=dict)
    git_commit: str | None = None
    fingerprint: dict[str, str] = Field(default_factory=dict)
    configuration: dict[str, Any] = Field(default_factory=dict)
    model: PricedModel | None = None
    selection: Selection | None = None
    repeat: int | None = Field(default=None, ge=1)
    all_repeats: bool = False
    total: int | None = Field(default=None, ge=0)
    finished_at: UtcDatetime | None = None
    duration_ms: float | None = Field(default=None, ge=0)
    summary: ReportSummary | None = None
    results_bytes: int | None = Field(default=None, ge=0)

    @property
    def worked_on_at(self) -> datetime:
        """When the run was started, or last resumed: the later it is, the later the run."""
        return self.started_at if self.resumed_at is None else self.resumed_at
