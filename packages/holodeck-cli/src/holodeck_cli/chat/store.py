"""Saved conversations, in the user's data folder. Only the user can read them."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from holodeck_cli.chat.saved import VERSION, SavedConversation, is_conversation_id
from holodeck_cli.json_text import json_text

_SUFFIX: Final = ".json"


class StoreProblem(Exception):
    """Something that was asked of the store cannot be done; the text says what to do."""


def conversations_folder(environ: Mapping[str, str]) -> Path:
    """``holodeck/conversations`` below ``XDG_DATA_HOME``, by default ``~/.local/share``. Raises StoreProblem where
    neither is known."""
    data = environ.get("XDG_DATA_HOME", "")
    if not os.path.isabs(data):  # the standard says to ignore a relative one
        try:
            data = str(Path.home() / ".local" / "share")
        except RuntimeError:
            raise StoreProblem("there is no home folder: set XDG_DATA_HOME") from None
    return Path(data) / "holodeck" / "conversations"


class ConversationStore:
    """One JSON file a conversation, named by its id."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, conversation: SavedConversation) -> Path:
        """Write it, in place of an earlier one of its id. Raises StoreProblem."""
        path = self.folder / f"{conversation.id}{_SUFFIX}"
        draft = self.folder / f".{conversation.id}.{secrets.token_hex(4)}.tmp"
        try:
            for folder in (self.folder.parent, self.folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            try:
                with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(json_text(conversation.model_dump()).encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(path)
            except BaseException:
                with suppress(OSError):
                    draft.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreProblem(f"the conversation cannot be saved: {error}") from None
        return path

    def load(self, word: str) -> SavedConversation:
        """The conversation of that id, or of the only id that begins so. Raises StoreProblem."""
        ids = self.ids()
        found = [word] if word in ids else [each for each in ids if each.startswith(word)]
        if not word or not found:
            raise StoreProblem(f"no conversation is saved as '{word}'")
        if len(found) > 1:
            raise StoreProblem(f"'{word}' begins several ids: {', '.join(found)}")
        return _read(self.folder / f"{found[0]}{_SUFFIX}", found[0])

    def ids(self) -> list[str]:
        """The ids of all that are saved, the latest first."""
        try:
            with os.scandir(self.folder) as entries:
                files = [(entry.stat().st_mtime, entry.name) for entry in entries if entry.is_file()]
        except OSError:
            return []
        names = [
            name.removesuffix(_SUFFIX) for _, name in sorted(files, reverse=True) if name.endswith(_SUFFIX)
        ]
        return [name for name in names if is_conversation_id(name)]

    def all(self) -> Iterator[SavedConversation | StoreProblem]:
        """All that are saved, the latest first; for a file that cannot be read, why."""
        for each in self.ids():
            try:
                yield self.load(each)
            except StoreProblem as problem:
                yield problem


def _read(path: Path, conversation_id: str) -> SavedConversation:
    try:
        value = json.loads(path.read_bytes())
        if not isinstance(value, dict):
            raise StoreProblem(f"{path} is no saved conversation: it holds no object")
        if value.get("version", VERSION) != VERSION:
            raise StoreProblem(
                f"the conversation '{conversation_id}' has the version {value['version']!r:.20}, "
                f"and this HoloDeck reads version {VERSION}"
            )
        conversation = SavedConversation.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        told = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        raise StoreProblem(f"{path} is no saved conversation: {told}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreProblem(f"{path} cannot be read: {error}") from None
    return conversation.model_copy(update={"id": conversation_id})
