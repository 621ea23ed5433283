"""Disabling, autoload and strictness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holodeck_core.errors import BrokenPlugin, ConfigError, UnknownName
from holodeck_core.plugins.host import PluginHost

MATCHER = "@hookimpl\ndef holodeck_matchers(): return [Contribution('fuzzy', 'fake_things:Thing', '')]\n"


@pytest.fixture(autouse=True)
def things(install: Any) -> None:
    install("things", entry_points={}, modules={"fake_things.py": "class Thing: ..."})


DISABLING = [
    pytest.param({"disabled": ["acme", "graders"]}, "plugins.disabled", id="argument"),
    pytest.param(
        {"disabled": ["holodeck-acme", "Holodeck_Graders"]}, "plugins.disabled", id="distribution names"
    ),
    pytest.param(
        {"environ": {"HOLODECK_DISABLE_PLUGINS": "other, acme ,,graders"}},
        "HOLODECK_DISABLE_PLUGINS",
        id="environment",
    ),
]


@pytest.mark.parametrize(("options", "by"), DISABLING)
@pytest.mark.parametrize(
    ("distribution", "name"), [("holodeck-acme", "acme/fuzzy"), ("holodeck-graders", "fuzzy")]
)
def test_a_disabled_plugin_is_never_imported(
    install: Any, host: Any, imported: Any, options: Any, by: str, distribution: str, name: str
) -> None:
    install(distribution, MATCHER)
    plugins = host(**options)
    (record,) = plugins.records()
    assert (record.status, record.problems) == ("disabled", (f"disabled by {by}",))
    assert record.version == "1.0"
    with pytest.raises(
        UnknownName, match=rf"'{name}' is not available: the plugin '{record.id}' is disabled by {by}$"
    ):
        plugins.matcher(name)
    with pytest.raises(UnknownName):
        plugins.matcher("anything")
    assert plugins.names("matcher") == ()
    assert plugins.validators() == ()
    assert plugins.ids() == ()
    assert not imported(f"{distribution.replace('-', '_')}_hooks")


def test_an_unknown_bare_name_mentions_a_disabled_first_party_plugin(install: Any, host: Any) -> None:
    install("holodeck-graders", MATCHER)
    with pytest.raises(UnknownName, match=r"holodeck-graders 1.0 is disabled by plugins.disabled$"):
        host(disabled=["graders"]).matcher("brand_new")


def test_the_core_cannot_be_disabled(host: Any) -> None:
    with pytest.raises(ValueError, match=r"the plugin 'core' cannot be disabled"):
        host(disabled=["core"])
    with pytest.raises(ConfigError, match=r"HOLODECK_DISABLE_PLUGINS names 'core', which cannot be disabled"):
        host(environ={"HOLODECK_DISABLE_PLUGINS": "core"})


def test_without_autoload_there_are_no_third_party_plugins(install: Any, host: Any, imported: Any) -> None:
    install("holodeck-acme", MATCHER)
    install("holodeck-graders", MATCHER)
    plugins = host(environ={"HOLODECK_PLUGIN_AUTOLOAD": "0"})
    assert plugins.matcher("fuzzy").plugin.id == "graders"
    assert plugins.ids() == ()
    assert [record.id for record in plugins.records()] == ["graders"]
    assert plugins.names("matcher") == ("fuzzy",)
    with pytest.raises(UnknownName, match=r"HOLODECK_PLUGIN_AUTOLOAD=0 hides all third-party plugins"):
        plugins.matcher("acme/fuzzy")
    assert plugins.check_required(["acme"]) == [
        "the required plugin 'acme' is not available: HOLODECK_PLUGIN_AUTOLOAD=0 hides all third-party plugins"
    ]
    assert not imported("holodeck_acme_hooks")


HALF_BROKEN = MATCHER + "@hookimpl\ndef holodeck_metrics(): raise ValueError('out of order')\n"


def test_a_broken_plugin_is_no_error_until_it_is_needed(install: Any, host: Any) -> None:
    install("holodeck-acme", HALF_BROKEN)
    install("holodeck-other", "raise ValueError('out of order')")
    install("holodeck-graders", HALF_BROKEN)
    plugins = host()
    assert plugins.matcher("acme/fuzzy").name == "acme/fuzzy"
    assert plugins.matcher("fuzzy").name == "fuzzy"
    assert plugins.names("matcher") == ("acme/fuzzy", "fuzzy")
    assert plugins.validators() == ()
    assert plugins.commands("acme") == ()


@pytest.mark.parametrize(
    "meet",
    [
        pytest.param(lambda plugins: plugins.matcher("acme/fuzzy"), id="one of its good names"),
        pytest.param(lambda plugins: plugins.matcher("fuzzy"), id="a first-party one"),
        pytest.param(lambda plugins: plugins.names("matcher"), id="all names"),
        pytest.param(lambda plugins: plugins.validators(), id="all validators"),
        pytest.param(lambda plugins: plugins.commands("acme"), id="its commands"),
    ],
)
def test_a_strict_host_raises_for_every_broken_plugin_that_it_meets(
    install: Any, host: Any, meet: Any
) -> None:
    install("holodeck-acme", HALF_BROKEN)
    install("holodeck-graders", HALF_BROKEN)
    with pytest.raises(BrokenPlugin, match=r"is broken: holodeck_metrics raised ValueError: out of order"):
        meet(host(environ={"HOLODECK_STRICT_PLUGINS": "1"}))


def test_a_strict_host_raises_for_a_misnamed_plugin(install: Any, host: Any) -> None:
    install("holodeck-acme", MATCHER, entry_points={"other": "holodeck_acme_hooks"})
    with pytest.raises(BrokenPlugin, match=r"is misnamed"):
        host(environ={"HOLODECK_STRICT_PLUGINS": "1"}).names("matcher")


def test_a_strict_host_minds_neither_good_nor_disabled_plugins(install: Any, host: Any) -> None:
    install("holodeck-acme", MATCHER)
    install("holodeck-other", "raise ValueError('out of order')")
    plugins = host(disabled=["other"], environ={"HOLODECK_STRICT_PLUGINS": "1"})
    assert plugins.names("matcher") == ("acme/fuzzy",)
    assert plugins.matcher("acme/fuzzy").object.__name__ == "Thing"


def test_the_listing_runs_in_a_strict_host_too(install: Any, host: Any) -> None:
    install("holodeck-acme", "raise ValueError('out of order')")
    plugins = host(environ={"HOLODECK_STRICT_PLUGINS": "1"})
    assert [record.status for record in plugins.records()] == ["broken"]


@pytest.mark.parametrize("variable", ["HOLODECK_PLUGIN_AUTOLOAD", "HOLODECK_STRICT_PLUGINS"])
def test_a_flag_is_0_or_1(host: Any, variable: str) -> None:
    for text in ("0", "1", "false", "TRUE", "no", "on", ""):
        host(environ={variable: text})
    with pytest.raises(ConfigError, match=rf"{variable} must be 0 or 1, not 'maybe'"):
        host(environ={variable: "maybe"})


def test_the_environment_of_the_process_is_the_default(
    install: Any, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("holodeck-acme", MATCHER)
    monkeypatch.setenv("HOLODECK_DISABLE_PLUGINS", "acme")
    assert [record.status for record in PluginHost(path=[str(site)]).records()] == ["disabled"]
    monkeypatch.setenv("HOLODECK_PLUGIN_AUTOLOAD", "0")
    assert PluginHost(path=[str(site)]).records() == ()
