"""The reporters of the reports that a command line asks for."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ValidationError

from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.outputs import SUFFIXES, Output, why_not_writable
from holodeck_core import Reporter
from holodeck_core.config.binding.options import options_of
from holodeck_core.errors import BrokenPlugin
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.host import PluginHost
from holodeck_core.plugins.wording import error_text


def make_reports(outputs: Iterable[Output]) -> list[Reporter]:
    """One for each. Raises UsageMistake where a report cannot be written, and PluginError where its format is
    not available."""
    host = PluginHost()
    return [_report(host, output) for output in outputs]


def keep_files(outputs: Iterable[Output], agent: Path, source: str | None = None) -> None:
    """Raises UsageMistake where a report would take the place of the agent file, or of that of the cases, of which
    ``source`` is one's place."""
    kept = {agent.resolve(): "the agent file"}
    if source is not None:
        kept.setdefault(Path(source.rpartition(":")[0]).resolve(), "the file of the test cases")
    for output in outputs:
        if output.path is not None and (file := kept.get(output.path.resolve())):
            raise UsageMistake(f"-o {output.path}: that is {file}; a report would take its place")


def _report(host: PluginHost, output: Output) -> Reporter:
    if output.format == "terminal":
        raise UsageMistake("--format terminal: that is shown in any case")
    meant = SUFFIXES.get(f".{output.format}")
    if meant not in (None, output.format):
        raise UsageMistake(f"--format {output.format}: that is the suffix of a file; the format is '{meant}'")
    if output.path is not None and (why := why_not_writable(output.path)):
        raise UsageMistake(f"-o {output.path}: {why}")
    made = host.reporter(output.format, Reporter).object
    try:
        # Absolute, since an agent may change the working directory while the run goes on.
        reporter: Reporter = made(_options(made), output.path and output.path.absolute())
    except BaseException as error:  # boundary: making a plugin's reporter runs its code
        pass_interruptions(error)
        raise BrokenPlugin(f"the reporter '{output.format}' cannot be made: {error_text(error)}") from error
    return reporter


def _options(made: type[Reporter]) -> BaseModel:
    """A command line gives none. Raises ValueError where that does not do."""
    try:
        return options_of(made).model_validate({})
    except ValidationError as error:
        needed = sorted({str(line["loc"][0]) for line in error.errors() if line["loc"]})
        what = f"its options need {', '.join(needed)}" if needed else "its options refuse to be empty"
        raise ValueError(f"{what}, and a command line gives none: they must all have defaults") from error
