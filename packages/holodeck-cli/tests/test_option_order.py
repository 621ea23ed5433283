"""An option whose value may be left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from holodeck_cli.option_order import with_optional_value


@pytest.mark.parametrize(
    ("args", "spelled"),
    [
        ("--resume", "--resume="),
        ("--resume last", "--resume last"),
        ("--resume=last", "--resume=last"),
        ("--resume last agent.yaml", "--resume last agent.yaml"),
        ("--resume agent.yaml", "--resume= agent.yaml"),
        ("agent.yaml --resume", "agent.yaml --resume="),
        ("--resume -v", "--resume= -v"),
        ("--resume --allow-changes", "--resume= --allow-changes"),
        ("--resume runs", "--resume runs"),
        ("--resume missing.yaml", "--resume missing.yaml"),
        ("-v --resume -- --resume", "-v --resume= -- --resume"),
        ("-- --resume", "-- --resume"),
        ("--other", "--other"),
        ("", ""),
    ],
)
def test_what_follows_is_the_value_unless_it_is_an_option_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: str, spelled: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.yaml").touch()
    (tmp_path / "runs").mkdir()
    assert with_optional_value(args.split(), "--resume") == spelled.split()
