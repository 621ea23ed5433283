"""Which plugin a name belongs to, and what is said where it is not available."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest

from holodeck_core.errors import BrokenPlugin, UnknownName

KINDS = ["matcher", "metric", "grader", "backend", "reporter", "command"]


def hook(kind: str, *names: str, target: str = "fake_things:Thing") -> str:
    contributions = ", ".join(f"Contribution('{name}', '{target}', '')" for name in names)
    return f"@hookimpl\ndef holodeck_{kind}s(): return [{contributions}]\n"


@pytest.fixture
def things(install: Any) -> None:
    install("things", entry_points={}, modules={"fake_things.py": "class Thing: ..."})


def unknown(host: Any, kind: str, name: str) -> str:
    with pytest.raises(UnknownName) as caught:
        host.resolve(kind, name)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("distribution", "name"), [("holodeck-acme", "acme/one"), ("acme", "acme/one"), ("holodeck-core", "one")]
)
def test_every_kind_has_a_method_that_resolves_its_names(
    install: Any, things: None, host: Any, kind: Any, distribution: str, name: str
) -> None:
    install(distribution, hook(kind, "one"))
    plugins = host()
    found = getattr(plugins, kind)(name)
    assert found == plugins.resolve(kind, name)
    assert (found.object.__name__, found.name) == ("Thing", name)


class TestFirstParty:
    def test_bare_names_are_first_party_only(self, install: Any, things: None, host: Any) -> None:
        install("holodeck-acme", hook("matcher", "near"))
        install("holodeck-graders", hook("matcher", "fuzzy"))
        assert host().matcher("fuzzy").plugin.id == "graders"
        message = unknown(host(), "matcher", "near")
        assert (
            message
            == "there is no matcher 'near'; a plugin's names are written plugin/name. Known matchers: fuzzy"
        )

    def test_a_first_party_name_that_the_table_lacks_is_found_too(
        self, install: Any, things: None, host: Any
    ) -> None:
        install("holodeck-graders", hook("matcher", "brand_new"))
        assert host().matcher("brand_new").plugin.id == "graders"

    def test_only_the_owner_of_a_name_is_imported(
        self, install: Any, things: None, host: Any, imported: Any
    ) -> None:
        install("holodeck-graders", hook("matcher", "fuzzy"))
        install("holodeck-core", hook("matcher", "literal"))
        host().matcher("literal")
        assert imported("holodeck_core_hooks")
        assert not imported("holodeck_graders_hooks")

    def test_first_party_names_are_not_qualified(self, install: Any, things: None, host: Any) -> None:
        install("holodeck-graders", hook("matcher", "fuzzy"))
        message = unknown(host(), "matcher", "graders/fuzzy")
        assert message.endswith("HoloDeck's own names are written without a plugin; write 'fuzzy'")

    @pytest.mark.parametrize("distribution", ["graders", "core", "cli"])
    def test_a_distribution_of_a_stranger_contributes_no_bare_names(
        self, install: Any, things: None, host: Any, imported: Any, distribution: str
    ) -> None:
        install(distribution, hook("matcher", "fuzzy", "literal", "anything"))
        for name in ("fuzzy", "literal", "anything", f"{distribution}/anything"):
            unknown(host(), "matcher", name)
        (record,) = host().records()
        assert record.status == "broken"
        assert record.problems == (f"the id '{distribution}' belongs to holodeck-{distribution}",)
        assert host().ids() == ()
        assert not imported(f"{distribution}_hooks")

    def test_a_stranger_does_not_take_the_id_away_from_its_owner(
        self, install: Any, things: None, host: Any
    ) -> None:
        install("graders", hook("matcher", "fuzzy"))
        install("holodeck-graders", hook("matcher", "fuzzy"))
        assert host().matcher("fuzzy").plugin.distribution == "holodeck-graders"

    @pytest.mark.parametrize(
        ("kind", "name", "install_hint"),
        [
            ("matcher", "fuzzy", "holodeck-graders is not installed: pip install holodeck-graders"),
            ("metric", "equality", "holodeck-graders is not installed: pip install holodeck-graders"),
            ("reporter", "junit", "holodeck-cli is not installed: pip install holodeck-cli"),
            ("command", "chat", "holodeck-cli is not installed: pip install holodeck-cli"),
        ],
    )
    def test_a_name_whose_distribution_is_missing_says_what_to_install(
        self, host: Any, kind: Any, name: str, install_hint: str
    ) -> None:
        assert unknown(host(), kind, name) == f"the {kind} '{name}' is not available: {install_hint}"

    def test_a_name_that_the_installed_owner_lacks_says_so(
        self, install: Any, things: None, host: Any
    ) -> None:
        install("holodeck-core", hook("backend", "scripted"), version="0.9")
        assert unknown(host(), "backend", "openai") == (
            "the backend 'openai' is not part of holodeck-core 0.9; a later version may have it: "
            "pip install --upgrade 'holodeck-core[semantic-kernel]'"
        )

    def test_a_broken_owner_is_told(self, install: Any, host: Any) -> None:
        install("holodeck-graders", "raise ValueError('out of order')", version="0.9")
        with pytest.raises(
            BrokenPlugin, match=r"'fuzzy' is not available: holodeck-graders 0.9 is broken: .*out of order"
        ):
            host().matcher("fuzzy")

    def test_an_unknown_name_lists_near_names_known_names_and_broken_plugins(
        self, install: Any, things: None, host: Any
    ) -> None:
        install("holodeck-core", hook("matcher", "literal"))
        install("holodeck-graders", "raise ValueError('out of order')")
        message = unknown(host(), "matcher", "fuzy")
        assert message.startswith(
            "there is no matcher 'fuzy'; did you mean 'fuzzy'? Known matchers: literal; "
        )
        assert (
            "holodeck-graders 1.0 is broken: cannot import holodeck_graders_hooks: ValueError: out" in message
        )

    @pytest.mark.parametrize(
        ("wrong", "right"),
        [("Fuzzy", "fuzzy"), ("regexp", "regex"), ("anyof", "any_of"), ("litteral", "literal")],
    )
    def test_did_you_mean(self, host: Any, wrong: str, right: str) -> None:
        assert f"did you mean '{right}'" in unknown(host(), "matcher", wrong)

    def test_a_name_of_another_kind_is_not_suggested(self, host: Any) -> None:
        assert "did you mean" not in unknown(host(), "metric", "fuzzy")


class TestQualified:
    def test_a_plugin_that_is_not_installed_says_what_to_install(self, host: Any) -> None:
        assert unknown(host(), "metric", "acme/pii") == (
            "the metric 'acme/pii' is not available: no plugin 'acme' is installed; "
            "install what its documentation names, holodeck-acme or acme. Installed plugins: none"
        )

    def test_no_command_is_told_that_would_install_whatever_has_the_name(self, host: Any) -> None:
        assert "pip" not in unknown(host(), "matcher", "text/plain")

    def test_a_near_id_that_is_installed_comes_first(self, acme: None, host: Any) -> None:
        message = unknown(host(), "metric", "amce/pii")
        assert message.endswith(
            "no plugin 'amce' is installed; did you mean 'acme'? "
            "Else install what its documentation names, holodeck-amce or amce. Installed plugins: acme"
        )

    @pytest.mark.parametrize(
        ("options", "hooks", "meant"),
        [
            ({"modules": {"x.py": ""}, "entry_points": {"other": "x"}}, None, "'acme' (misnamed)"),
            ({"group": "holodeck.v2"}, "", "'acme' (incompatible)"),
            ({}, "raise ImportError", "'acme' (broken)"),
        ],
        ids=["misnamed", "for another api", "broken"],
    )
    def test_a_near_id_that_cannot_be_used_is_suggested_with_what_is_wrong(
        self, install: Any, host: Any, options: Any, hooks: str | None, meant: str
    ) -> None:
        install("holodeck-acme", hooks, **options)
        plugins = host()
        plugins.records()
        assert f"did you mean {meant}?" in unknown(plugins, "metric", "amce/pii")

    def test_a_disabled_id_is_suggested(self, acme: None, host: Any) -> None:
        assert "did you mean 'acme' (disabled)?" in unknown(host(disabled=["acme"]), "metric", "amce/pii")

    def test_a_name_that_its_plugin_spoils_is_suggested(self, install: Any, host: Any) -> None:
        install("holodeck-acme", "@hookimpl\ndef holodeck_metrics(): return [Contribution('pii', 'no', '')]")
        assert "contributes no metric 'pi'; did you mean 'pii'? Its metrics: none; " in unknown(
            host(), "metric", "acme/pi"
        )

    @pytest.mark.parametrize(
        ("name", "advice"),
        [
            ("Acme/pii", "'Acme' is not the id of a plugin; did you mean 'acme'?"),
            ("acme_tools/pii", "'acme_tools' is not the id of a plugin; did you mean 'acme-tools'?"),
            ("/pii", "'' is not the id of a plugin"),
            ("a b; rm -rf x/pii", "'a b; rm -rf x' is not the id of a plugin"),
        ],
    )
    def test_an_id_is_written_in_its_normal_form(self, host: Any, name: str, advice: str) -> None:
        assert unknown(host(), "metric", name).endswith(advice)

    @pytest.mark.parametrize(
        ("kind", "name", "message"),
        [
            ("metric", "acme/pi", "contributes no metric 'pi'; did you mean 'pii'? Its metrics: pii"),
            ("metric", "acme/sql", "contributes no metric 'sql'. Its metrics: pii"),
            ("metric", "acme/", "contributes no metric ''. Its metrics: pii"),
            ("metric", "acme/a/b", "contributes no metric 'a/b'. Its metrics: pii"),
            (
                "metric",
                "acme/near",
                "contributes no metric 'near', but a matcher of that name. Its metrics: pii",
            ),
            (
                "grader",
                "acme/pii",
                "contributes no grader 'pii', but a metric of that name. Its graders: none",
            ),
        ],
    )
    def test_a_name_that_the_plugin_lacks_lists_what_it_has(
        self, acme: None, host: Any, kind: Any, name: str, message: str
    ) -> None:
        assert unknown(host(), kind, name) == f"holodeck-acme 1.2 {message}"

    @pytest.fixture
    def searches(self, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
        """The names of all searches for distributions; None stands for the whole environment."""
        names: list[str | None] = []
        real = importlib.metadata.Distribution.discover

        def recording(**criteria: Any) -> Any:
            names.append(criteria.get("name"))
            return real(**criteria)

        monkeypatch.setattr(importlib.metadata.Distribution, "discover", recording)
        return names

    def test_a_qualified_name_looks_at_two_distributions_only(
        self, acme: None, host: Any, searches: Any
    ) -> None:
        plugins = host()
        plugins.metric("acme/pii")
        plugins.matcher("acme/near")
        assert searches == ["holodeck-acme", "acme"]

    def test_a_bare_name_looks_at_its_owner_only(
        self, install: Any, things: None, host: Any, searches: Any
    ) -> None:
        install("holodeck-graders", hook("matcher", "fuzzy"))
        plugins = host()
        plugins.matcher("fuzzy")
        plugins.matcher("fuzzy")
        assert searches == ["holodeck-graders"]

    def test_a_listing_reads_the_environment_once(self, acme: None, host: Any, searches: Any) -> None:
        plugins = host()
        for _ in range(3):
            plugins.ids(), plugins.records(), plugins.names("matcher")
        assert searches.count(None) == 1
        own = {"holodeck-cli", "holodeck-core", "holodeck-graders"}
        assert set(searches) == {None, "holodeck-acme", *own}

    def test_making_a_host_looks_at_nothing(self, acme: None, host: Any, searches: Any) -> None:
        host(disabled=["other"], aliases={"close": "acme/near"})
        assert searches == []


class TestAliases:
    def test_an_alias_stands_for_a_qualified_name(self, acme: None, host: Any) -> None:
        found = host(aliases={"close": "acme/near"}).matcher("close")
        assert (found.name, found.object.__name__) == ("acme/near", "Near")

    def test_a_message_about_an_alias_names_both(self, host: Any) -> None:
        message = unknown(host(aliases={"close": "acme/near"}), "matcher", "close")
        assert message.startswith("the matcher 'close' (alias of 'acme/near') is not available: ")

    def test_an_alias_is_suggested(self, host: Any) -> None:
        assert "did you mean 'closest'" in unknown(
            host(aliases={"closest": "acme/near"}), "matcher", "closes"
        )

    @pytest.mark.parametrize(
        ("alias", "name", "reason"),
        [
            (
                "fuzzy",
                "acme/near",
                "the alias 'fuzzy' would hide HoloDeck's own 'fuzzy'; choose another name",
            ),
            (
                "openai",
                "acme/vllm",
                "the alias 'openai' would hide HoloDeck's own 'openai'; choose another name",
            ),
            ("close", "near", "the alias 'close' must stand for plugin/name, not for 'near'"),
            ("close", "acme/Near", "the alias 'close' must stand for plugin/name, not for 'acme/Near'"),
            ("close", "Acme/near", "the alias 'close' must stand for plugin/name, not for 'Acme/near'"),
            ("a/b", "acme/near", "the alias 'a/b' must be a bare name of lower-case letters, digits and _"),
            (
                "Close",
                "acme/near",
                "the alias 'Close' must be a bare name of lower-case letters, digits and _",
            ),
        ],
    )
    def test_an_alias_has_a_form_and_hides_nothing(
        self, host: Any, alias: str, name: str, reason: str
    ) -> None:
        with pytest.raises(ValueError, match=r"alias") as caught:
            host(aliases={alias: name})
        assert str(caught.value) == reason


class TestCommands:
    def test_a_plugin_lists_its_commands_without_importing_them(
        self, acme: None, host: Any, imported: Any
    ) -> None:
        assert [each.name for each in host().commands("acme")] == ["index", "serve"]
        assert not imported("acme_things")

    def test_a_plugin_may_have_none(self, install: Any, host: Any) -> None:
        install("holodeck-acme", hook("matcher", "near"))
        assert host().commands("acme") == ()

    def test_a_plugin_that_is_not_there_is_unknown(self, host: Any) -> None:
        with pytest.raises(
            UnknownName,
            match=r"a command of the plugin 'acme' is not available: no plugin 'acme' is installed",
        ):
            host().commands("acme")

    @pytest.mark.parametrize(
        "source", ["raise ValueError('x')", "@hookimpl\ndef holodeck_commands(): raise ValueError('x')"]
    )
    def test_a_plugin_whose_commands_cannot_be_told_is_broken(
        self, install: Any, host: Any, source: str
    ) -> None:
        install("holodeck-acme", source)
        with pytest.raises(BrokenPlugin, match=r"holodeck-acme 1.0 is broken: .*ValueError: x"):
            host().commands("acme")


class TestValidators:
    def test_all_validators_take_part_in_the_order_of_ids(
        self, install: Any, things: None, host: Any
    ) -> None:
        install("holodeck-zeta", hook("validator", "b", "a"))
        install("holodeck-acme", hook("validator", "polite"))
        install("holodeck-cli", hook("validator", "size"))
        found = [each.name for each in host().validators()]
        assert found == ["acme/polite", "size", "zeta/a", "zeta/b"]

    def test_one_that_cannot_be_had_is_left_out_and_recorded(
        self, install: Any, things: None, host: Any
    ) -> None:
        install("holodeck-acme", hook("validator", "polite", target="acme_gone:Polite"))
        install("holodeck-beta", hook("validator", "kind"))
        plugins = host()
        assert [each.name for each in plugins.validators()] == ["beta/kind"]
        assert [record.status for record in plugins.records()] == ["broken", "ok"]
        with pytest.raises(BrokenPlugin, match=r"acme/polite"):
            host(environ={"HOLODECK_STRICT_PLUGINS": "1"}).validators()


class TestRecord:
    def test_a_record_says_what_a_plugin_contributes_and_where_its_hooks_are(
        self, acme: None, host: Any
    ) -> None:
        record = host().record("acme")
        assert (record.id, record.status, record.module) == ("acme", "ok", "holodeck_acme_hooks")
        assert "matcher" in record.contributions

    def test_a_broken_one_has_one_too(self, install: Any, host: Any) -> None:
        install("holodeck-acme", "raise ValueError('x')")
        assert host().record("acme").status == "broken"

    def test_one_that_is_never_imported_has_none(self, install: Any, host: Any) -> None:
        install("holodeck-acme", "", entry_points={"other": "holodeck_acme_hooks"})
        with pytest.raises(BrokenPlugin, match=r"the plugin 'acme' is not available: .* misnamed"):
            host().record("acme")
        with pytest.raises(
            UnknownName, match=r"the plugin 'gone' is not available: no plugin 'gone' is installed"
        ):
            host().record("gone")
        assert [record.module for record in host().records()] == [None]
