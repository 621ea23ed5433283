"""Execution settings: which level goes before which, where each setting comes from, and mistakes at every level."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from holodeck_core import DEFAULT_EXECUTION_CONFIG, ConfigError, ExecutionConfig, Suite, load_suite
from holodeck_core.api.settings import ResolvedSettings

HEAD = "name: agent\nmodel: {provider: scripted, replies: []}\n"

LEVELS = ("command line", "agent file", "project file", "user file", "environment")
"""Nearest first; the defaults are behind them."""

# One value for each level.
VALUES: dict[str, tuple[Any, ...]] = {
    "parallel_test_cases": (11, 12, 13, 14, 15),
    "llm_timeout": (0.5, 2.0, 3.0, 4.0, 1e3),
    "file_timeout": (1.5, 2.0, 3.0, 4.0, 5.0),
    "download_timeout": (1.5, 2.0, 3.0, 4.0, 5.0),
    "retries": (0, 12, 13, 14, 15),
    "tool_order": ("exact", "in_order", "any", "exact", "in_order"),
    "extra_calls": ("forbid", "allow", "forbid", "allow", "forbid"),
    "on_turn_failure": ("stop", "continue", "stop", "continue", "stop"),
}


class Place:
    """A folder with an agent file in it, a project folder around it, and a user's folder."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = root / "project" / "holodeck.yaml"
        self.agent = root / "project" / "agents" / "agent.yaml"
        self.user = self.home / ".config" / "holodeck" / "config.yaml"
        for file in (self.project, self.agent, self.user):
            file.parent.mkdir(parents=True, exist_ok=True)
        self.agent.write_text(HEAD)

    def load(self, environ: dict[str, str] | None = None, settings: Any = None, **options: Any) -> Suite:
        return load_suite(
            self.agent, settings=settings, environ={"HOME": str(self.home), **(environ or {})}, **options
        )

    def resolved(
        self, environ: dict[str, str] | None = None, settings: Any = None, **options: Any
    ) -> ResolvedSettings:
        found = self.load(environ, settings, **options).settings
        assert found is not None
        return found

    def problems(
        self, environ: dict[str, str] | None = None, settings: Any = None, **options: Any
    ) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            self.load(environ, settings, **options)
        return [problem.headline() for problem in caught.value.problems]

    def write(self, chosen: dict[str, set[str]]) -> tuple[dict[str, str], dict[str, Any]]:
        """Let each level set the fields that choose it; gives the environment and the command line's settings."""

        def of(level: str) -> dict[str, Any]:
            at = LEVELS.index(level)
            return {field: VALUES[field][at] for field, levels in chosen.items() if level in levels}

        self.agent.write_text(HEAD + f"execution: {json.dumps(of('agent file'))}\n")
        self.project.write_text(f"execution: {json.dumps(of('project file'))}\n")
        self.user.write_text(f"execution: {json.dumps(of('user file'))}\n")
        environ = {f"HOLODECK_{field.upper()}": str(value) for field, value in of("environment").items()}
        return environ, of("command line")

    def check(self, chosen: dict[str, set[str]]) -> None:
        """Each field has the value and the origin of the nearest of its levels."""
        found = self.resolved(*self.write(chosen))
        origins = {
            "command line": "command line",
            "agent file": f"{self.agent}:3",
            "project file": f"{self.project}:1",
            "user file": f"{self.user}:1",
        }
        expected = {}
        for field in VALUES:
            nearest = next((level for level in LEVELS if level in chosen.get(field, ())), None)
            if nearest is None:
                expected[field] = (DEFAULT_EXECUTION_CONFIG[field], "default")
            else:
                value = VALUES[field][LEVELS.index(nearest)]
                expected[field] = (value, origins.get(nearest, f"HOLODECK_{field.upper()}"))
        assert {setting.name: (setting.value, setting.origin) for setting in found} == expected


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_every_setting_can_be_set_and_has_a_default() -> None:
    fields = set(ExecutionConfig.model_fields)
    assert set(VALUES) == fields
    assert set(DEFAULT_EXECUTION_CONFIG) == fields
    assert {field.name for field in attrs.fields(ResolvedSettings)} == fields | {"origins"}


