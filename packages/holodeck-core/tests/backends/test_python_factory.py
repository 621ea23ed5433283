"""The backend `python`: how the factory is found, checked and called."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pydantic import ValidationError

from holodeck_core.api.backend import CaseRef
from holodeck_core.api.reply import UserMessage
from holodeck_core.backends.python import PythonBackend
from holodeck_core.errors import AgentError, RateLimited, SessionLost, TransientError
from holodeck_core.models.agent import Agent

Module: TypeAlias = Callable[[str], str]

TELLS_ITS_ARGUMENTS = """
    def agent_that_says(given):
        return lambda text: repr(sorted(given.items()))

    def by_name(case_name, url, retries=2):
        return agent_that_says(locals())

    def without_case(url="none"):
        return agent_that_says(locals())

    def keyword_only(*, url):
        return agent_that_says(locals())

    def everything(**keys):
        return agent_that_says(keys)

    def settings(temperature, api_key=None, name="unnamed"):
        return agent_that_says(locals())

    async def coroutine(url):
        return agent_that_says(locals())

    class Agent:
        def __init__(self, url):
            self.url = url

        def send(self, message):
            return repr([("url", self.url)])

    class AsyncCallable:
        async def __call__(self, url):
            return agent_that_says({"url": url})

    async_callable = AsyncCallable()
"""


def backend_of(agent: str, folder: Path, **keys: Any) -> PythonBackend:
    return PythonBackend(PythonBackend.Options.model_validate({"agent": agent, **keys}), folder)


async def said(backend: PythonBackend, agent: Agent, case: CaseRef | None = None, text: str = "hi") -> str:
    session = await backend.open(agent, case)
    reply = await session.send(UserMessage(text))
    await session.close()
    return reply.text


@pytest.mark.parametrize(
    ("factory", "keys", "case", "given"),
    [
        pytest.param(
            "by_name",
            {"url": "u"},
            CaseRef(0, "first"),
            [("case_name", "first"), ("retries", 2), ("url", "u")],
            id="the name of the case and the keys it names",
        ),
        pytest.param(
            "by_name",
            {"url": "u", "retries": 5},
            None,
            [("case_name", None), ("retries", 5), ("url", "u")],
            id="no case in a chat",
        ),
        pytest.param(
            "by_name",
            {"url": "u"},
            CaseRef(3),
            [("case_name", None), ("retries", 2), ("url", "u")],
            id="a case without a name",
        ),
        pytest.param(
            "without_case", {}, CaseRef(0, "x"), [("url", "none")], id="no case name where it names none"
        ),
        pytest.param("keyword_only", {"url": [1]}, None, [("url", [1])], id="keyword-only parameters"),
        pytest.param(
            "everything", {"a": 1, "b": {}}, CaseRef(0, "x"), [("a", 1), ("b", {})], id="**keys takes all"
        ),
        pytest.param("coroutine", {"url": "u"}, None, [("url", "u")], id="a coroutine function"),
        pytest.param("Agent", {"url": "u"}, None, [("url", "u")], id="a class"),
        pytest.param(
            "async_callable", {"url": "u"}, None, [("url", "u")], id="an object with async __call__"
        ),
    ],
)
async def test_the_factory_is_given_what_its_signature_names(
    module: Module,
    tmp_path: Path,
    agent: Agent,
    factory: str,
    keys: dict[str, Any],
    case: CaseRef | None,
    given: list[tuple[str, Any]],
) -> None:
    backend = backend_of(f"{module(TELLS_ITS_ARGUMENTS)}:{factory}", tmp_path, **keys)
    assert await said(backend, agent, case) == repr(given)


REFUSED = """
    def make(url, retries=2):
        return str

    def positional(url, /):
        return str

    def answer(text):
        return text

    agent = object()
