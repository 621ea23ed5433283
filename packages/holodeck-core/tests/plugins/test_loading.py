"""What a plugin contributes, and how it breaks."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from holodeck_core.errors import BrokenPlugin, UnknownName
from holodeck_core.plugins.distributions import core_version
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.records import PluginRecord

GOOD_METRIC = """
@hookimpl
def holodeck_metrics():
    return [Contribution("pii", "acme_thing:Pii", "a metric in good order")]
"""

THING = {"acme_thing.py": "class Pii: ..."}


def the_record(host: PluginHost) -> PluginRecord:
    (record,) = host.records()
    return record


def test_a_plugin_in_good_order_says_what_it_contributes(acme: None, host: Any) -> None:
    record = the_record(host())
    assert (record.id, record.distribution, record.version) == ("acme", "holodeck-acme", "1.2")
    assert (record.status, record.problems) == ("ok", ())
    assert {kind: [each.name for each in found] for kind, found in record.contributions.items()} == {
        "matcher": ["near"],
        "metric": ["pii"],
        "validator": ["polite"],
        "command": ["index", "serve"],
    }
    assert record.contributions["matcher"][0].summary == "close to a place"


@pytest.mark.parametrize(
    "entry_points",
    [
        pytest.param({"acme": "acme_object:plugin"}, id="an object with methods"),
        pytest.param({"acme": "acme_object:Namespace"}, id="a class with static methods"),
        pytest.param({"acme": "acme_object:plugin [fast]"}, id="an object, with an extra"),
        pytest.param({"acme": "acme_object :plugin"}, id="an object, with a space"),
    ],
)
def test_an_entry_point_may_name_an_object(install: Any, host: Any, entry_points: Any) -> None:
    source = """
from holodeck_core.plugins import Contribution, hookimpl
class Plugin:
    @hookimpl
    def holodeck_metrics(self):
        return [Contribution("pii", "acme_thing:Pii", "")]
class Namespace:
    @staticmethod
    @hookimpl
    def holodeck_metrics():
        return [Contribution("pii", "acme_thing:Pii", "")]
