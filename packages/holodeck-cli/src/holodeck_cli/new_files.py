"""New files in a folder; nothing that exists is overwritten."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from holodeck_cli.streams import tell_error


def write_new(folder: Path, files: Mapping[str, str]) -> bool:
    """Write all of the files, by their path in the folder, or none where one exists; says on standard error why not."""
    try:
        folder.mkdir(exist_ok=True)
        if existing := [file for file in files if (folder / file).exists()]:
            tell_error(f"Error: {already_there(folder, existing)}; nothing was written")
            return False
        for file, text in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            with (folder / file).open("x", encoding="utf-8") as new:
                new.write(text)
    except OSError as error:
        tell_error(f"Error: {error.filename or folder}: {error.strerror or error}")
        return False
    return True


def already_there(folder: Path, files: Sequence[str]) -> str:
    """What to say of files, by their path in the folder, that would be overwritten."""
    named = ", ".join(str(folder / file) for file in files)
    return f"{named} already {'exists' if len(files) == 1 else 'exist'}"
