"""JSON Schema (draft 2020-12) of the files that people write, and of the report. Pure, but for importing plugins.

Everything comes from the models: their fields, and the docstrings below these. What a model checks in code stands
beside it in ``rules``. Only keywords that editors know are used, and ``errorMessage``, which some of them show.
"""

from holodeck_core.config.schema.agent import agent_schema
from holodeck_core.config.schema.report import report_schema

__all__ = ["agent_schema", "report_schema"]