"""


@pytest.mark.parametrize(
    ("factory", "keys", "problem"),
    [
        pytest.param(
            "make",
            {"url": "u", "retrys": 1},
            'it takes no `retrys`; did you mean "retries"?',
            id="an unknown key",
        ),
        pytest.param(
            "make",
            {},
            "its parameter `url` has no value: give `url` under `model`, or a default",
            id="a missing key",
        ),
        pytest.param("make", {"ulr": "u"}, 'it takes no `ulr`; did you mean "url"?', id="a misspelt key"),
        pytest.param("make", {"ulr": "u"}, "its parameter `url` has no value", id="every problem is told"),
        pytest.param("positional", {"url": "u"}, "`url` is positional-only", id="positional-only"),
        pytest.param(
            "answer", {}, "cannot be called as a factory, once a session", id="the agent in place of it"
        ),
        pytest.param(
            "make",
            {"url": "u", "case_name": "x"},
            "`case_name` is the name of the test case",
            id="case_name as a key",
        ),
        pytest.param(
            "answer",
            {},
            "give `text` under `model`, or a default; if it is the agent itself, from text to reply, name a function",
            id="what to do with the agent in place of it",
        ),
        pytest.param(
            "agent",
            {},
            "is no factory: it is of type object, which cannot be called; name the class, or a function that makes",
            id="not callable",
        ),
        pytest.param("mke", {}, "has no 'mke'", id="no such name"),
    ],
)
def test_a_factory_that_cannot_be_called_is_refused_while_the_file_is_loaded(
    module: Module, tmp_path: Path, factory: str, keys: dict[str, Any], problem: str
) -> None:
    name = module(REFUSED)
    with pytest.raises(ValueError, match=name) as raised:
        backend_of(f"{name}:{factory}", tmp_path, **keys)
    assert problem in str(raised.value)


@pytest.mark.parametrize("spec", ["nowhere_to_be_found:make", "nowhere", ":make"])
def test_a_factory_that_is_not_there_is_refused_while_the_file_is_loaded(tmp_path: Path, spec: str) -> None:
    with pytest.raises(ValueError, match=spec.split(":")[0] or "make"):
        backend_of(spec, tmp_path)


@pytest.mark.parametrize("options", [{}, {"agent": " "}, {"agent": 7}])
def test_agent_is_required(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PythonBackend.Options.model_validate(options)


async def test_settings_of_the_model_are_given_where_the_signature_names_them(
    module: Module, tmp_path: Path
) -> None:
    model = {"provider": "python", "temperature": 0.5, "api_key": "sk-1", "name": "mine"}
    agent = Agent.model_validate({"name": "anyone", "model": model})
    backend = backend_of(f"{module(TELLS_ITS_ARGUMENTS)}:settings", tmp_path)
    given = [("api_key", "sk-1"), ("name", "mine"), ("temperature", 0.5)]
    assert await said(backend, agent) == repr(given)


@pytest.mark.parametrize(
    ("factory", "model", "problem"),
    [
        ("without_case", {"temperature": 0.5}, "it takes no `temperature`"),
        ("settings", {}, "its parameter `temperature` has no value"),
    ],
)
async def test_settings_that_do_not_fit_the_signature_are_refused(
    module: Module, tmp_path: Path, factory: str, model: dict[str, Any], problem: str
) -> None:
    agent = Agent.model_validate({"name": "anyone", "model": {"provider": "python", **model}})
    backend = backend_of(f"{module(TELLS_ITS_ARGUMENTS)}:{factory}", tmp_path)
    with pytest.raises(ValueError, match=problem):
        await backend.open(agent)


async def test_the_name_of_the_model_is_a_label_that_need_not_be_taken(
    module: Module, tmp_path: Path
) -> None:
    agent = Agent.model_validate({"name": "anyone", "model": {"provider": "python", "name": "mine"}})
    backend = backend_of(f"{module(TELLS_ITS_ARGUMENTS)}:without_case", tmp_path)
    assert await said(backend, agent) == "[('url', 'none')]"


async def test_every_session_has_an_agent_and_arguments_of_its_own(
    module: Module, tmp_path: Path, agent: Agent
) -> None:
    name = module("""
        def make(seen):
            def answer(text):
                seen.append(text)
                return ",".join(seen)
            return answer
    """)
    backend = backend_of(f"{name}:make", tmp_path, seen=["start"])
    assert [await said(backend, agent, text=text) for text in "ab"] == ["start,a", "start,b"]


async def test_a_blocking_factory_does_not_hold_up_the_loop(
    module: Module, tmp_path: Path, agent: Agent
) -> None:
    name = module("""
        import threading

        entered, go_on = threading.Event(), threading.Event()

        def make():
            entered.set()
            assert go_on.wait(5)
            return str.upper
    """)
    backend = backend_of(f"{name}:make", tmp_path)
    opening = asyncio.create_task(backend.open(agent))
    own = sys.modules[name]
    assert await asyncio.to_thread(own.entered.wait, 5)
    own.go_on.set()  # which a loop that waits for the factory could not do
    assert (await (await opening).send(UserMessage("hi"))).text == "HI"
    await backend.close()


RAISES = """
    from holodeck_core.errors import AgentError, RateLimited, SessionLost, TransientError

    def value_error():
        raise ValueError("no such account")

    def system_exit():
        raise SystemExit(3)

    async def async_system_exit():
        raise SystemExit(3)

    def connection():
        raise ConnectionRefusedError(111, "refused")

    async def slow_down():
        raise RateLimited("later", 2)

    def lost():
        raise SessionLost("no seat left")
