"""The light layer that a plugin's hooks module imports: standard library and pluggy only."""

from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.hookspecs import hookimpl

__all__ = ["Contribution", "hookimpl"]
