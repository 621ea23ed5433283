"""YAML documents: composed by libyaml, then walked once into plain values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import yaml
from yaml.nodes import Node, ScalarNode

from holodeck_core.config.reading.aliases import excess
from holodeck_core.config.reading.document import Document, top_value
from holodeck_core.config.reading.gc_pause import collection_paused
from holodeck_core.config.reading.nodes import MERGE, TOO_DEEP, nothing, start
from holodeck_core.config.reading.shapes import Shape
from holodeck_core.config.reading.source import Source
from holodeck_core.config.reading.walk import Walk
from holodeck_core.config.reading.yaml_errors import syntax_problem
from holodeck_core.errors import ConfigError

if TYPE_CHECKING or not yaml.__with_libyaml__:
    from yaml import BaseLoader as _Loader
else:
    from yaml import CBaseLoader as _Loader


class _Composer(_Loader):
    """Composes nodes and leaves their meaning to the walk: of tags, only those that stand in the file are kept."""

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> type[Node] | None:
        return None if kind is ScalarNode else kind

    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


# The tag `!` alone is not in the nodes: libyaml reads it as no tag.
_BARE_TAG: Final = re.compile(r"!(?<![^\s\[{,]!)(?=[\s,\]}]|\Z)")


def read_yaml(text: str, file: str, shape: Shape) -> Document:
    """The document that a YAML text holds.

    Raises ConfigError where nothing can be made of it: it is not YAML, holds several documents or none, its aliases
    expand too far, or what stands at its top is not what the shape accepts. All other mistakes are the document's
    ``problems``.
    """
    source = Source(file, text)
    with collection_paused():
        root = _compose(source)
        if root is None:
            return Document(file, text, shape, top_value(None, shape, source, 0), nothing())
        if "*" in text and "&" in text and (found := excess(root)) is not None:
            raise ConfigError([source.problem(found[1], start(found[0]))])
        # libyaml refuses lone surrogates by itself.
        walk = Walk(escapes=not yaml.__with_libyaml__, merges=MERGE in text)
        value = top_value(walk.value(root, shape), shape, source, start(root))
        document = Document(file, text, shape, value, root)
        document.add_faults(walk.faults)
    if _BARE_TAG.search(text):
        document.problems += [
            source.problem('tags are not supported: leave out "!"', token.start_mark.index)
            for token in yaml.scan(text, Loader=_Loader)
            if isinstance(token, yaml.TagToken) and token.value == (None, "!")
        ]
        document.problems.sort(key=lambda problem: (problem.line, problem.column))
    return document


def _compose(source: Source) -> Node | None:
    composer = _Composer(source.text)
    try:
        return composer.get_single_node()
    except yaml.YAMLError as error:
        raise ConfigError([syntax_problem(error, source)]) from error
    except RecursionError as error:  # only in pure Python: libyaml has a bound of its own
        raise ConfigError([source.problem(TOO_DEEP, 0)]) from error
    finally:
        composer.dispose()
