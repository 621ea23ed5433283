"""The schema of a report."""

from __future__ import annotations

from holodeck_core.config.schema.keywords import DIALECT, Schema
from holodeck_core.config.schema.models import ModelSchemas
from holodeck_core.models.test_result import TestReport


def report_schema() -> Schema:
    """The JSON Schema of a report in JSON, as this version reads it: keys that came later may be missing."""
    schemas = ModelSchemas()
    report = schemas.of(TestReport)
    return {
        "$schema": DIALECT,
        "$id": "urn:holodeck:report",
        **report,
        "title": "HoloDeck report",
        "$defs": dict(sorted(schemas.definitions.items())),
    }
