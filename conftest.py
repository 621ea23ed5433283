"""What a test shows is the same on a desk and on a build server, whatever either has in its environment."""

import os

from hypothesis import settings

# Taken from the environment before any test: they change what pytest, rich, typer and HoloDeck itself show
# (pytest does not shorten its summary where CI is set), or which provider's account an agent would use.
HIDDEN = (
    "AZURE_OPENAI_",
    "BUILD_",
    "CI",
    "CLICOLOR",
    "COLUMNS",
    "FORCE_COLOR",
    "GITHUB_",
    "HOLODECK_",
    "LINES",
    "NO_COLOR",
    "OPENAI_",
    "PY_COLORS",
    "PYTEST_ADDOPTS",
    "TF_BUILD",
)

# What the tests themselves ask for.
KEPT = ("HOLODECK_CORPORA", "HOLODECK_KILLS", "HOLODECK_LOCAL_MODEL_")

for name in [name for name in os.environ if name.startswith(HIDDEN) and not name.startswith(KEPT)]:
    del os.environ[name]

# A machine that is busy with other work makes an example late, not wrong: no example has a deadline.
settings.register_profile("holodeck", deadline=None)
settings.load_profile("holodeck")
