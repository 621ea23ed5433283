"""Matchers and metrics for HoloDeck."""

__version__ = "0.1.0"
