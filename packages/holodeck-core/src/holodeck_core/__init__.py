"""HoloDeck tests conversational agents.

``load_suite`` reads an agent file and checks all of it; ``run_suite`` holds its cases as conversations and gives the
results; plugin authors subclass ``Matcher``, ``Metric``, ``Backend``, ``Reporter`` or ``Validator``. Every public name
is imported from here, and costs its import only when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from holodeck_core.api.backend import Backend as Backend
    from holodeck_core.api.backend import CaseRef as CaseRef
    from holodeck_core.api.backend import Fault as Fault
    from holodeck_core.api.backend import Session as Session
    from holodeck_core.api.events import CaseFinished as CaseFinished
    from holodeck_core.api.events import CaseStarted as CaseStarted
    from holodeck_core.api.events import RepeatFinished as RepeatFinished
    from holodeck_core.api.events import RunEvent as RunEvent
    from holodeck_core.api.events import RunFinished as RunFinished
    from holodeck_core.api.events import RunStarted as RunStarted
    from holodeck_core.api.events import TurnFinished as TurnFinished
    from holodeck_core.api.grader import Grader as Grader
    from holodeck_core.api.grader import GraderContext as GraderContext
    from holodeck_core.api.grader import GraderResult as GraderResult
    from holodeck_core.api.literal import LiteralMatcher as LiteralMatcher
    from holodeck_core.api.matcher import ABSENT as ABSENT
    from holodeck_core.api.matcher import Absent as Absent
    from holodeck_core.api.matcher import Matcher as Matcher
    from holodeck_core.api.matcher import Undecided as Undecided
    from holodeck_core.api.metric import Metric as Metric
    from holodeck_core.api.metric import Score as Score
    from holodeck_core.api.metric import TurnView as TurnView
    from holodeck_core.api.reply import Exchange as Exchange
    from holodeck_core.api.reply import Reply as Reply
    from holodeck_core.api.reply import ReplyDone as ReplyDone
    from holodeck_core.api.reply import ReplyEvent as ReplyEvent
    from holodeck_core.api.reply import TextDelta as TextDelta
    from holodeck_core.api.reply import ToolCall as ToolCall
    from holodeck_core.api.reply import ToolFinished as ToolFinished
    from holodeck_core.api.reply import ToolStarted as ToolStarted
    from holodeck_core.api.reply import UsageReported as UsageReported
    from holodeck_core.api.reply import UserMessage as UserMessage
    from holodeck_core.api.reporter import NoOptions as NoOptions
    from holodeck_core.api.reporter import Reporter as Reporter
    from holodeck_core.api.settings import ResolvedSettings as ResolvedSettings
    from holodeck_core.api.settings import Setting as Setting
    from holodeck_core.api.suite import BoundCase as BoundCase
    from holodeck_core.api.suite import BoundMetric as BoundMetric
    from holodeck_core.api.suite import BoundTurn as BoundTurn
    from holodeck_core.api.suite import CaseSource as CaseSource
    from holodeck_core.api.suite import Suite as Suite
    from holodeck_core.api.tool_checks import Expectation as Expectation
    from holodeck_core.api.tool_checks import ToolChecks as ToolChecks
    from holodeck_core.api.tool_checks import ToolName as ToolName
    from holodeck_core.api.validator import Accepted as Accepted
    from holodeck_core.api.validator import Refused as Refused
    from holodeck_core.api.validator import Validator as Validator
    from holodeck_core.api.values import JsonValue as JsonValue
    from holodeck_core.api.values import to_json as to_json
    from holodeck_core.build import build_suite as build_suite
    from holodeck_core.config.load import load_suite as load_suite
    from holodeck_core.engine.run import Run as Run
    from holodeck_core.engine.start import resume_suite as resume_suite
    from holodeck_core.engine.start import run_suite as run_suite
    from holodeck_core.engine.start import run_suite_sync as run_suite_sync
    from holodeck_core.errors import AgentError as AgentError
    from holodeck_core.errors import BrokenPlugin as BrokenPlugin
    from holodeck_core.errors import ConfigError as ConfigError
    from holodeck_core.errors import HoloDeckError as HoloDeckError
    from holodeck_core.errors import PluginError as PluginError
    from holodeck_core.errors import Problem as Problem
    from holodeck_core.errors import RateLimited as RateLimited
    from holodeck_core.errors import RunError as RunError
    from holodeck_core.errors import SessionLost as SessionLost
    from holodeck_core.errors import TransientError as TransientError
    from holodeck_core.errors import UnknownName as UnknownName
    from holodeck_core.models.agent import Agent as Agent
    from holodeck_core.models.agent import AgentConfig as AgentConfig
    from holodeck_core.models.agent import Instructions as Instructions
    from holodeck_core.models.chat import ChatConfig as ChatConfig
    from holodeck_core.models.chat import ChatSession as ChatSession
    from holodeck_core.models.chat import Message as Message
    from holodeck_core.models.chat import MessageRole as MessageRole
    from holodeck_core.models.chat import SessionState as SessionState
    from holodeck_core.models.chat_history import ChatHistory as ChatHistory
    from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG as DEFAULT_EXECUTION_CONFIG
    from holodeck_core.models.config import ExecutionConfig as ExecutionConfig
    from holodeck_core.models.config import PluginsConfig as PluginsConfig
    from holodeck_core.models.evaluation import CodeMetric as CodeMetric
    from holodeck_core.models.evaluation import EvaluationConfig as EvaluationConfig
    from holodeck_core.models.evaluation import EvaluationMetric as EvaluationMetric
    from holodeck_core.models.evaluation import GEvalMetric as GEvalMetric
    from holodeck_core.models.evaluation import MetricType as MetricType
    from holodeck_core.models.evaluation import PluginMetric as PluginMetric
    from holodeck_core.models.evaluation import RAGMetric as RAGMetric
    from holodeck_core.models.llm import EmbeddingProvider as EmbeddingProvider
    from holodeck_core.models.llm import LLMConfig as LLMConfig
    from holodeck_core.models.llm import LLMProvider as LLMProvider
    from holodeck_core.models.test_case import ArgMatcher as ArgMatcher
    from holodeck_core.models.test_case import ExpectedTool as ExpectedTool
    from holodeck_core.models.test_case import FileInput as FileInput
    from holodeck_core.models.test_case import ForbiddenTool as ForbiddenTool
    from holodeck_core.models.test_case import TestCaseModel as TestCaseModel
    from holodeck_core.models.test_case import Turn as Turn
    from holodeck_core.models.test_result import MetricResult as MetricResult
    from holodeck_core.models.test_result import RateInterval as RateInterval
    from holodeck_core.models.test_result import RepeatSummary as RepeatSummary
    from holodeck_core.models.test_result import ReportSummary as ReportSummary
    from holodeck_core.models.test_result import TestReport as TestReport
    from holodeck_core.models.test_result import TestResult as TestResult
    from holodeck_core.models.test_result import ToolInvocation as ToolInvocation
    from holodeck_core.models.test_result import TurnResult as TurnResult
    from holodeck_core.models.token_usage import TokenUsage as TokenUsage
    from holodeck_core.models.tool import FunctionTool as FunctionTool
    from holodeck_core.models.tool import MCPTool as MCPTool
    from holodeck_core.models.tool import PromptTool as PromptTool
    from holodeck_core.models.tool import ToolType as ToolType
    from holodeck_core.models.tool import VectorstoreTool as VectorstoreTool
    from holodeck_core.models.tool_execution import ToolExecution as ToolExecution
    from holodeck_core.models.tool_execution import ToolStatus as ToolStatus
    from holodeck_core.plugins.contribution import Contribution as Contribution
    from holodeck_core.plugins.hookspecs import hookimpl as hookimpl
    from holodeck_core.plugins.host import PluginHost as PluginHost
    from holodeck_core.text import sanitize_tool_output as sanitize_tool_output
    from holodeck_core.text import show_value as show_value

_HOMES = {
    "api.backend": ("Backend", "CaseRef", "Fault", "Session"),
    "api.events": (
        "CaseFinished",
        "CaseStarted",
        "RepeatFinished",
        "RunEvent",
        "RunFinished",
        "RunStarted",
        "TurnFinished",
    ),
    "api.grader": ("Grader", "GraderContext", "GraderResult"),
    "api.literal": ("LiteralMatcher",),
    "api.matcher": ("ABSENT", "Absent", "Matcher", "Undecided"),
    "api.metric": ("Metric", "Score", "TurnView"),
    "api.reply": (
        "Exchange",
        "Reply",
        "ReplyDone",
        "ReplyEvent",
        "TextDelta",
        "ToolCall",
        "ToolFinished",
        "ToolStarted",
        "UsageReported",
        "UserMessage",
    ),
    "api.reporter": ("NoOptions", "Reporter"),
    "api.settings": ("ResolvedSettings", "Setting"),
    "api.suite": ("BoundCase", "BoundMetric", "BoundTurn", "CaseSource", "Suite"),
    "api.tool_checks": ("Expectation", "ToolChecks", "ToolName"),
    "api.validator": ("Accepted", "Refused", "Validator"),
    "api.values": ("JsonValue", "to_json"),
    "build": ("build_suite",),
    "config.load": ("load_suite",),
    "engine.run": ("Run",),
    "engine.start": ("resume_suite", "run_suite", "run_suite_sync"),
    "errors": (
        "AgentError",
        "BrokenPlugin",
        "ConfigError",
        "HoloDeckError",
        "PluginError",
        "Problem",
        "RateLimited",
        "RunError",
        "SessionLost",
        "TransientError",
        "UnknownName",
    ),
    "models.agent": ("Agent", "AgentConfig", "Instructions"),
    "models.chat": ("ChatConfig", "ChatSession", "Message", "MessageRole", "SessionState"),
    "models.chat_history": ("ChatHistory",),
    "models.config": ("DEFAULT_EXECUTION_CONFIG", "ExecutionConfig", "PluginsConfig"),
    "models.evaluation": (
        "CodeMetric",
        "EvaluationConfig",
        "EvaluationMetric",
        "GEvalMetric",
        "MetricType",
        "PluginMetric",
        "RAGMetric",
    ),
    "models.llm": ("EmbeddingProvider", "LLMConfig", "LLMProvider"),
    "models.test_case": (
        "ArgMatcher",
        "ExpectedTool",
        "FileInput",
        "ForbiddenTool",
        "TestCaseModel",
        "Turn",
    ),
    "models.test_result": (
        "MetricResult",
        "RateInterval",
        "RepeatSummary",
        "ReportSummary",
        "TestReport",
        "TestResult",
        "ToolInvocation",
        "TurnResult",
    ),
    "models.token_usage": ("TokenUsage",),
    "models.tool": ("FunctionTool", "MCPTool", "PromptTool", "ToolType", "VectorstoreTool"),
    "models.tool_execution": ("ToolExecution", "ToolStatus"),
    "plugins.contribution": ("Contribution",),
    "plugins.hookspecs": ("hookimpl",),
    "plugins.host": ("PluginHost",),
    "text": ("sanitize_tool_output", "show_value"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME_OF]


if not TYPE_CHECKING:  # or every misspelt name would be one, of any type

    def __getattr__(name: str) -> Any:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({"__version__", *_HOME_OF})
