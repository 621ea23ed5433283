"""What a plugin is held against, and what is said where it falls short."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holodeck_core import PluginHost, UnknownName
from holodeck_core.plugins.hookspecs import HOOKS
from holodeck_core.testing import FakeDistribution, PluginCheck, check_plugin

pytest_plugins = ["holodeck_core.testing.fixtures"]

IMPORTS = "from holodeck_core.plugins import Contribution, hookimpl\n"


def hook(kind: str, summary: str = "what it is") -> str:
    target = "acme_thing_to_check:Thing"
    return (
        f"{IMPORTS}\n@hookimpl\ndef {HOOKS[kind]}():\n"  # type: ignore[index]
        f"    return [Contribution('thing', '{target}', {summary!r})]\n"
    )


@pytest.fixture
def checked(install_plugin: Any) -> Any:
    """The check of a plugin with these modules."""

    def checked(hooks: str, thing: str = "", call: bool = True, **options: Any) -> PluginCheck:
        modules = {"acme_hooks_to_check.py": hooks, "acme_thing_to_check.py": thing}
        points = options.pop("entry_points", {"acme": "acme_hooks_to_check"})
        install_plugin(FakeDistribution("holodeck-acme", entry_points=points, modules=modules, **options))
        return check_plugin("acme", host=PluginHost(environ={}), call=call)

    return checked


GOOD = {
    "matcher": """
from holodeck_core import Matcher
class Thing(Matcher):
    def __init__(self, expected, build):
        if not isinstance(expected, list):
            raise ValueError("a list")
    def mismatch(self, actual):
        return None
""",
    "metric": """
from holodeck_core import Metric, NoOptions, Score
class Thing(Metric):
    Options = NoOptions
    needs = frozenset({"ground_truth", "retrieval_context"})
    async def score(self, turn):
        return Score(1.0)
""",
    "grader": "async def Thing(turn):\n    return 0.5\n",
    "backend": """
from holodeck_core import Backend, NoOptions
class Thing(Backend):
    Options = NoOptions
    async def open(self, agent, case=None):
        raise AssertionError("nothing is sent")
""",
    "reporter": """
from holodeck_core import Reporter
class Thing(Reporter):
    def case_finished(self, event):
        event.read()
    def run_finished(self, event):
        self.output.write_text(str([result.test_name for result in event.results()]))
""",
    "validator": """
from holodeck_core import Accepted, Validator
class Thing(Validator):
    def check(self, text):
        return Accepted(text)
