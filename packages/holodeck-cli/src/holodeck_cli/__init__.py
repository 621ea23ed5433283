"""The command line of HoloDeck."""

__version__ = "0.1.0"
