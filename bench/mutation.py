"""Whether the tests notice a changed line, where verdicts are decided.

    pip install mutmut && python bench/mutation.py [NAME ...]

mutmut makes every small change it knows to the modules below, one at a time (a comparison turned round, a constant off
by one, an argument left out, a text altered), and runs on each the fast tests that reach it. What no test notices
*survives*: the names are printed, and `mutmut show NAME` in the folder that is printed too shows the change. With
names only those are tried. All of it happens in a copy, for mutmut wants one source folder. About 2,000 changes take a
quarter of an hour of one core.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
STAGE = ROOT / "build" / "mutation"
MUTATED = (
    "holodeck_graders/numbers.py",
    "holodeck_graders/arithmetic.py",
    "holodeck_graders/text.py",
    "holodeck_graders/matchers/*.py",
    "holodeck_core/engine/difference.py",
    "holodeck_core/engine/tools.py",
    "holodeck_core/engine/assignment.py",
    "holodeck_core/engine/rollup.py",
    "holodeck_core/engine/verdicts.py",
    "holodeck_core/api/literal.py",
)
SOURCES = ("holodeck-core/src/holodeck_core", "holodeck-graders/src/holodeck_graders")
TESTS = ("holodeck-graders/tests", "holodeck-core/tests/engine", "holodeck-core/tests/test_literal.py")
# Nothing in these reaches the modules above that is not reached elsewhere, and they start processes or wait.
LEFT_OUT = (
    "test_code.py",
    "test_hooks.py",
    "test_regex_cost.py",
    "test_regex_processes.py",
    "test_retries.py",
)
# Without the tests that time something: a busy machine must not count as a test that noticed. One of them is kept, with
# seconds to spare, since nothing else sees that folding is linear. And mutmut cannot pass on a name with a surrogate.
SELECTED = "not in_time and not under_a_tenth and not hold_up and (not hostile or combining) and not ud835"
SETTINGS = f"""
[tool.mutmut]
source_paths = ["src"]
only_mutate = {[f"src/{path}" for path in MUTATED]}
also_copy = ["tests"]
pytest_add_cli_args_test_selection = ["tests"]
pytest_add_cli_args = ["-k", "{SELECTED}"]
process_isolation = "forkserver"
timeout_multiplier = 10.0
use_git_change_detection = false

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib", "-p", "no:cacheprovider"]
asyncio_mode = "auto"
asyncio_default_fixture_loop_scope = "function"
"""
# The same examples each time, and none made smaller once one has failed: that it fails is all that counts.
CONFTEST = """
from hypothesis import Phase, settings

settings.register_profile("mutation", derandomize=True, deadline=None, phases=[Phase.explicit, Phase.generate])
settings.load_profile("mutation")
"""


def _stage() -> None:
    shutil.rmtree(STAGE, ignore_errors=True)
    ignore = shutil.ignore_patterns(*LEFT_OUT, "__pycache__")
    for source in SOURCES:
        shutil.copytree(ROOT / "packages" / source, STAGE / "src" / Path(source).name, ignore=ignore)
    for test in TESTS:
        path, target = ROOT / "packages" / test, STAGE / "tests" / test.replace("/tests", "")
        if path.is_dir():
            shutil.copytree(path, target, ignore=ignore)
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    (STAGE / "tests" / "conftest.py").write_text(CONFTEST)
    (STAGE / "pyproject.toml").write_text(SETTINGS)


def _mutmut(*arguments: str) -> None:
    command = str(Path(sys.executable).with_name("mutmut"))
    subprocess.run([command, *arguments], cwd=STAGE, check=True)


def main(names: list[str]) -> None:
    print(f"in {STAGE}")
    _stage()
    _mutmut("run", "--max-children", "1", *names)
    if not names:  # with names, they were printed already
        _mutmut("results")
    _mutmut("export-cicd-stats")
    counts: dict[str, int] = json.loads((STAGE / "mutants" / "mutmut-cicd-stats.json").read_text())
    noticed = counts["killed"] + counts["timeout"]
    tried = noticed + counts["survived"] + counts["no_tests"] + counts["suspicious"]
    print(
        f"{noticed} of {tried} changes were noticed ({noticed / tried:.1%}), {counts['timeout']} by their time"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