""",
    "command": "import typer\nThing = typer.Typer()\n@Thing.command()\ndef main(): ...\n",
}


@pytest.mark.parametrize("kind", GOOD)
def test_a_contribution_in_good_order_keeps_the_contract(checked: Any, kind: str) -> None:
    check = checked(hook(kind), GOOD[kind])
    assert check.ok, str(check)
    assert {finding.status for finding in check.findings} == {"ok"}
    check.assert_ok()


def test_there_is_one_of_every_kind() -> None:
    assert set(GOOD) == set(HOOKS)


METRIC = GOOD["metric"]
SHORT = [
    pytest.param(hook("grader", " "), GOOD["grader"], "summary", "it has no summary", id="no summary"),
    pytest.param(
        f"import pydantic\n{hook('grader')}", GOOD["grader"], "light", "imports pydantic", id="heavy hooks"
    ),
    pytest.param(
        f"import asyncio\n{hook('grader')}", GOOD["grader"], "light", "imports asyncio", id="heavy library"
    ),
    pytest.param(
        f"from holodeck_core import Metric\n{hook('grader')}",
        GOOD["grader"],
        "light",
        "holodeck_core.api",
        id="api",
    ),
    pytest.param(
        f"import acme_thing_to_check\n{hook('grader')}",
        GOOD["grader"],
        "light",
        "imports acme_thing_to_check",
        id="a target",
    ),
    pytest.param(
        hook("grader"), "Thing = 3\n", "target", "is of type int, which cannot be called", id="no callable"
    ),
    pytest.param(
        hook("command"),
        "def Thing(): ...\n",
        "target",
        "is of type function, not a typer.Typer",
        id="no typer",
    ),
    pytest.param(hook("metric"), GOOD["grader"], "target", "is not a subclass of", id="no metric"),
    pytest.param(hook("grader"), "raise ImportError('no')\n", "target", "ImportError: no", id="no import"),
    pytest.param(
        hook("metric"),
        METRIC.replace("    Options = NoOptions\n", ""),
        "options",
        "acme_thing_to_check.Thing has no Options; NoOptions is for what has none",
        id="no options",
    ),
    pytest.param(
        hook("metric"),
        METRIC.replace("Options = NoOptions", "Options = dict"),
        "options",
        "has dict as its Options, which is no pydantic model",
        id="options that are no model",
    ),
    pytest.param(
        hook("metric"),
        "from typing import Callable\nfrom pydantic import BaseModel\n"
        "class Odd(BaseModel):\n    call: Callable[[int], int] = abs\n"
        + METRIC.replace("Options = NoOptions", "Options = Odd"),
        "options",
        "its Options give no JSON Schema",
        id="options without a schema",
    ),
    pytest.param(
        hook("metric"), METRIC.replace('"ground_truth"', '"truth"'), "call", "it needs truth", id="needs"
    ),
    pytest.param(
        hook("metric"), METRIC.replace("Score(1.0)", "1.0"), "call", "a metric returns a Score", id="no score"
    ),
    pytest.param(
        hook("metric"), METRIC.replace("1.0", "float('nan')"), "call", "a score is a finite number", id="nan"
    ),
    pytest.param(
        hook("grader"),
        "def Thing(turn):\n    raise RuntimeError('out of order')\n",
        "call",
        "RuntimeError: out of order (acme_thing_to_check.py:2 in Thing)",
        id="raises",
    ),
    pytest.param(
        hook("grader"), "def Thing(turn):\n    raise SystemExit(3)\n", "call", "SystemExit: 3", id="exits"
    ),
    pytest.param(hook("grader"), "def Thing(turn): ...\n", "call", "a grader returns", id="returns nothing"),
    pytest.param(
        hook("matcher"),
        GOOD["matcher"].replace("return None", "return False"),
        "call",
        "a matcher returns None or why not",
        id="a matcher that returns a bool",
    ),
    pytest.param(
        hook("matcher"),
        GOOD["matcher"].replace("return None", "raise ValueError('cannot')"),
        "call",
        "ValueError: cannot",
        id="a matcher that raises",
    ),
    pytest.param(
        hook("matcher"),
        GOOD["matcher"].replace("return None", "raise BaseException('panic')"),
        "call",
        "BaseException: panic",
        id="a matcher that raises no Exception",
    ),
    pytest.param(
        hook("validator"),
        GOOD["validator"].replace("Accepted(text)", "text"),
        "call",
        "check() returns Accepted or Refused, got str",
        id="a validator that returns text",
    ),
    pytest.param(
        hook("validator"),
        GOOD["validator"].replace("return", "text[0]; return"),
        "call",
        "IndexError",
        id="a validator that cannot take an empty text",
    ),
    pytest.param(
        hook("reporter"),
        GOOD["reporter"].replace("event.read()", "event.nothing"),
        "call",
        "AttributeError",
        id="a reporter that reads what is not there",
    ),
    pytest.param(
        hook("backend"),
        GOOD["backend"] + "    def lacks(self):\n        raise OSError('no disk')\n",
        "call",
        "OSError: no disk",
        id="a backend that cannot be asked what it lacks",
    ),
    pytest.param(
        hook("grader").replace("def holodeck_graders", "async def holodeck_graders"),
        "",
        "hooks",
        "returned an awaitable",
        id="an awaitable",
    ),
    pytest.param(
        f"{hook('grader')}\n@hookimpl\ndef holodeck_observers(): return []\n",
        GOOD["grader"],
        "hooks",
        "implements the hook 'holodeck_observers'",
        id="an unknown hook",
    ),
    pytest.param(
        hook("grader").replace("'thing'", "'Thing'"), "", "hooks", "the name 'Thing' must", id="a name"
    ),
]


@pytest.mark.parametrize(("hooks", "thing", "rule", "says"), SHORT)
def test_what_falls_short_says_which_rule_and_why(
    checked: Any, hooks: str, thing: str, rule: str, says: str
) -> None:
    check = checked(hooks, thing)
    assert not check.ok
    [finding] = check.failed
    assert finding.rule == rule
    assert says in finding.message
    with pytest.raises(AssertionError, match=rule):
        check.assert_ok()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"entry_points": {"other": "acme_hooks_to_check"}}, "misnamed: its entry point is called 'other'"),
        ({"group": "holodeck.v9"}, "incompatible: it is made for version 9 of the plugin API"),
    ],
)
def test_a_plugin_that_is_never_imported_fails_at_its_entry_point(
    checked: Any, options: Any, says: str
) -> None:
    [finding] = checked(hook("grader"), GOOD["grader"], **options).findings
    assert (finding.rule, finding.status) == ("entry-point", "failed")
    assert says in finding.message


@pytest.mark.parametrize(
    ("kind", "thing", "says"),
    [
        (
            "metric",
            "from pydantic import BaseModel\nclass Needy(BaseModel):\n    model: str\n"
            + METRIC.replace("NoOptions\n", "Needy\n").replace("Options = NoOptions", "Options = Needy"),
            "its options need model",
        ),
        (
            "matcher",
            GOOD["matcher"].replace("if not", "if 1 or not"),
            "it refuses every value it was tried with",
        ),
    ],
)
def test_what_cannot_be_called_with_made_up_values_is_left_to_its_own_tests(
    checked: Any, kind: str, thing: str, says: str
) -> None:
    thing = thing.replace("import Metric, Needy", "import Metric, NoOptions")
    check = checked(hook(kind), thing)
    [finding] = [finding for finding in check.findings if finding.status == "skipped"]
    assert check.ok
    assert finding.rule == "call"
    assert says in finding.message


def test_nothing_is_called_where_that_is_not_wanted(checked: Any) -> None:
    check = checked(hook("grader"), "def Thing(turn):\n    raise AssertionError('called')\n", call=False)
    assert check.ok
    assert "call" not in {finding.rule for finding in check.findings}


def test_a_call_that_does_not_come_back_falls_short(checked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holodeck_core.testing.smoke.LIMIT_S", 0.2)
    check = checked(hook("grader"), "import time\ndef Thing(turn):\n    time.sleep(5)\n")
    assert [finding.message for finding in check.failed] == ["TimeoutError: it has not come back after 0.2 s"]


def test_no_other_plugin_is_imported(checked: Any, install_plugin: Any, tmp_path: Path) -> None:
    marker = tmp_path / "imported"
    source = f"from pathlib import Path\nPath({str(marker)!r}).touch()\n"
    install_plugin(FakeDistribution("holodeck-other", modules={"other_hooks_to_check.py": source}))
    assert checked(hook("grader"), GOOD["grader"]).ok
    assert not marker.exists()


def test_what_a_hooks_module_writes_is_no_part_of_what_it_imports(checked: Any) -> None:
    checked("import os\nos.write(1, b'from C')\n" + hook("grader"), GOOD["grader"]).assert_ok()


def test_a_plugin_that_is_not_there_is_unknown(checked: Any) -> None:
    checked(hook("grader"), GOOD["grader"])
    with pytest.raises(UnknownName, match=r"the plugin 'amce' .* did you mean 'acme'\?"):
        check_plugin("amce", host=PluginHost(environ={}))
    with pytest.raises(UnknownName, match=r"HOLODECK_PLUGIN_AUTOLOAD=0 hides all third-party plugins"):
        check_plugin("acme", host=PluginHost(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"}))


def test_one_that_is_switched_off_falls_short_of_being_there(checked: Any) -> None:
    checked(hook("grader"), GOOD["grader"])
    check = check_plugin("acme", host=PluginHost(environ={"HOLODECK_DISABLE_PLUGINS": "acme"}))
    assert [str(finding) for finding in check.failed] == [
        "failed: entry-point: acme: disabled: disabled by HOLODECK_DISABLE_PLUGINS"
    ]


@pytest.mark.parametrize("plugin_id", ["core", "graders", "cli"])
def test_our_own_plugins_keep_the_contract(plugin_id: str) -> None:
    check_plugin(plugin_id).assert_ok()
