"""From an entry point to contributions, and from a contribution to the object it names.

This is where code of a plugin runs for the first time, in this order:

1. the entry point's object is imported
2. it is registered with a plugin manager of its own, so that a plugin is never half registered
3. its hooks are compared with the hooks there are
4. each hook is called, once
5. each contribution is checked by itself

A failure in 1 or 2 leaves nothing; one in 3 to 5 costs the hook or the contribution, not its siblings.
Whatever the plugin raises becomes a Fault, also what is no Exception, such as a panic of a module in Rust or what a
test framework ends a test with; KeyboardInterrupt and cancellation pass.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pluggy

from holodeck_core.plugins import hookspecs
from holodeck_core.plugins.contribution import Contribution
from holodeck_core.plugins.distributions import Found, core_version
from holodeck_core.plugins.foreign import pass_interruptions
from holodeck_core.plugins.hookspecs import HOOKS, PROJECT, Kind
from holodeck_core.plugins.names import is_name, is_target, near
from holodeck_core.plugins.wording import error_text, one_line, shown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Fault(NamedTuple):
    """One thing that is wrong with a plugin, and what is missing for it; None stands for all."""

    text: str
    kind: Kind | None = None
    name: str | None = None


class Loaded(NamedTuple):
    """What a plugin contributes, by kind and name, and what is wrong with it."""

    contributions: Mapping[Kind, Mapping[str, Contribution]]
    faults: tuple[Fault, ...]


def load(found: Found) -> Loaded:
    """Import the entry point and ask its hooks. Exceptions of the plugin do not get out."""
    assert found.entry_point is not None
    if module_of(found.entry_point) is None:
        value = one_line(found.entry_point.value)
        return Loaded({}, (Fault(f"its entry point is {value}; it must name a module, like acme.hooks"),))
    try:
        plugin = found.entry_point.load()
    except BaseException as error:  # noqa: BLE001 - boundary: the code of a plugin
        pass_interruptions(error)
        return Loaded({}, (Fault(f"cannot import {one_line(found.entry_point.value)}: {error_text(error)}"),))
    manager = pluggy.PluginManager(PROJECT)
    manager.add_hookspecs(hookspecs)
    try:
        registered = manager.register(plugin, found.plugin_id)
        unmarked = [kind for kind in HOOKS if registered and _is_unmarked(manager, plugin, HOOKS[kind])]
    except BaseException as error:  # noqa: BLE001 - boundary: the code of a plugin
        pass_interruptions(error)
        return Loaded({}, (Fault(f"its hooks cannot be registered: {error_text(error)}"),))
    faults = [*_unknown_hooks(manager, plugin, found)]
    faults += [Fault(f"{HOOKS[kind]} is not marked with @hookimpl", kind) for kind in unmarked]
    if not faults and not (registered and manager.get_hookcallers(plugin)):
        faults.append(Fault(f"{one_line(found.entry_point.value)} has no hooks"))
    contributions: dict[Kind, Mapping[str, Contribution]] = {}
    for kind, hook in HOOKS.items():
        accepted, refused = _ask(kind, getattr(manager.hook, hook))
        faults += refused
        if accepted:
            contributions[kind] = accepted
    return Loaded(contributions, tuple(faults))


def module_of(entry_point: EntryPoint) -> str | None:
    """The module that an entry point names; None where its text has not the form of one."""
    match = entry_point.pattern.match(entry_point.value)
    return None if match is None else match["module"]


def import_target(target: str) -> Any:
    """The object that ``package.module:Attribute`` names.

    Raises whatever importing raises, and AttributeError where the module has no such attribute.
    """
    from importlib import import_module

    module, _, attribute = target.partition(":")
    value: Any = import_module(module)
    for part in attribute.split("."):
        value = getattr(value, part)
    return value


def _is_unmarked(manager: pluggy.PluginManager, plugin: object, hook: str) -> bool:
    return (
        inspect.isroutine(getattr(plugin, hook, None)) and manager.parse_hookimpl_opts(plugin, hook) is None
    )


# Compared without what all hooks share, or every one would look like every other.
_HOOKS_BY_WORD: Final = {hook.removeprefix("holodeck_"): hook for hook in HOOKS.values()}


def _unknown_hooks(manager: pluggy.PluginManager, plugin: object, found: Found) -> Iterable[Fault]:
    for caller in manager.get_hookcallers(plugin) or ():
        if caller.has_spec() or all(implementation.optionalhook for implementation in caller.get_hookimpls()):
            continue
        advice = "; if a newer one has it, mark it with @hookimpl(optionalhook=True)"
        for word in near(caller.name.removeprefix("holodeck_"), _HOOKS_BY_WORD)[:1]:
            advice = f"; did you mean '{_HOOKS_BY_WORD[word]}'?"
        yield Fault(
            f"{found.distribution} {found.version} implements the hook '{one_line(caller.name)}', "
            f"which holodeck-core {core_version()} does not have{advice}"
        )


def _ask(kind: Kind, hook: pluggy.HookCaller) -> tuple[dict[str, Contribution], list[Fault]]:
    """Call one hook and check each thing it returns."""
    implementations = hook.get_hookimpls()
    if any(implementation.wrapper or implementation.hookwrapper for implementation in implementations):
        return {}, [Fault(f"{hook.name} is a wrapper; hooks of a plugin return contributions", kind)]
    try:
        answers: list[Any] = hook()
        if len(answers) < len(implementations):
            return {}, [Fault(f"{hook.name} returned None; it must return contributions", kind)]
        if complaints := [complaint for answer in answers if (complaint := _complaint(answer))]:
            return {}, [Fault(f"{hook.name} {complaint}", kind) for complaint in complaints]
        items = [item for answer in answers for item in answer]
    except BaseException as error:  # noqa: BLE001 - boundary: the code of a plugin
        pass_interruptions(error)
        return {}, [Fault(f"{hook.name} raised {error_text(error)}", kind)]
    return _sorted_out(kind, hook.name, items)


def _complaint(answer: object) -> str | None:
    """Why this cannot be a hook's answer; None where it can."""
    if inspect.isawaitable(answer):
        _close(answer)
        return "returned an awaitable; hooks are synchronous"
    if isinstance(answer, Contribution):
        return "returned one Contribution; it must return a list of them"
    if isinstance(answer, str | bytes | Mapping) or not isinstance(answer, Iterable):
        return f"returned {shown(answer)}; it must return a list of Contribution"
    return None


