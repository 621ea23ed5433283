"""Whoever looks at a report file sees the old one or the new one, whole."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from holodeck_cli.outputs import why_not_writable
from holodeck_cli.replace_file import replacing


def write(path: Path, content: bytes) -> None:
    with replacing(path) as file:
        file.write(content)


def test_a_new_file_has_the_permissions_that_files_get(tmp_path: Path) -> None:
    write(tmp_path / "new", b"text")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "new").read_bytes() == b"text"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "report"
    path.write_bytes(b"old")

    def write_half() -> None:
        with replacing(path) as file:
            file.write(b"ne")
            raise error

    with pytest.raises(type(error)):
        write_half()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target = tmp_path / "folder" / "target"
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(target)
    write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, b"through the pipe")
    assert os.read(reader, 100) == b"through the pipe"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_without_a_name_is_written_to() -> None:
    # As the shell gives one to a command: -o >(gzip > report.json.gz)
    reader, writer = os.pipe()
    path = Path(f"/dev/fd/{writer}")
    assert why_not_writable(path) is None
    write(path, b"through the pipe")
    assert os.read(reader, 100) == b"through the pipe"
    os.close(reader)
    os.close(writer)


def test_a_long_name_is_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 250)
    write(path, b"text")
    assert path.read_bytes() == b"text"
