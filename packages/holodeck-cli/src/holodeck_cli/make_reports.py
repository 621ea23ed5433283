"""The reporters of the reports that a command line asks for."""

from __future__ import annotations

from collections.abc import Iterable

from holodeck_cli.mistakes import UsageMistake
from holodeck_cli.outputs import Output, why_not_writable
from holodeck_core import Reporter
from holodeck_core.errors import BrokenPlugin
from holodeck_core.plugins.host import PluginHost


def make_reports(outputs: Iterable[Output]) -> list[Reporter]:
    """One for each. Raises UsageMistake where a report cannot be written, and PluginError where its format cannot be
    had."""
    host = PluginHost()
    return [_report(host, output) for output in outputs]


def _report(host: PluginHost, output: Output) -> Reporter:
    if output.format == "terminal":
        raise UsageMistake("--format terminal: that is shown in any case")
    if output.path is not None and (why := why_not_writable(output.path)):
        raise UsageMistake(f"-o {output.path}: {why}")
    made = host.reporter(output.format, Reporter).object
    try:
        # Absolute, since an agent may change the working directory while the run goes on.
        reporter: Reporter = made(made.Options(), output.path and output.path.absolute())
    except Exception as error:  # boundary: a plugin's reporter may raise anything when it is made
        raise BrokenPlugin(
            f"the reporter '{output.format}' cannot be made: {type(error).__name__}: {error}"
        ) from error
    return reporter
