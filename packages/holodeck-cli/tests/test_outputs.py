"""Which reports a command line asks for, and where they can be written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holodeck_cli.outputs import Asked, Output, plan_outputs, why_not_writable


@pytest.mark.parametrize(
    ("asked", "outputs"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([("output", "r.json")], [Output("json", Path("r.json"))], id="format-of-the-suffix"),
        pytest.param([("output", "R.JSON")], [Output("json", Path("R.JSON"))], id="suffix-in-capitals"),
        pytest.param(
            [("format", "acme/x"), ("output", "r.json")],
            [Output("acme/x", Path("r.json"))],
            id="format-before-it",
        ),
        pytest.param([("format", "json")], [Output("json", None)], id="format-alone-is-standard-output"),
        pytest.param(
            [("format", "json"), ("output", "-")], [Output("json", None)], id="dash-is-standard-output"
        ),
        *(
            pytest.param([("format", "json"), ("output", name)], [Output("json", None)], id=f"so-is-{name}")
            for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")
        ),
        pytest.param(
            [("output", "a.json"), ("format", "json")],
            [Output("json", Path("a.json")), Output("json", None)],
            id="a-format-behind-an-output-is-not-its",
        ),
        pytest.param(
            [("format", "x"), ("output", "a"), ("output", "b.json")],
            [Output("x", Path("a")), Output("json", Path("b.json"))],
            id="a-format-is-for-one-output",
        ),
        pytest.param(
            [("format", "x"), ("format", "y"), ("output", "a")],
            [Output("x", None), Output("y", Path("a"))],
            id="the-nearest-format-counts",
        ),
    ],
)
def test_formats_and_outputs_are_paired_in_order(asked: list[Asked], outputs: list[Output]) -> None:
    assert plan_outputs(asked) == outputs


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            [("output", "r.foo")],
            "-o r.foo: its suffix tells no format; put --format in front of it, or use one of: .json",
        ),
        ([("output", "report")], "-o report: its suffix tells no format"),
        ([("output", "-")], "-o -: standard output has no suffix that tells a format; put --format in"),
        ([("output", "/dev/stdout")], "-o /dev/stdout: standard output has no suffix"),
        (
            [("format", "json"), ("format", "x"), ("output", "/dev/stdout")],
            "two reports would be written to st",
        ),
        ([("format", "json"), ("format", "x")], "two reports would be written to standard output"),
        ([("output", "a.json"), ("output", "./a.json")], "two reports would be written to "),
    ],
)
def test_what_cannot_be_meant(asked: list[Asked], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        plan_outputs(asked)
    assert str(caught.value).startswith(message)


def test_a_file_in_a_folder_can_be_written(tmp_path: Path) -> None:
    assert why_not_writable(tmp_path / "new.json") is None
    (tmp_path / "old.json").write_text("{}")
    assert why_not_writable(tmp_path / "old.json") is None
    assert why_not_writable(Path(os.devnull)) is None
    assert list(tmp_path.iterdir()) == [tmp_path / "old.json"]


def test_why_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert why_not_writable(tmp_path) == "it is a folder"
    assert (
        why_not_writable(tmp_path / "missing" / "r.json")
        == f"the folder {tmp_path / 'missing'} does not exist"
    )
    assert why_not_writable(tmp_path / "file" / "r.json") == f"{tmp_path / 'file'} is not a folder"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert why_not_writable(tmp_path / "r.json") == f"writing into the folder {tmp_path} is not permitted"