plugin = Plugin()
"""
    install("holodeck-acme", entry_points=entry_points, modules={"acme_object.py": source, **THING})
    assert host().metric("acme/pii").object.__name__ == "Pii"
    assert the_record(host()).module == "acme_object"


BROKEN_AT_IMPORT = [
    pytest.param("raise ValueError('out of order')", "ValueError: out of order", id="an exception"),
    pytest.param("raise SystemExit(3)", "SystemExit: 3", id="SystemExit"),
    pytest.param(
        "class PanicException(BaseException): ...\nraise PanicException('rust')",
        "PanicException: rust",
        id="no Exception",
    ),
    pytest.param(
        "import acme_nowhere", "ModuleNotFoundError: No module named 'acme_nowhere'", id="a missing module"
    ),
    pytest.param("def x(:", "SyntaxError: ", id="a syntax error"),
    pytest.param(
        "raise ValueError('a\\nb\\x1b[2J')",
        "ValueError: a b\N{REPLACEMENT CHARACTER}[2J",
        id="a hostile text",
    ),
]


@pytest.mark.parametrize(("source", "reason"), BROKEN_AT_IMPORT)
def test_a_plugin_that_fails_to_import_is_broken_and_says_why(
    install: Any, host: Any, source: str, reason: str
) -> None:
    install("holodeck-acme", source, version="2.0")
    record = the_record(host())
    assert record.status == "broken"
    (problem,) = record.problems
    assert problem.startswith(f"cannot import holodeck_acme_hooks: {reason}")
    with pytest.raises(BrokenPlugin) as caught:
        host().metric("acme/pii")
    assert (
        str(caught.value) == f"the metric 'acme/pii' is not available: holodeck-acme 2.0 is broken: {problem}"
    )


@pytest.mark.parametrize("error", [KeyboardInterrupt, asyncio.CancelledError])
@pytest.mark.parametrize("place", ["hooks", "target"])
def test_an_interruption_passes_through_and_nothing_is_remembered(
    install: Any, host: Any, monkeypatch: pytest.MonkeyPatch, error: Any, place: str
) -> None:
    interrupting = "import builtins\nbuiltins.interrupt_acme()\n"
    monkeypatch.setattr("builtins.interrupt_acme", lambda: (_ for _ in ()).throw(error()), raising=False)
    install(
        "holodeck-acme",
        (interrupting if place == "hooks" else "") + GOOD_METRIC,
        modules={"acme_thing.py": (interrupting if place == "target" else "") + "class Pii: ..."},
    )
    plugins = host()
    with pytest.raises(error):
        plugins.metric("acme/pii")
    monkeypatch.setattr("builtins.interrupt_acme", lambda: None)
    assert plugins.metric("acme/pii").object.__name__ == "Pii"


BROKEN_HOOKS = [
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    raise ValueError('out of order')",
        "holodeck_matchers raised ValueError: out of order",
        id="raises",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    raise SystemExit('enough')",
        "holodeck_matchers raised SystemExit: enough",
        id="exits",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    raise BaseException('panic')",
        "holodeck_matchers raised BaseException: panic",
        id="no Exception",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    yield Contribution('a', 'm:A', '')\n    raise ValueError('later')",
        "holodeck_matchers raised ValueError: later",
        id="raises half-way",
    ),
    pytest.param(
        "@hookimpl\nasync def holodeck_matchers():\n    return []",
        "holodeck_matchers returned an awaitable; hooks are synchronous",
        id="is a coroutine function",
    ),
    pytest.param(
        "async def later(): ...\n@hookimpl\ndef holodeck_matchers():\n    return later()",
        "holodeck_matchers returned an awaitable; hooks are synchronous",
        id="returns a coroutine",
    ),
    pytest.param(
        "@hookimpl\nasync def holodeck_matchers():\n    yield Contribution('a', 'm:A', '')",
        "holodeck_matchers returned <async_generator object",
        id="is an asynchronous generator",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    [Contribution('a', 'm:A', '')]",
        "holodeck_matchers returned None; it must return contributions",
        id="forgets to return",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    return Contribution('a', 'm:A', '')",
        "holodeck_matchers returned one Contribution; it must return a list of them",
        id="returns a single contribution",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    return 'near'",
        "holodeck_matchers returned 'near'; it must return a list of Contribution",
        id="returns text",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    return {'near': 'm:A'}",
        "holodeck_matchers returned {'near': 'm:A'}; it must return a list of Contribution",
        id="returns a dict",
    ),
    pytest.param(
        "@hookimpl\ndef holodeck_matchers():\n    return 3",
        "holodeck_matchers returned 3; it must return a list of Contribution",
        id="returns a number",
    ),
    pytest.param(
        "@hookimpl(wrapper=True)\ndef holodeck_matchers():\n    return (yield)",
        "holodeck_matchers is a wrapper; hooks of a plugin return contributions",
        id="is a wrapper",
    ),
    pytest.param(
        "def holodeck_matchers():\n    return []",
        "holodeck_matchers is not marked with @hookimpl",
        id="is not marked",
    ),
]


@pytest.mark.parametrize(("hook", "reason"), BROKEN_HOOKS)
def test_a_broken_hook_is_told_and_leaves_its_siblings_usable(
    install: Any, host: Any, hook: str, reason: str
) -> None:
    install("holodeck-acme", hook + "\n" + GOOD_METRIC, modules=THING)
    plugins = host()
    assert plugins.metric("acme/pii").object.__name__ == "Pii"
    record = the_record(plugins)
    assert record.status == "broken"
    (problem,) = record.problems
    assert problem.startswith(reason)
    assert list(record.contributions) == ["metric"]
    with pytest.raises(BrokenPlugin) as caught:
        plugins.matcher("acme/near")
    assert str(caught.value).startswith(
        f"the matcher 'acme/near' is not available: holodeck-acme 1.0 is broken: {reason}"
    )
    gc.collect()  # a coroutine left unawaited would warn now, and warnings are errors


def test_a_broken_hook_of_one_kind_does_not_blame_another(install: Any, host: Any) -> None:
    install("holodeck-acme", "@hookimpl\ndef holodeck_matchers():\n    raise ValueError\n" + GOOD_METRIC)
    with pytest.raises(UnknownName, match=r"contributes no metric 'pi'; did you mean 'pii'"):
        host().metric("acme/pi")


@pytest.mark.parametrize(
    ("hook", "advice"),
    [
        ("holodeck_matcher", "; did you mean 'holodeck_matchers'?"),
        ("matchers", "; did you mean 'holodeck_matchers'?"),
        ("holodeck_observers", "; if a newer one has it, mark it with @hookimpl(optionalhook=True)"),
        ("observe_everything", "; if a newer one has it, mark it with @hookimpl(optionalhook=True)"),
    ],
)
def test_an_unknown_hook_is_told_with_both_versions(install: Any, host: Any, hook: str, advice: str) -> None:
    install(
        "holodeck-acme", f"@hookimpl\ndef {hook}(): return []\n{GOOD_METRIC}", version="3.1", modules=THING
    )
    plugins = host()
    record = the_record(plugins)
    assert record.status == "broken"
    assert record.problems == (
        f"holodeck-acme 3.1 implements the hook '{hook}', which holodeck-core {core_version()} does not have{advice}",
    )
    assert plugins.metric("acme/pii").object.__name__ == "Pii"
    with pytest.raises(BrokenPlugin, match=hook):
        plugins.matcher("acme/near")


def test_an_optional_hook_of_a_newer_core_is_no_mistake(install: Any, host: Any) -> None:
    install(
        "holodeck-acme", "@hookimpl(optionalhook=True)\ndef holodeck_observers(): return []\n" + GOOD_METRIC
    )
    assert the_record(host()).status == "ok"


@pytest.mark.parametrize(
    ("source", "entry_points", "reason"),
    [
        pytest.param("", None, "holodeck_acme_hooks has no hooks", id="a module without hooks"),
        pytest.param(
            "def holodeck_matchers(): ...", None, "is not marked with @hookimpl", id="unmarked hooks only"
        ),
        pytest.param("plugin = None", {"acme": "holodeck_acme_hooks:plugin"}, "has no hooks", id="None"),
        pytest.param(
            "", {"acme": "1 2"}, "its entry point is 1 2; it must name a module", id="no name of a module"
        ),
        pytest.param("", {"acme": "holodeck_acme_hooks:gone"}, "AttributeError: ", id="a missing object"),
        pytest.param(
            "@hookimpl\ndef holodeck_matchers(config): return []",
            None,
            "its hooks cannot be registered: PluginValidationError: ",
            id="a hook with an argument",
        ),
    ],
)
def test_a_plugin_of_which_nothing_can_be_used_is_broken(
    install: Any, host: Any, source: str, entry_points: Any, reason: str
) -> None:
    install("holodeck-acme", source, entry_points=entry_points)
    record = the_record(host())
    assert (record.status, record.contributions) == ("broken", {})
    (problem,) = record.problems
    assert reason in problem


BAD_CONTRIBUTIONS = [
    pytest.param("None", "None is not a Contribution(name, target, summary) of three strings", id="nothing"),
    pytest.param("'near'", "'near' is not a Contribution", id="a text"),
    pytest.param("('near', 'm:A')", "('near', 'm:A') is not a Contribution", id="a pair"),
    pytest.param("('near', object, '')", "is not a Contribution", id="a class for its name"),
    pytest.param(
        "Contribution('Near', 'm:A', '')", "the name 'Near' must be lower-case", id="a capital letter"
    ),
    pytest.param(
        "Contribution('acme/near', 'm:A', '')", "the name 'acme/near' must be", id="a qualified name"
    ),
    pytest.param(
        "Contribution('near', 'm.A', '')", "the target 'm.A' of 'near' must be", id="a target without colon"
    ),
    pytest.param(
        "Contribution('near', 'm:A', 'a\\nb')", "the summary of 'near' must be one line", id="two lines"
    ),
]


@pytest.mark.parametrize(("bad", "reason"), BAD_CONTRIBUTIONS)
def test_a_bad_contribution_leaves_its_siblings_usable(
    install: Any, host: Any, bad: str, reason: str
) -> None:
    good = "Contribution('good', 'acme_thing:Pii', '')"
    install("holodeck-acme", f"@hookimpl\ndef holodeck_matchers(): return [{bad}, {good}]", modules=THING)
    plugins = host()
    assert plugins.matcher("acme/good").object.__name__ == "Pii"
    record = the_record(plugins)
    assert record.status == "broken"
    assert [each.name for each in record.contributions["matcher"]] == ["good"]
    (problem,) = record.problems
    assert problem.startswith("holodeck_matchers: ")
    assert reason in problem


def test_a_bad_contribution_is_blamed_for_its_own_name_only(install: Any, host: Any) -> None:
    contributions = "Contribution('near', 'nowhere', ''), Contribution('good', 'acme_thing:Pii', '')"
    install("holodeck-acme", f"@hookimpl\ndef holodeck_matchers(): return [{contributions}]")
    with pytest.raises(BrokenPlugin, match=r"the target 'nowhere' of 'near' must be 'package.module:Class'"):
        host().matcher("acme/near")
    with pytest.raises(UnknownName, match=r"contributes no matcher 'god'; did you mean 'good'.*'nowhere'"):
        host().matcher("acme/god")


def test_coroutines_among_the_contributions_are_refused_quietly(install: Any, host: Any) -> None:
    install(
        "holodeck-acme",
        "async def later(): ...\n@hookimpl\ndef holodeck_matchers(): return [later(), later()]",
    )
    assert [problem.count("is not a Contribution") for problem in the_record(host()).problems] == [1, 1]
    gc.collect()


def test_a_plain_tuple_of_three_strings_is_a_contribution(install: Any, host: Any) -> None:
    install(
        "holodeck-acme",
        "@hookimpl\ndef holodeck_matchers(): return [('near', 'acme_thing:Pii', 'x')]",
        modules=THING,
    )
    assert host().matcher("acme/near").contribution.summary == "x"


def test_a_name_contributed_twice_within_a_kind_is_refused_twice(install: Any, host: Any) -> None:
    twice = "Contribution('near', 'acme_thing:A', ''), Contribution('near', 'acme_thing:B', '')"
    install("holodeck-acme", f"@hookimpl\ndef holodeck_matchers(): return [{twice}]\n{GOOD_METRIC}")
    with pytest.raises(BrokenPlugin, match=r"the name 'near' is contributed 2 times"):
        host().matcher("acme/near")
    assert list(the_record(host()).contributions) == ["metric"]


def test_one_name_may_serve_two_kinds(install: Any, host: Any) -> None:
    matcher = "@hookimpl\ndef holodeck_matchers(): return [Contribution('pii', 'acme_thing:Other', '')]\n"
    install(
        "holodeck-acme", matcher + GOOD_METRIC, modules={"acme_thing.py": "class Pii: ...\nclass Other: ..."}
    )
    plugins = host()
    assert plugins.matcher("acme/pii").object.__name__ == "Other"
    assert plugins.metric("acme/pii").object.__name__ == "Pii"


def test_contributions_stand_in_the_order_of_their_names(install: Any, host: Any) -> None:
    names = ["zeta", "alpha", "mid"]
    contributions = ", ".join(f"Contribution('{name}', 'm:A', '')" for name in names)
    install("holodeck-acme", f"@hookimpl\ndef holodeck_matchers(): return [{contributions}]")
    assert host().names("matcher") == ("acme/alpha", "acme/mid", "acme/zeta")


def test_hooks_are_asked_once(install: Any, host: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr("builtins.count_acme", calls.append, raising=False)
    counting = "import builtins\nbuiltins.count_acme('import')\n"
    hook = "@hookimpl\ndef holodeck_metrics():\n    builtins.count_acme('hook')\n    return []\n"
    install("holodeck-acme", counting + hook)
    plugins = host()
    plugins.records(), plugins.names("metric"), plugins.records()
    with pytest.raises(UnknownName):
        plugins.metric("acme/pii")
    assert calls == ["import", "hook"]
