"""What users set about plugins: in the environment, and in the agent file under ``plugins``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from holodeck_core.errors import ConfigError
from holodeck_core.plugins.names import is_first_party_name, is_name, is_plugin_id, plugin_id, split_name
from holodeck_core.plugins.wording import shown

DISABLE: Final = "HOLODECK_DISABLE_PLUGINS"
AUTOLOAD: Final = "HOLODECK_PLUGIN_AUTOLOAD"
STRICT: Final = "HOLODECK_STRICT_PLUGINS"

_FLAGS: Final = {
    "0": False,
    "false": False,
    "no": False,
    "off": False,
    "1": True,
    "true": True,
    "yes": True,
    "on": True,
}


class Switches(NamedTuple):
    """``disabled`` maps an id to the setting that disables it."""

    disabled: Mapping[str, str]
    autoload: bool
    strict: bool


def read_switches(disabled: Iterable[str], environ: Mapping[str, str]) -> Switches:
    """The switches, from the argument and the environment.

    Raises ValueError where ``disabled`` names the core, and ConfigError where the environment does, or where
    a flag is neither on nor off: a switch that stops code from running must not be misread in silence.
    """
    by = {plugin_id(item): DISABLE for item in environ.get(DISABLE, "").split(",") if item.strip()}
    if "core" in by:
        raise ConfigError(f"{DISABLE} names 'core', which cannot be disabled")
    by.update({plugin_id(item): "plugins.disabled" for item in disabled})
    if "core" in by:
        raise ValueError("the plugin 'core' cannot be disabled")
    return Switches(by, _flag(environ, AUTOLOAD, True), _flag(environ, STRICT, False))


def _flag(environ: Mapping[str, str], variable: str, default: bool) -> bool:
    text = environ.get(variable, "").strip()
    if not text:
        return default
    try:
        return _FLAGS[text.lower()]
    except KeyError:
        raise ConfigError(f"{variable} must be 0 or 1, not {shown(text)}") from None


def checked_aliases(aliases: Mapping[str, str]) -> dict[str, str]:
    """A copy of the aliases. Raises ValueError for a wrong form, and for hiding a first-party name."""
    for alias, name in aliases.items():
        if not is_name(alias):
            raise ValueError(
                f"the alias {shown(alias)} must be a bare name of lower-case letters, digits and _"
            )
        if is_first_party_name(alias):
            raise ValueError(
                f"the alias {shown(alias)} would hide HoloDeck's own {shown(alias)}; choose another name"
            )
        plugin, local = split_name(name)
        if plugin is None or not is_plugin_id(plugin) or not is_name(local):
            raise ValueError(f"the alias {shown(alias)} must stand for plugin/name, not for {shown(name)}")
    return dict(aliases)
