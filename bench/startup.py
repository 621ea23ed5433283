"""What starting costs, against an empty Python and against importing what is needed, in one run.

    python bench/startup.py [--rounds 10]

CPU seconds, user and system, of ``holodeck --version``, ``holodeck --help`` and ``holodeck test`` of one case with the
provider ``scripted``, the last two also with twenty plugins installed that are not used; of ``python -c pass``; and of
a Python that imports the libraries which such a test cannot do without. Each is a process of its own; they take turns,
and the least of all rounds counts.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from processes import HOLODECK, cost

from holodeck_core.testing import FakeDistribution

AGENT_FILE = """\
name: one case
model: {provider: scripted, replies: [{reply: "2", calls: [{name: add, args: {a: 1, b: 1}}]}]}
evaluations:
  metrics: [{type: standard, metric: numeric}]
test_cases:
  - input: 1 + 1
    ground_truth: 2
    expected_tools: [{name: add, args: {a: 1, b: 1}}]
"""

NEEDED = "import asyncio, attrs, pluggy, pydantic, typer, yaml"

# Plugins are found on sys.path; a process that starts there has them.
PLUGINS = "import sys; sys.path.insert(0, 'site'); from holodeck_cli.main import main; main(sys.argv[1:])"
HOOKS = "raise AssertionError('imported')"


def with_plugins(*args: str) -> tuple[str, ...]:
    """The command line where twenty plugins are installed."""
    return (sys.executable, "-c", PLUGINS, *args)


COMMANDS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "python, imports": (sys.executable, "-c", NEEDED),
    "--version": (*HOLODECK, "--version"),
    "--help": (*HOLODECK, "--help"),
    "test, one case": (*HOLODECK, "test", "agent.yaml"),
    "--help, 20": with_plugins("--help"),
    "test, 20": with_plugins("test", "agent.yaml"),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agent.yaml").write_text(AGENT_FILE)
        for number in range(20):
            hooks = {f"acme{number}_hooks.py": HOOKS}
            FakeDistribution(f"holodeck-acme{number}", modules=hooks).install(folder / "site")
        for command in COMMANDS.values():
            cost(command, folder)  # compiles what is not compiled yet
        measured = [
            {label: cost(command, folder).cpu for label, command in COMMANDS.items()} for _ in range(rounds)
        ]
    least = {label: min(each[label] for each in measured) for label in COMMANDS}
    empty, imports = least["python -c pass"], least["python, imports"]
    print(f"CPU seconds, the least of {rounds}; the imports are {NEEDED.removeprefix('import ')}")
    for label, cpu in least.items():
        print(f"{label:16}{cpu:7.3f} s {cpu / empty:7.2f} x python {cpu / imports:7.2f} x the imports")


if __name__ == "__main__":
    main()
