"""What a process costs: its CPU time and its peak memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

HOLODECK = (sys.executable, "-m", "holodeck_cli")

# A compiled module that cannot be kept would be compiled in every process.
_ENVIRON = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Cost(NamedTuple):
    """CPU seconds, of user and system, and the most memory that was resident, in MB."""

    cpu: float
    peak: float


def cost(command: Sequence[str], folder: Path, *, code: int = 0) -> Cost:
    """Run a command in a folder to its end. Raises SystemExit with what it said if it ends with another ``code``.

    The peak of a process is at least that of the one which starts it: keep that one small.
    """
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, cwd=folder, env=_ENVIRON, stdout=subprocess.DEVNULL, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != code:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said.read().decode()}")
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / unit)
