"""Which entry points count, and which are never imported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from holodeck_core.errors import BrokenPlugin, UnknownName
from holodeck_core.plugins.distributions import core_version
from holodeck_core.plugins.host import PluginHost
from holodeck_core.testing.fake_distribution import FakeDistribution

METRIC = "@hookimpl\ndef holodeck_metrics(): return [Contribution('pii', 'fake_things:Thing', '')]\n"


@pytest.fixture(autouse=True)
def things(install: Any) -> None:
    install("things", entry_points={}, modules={"fake_things.py": "class Thing: ..."})


def summary(host: PluginHost) -> list[tuple[str, str, str]]:
    return [(record.id, record.distribution, record.status) for record in host.records()]


@pytest.mark.parametrize("entry_point", ["other", "Acme", "holodeck-acme", "core"])
def test_a_misnamed_entry_point_is_reported_and_never_imported(
    install: Any, host: Any, imported: Any, entry_point: str
) -> None:
    install("holodeck-acme", METRIC, entry_points={entry_point: "holodeck_acme_hooks"})
    plugins = host()
    (record,) = plugins.records()
    assert (record.id, record.status) == ("acme", "misnamed")
    assert record.problems == (f"its entry point is called '{entry_point}' and must be called 'acme'",)
    assert plugins.ids() == ()
    with pytest.raises(BrokenPlugin, match=r"holodeck-acme 1.0 is misnamed: its entry point is called"):
        plugins.metric("acme/pii")
    assert not imported("holodeck_acme_hooks")


def test_the_entry_point_has_the_normal_form_of_the_id(install: Any, host: Any) -> None:
    install("Holodeck.Acme_Tools", METRIC, entry_points={"acme-tools": "holodeck_acme_tools_hooks"})
    assert host().metric("acme-tools/pii").plugin.distribution == "Holodeck.Acme_Tools"
    assert host().ids() == ("acme-tools",)


def test_of_several_entry_points_the_well_named_one_works(install: Any, host: Any, imported: Any) -> None:
    install(
        "holodeck-acme",
        METRIC,
        entry_points={"aardvark": "acme_extra", "acme": "holodeck_acme_hooks"},
        modules={"acme_extra.py": ""},
    )
    plugins = host()
    assert plugins.metric("acme/pii").object.__name__ == "Thing"
    assert summary(plugins) == [("acme", "holodeck-acme", "misnamed"), ("acme", "holodeck-acme", "ok")]
    assert plugins.ids() == ("acme",)
    assert not imported("acme_extra")


def test_two_distributions_of_one_id_are_both_broken(install: Any, host: Any, imported: Any) -> None:
    install("holodeck-acme", METRIC, version="1.0")
    install("acme", METRIC, version="2.0")
    plugins = host()
    assert summary(plugins) == [("acme", "acme", "broken"), ("acme", "holodeck-acme", "broken")]
    with pytest.raises(
        BrokenPlugin, match=r"claimed by acme 2.0 and holodeck-acme 1.0; uninstall one of them"
    ):
        plugins.metric("acme/pii")
    assert plugins.ids() == ()
    assert not imported("holodeck_acme_hooks")
    assert not imported("acme_hooks")


def test_a_distribution_that_is_no_plugin_claims_nothing(install: Any, host: Any) -> None:
    install("holodeck-acme", METRIC)
    install("acme", entry_points={})
    assert host().metric("acme/pii").plugin.distribution == "holodeck-acme"


def test_a_prefix_is_taken_off_once(install: Any, host: Any) -> None:
    install("holodeck-acme", METRIC)
    with pytest.raises(UnknownName, match=r"plugins are named without 'holodeck-'; write 'acme'$"):
        host().metric("holodeck-acme/pii")


@pytest.mark.parametrize("distribution", ["holodeck-test", "import"])
def test_an_id_of_a_built_in_command_is_refused(
    install: Any, host: Any, imported: Any, distribution: str
) -> None:
    install(distribution, METRIC)
    wanted = distribution.removeprefix("holodeck-")
    plugins = host()
    with pytest.raises(BrokenPlugin, match=rf"the id '{wanted}' is the name of a built-in command"):
        plugins.metric(f"{wanted}/pii")
    assert [record.status for record in plugins.records()] == ["broken"]
    assert plugins.ids() == ()
    assert not imported(f"{distribution.replace('-', '_')}_hooks")


def test_the_reserved_ids_are_the_callers(install: Any, host: Any) -> None:
    install("holodeck-test", METRIC)
    install("holodeck-acme", METRIC)
    assert host(reserved_ids=frozenset({"acme"})).ids() == ("test",)


def test_the_first_distribution_on_the_path_hides_the_later_ones(
    install: Any, site: Path, tmp_path: Path, host: Any
) -> None:
    install("holodeck-acme", METRIC, version="1.0")
    later = tmp_path / "later"
    FakeDistribution("holodeck-acme", version="2.0", entry_points={"acme": "acme_other"}).install(later)
    plugins = host(path=[str(site), str(later)])
    assert [record.version for record in plugins.records()] == ["1.0"]
    assert plugins.metric("acme/pii").plugin.version == "1.0"


def test_a_distribution_that_stopped_being_a_plugin_hides_the_later_ones_too(
    site: Path, tmp_path: Path, host: Any
) -> None:
    FakeDistribution("holodeck-acme", version="3.0").install(site)
    later = tmp_path / "later"
    FakeDistribution("holodeck-acme", version="2.0", entry_points={"acme": "acme_other"}).install(later)
    plugins = host(path=[str(site), str(later)])
    assert plugins.records() == ()
    with pytest.raises(UnknownName):
        plugins.metric("acme/pii")


def test_without_a_path_the_environment_is_searched(install: Any) -> None:
    install("holodeck-acme-of-these-tests", METRIC)
    plugins = PluginHost(environ={})
    assert "acme-of-these-tests" in plugins.ids()
    assert plugins.metric("acme-of-these-tests/pii").object.__name__ == "Thing"


def test_listing_ids_imports_no_plugin(install: Any, host: Any, imported: Any) -> None:
    for name in ("holodeck-zeta", "acme", "holodeck-mid"):
        install(name, METRIC)
    install("holodeck-graders", METRIC)
    assert host().ids() == ("acme", "mid", "zeta")
    assert not any(
        imported(f"{name}_hooks") for name in ("holodeck_zeta", "acme", "holodeck_mid", "holodeck_graders")
    )


def test_everything_is_listed_in_the_order_of_ids(install: Any, host: Any) -> None:
    for name in ("holodeck-zeta", "acme", "holodeck-mid", "holodeck-graders", "holodeck-core"):
        install(name, METRIC)
    plugins = host()
    ids = ["acme", "core", "graders", "mid", "zeta"]
    assert [record.id for record in plugins.records()] == ids
    assert plugins.names("metric") == ("acme/pii", "pii", "pii", "mid/pii", "zeta/pii")


def test_a_listing_without_loading_imports_nothing(install: Any, host: Any, imported: Any) -> None:
    install("holodeck-acme", METRIC)
    plugins = host()
    (record,) = plugins.records(load=False)
    assert (record.status, record.contributions) == ("not loaded", {})
    assert not imported("holodeck_acme_hooks")
    assert plugins.records()[0].status == "ok"


def test_used_tells_only_the_plugins_of_which_something_was_resolved(install: Any, host: Any) -> None:
    for name in ("holodeck-zeta", "holodeck-acme", "holodeck-mid"):
        install(name, METRIC, version="1.5")
    plugins = host()
    assert plugins.used() == ()
    plugins.names("metric")
    plugins.metric("zeta/pii")
    plugins.metric("acme/pii")
    assert [(record.id, record.version) for record in plugins.used()] == [("acme", "1.5"), ("zeta", "1.5")]


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("entry_points.txt", b"\xff\xfe[holodeck.v1]"),
        ("entry_points.txt", b"[holodeck.v1]\nno equals sign\n"),
        ("METADATA", b"\xff\xfe"),
        ("METADATA", b""),
    ],
    ids=["entry points not text", "entry points malformed", "metadata not text", "metadata empty"],
)
def test_a_strangers_damaged_metadata_stops_nothing(
    install: Any, site: Path, host: Any, file: str, content: bytes
) -> None:
    install("holodeck-acme", METRIC)
    damaged = FakeDistribution("damaged", entry_points={"damaged": "damaged_hooks"}).install(site)
    (damaged / file).write_bytes(content)
    plugins = host()
    assert plugins.ids() == ("acme",)
    assert plugins.metric("acme/pii").object.__name__ == "Thing"
    plugins.records()


def test_a_plugin_whose_entry_points_are_malformed_says_so(site: Path, host: Any) -> None:
    damaged = FakeDistribution("holodeck-acme", version="1.1", entry_points={"acme": "x"}).install(site)
    (damaged / "entry_points.txt").write_text("[holodeck.v1]\nno equals sign\n")
    with pytest.raises(BrokenPlugin, match=r"holodeck-acme 1.1 is broken: its entry points cannot be read: "):
        host().metric("acme/pii")


def test_the_malformed_entry_points_of_another_program_are_none_of_ours(
    install: Any, site: Path, host: Any
) -> None:
    install("holodeck-acme", METRIC)
    damaged = FakeDistribution("acme", entry_points={"acme": "x"}).install(site)
    (damaged / "entry_points.txt").write_text("[console_scripts]\nno equals sign\n")
    assert summary(host()) == [("acme", "holodeck-acme", "ok")]


@pytest.mark.parametrize(
    ("group", "advice"),
    [("holodeck.v2", "a newer holodeck-core"), ("holodeck.v0", "an older holodeck-core")],
)
def test_a_plugin_for_another_api_is_told_as_such_and_never_imported(
    install: Any, host: Any, imported: Any, group: str, advice: str
) -> None:
    install("holodeck-acme", METRIC, version="3.0", group=group)
    plugins = host()
    assert summary(plugins) == [("acme", "holodeck-acme", "incompatible")]
    assert plugins.ids() == ()
    with pytest.raises(BrokenPlugin) as caught:
        plugins.metric("acme/pii")
    assert str(caught.value) == (
        "the metric 'acme/pii' is not available: holodeck-acme 3.0 is incompatible: it is made for version "
        f"{group[-1]} of the plugin API, and holodeck-core {core_version()} has version 1: install a holodeck-acme "
        f"that is made for it, or {advice}"
    )
    assert not imported("holodeck_acme_hooks")


def test_a_plugin_for_several_apis_is_used_through_this_one(install: Any, host: Any, site: Path) -> None:
    install("holodeck-acme", METRIC)
    [metadata] = site.glob("holodeck_acme-*.dist-info")
    with (metadata / "entry_points.txt").open("a") as file:
        file.write("[holodeck.v2]\nacme = acme_of_tomorrow\n")
    assert host().metric("acme/pii").object.__name__ == "Thing"
    assert summary(host()) == [("acme", "holodeck-acme", "ok")]
