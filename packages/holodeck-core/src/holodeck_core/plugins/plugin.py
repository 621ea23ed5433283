"""One entry point and what became of it."""

from __future__ import annotations

from typing import Any

from holodeck_core.errors import BrokenPlugin
from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.distributions import Found
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.hookspecs import Kind
from holodeck_core.plugins.loading import Fault, Loaded, import_target, load, module_of
from holodeck_core.plugins.names import owner_of
from holodeck_core.plugins.records import PluginRecord, Status, full_name
from holodeck_core.plugins.wording import error_text, pip_install


class Plugin:
    """An entry point, loaded at most once. The host holds its lock around every call.

    ``refused`` is the status of one that must never be imported, and ``reason`` says why.
    """

    def __init__(self, found: Found, refused: Status | None = None, reason: str | None = None) -> None:
        self.found = found
        self.used = False
        self._refused = refused
        self._loaded: Loaded | None = None
        self._faults = [] if reason is None else [Fault(reason)]
        self._objects: dict[tuple[Kind, str], Any] = {}
        self._failures: dict[tuple[Kind, str], str] = {}

    def __str__(self) -> str:
        return f"{self.found.distribution} {self.found.version}"

    @property
    def id(self) -> str:
        return self.found.plugin_id

    @property
    def status(self) -> Status:
        return self._refused or ("broken" if self._faults else "ok" if self._loaded else "not loaded")

    @property
    def loadable(self) -> bool:
        """Whether it may be imported at all."""
        return self._refused is None

    @property
    def broken(self) -> bool:
        """Whether anything about it is wrong, as far as is known; being switched off is not."""
        return bool(self._faults) and self._refused != "disabled"

    def trouble(self, why: str) -> str:
        """``why`` as a sentence about this plugin."""
        return f"{self} is {why}" if self._refused == "disabled" else f"{self} is {self.status}: {why}"

    @property
    def problems(self) -> tuple[str, ...]:
        return tuple(fault.text for fault in self._faults)

    def load(self) -> None:
        """Ask its hooks what it contributes, unless that has been done or must not be done."""
        if self._loaded is None and self.loadable:
            self._loaded = load(self.found)
            self._faults += self._loaded.faults

    def contributions(self, kind: Kind) -> tuple[Contribution, ...]:
        """What it contributes of that kind, by name; nothing before it is loaded."""
        return tuple(self._loaded.contributions.get(kind, {}).values()) if self._loaded else ()

    def contribution(self, kind: Kind, name: str) -> Contribution | None:
        return self._loaded.contributions.get(kind, {}).get(name) if self._loaded else None

    def refused_names(self, kind: Kind) -> tuple[str, ...]:
        """The names of that kind with which something is wrong, so that they are not contributed."""
        return tuple(fault.name for fault in self._faults if fault.kind == kind and fault.name is not None)

    def why_missing(self, kind: Kind, name: str | None = None) -> str | None:
        """What went wrong where this name (any name, for None) may be expected; None where nothing did."""
        texts = [
            fault.text
            for fault in self._faults
            if fault.kind in (None, kind) and (name is None or fault.name in (None, name))
        ]
        return "; ".join(texts) or None

    def object_of(self, kind: Kind, contribution: Contribution, base: type | None) -> Any:
        """The object that a contribution names, imported the first time. Raises BrokenPlugin."""
        key = (kind, contribution.name)
        if key not in self._objects:
            if key in self._failures:
                raise BrokenPlugin(self._failures[key])
            try:
                self._objects[key] = import_target(contribution.target)
            except BaseException as error:  # boundary: importing a contribution runs a plugin's code
                pass_interruptions(error)
                hint = self._extra_hint(kind, contribution.name, error)
                why = f"cannot import {contribution.target}: {error_text(error)}{hint}"
                raise BrokenPlugin(self._fail(kind, contribution.name, why)) from error
        value = self._objects[key]
        if base is not None and not (isinstance(value, type) and issubclass(value, base)):
            why = f"{contribution.target} is not a subclass of {base.__module__}.{base.__qualname__}"
            raise BrokenPlugin(self._failures.get(key) or self._fail(kind, contribution.name, why))
        self.used = True
        return value

    def _fail(self, kind: Kind, name: str, why: str) -> str:
        message = f"the {kind} '{full_name(self.id, name)}' of {self} is broken: {why}"
        self._failures[kind, name] = message
        self._faults.append(Fault(f"{kind} '{name}': {why}", kind, name))
        return message

    def record(self) -> PluginRecord:
        """What is known of it at the moment."""
        by_kind = self._loaded.contributions if self._loaded else {}
        contributions = {kind: tuple(by_name.values()) for kind, by_name in by_kind.items()}
        entry_point = self.found.entry_point
        return PluginRecord(
            self.id,
            self.found.distribution,
            self.found.version,
            self.status,
            contributions,
            self.problems,
            module_of(entry_point) if entry_point and self.loadable else None,
        )

    def _extra_hint(self, kind: Kind, name: str, error: BaseException) -> str:
        """How to install what a first-party contribution needs, where that is an optional dependency."""
        owner = owner_of(kind, name)
        if (
            owner is None
            or owner[0] != self.id
            or "[" not in owner[1]
            or not isinstance(error, ModuleNotFoundError)
        ):
            return ""
        return f"; {pip_install(owner[1])}"
