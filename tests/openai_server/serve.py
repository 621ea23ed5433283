"""The scripted server as a process: ``python serve.py [SCRIPT.json] [--port 0]`` prints its address and serves.

It listens on 127.0.0.1 only, and ends when its standard input is closed, so that it outlives nobody who started it.

- ``POST /v1/chat/completions``, and Azure's ``/openai/deployments/NAME/chat/completions?api-version=…`` and
  ``/openai/v1/chat/completions``: plays the script (see ``script.py``).
- ``GET /requests``: what was asked so far: ``path``, ``query``, ``headers`` (the values of keys left out), ``body``,
  ``in_flight`` (how many requests were open when this one came, itself among them), ``outcome`` (``open``,
  ``answered``, the name of a fault, or ``gone`` where the client left before the end).
- ``PUT /script``: another script, and a fresh list of requests.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from completion import Completion
from faults import HTML, SILENT, STATUS, error_body, fault_headers
from requirements import complaint
from script import Script, ScriptError

_SECRET_HEADERS = ("authorization", "api-key")


class ScriptedServer(ThreadingHTTPServer):
    """A server, the script it plays and what it was asked."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, port: int, script: Script) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.lock = threading.Lock()
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.number = 0

    def load(self, script: Script) -> None:
        """Play another script, and forget what was asked so far."""
        with self.lock:
            self.script, self.requests = script, []

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One connection, which may carry many requests."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing: the requests are recorded."""

    def do_GET(self) -> None:
        if self.path == "/requests":
            with self.server.lock:
                self._answer(200, self.server.requests)
        elif self.path == "/v1/models":
            models = self.server.script.models or ["any"]
            self._answer(200, {"object": "list", "data": [{"id": m, "object": "model"} for m in models]})
        else:
            self._answer(404, error_body("invalid_request", False, f"Invalid URL (GET {self.path})"))

    def do_PUT(self) -> None:
        body = self._body()
        try:
            script = Script.read(json.loads(body))
        except ValueError as error:
            self._answer(400, {"error": {"message": str(error)}})
        else:
            self.server.load(script)
            self._answer(200, {})

    def do_POST(self) -> None:
        raw = self._body()
        url = urlsplit(self.path)
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        record: dict[str, Any] = {
            "path": url.path,
            "query": {key: values[-1] for key, values in parse_qs(url.query).items()},
            "headers": {
                name.lower(): "..." if name.lower() in _SECRET_HEADERS else value
                for name, value in self.headers.items()
            },
            "body": body,
            "outcome": "open",
        }
        with self.server.lock:
            self.server.number += 1
            number = self.server.number
            script = self.server.script
            self.server.requests.append(record)
            record["in_flight"] = sum(other["outcome"] == "open" for other in self.server.requests)
        try:
            outcome = self._respond(script, record, number)
        except ConnectionError:
            self.close_connection = True
            outcome = "gone"
        with self.server.lock:
            record["outcome"] = outcome

    def _respond(self, script: Script, record: Mapping[str, Any], number: int) -> str:
        """Answer a request for a completion; the outcome."""
        body: Any = record["body"]
        deployment, azure = _route(record["path"])
        if deployment is None or (
            record["path"].startswith("/openai/d") and "api-version" not in record["query"]
        ):
            self._answer(404, {"error": {"code": "404", "message": "Resource not found"}})
            return "not_found"
        model = deployment or str((body or {}).get("model", ""))
        if script.api_key is not None and script.api_key != self._key():
            return self._refuse("unauthorized", azure)
        if script.models is not None and model not in script.models:
            message = (
                None if azure else f"The model `{model}` does not exist or you do not have access to it."
            )
            return self._refuse("model_not_found", azure, message)
        if wrong := complaint(body):
            return self._refuse("invalid_request", azure, wrong)
        try:
            with self.server.lock:
                step = script.answer(body["messages"])
        except ScriptError as error:
            return self._refuse("invalid_request", azure, str(error))
        if self._left_within(step.get("delay", 0)):
            self.close_connection = True
            return "gone"
        if "body" in step:
            self._answer(step.get("status", 200), step["body"], fault_headers(step))
            return "answered"
        if "events" in step:
            return self._play(step["events"])
        fault = step.get("fault")
        if fault in STATUS:
            return self._refuse(fault, azure, headers=fault_headers(step))
        completion = Completion(step, number, model, len(body["messages"]))
        if fault in SILENT and not (body.get("stream") and fault in ("drop", "stream_error")):
            return self._misbehave(fault, azure, completion)
        if body.get("stream"):
            return self._stream(
                completion, step, azure, (body.get("stream_options") or {}).get("include_usage")
            )
        self._answer(200, completion.whole())
        return "answered"

    def _stream(
        self, completion: Completion, step: Mapping[str, Any], azure: bool, usage: bool | None
    ) -> str:
        fault = step.get("fault")
        self.send_response(200)
        self._send_headers({"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        if azure:  # its streams begin with a chunk without choices
            self._event({"id": "", "object": "", "created": 0, "model": "", "choices": []})
        for number, chunk in enumerate(completion.text_chunks()):
            if fault == "drop" and number > step.get("after_pieces", 0):
                return self._drop()
            if number > 1 and self._left_within(step.get("piece_delay", 0)):
                self.close_connection = True
                return "gone"
            self._event(chunk)
        if fault == "drop":
            return self._drop()
        if fault == "stream_error":
            self._event(error_body("server_error", azure))
        else:
            for chunk in completion.last_chunks(bool(usage)):
                self._event(chunk)
            self._chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")
        return fault or "answered"

    def _play(self, events: Iterable[Any]) -> str:
        self.send_response(200)
        self._send_headers({"content-type": "text/event-stream", "transfer-encoding": "chunked"})
        for event in events:
            text = event if isinstance(event, str) else json.dumps(event)
            self._chunk((text if text.endswith("\n\n") else f"data: {text}\n\n").encode())
        self.wfile.write(b"0\r\n\r\n")
        return "answered"

    def _misbehave(self, fault: str, azure: bool, completion: Completion) -> str:
        match fault:
            case "hang":
                self._left_within(None)
                self.close_connection = True
                return "gone"
            case "drop" if completion.pieces:
                self.send_response(200)
                body = json.dumps(completion.whole()).encode()
                self._send_headers({"content-type": "application/json", "content-length": str(len(body))})
                self.wfile.write(body[: len(body) // 2])
                return self._drop()
            case "drop":
                return self._drop()
            case "stream_error":
                return self._refuse("server_error", azure)
            case _:
                self._answer_bytes(200, HTML, "text/html")
                return fault

    def _drop(self) -> str:
        """End the connection so that the client sees a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        return "drop"

    def _left_within(self, seconds: float | None) -> bool:
        """Wait so many seconds, or for ever; whether the client left meanwhile."""
        if seconds == 0:
            return False
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            return True
        if readable and seconds:  # the client sends its next request already
            time.sleep(seconds)
        return False

    def _key(self) -> str:
        return str(self.headers.get("api-key") or self.headers.get("authorization", "")).removeprefix(
            "Bearer "
        )

    def _refuse(
        self, name: str, azure: bool, message: str | None = None, headers: Mapping[str, str] | None = None
    ) -> str:
        if name == "bad_gateway":
            self._answer_bytes(502, HTML, "text/html", headers)
        else:
            self._answer(STATUS[name], error_body(name, azure, message), headers)
        return name

    def _answer(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        self._answer_bytes(status, json.dumps(value).encode(), "application/json", headers)

    def _answer_bytes(
        self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self._send_headers({"content-type": kind, "content-length": str(len(body)), **(headers or {})})
        self.wfile.write(body)

    def _send_headers(self, headers: Mapping[str, str]) -> None:
        for name, value in {"x-request-id": f"req_{self.server.number}", **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _event(self, value: Any) -> None:
        self._chunk(b"data: " + json.dumps(value).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("content-length", 0)))


def _route(path: str) -> tuple[str | None, bool]:
    """The deployment that a path names, "" where the body names the model, None for an unknown path; Azure or not."""
    match path.strip("/").split("/"):
        case ["v1", "chat", "completions"]:
            return "", False
        case ["openai", "v1", "chat", "completions"]:
            return "", True
        case ["openai", "deployments", name, "chat", "completions"]:
            return unquote(name), True
        case _:
            return None, False


def main(arguments: Iterable[str] | None = None) -> None:
    """Serve until standard input is closed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("script", nargs="?", type=Path)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args(arguments if arguments is None else list(arguments))
    script = Script()
    if options.script is not None:
        script = Script.read(json.loads(options.script.read_text(encoding="utf-8")))
    server = ScriptedServer(options.port, script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
