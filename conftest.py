"""What a test shows is the same on a desk and on a build server, whatever either has in its environment."""

import os
import signal

from hypothesis import settings

# Taken from the environment before any test: they change what Python, pip, git, pytest, rich, typer and HoloDeck itself
# do or show (pytest does not shorten its summary where CI is set), or which provider's account an agent would use.
HIDDEN = (
    "AZURE_OPENAI_",
    "BUILD_",
    "CI",
    "CLICOLOR",
    "COLUMNS",
    "FORCE_COLOR",
    "GITHUB_",
    "GIT_",  # in a hook of git, its commands are about the repository of the hook
    "HOLODECK_",
    "LINES",
    "NO_COLOR",
    "OPENAI_",
    "OTEL_",
    "PIP_PREFIX",
    "PIP_QUIET",
    "PIP_TARGET",
    "PIP_USER",
    "PIP_VERBOSE",
    "PYTEST_ADDOPTS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTHON",
    "PY_COLORS",
    "TF_BUILD",
    "TTY_",
)

# What the tests themselves ask for, and where Python finds what is installed.
KEPT = (
    "HOLODECK_CORPORA",
    "HOLODECK_KILLS",
    "HOLODECK_LOCAL_MODEL_",
    "PYTHONHOME",
    "PYTHONNOUSERSITE",
    "PYTHONPATH",
    "PYTHONUSERBASE",
)

# A machine that is busy with other work makes an example late, not wrong: no example has a deadline. A build server
# takes the same examples each time, so that a change is judged by what it changes; on a desk they differ.
settings.register_profile("holodeck", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("holodeck")

for name in [name for name in os.environ if name.startswith(HIDDEN) and not name.startswith(KEPT)]:
    del os.environ[name]

# What a shell starts in the background ignores Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The servers of the tests are on this machine: no proxy stands between.
for name in ("no_proxy", "NO_PROXY"):
    os.environ[name] = ",".join(["127.0.0.1", "localhost", *filter(None, [os.environ.get(name)])])

# Nobody's own settings hold; those for pip, which lie beside them, say where packages come from.
config_home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
if os.path.exists(for_pip := os.path.join(config_home, "pip", "pip.conf")):
    os.environ.setdefault("PIP_CONFIG_FILE", for_pip)
os.environ["XDG_CONFIG_HOME"] = os.path.join(os.devnull, "config")
os.environ["GIT_CONFIG_GLOBAL"] = os.environ["GIT_CONFIG_SYSTEM"] = os.devnull