@pytest.mark.parametrize("field", VALUES)
def test_the_nearest_level_that_sets_a_field_decides(place: Place, field: str) -> None:
    for mask in product((False, True), repeat=len(LEVELS)):
        place.check({field: {level for level, chosen in zip(LEVELS, mask, strict=True) if chosen}})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(chosen=st.fixed_dictionaries({field: st.sets(st.sampled_from(LEVELS)) for field in VALUES}))
def test_levels_are_merged_field_by_field(place: Place, chosen: dict[str, set[str]]) -> None:
    place.check(chosen)


def test_settings_reach_the_suite(place: Place) -> None:
    place.project.write_text("execution: {parallel_test_cases: 3, llm_timeout: 2.5, on_turn_failure: stop}\n")
    place.agent.write_text(HEAD + "test_cases: [{turns: [{input: a}]}]\n")
    suite = place.load()
    [case] = suite.cases
    assert (suite.parallel, suite.llm_timeout, case.on_turn_failure) == (3, 2.5, "stop")


@pytest.mark.parametrize(
    ("text", "value"),
    [("execution:", 2), ("execution: {}", 2), ("execution: {retries: }", 2), ("execution: {retries: null}", 2),
     ("execution: {retries: '7'}", 7), ("x-own: {a: 1}\n", 2), ("# nothing\n", 2), ("", 2)],
)  # fmt: skip
def test_what_a_file_leaves_empty_is_not_set(place: Place, text: str, value: int) -> None:
    place.project.write_text(text)
    assert place.resolved().retries == value


# Where the files are.


def test_the_nearest_project_file_is_read_and_no_other(place: Place) -> None:
    place.project.write_text("execution: {retries: 7, llm_timeout: 7}")
    beside = place.agent.with_name("holodeck.yaml")
    beside.write_text("execution: {retries: 8}")
    found = place.resolved()
    assert (found.retries, found.origins["retries"]) == (8, f"{beside}:1")
    assert found.llm_timeout == DEFAULT_EXECUTION_CONFIG["llm_timeout"]


def test_a_project_file_is_found_from_a_relative_path(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.project.write_text("\nexecution: {retries: 7}")
    monkeypatch.chdir(place.agent.parent)
    suite = load_suite("agent.yaml", environ={})
    assert suite.settings is not None
    assert (suite.settings.retries, suite.settings.origins["retries"]) == (7, f"{place.project}:2")


def test_an_agent_file_is_not_its_own_project_file(place: Place) -> None:
    place.project.write_text("execution: {retries: 7}")
    place.agent = place.agent.with_name("holodeck.yaml")
    place.agent.write_text(HEAD)
    assert place.resolved().retries == 7


@pytest.mark.parametrize(
    ("environ", "read"),
    [
        ({"XDG_CONFIG_HOME": "{root}/xdg"}, "xdg"),
        ({"XDG_CONFIG_HOME": "{root}/none"}, None),
        ({"XDG_CONFIG_HOME": ""}, "home"),
        ({"XDG_CONFIG_HOME": "xdg"}, "home"),
        ({}, "home"),
        ({"HOME": ""}, None),
    ],
)
def test_the_users_file(place: Place, tmp_path: Path, environ: dict[str, str], read: str | None) -> None:
    for name, file in (("home", place.user), ("xdg", tmp_path / "xdg" / "holodeck" / "config.yaml")):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"x-name: {name}\nexecution: {{retries: {len(name)}}}")
    found = place.resolved({name: value.format(root=tmp_path) for name, value in environ.items()})
    assert found.retries == (2 if read is None else len(read))


# Variables.


def test_variables_hold_in_project_and_user_files(place: Place) -> None:
    place.project.write_text("execution: {retries: '${TRIES}'}")
    place.user.write_text("execution: {llm_timeout: '${SECONDS:-7}'}")
    found = place.resolved({"TRIES": "5"})
    assert (found.retries, found.llm_timeout) == (5, 7)


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_variable_sets_nothing(place: Place, text: str) -> None:
    assert place.resolved({"HOLODECK_RETRIES": text}).origins["retries"] == "default"