"""


@pytest.mark.parametrize(
    ("factory", "kind", "text"),
    [
        ("value_error", ValueError, "no such account"),
        ("system_exit", Exception, "SystemExit: 3"),
        ("async_system_exit", AgentError, "SystemExit: 3"),
        ("connection", TransientError, "ConnectionRefusedError: [Errno 111] refused"),
        ("slow_down", RateLimited, "later"),
        ("lost", SessionLost, "no seat left"),
    ],
)
async def test_what_a_factory_raises_is_raised_by_open(
    module: Module, tmp_path: Path, agent: Agent, factory: str, kind: type[Exception], text: str
) -> None:
    backend = backend_of(f"{module(RAISES)}:{factory}", tmp_path)
    with pytest.raises(kind) as raised:
        await backend.open(agent)
    assert str(raised.value) == text


NO_AGENTS = """
    def none():
        return None

    def text():
        return "hello"

    def a_class():
        return Exception

    def generator():
        yield "hello"

    async def async_generator():
        yield "hello"

    class Silent:
        send = None
        stream = "not callable"

    def not_callable():
        return Silent()
"""


@pytest.mark.parametrize(
    ("factory", "got"),
    [
        ("none", "got NoneType"),
        ("text", "got str"),
        ("a_class", "the factory returned the class Exception, not an instance of it"),
        ("generator", "got generator"),
        ("async_generator", "got async_generator"),
        ("not_callable", "got Silent"),
    ],
)
async def test_what_is_no_agent_is_named(
    module: Module, tmp_path: Path, agent: Agent, factory: str, got: str
) -> None:
    backend = backend_of(f"{module(NO_AGENTS)}:{factory}", tmp_path)
    with pytest.raises(TypeError, match=got):
        await backend.open(agent)


@pytest.mark.parametrize("coloured", ["def", "async def"])
async def test_an_agent_that_comes_after_its_case_was_given_up_is_closed(
    module: Module, tmp_path: Path, agent: Agent, coloured: str
) -> None:
    name = module(
        """
        import threading

        go_on, closed = threading.Event(), threading.Event()

        class Agent:
            def send(self, message):
                return "hi"

            def close(self):
                closed.set()

        def make():
            go_on.wait(5)
            return Agent()
    """.replace("def close", f"{coloured} close")
    )
    backend = backend_of(f"{name}:make", tmp_path)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await backend.open(agent)
    own = sys.modules[name]
    assert not own.closed.is_set()
    own.go_on.set()
    assert await asyncio.to_thread(own.closed.wait, 5)


@pytest.mark.parametrize("coloured", ["def", "async def"])
async def test_an_agent_that_comes_in_the_moment_its_case_is_given_up_is_closed(
    module: Module, tmp_path: Path, agent: Agent, coloured: str
) -> None:
    name = module(
        """
        import threading

        made, closed = threading.Event(), threading.Event()

        class Agent:
            def send(self, message):
                return "hi"

            def close(self):
                closed.set()

        def make():
            made.set()
            return Agent()
    """.replace("def close", f"{coloured} close")
    )
    backend = backend_of(f"{name}:make", tmp_path)
    opening = asyncio.create_task(backend.open(agent))
    await asyncio.sleep(0)
    own = sys.modules[name]
    # Hold up the loop, so that it does not learn that the thread is back.
    assert own.made.wait(5)
    time.sleep(0.02)  # noqa: ASYNC251
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert await asyncio.to_thread(own.closed.wait, 5)


async def test_a_closed_backend_leaves_no_thread_and_can_be_used_again(
    module: Module, tmp_path: Path, agent: Agent
) -> None:
    backend = backend_of(f"{module('def make(): return str.upper')}:make", tmp_path)
    before = set(threading.enumerate())
    for _ in range(2):
        assert await said(backend, agent) == "HI"
        await backend.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive()
