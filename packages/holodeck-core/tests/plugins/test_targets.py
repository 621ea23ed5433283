"""The object behind a contribution."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from holodeck_core.errors import BrokenPlugin


def contributing(target: str) -> str:
    return f"@hookimpl\ndef holodeck_matchers(): return [Contribution('near', '{target}', 'x')]"


def test_a_target_is_imported_on_first_use_and_not_before(acme: None, host: Any, imported: Any) -> None:
    plugins = host()
    assert not imported("holodeck_acme_hooks")
    assert plugins.names("matcher") == ("acme/near",)
    plugins.records()
    assert imported("holodeck_acme_hooks")
    assert not imported("acme_things")
    found = plugins.matcher("acme/near")
    assert imported("acme_things")
    assert found.object.__name__ == "Near"
    assert found.contribution.target == "acme_things:Near"
    assert found.plugin.version == "1.2"
    assert found.name == "acme/near"


def test_the_object_is_kept(acme: None, host: Any) -> None:
    plugins = host()
    assert plugins.matcher("acme/near").object is plugins.matcher("acme/near").object


def test_a_target_may_be_nested(install: Any, host: Any) -> None:
    install("holodeck-acme", contributing("acme_deep.inner:Outer.Near"), modules={
        "acme_deep/__init__.py": "", "acme_deep/inner.py": "class Outer:\n    class Near: ..."
    })  # fmt: skip
    assert host().matcher("acme/near").object.__qualname__ == "Outer.Near"


@pytest.mark.parametrize(
    ("target", "source", "reason"),
    [
        ("acme_gone:Near", "", "ModuleNotFoundError: No module named 'acme_gone'"),
        ("acme_there:Near", "", "AttributeError: module 'acme_there' has no attribute 'Near'"),
        ("acme_there:Near", "raise ValueError('out of order')", "ValueError: out of order"),
        ("acme_there:Near", "raise SystemExit(1)", "SystemExit: 1"),
        ("acme_there:Near", "raise BaseException('panic')", "BaseException: panic"),
        (
            "acme_there:Near",
            "import acme_dependency",
            "ModuleNotFoundError: No module named 'acme_dependency'",
        ),
    ],
    ids=["no such module", "no such attribute", "raises", "exits", "panics", "a dependency is missing"],
)
def test_a_target_that_cannot_be_imported_breaks_the_plugin(
    install: Any, host: Any, target: str, source: str, reason: str
) -> None:
    install("holodeck-acme", contributing(target), version="2.0", modules={"acme_there.py": source})
    plugins = host()
    assert plugins.records()[0].status == "ok"
    for _ in range(2):
        with pytest.raises(BrokenPlugin) as caught:
            plugins.matcher("acme/near")
        assert str(caught.value) == (
            f"the matcher 'acme/near' of holodeck-acme 2.0 is broken: cannot import {target}: {reason}"
        )
    (record,) = plugins.records()
    assert record.status == "broken"
    assert record.problems == (f"matcher 'near': cannot import {target}: {reason}",)
    assert plugins.used() == ()


def test_the_cause_of_a_failed_import_is_kept_for_a_traceback(install: Any, host: Any) -> None:
    install("holodeck-acme", contributing("acme_gone:Near"))
    with pytest.raises(BrokenPlugin) as caught:
        host().matcher("acme/near")
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


class Base: ...


@pytest.mark.parametrize("source", ["class Near: ...", "Near = 3", "def Near(): ..."])
def test_an_object_of_the_wrong_class_breaks_the_plugin(install: Any, host: Any, source: str) -> None:
    install("holodeck-acme", contributing("acme_there:Near"), modules={"acme_there.py": source})
    plugins = host()
    for _ in range(2):
        with pytest.raises(BrokenPlugin, match=r"acme_there:Near is not a subclass of .*\.Base$"):
            plugins.matcher("acme/near", Base)
    assert len(plugins.records()[0].problems) == 1


def test_an_object_of_the_right_class_is_given(acme: None, host: Any) -> None:
    plugins = host()
    base = plugins.matcher("acme/near").object.__mro__[1]
    assert base.__name__ == "Base"
    assert plugins.matcher("acme/near", base).object.__name__ == "Near"


def test_a_missing_optional_dependency_of_a_first_party_name_is_told_with_its_extra(
    install: Any, host: Any
) -> None:
    backends = "@hookimpl\ndef holodeck_backends(): return [Contribution('openai', 'acme_sk:Backend', '')]"
    install("holodeck-core", backends, modules={"acme_sk.py": "import acme_semantic_kernel"})
    install("holodeck-acme", backends)
    with pytest.raises(BrokenPlugin, match=r"; pip install 'holodeck-core\[semantic-kernel\]'$"):
        host().backend("openai")
    with pytest.raises(BrokenPlugin, match=r"No module named 'acme_semantic_kernel'$"):
        host().backend("acme/openai")


def test_threads_that_ask_at_once_get_one_object_and_hooks_are_asked_once(
    install: Any, host: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[None] = []
    monkeypatch.setattr("builtins.count_acme", lambda: calls.append(None), raising=False)
    slow = "\n    import builtins, time\n    builtins.count_acme()\n    time.sleep(0.05)\n    return "
    hooks = contributing("acme_there:Near").replace(" return ", slow)
    install("holodeck-acme", hooks, modules={"acme_there.py": "class Near: ..."})
    plugins = host()
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(plugins.matcher("acme/near").object)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(map(id, found))) == 1
    assert len(calls) == 1
