"""Where a run took place, for its report."""

from __future__ import annotations

import platform
from collections.abc import Mapping


def describe_environment(plugins: Mapping[str, str]) -> dict[str, str]:
    """The versions of Python, of the platform and of the plugins in use."""
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        **{f"plugin {name}": version for name, version in sorted(plugins.items())},
    }
