"""What files hold. Importing one model does not import the others."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holodeck_core.models.agent import Agent, AgentConfig, Instructions
    from holodeck_core.models.arg_matcher import ArgMatcher
    from holodeck_core.models.chat import ChatConfig, ChatSession, Message, MessageRole, SessionState
    from holodeck_core.models.chat_history import ChatHistory
    from holodeck_core.models.config import DEFAULT_EXECUTION_CONFIG, ExecutionConfig, PluginsConfig
    from holodeck_core.models.evaluation import (
        CodeMetric,
        EvaluationConfig,
        EvaluationMetric,
        GEvalMetric,
        MetricType,
        PluginMetric,
        RAGMetric,
    )
    from holodeck_core.models.llm import EmbeddingProvider, LLMConfig, LLMProvider
    from holodeck_core.models.run_head import RunHead, Selection
    from holodeck_core.models.test_case import ExpectedTool, FileInput, ForbiddenTool, TestCaseModel, Turn
    from holodeck_core.models.test_result import (
        MetricResult,
        ProcessedFile,
        RateInterval,
        RepeatSummary,
        ReportSummary,
        TestReport,
        TestResult,
        ToolInvocation,
        TurnResult,
    )
    from holodeck_core.models.token_usage import TokenUsage
    from holodeck_core.models.tool import FunctionTool, MCPTool, PromptTool, ToolType, VectorstoreTool
    from holodeck_core.models.tool_execution import ToolExecution, ToolStatus

_MODULES = {
    "agent": ("Agent", "AgentConfig", "Instructions"),
    "arg_matcher": ("ArgMatcher",),
    "chat": ("ChatConfig", "ChatSession", "Message", "MessageRole", "SessionState"),
    "chat_history": ("ChatHistory",),
    "config": ("DEFAULT_EXECUTION_CONFIG", "ExecutionConfig", "PluginsConfig"),
    "evaluation": (
        "CodeMetric",
        "EvaluationConfig",
        "EvaluationMetric",
        "GEvalMetric",
        "MetricType",
        "PluginMetric",
        "RAGMetric",
    ),
    "llm": ("EmbeddingProvider", "LLMConfig", "LLMProvider"),
    "run_head": ("RunHead", "Selection"),
    "test_case": ("ExpectedTool", "FileInput", "ForbiddenTool", "TestCaseModel", "Turn"),
    "test_result": (
        "MetricResult",
        "ProcessedFile",
        "RateInterval",
        "RepeatSummary",
        "ReportSummary",
        "TestReport",
        "TestResult",
        "ToolInvocation",
        "TurnResult",
    ),
    "token_usage": ("TokenUsage",),
    "tool": ("FunctionTool", "MCPTool", "PromptTool", "ToolType", "VectorstoreTool"),
    "tool_execution": ("ToolExecution", "ToolStatus"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "DEFAULT_EXECUTION_CONFIG",
    "Agent",
    "AgentConfig",
    "ArgMatcher",
    "ChatConfig",
    "ChatHistory",
    "ChatSession",
    "CodeMetric",
    "EmbeddingProvider",
    "EvaluationConfig",
    "EvaluationMetric",
    "ExecutionConfig",
    "ExpectedTool",
    "FileInput",
    "ForbiddenTool",
    "FunctionTool",
    "GEvalMetric",
    "Instructions",
    "LLMConfig",
    "LLMProvider",
    "MCPTool",
    "Message",
    "MessageRole",
    "MetricResult",
    "MetricType",
    "PluginMetric",
    "PluginsConfig",
    "ProcessedFile",
    "PromptTool",
    "RAGMetric",
    "RateInterval",
    "RepeatSummary",
    "ReportSummary",
    "RunHead",
    "Selection",
    "SessionState",
    "TestCaseModel",
    "TestReport",
    "TestResult",
    "TokenUsage",
    "ToolExecution",
    "ToolInvocation",
    "ToolStatus",
    "ToolType",
    "Turn",
    "TurnResult",
    "VectorstoreTool",
]


if not TYPE_CHECKING:  # or every misspelt name would be one, of any type

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted(_HOMES)
