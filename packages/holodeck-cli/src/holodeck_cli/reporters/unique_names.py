"""A name of its own for each case, for readers that take cases of one name for the same one."""

from __future__ import annotations

from holodeck_core.config.warnings.case_names import CaseNames


class UniqueNames:
    """Remembers the names it gave in 50 bytes each."""

    def __init__(self) -> None:
        self._names = CaseNames()

    def of(self, name: str, index: int) -> str:
        """The name itself where it is the first, else with the place of its case in the file: ``name [case 4]``."""
        unique = name
        while self._names.first(unique, index + 1) is not None:
            unique = f"{unique} [case {index + 1}]"
        return unique