def _sorted_out(
    kind: Kind, hook: str, items: Iterable[object]
) -> tuple[dict[str, Contribution], list[Fault]]:
    accepted: list[Contribution] = []
    faults: list[Fault] = []
    for item in items:
        checked = _checked(item)
        if isinstance(checked, Contribution):
            accepted.append(checked)
        else:
            faults.append(Fault(f"{hook}: {checked}", kind, _name_of(item)))
    # Of two contributions of one name neither is taken: whichever won would do so by accident.
    for name, count in Counter(contribution.name for contribution in accepted).items():
        if count > 1:
            faults.append(Fault(f"{hook}: the name '{name}' is contributed {count} times", kind, name))
    refused = {fault.name for fault in faults}
    return {each.name: each for each in sorted(accepted) if each.name not in refused}, faults


def _checked(item: object) -> Contribution | str:
    """The item as a Contribution, or why it is none."""
    _close(item)
    if not (isinstance(item, tuple) and len(item) == 3 and all(isinstance(part, str) for part in item)):
        return f"{shown(item)} is not a Contribution(name, target, summary) of three strings"
    contribution = Contribution(*item)
    if not is_name(contribution.name):
        return (
            f"the name {shown(contribution.name)} must be lower-case letters and digits, with single _ or -"
        )
    if not is_target(contribution.target):
        return (
            f"the target {shown(contribution.target)} of '{contribution.name}' must be 'package.module:Class'"
        )
    if not contribution.summary.isprintable():
        return f"the summary of '{contribution.name}' must be one line of printable text"
    return contribution


def _name_of(item: object) -> str | None:
    return item[0] if isinstance(item, tuple) and item and isinstance(item[0], str) else None


def _close(value: object) -> None:
    # A coroutine that is dropped unawaited warns when it is collected, far from whoever returned it.
    if inspect.iscoroutine(value):
        value.close()
