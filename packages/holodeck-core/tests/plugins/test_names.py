"""How plugins and contributions are called."""

from __future__ import annotations

import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import canonicalize_name

from holodeck_core.plugins.names import (
    FIRST_PARTY_NAMES,
    RESERVED_IDS,
    is_name,
    is_plugin_id,
    is_target,
    near,
    normalised,
    owner_of,
    plugin_id,
    split_name,
)

DISTRIBUTIONS = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?", fullmatch=True)


@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        ("holodeck-acme", "acme"),
        ("acme", "acme"),
        ("Holodeck.Acme_Tools", "acme-tools"),
        ("holodeck__acme", "acme"),
        ("holodeck", "holodeck"),
        ("holodecks-acme", "holodecks-acme"),
        ("holodeck-holodeck-acme", "holodeck-acme"),
    ],
)
def test_the_id_is_the_normalised_distribution_name_without_the_prefix(
    distribution: str, expected: str
) -> None:
    assert plugin_id(distribution) == expected


@given(DISTRIBUTIONS)
def test_distribution_names_are_normalised_as_packaging_does(distribution: str) -> None:
    assert normalised(distribution) == canonicalize_name(distribution)


@given(DISTRIBUTIONS)
def test_every_normalised_distribution_name_can_be_an_id(distribution: str) -> None:
    assert is_plugin_id(normalised(distribution))


@pytest.mark.parametrize("name", ["pii", "any_of", "azure_openai", "f1", "near-miss", "a", "v2_x"])
def test_a_name_is_lower_case_letters_and_digits_with_single_joints(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize(
    "name", ["", "Pii", "1st", "_x", "x_", "a__b", "a/b", "a.b", "a b", "ä", "pii\n", "a:b", "x\x1b[31m"]
)
def test_a_name_is_nothing_else(name: str) -> None:
    assert not is_name(name)


@pytest.mark.parametrize(
    ("target", "valid"),
    [
        ("acme:Pii", True),
        ("acme.metrics:Pii", True),
        ("acme.metrics:Pii.Inner", True),
        ("acme", False),
        ("acme:", False),
        (":Pii", False),
        ("acme:Pii:Inner", False),
        ("acme metrics:Pii", False),
        (".metrics:Pii", False),
        ("acme/metrics.py:Pii", False),
        ("acme:Pii()", False),
    ],
)
def test_a_target_names_a_module_and_an_attribute(target: str, valid: bool) -> None:
    assert is_target(target) is valid


@given(st.text(string.ascii_lowercase + "/", max_size=12))
def test_splitting_a_name_loses_nothing(name: str) -> None:
    plugin, local = split_name(name)
    assert name == (local if plugin is None else f"{plugin}/{local}")


def test_near_names_are_found_in_other_letters_and_given_as_they_are_written() -> None:
    assert near("FUZY", ["regex", "Fuzzy", "literal"]) == ["Fuzzy"]
    assert near("zzz", ["regex", "fuzzy"]) == []


@pytest.mark.parametrize(
    ("kind", "names", "requirement"),
    [
        ("matcher", "fuzzy regex any_of unordered absent contains type approx", "holodeck-graders"),
        ("matcher", "literal", "holodeck-core"),
        ("metric", "equality numeric code bleu rouge meteor f1 geval rag", "holodeck-graders"),
        ("backend", "scripted python replay", "holodeck-core"),
        ("backend", "openai azure_openai anthropic ollama", "holodeck-core[semantic-kernel]"),
        ("reporter", "terminal json markdown junit html github", "holodeck-cli"),
        ("command", "chat", "holodeck-cli"),
    ],
)
def test_every_first_party_name_is_known_with_what_to_install(
    kind: Any, names: str, requirement: str
) -> None:
    owned = {name for name, owner in FIRST_PARTY_NAMES[kind].items() if owner == requirement}
    assert owned == set(names.split())
    assert {owner_of(kind, name) for name in owned} == {
        (requirement.removeprefix("holodeck-").partition("[")[0], requirement)
    }


def test_the_built_in_commands_are_reserved() -> None:
    assert (
        " ".join(sorted(RESERVED_IDS))
        == "chat compare import init plugins report runs schema test validate view"
    )