def test_the_environment_may_stand_in_a_named_file(place: Place, tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("# settings\nHOLODECK_RETRIES=7\nHOLODECK_LLM_TIMEOUT=8\n")
    found = place.resolved({"HOLODECK_LLM_TIMEOUT": "9"}, env_file=file)
    assert (found.retries, found.origins["retries"]) == (7, f"HOLODECK_RETRIES ({file}:2)")
    assert (found.llm_timeout, found.origins["llm_timeout"]) == (9, "HOLODECK_LLM_TIMEOUT")


# Mistakes.

MISTAKES = [
    ("a wrong value", "execution:\n  retries: many", "2:12: execution.retries: expected a whole number"),
    ("out of range", "execution: {llm_timeout: 0}", "1:26: execution.llm_timeout: must be more than 0"),
    ("an unknown field", "execution: {retrys: 1}", "1:13: execution.retrys: unknown key `retrys`"),
    ("no mapping", "execution: 5", "1:12: execution: expected a mapping"),
    ("another section", "plugins: {}", "1:1: plugins: unknown key `plugins`: a settings file has only `execution`"),
    ("a field at the top", "retries: 5", "1:1: retries: unknown key `retries`: it belongs under `execution`"),
    ("a slip", "exection: {}", 'has only `execution`; did you mean "execution"?'),
    ("a missing variable", "execution: {retries: '${UNSET}'}", "1:22: execution.retries: the variable UNSET is"),
    ("a duplicate key", "execution: {retries: 1, retries: 2}", "1:25: execution.retries: duplicate key"),
    ("no YAML", "execution: {", "1:13: "),
    ("a list", "- execution", "1:1: the file must hold a mapping"),
]  # fmt: skip


@pytest.mark.parametrize("file", ["project", "user"])
@pytest.mark.parametrize(("text", "message"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_a_mistake_in_a_settings_file_has_its_place(place: Place, file: str, text: str, message: str) -> None:
    path: Path = getattr(place, file)
    path.write_text(text)
    [found] = place.problems()
    assert found.startswith(f"{path}:")
    assert message in found


def test_a_settings_file_that_is_a_folder(place: Place) -> None:
    place.project.mkdir()
    assert place.problems() == [f"{place.project}: this is a folder, not a file"]


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("HOLODECK_RETRIES", "many", "expected a whole number"),
        ("HOLODECK_RETRIES", "-1", "must be at least 0"),
        ("HOLODECK_PARALLEL_TEST_CASES", "2.5", "expected a whole number"),
        ("HOLODECK_LLM_TIMEOUT", "inf", "must be a finite number"),
        ("HOLODECK_TOOL_ORDER", "backwards", "must be one of"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(
    place: Place, tmp_path: Path, variable: str, text: str, message: str
) -> None:
    [found] = place.problems({variable: text})
    assert found.startswith(f"{variable}: ")
    assert message in found
    (tmp_path / ".env").write_text(f"{variable}={text}")
    [found] = place.problems(env_file=tmp_path / ".env")
    assert found.startswith(f"{variable} ({tmp_path}/.env:1): ")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"retries": -1}, "settings.retries: must be at least 0"),
        ({"llm_timeout": "soon"}, "settings.llm_timeout: expected a number"),
        ({"retrys": 1}, "settings.retrys: unknown key `retrys`"),
    ],
)
def test_a_mistake_in_what_the_caller_gives(place: Place, given: dict[str, Any], message: str) -> None:
    [found] = place.problems(settings=given)
    assert found.startswith(message)


def test_the_caller_may_give_the_model(place: Place) -> None:
    found = place.resolved(settings=ExecutionConfig(retries=9))
    assert (found.retries, found.origins["retries"], found.origins["llm_timeout"]) == (
        9,
        "command line",
        "default",
    )


def test_other_variables_of_holodeck_are_not_settings(place: Place) -> None:
    assert place.resolved({"HOLODECK_CORPORA": "/a", "HOLODECK_RETRYS": "x"}).retries == 2


@pytest.mark.parametrize(
    ("agent", "own"),
    [
        (HEAD + "modle: {}\n", "unknown key `modle`"),
        ("a: {\n", "agent.yaml:2:1: "),
        (None, "there is no such file"),
    ],
)
def test_the_mistakes_of_all_levels_are_told_at_once_those_of_the_agent_file_first(
    place: Place, agent: str | None, own: str
) -> None:
    place.agent.unlink() if agent is None else place.agent.write_text(agent)
    place.project.write_text("execution: {retries: a}")
    place.user.write_text("execution: {retries: b}")
    found = place.problems({"HOLODECK_RETRIES": "c"}, {"retries": "d"})
    assert own in found[0]
    assert [line.rpartition(" ")[2] for line in found[1:]] == ['"d"', '"a"', '"b"', '"c"']
