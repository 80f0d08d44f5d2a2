"""An MCP server that misbehaves as it is told, over stdio, streamable HTTP or SSE, in both eras.

It is not built on the SDK, because no SDK lets a server do these things. What it does is a JSON
object, the first argument; `README.md` beside this file lists the keys.

    python server.py '{"tools": [{"name": "a"}], "list_changed": true}'          over stdio
    python server.py '{"transport": "http", …}'        prints its URL as the first line of stdout
"""

from __future__ import annotations

import gzip
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Send = Callable[[bytes], None]
Pushed = bytes | Iterator[bytes] | None
MODERN = "2026-07-28"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
LIST_CHANGED = "notifications/tools/list_changed"


class Server:
    """Answers messages; knows nothing of how they travel."""

    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.subscribers: dict[Any, Send] = {}
        self.listings = 0
        self.lock = threading.Lock()
        self.log_lock = threading.Lock()

    def note(self, **entry: Any) -> None:
        path = self.script.get("log")
        if path:
            with self.log_lock, Path(path).open("a", encoding="utf-8") as log:
                log.write(json.dumps(entry) + "\n")

    def tools(self) -> list[Any]:
        file = self.script.get("tools_file")
        if file:
            return list(json.loads(Path(file).read_text("utf-8")))
        huge = self.script.get("huge")
        if huge:
            padding = "x" * huge.get("size", 0)
            return [tool(f"t{number}", padding) for number in range(huge["count"])]
        return list(self.script.get("tools", [tool("a")]))

    def handle(self, message: dict[str, Any], send: Send) -> None:
        """Answer one message, or do what the script wants instead."""
        method = message.get("method")
        if method is None:
            self.note(answer=message)
            return
        self.note(method=method, params=message.get("params"))
        if method in self.script.get("hang", ()):
            return
        gate = self.script.get("hang_until", {}).get(method)
        while gate is not None and not Path(gate).exists():
            time.sleep(0.01)
        if method in self.script.get("die", ()) or self.dies_once(method):
            os._exit(3)
        time.sleep(self.script.get("slow", {}).get(method, 0))
        if "id" not in message:
            if method == "notifications/initialized":
                self.after_start(send)
            return
        refusal = self.script.get("refuse", {}).get(method)
        if refusal is not None:
            self.answer(message, {"error": {"code": refusal, "message": "refused"}}, send)
            return
        found = self.result(method, message, send)
        if found is not None:
            self.answer(message, found, send)

    def result(self, method: str, message: dict[str, Any], send: Send) -> dict[str, Any] | None:
        """What goes back; None when that was sent already, or comes later."""
        match method:
            case "initialize":
                return self.initialize()
            case "server/discover":
                return self.discover()
            case "tools/list":
                return self.list_tools(message, send)
            case "subscriptions/listen":
                return self.listen(message, send)
            case "ping":
                return {"result": {}}
            case _:
                return {"error": {"code": -32601, "message": "Method not found"}}

    def dies_once(self, method: str) -> bool:
        """Whether this is the one time that the script's marker file asks for."""
        marker = self.script.get("die_once", {}).get(method)
        if marker is None or Path(marker).exists():
            return False
        Path(marker).touch()
        return True

    def answer(self, message: dict[str, Any], body: dict[str, Any], send: Send) -> None:
        identifier = message["id"]
        if self.script.get("wrong_ids") and message["method"] == "tools/list":
            identifier = f"not-{identifier}"
        glue = self.script.get("glue", "").encode()
        send(glue + dumps({"jsonrpc": "2.0", "id": identifier, **body}))

    def capabilities(self) -> dict[str, Any]:
        declared = self.script.get("list_changed")
        tools = {} if declared is None else {"listChanged": declared}
        return {} if self.script.get("no_tools") else {"tools": tools}

    def initialize(self) -> dict[str, Any]:
        if self.script.get("era") == MODERN:
            error = {"code": -32022, "message": "too old", "data": {"supported": [MODERN]}}
            return {"error": error}
        info = self.script.get("info", {"name": "hostile", "version": "1"})
        version = self.script.get("version", "2025-06-18")
        result = {
            "protocolVersion": version,
            "capabilities": self.capabilities(),
            "serverInfo": info,
        }
        return {"result": result}

    def discover(self) -> dict[str, Any]:
        if self.script.get("era") not in {MODERN, "both"}:
            return {"error": {"code": -32601, "message": "Method not found"}}
        info = self.script.get("info", {"name": "hostile", "version": "1"})
        return {
            "result": {
                "supportedVersions": [MODERN],
                "capabilities": self.capabilities(),
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": {"io.modelcontextprotocol/serverInfo": info},
            }
        }

    def list_tools(self, message: dict[str, Any], send: Send) -> dict[str, Any] | None:
        cursor = (message.get("params") or {}).get("cursor")
        if cursor is None:
            self.listings += 1
        if self.script.get("announce") == "during":
            self.announce(send)
        raw = self.script.get("raw_result")
        if self.script.get("stream"):
            for part in self.streamed(message):
                send(part)
            send(b"\n")
        elif raw is not None:
            head = b'{"jsonrpc":"2.0","id":%s,"result":' % json.dumps(message["id"]).encode()
            # Latin-1 lets a script say any byte, valid UTF-8 or not.
            send(head + raw.encode("latin-1") + b"}\n")
        else:
            self.answer(message, self.page(cursor), send)
        if self.script.get("announce") == "after":
            self.announce(send)
        return None

    def streamed(self, message: dict[str, Any]) -> Iterator[bytes]:
        """An answer that is never held whole, and may stop for a while on its way."""
        script = self.script["stream"]
        yield b'{"jsonrpc":"2.0","id":%s,"result":{"tools":[' % dumps(message["id"]).strip()
        self.note(streams=0)
        schema = dumps(long_schema(script.get("properties", 1))).strip()
        for number in range(script["count"]):
            if number == script.get("halt"):
                self.note(streams=number)
                while not Path(script["until"]).exists():
                    time.sleep(0.01)
            comma = b"," if number else b""
            yield comma + b'{"name":"t%d","inputSchema":%s}' % (number, schema)
        yield b"]}}"

    def page(self, cursor: str | None) -> dict[str, Any]:
        result: dict[str, Any] = {"tools": self.tools()}
        match self.script.get("pages"):
            case "endless":
                number = int(cursor or 0) + 1
                result = {"tools": [tool(f"t{number}")], "nextCursor": str(number)}
            case "repeat":
                result["nextCursor"] = "again"
            case "empty":
                result["nextCursor"] = ""
            case "number":
                result["nextCursor"] = 7
            case "refuse second":
                if cursor is not None:
                    return {"error": {"code": -32603, "message": "no more"}}
                result["nextCursor"] = "2"
            case int() as size:
                start = int(cursor or 0)
                result["tools"] = result["tools"][start : start + size]
                if start + size < len(self.tools()):
                    result["nextCursor"] = str(start + size)
        if self.script.get("era") in {MODERN, "both"}:
            result |= {"resultType": "complete", "cacheScope": "private"}
            result["ttlMs"] = self.script.get("ttl_ms", 0)
        return {"result": result}

    def listen(self, message: dict[str, Any], send: Send) -> dict[str, Any] | None:
        if self.script.get("era") not in {MODERN, "both"}:
            return {"error": {"code": -32601, "message": "Method not found"}}
        identifier = message["id"]
        meta = {SUBSCRIPTION_ID: identifier}
        wanted = message["params"]["notifications"]
        params = {"notifications": wanted, "_meta": meta}
        method = "notifications/subscriptions/acknowledged"
        send(dumps({"jsonrpc": "2.0", "method": method, "params": params}))
        if self.script.get("close_listen"):
            return {"result": {"resultType": "complete", "_meta": meta}}
        self.subscribers[identifier] = send
        return None

    def after_start(self, send: Send) -> None:
        for number, method in enumerate(self.script.get("ask", ())):
            identifier = f"ask-{number}"
            params = {"messages": [], "maxTokens": 1} if "sampling" in method else {}
            send(dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}))

    def announce(self, send: Send | None = None) -> None:
        """Say that the list changed, to whoever listens in the way of the era."""
        for identifier, subscriber in list(self.subscribers.items()):
            params = {"_meta": {SUBSCRIPTION_ID: identifier}}
            subscriber(dumps({"jsonrpc": "2.0", "method": LIST_CHANGED, "params": params}))
        if send is not None and not self.subscribers:
            send(dumps({"jsonrpc": "2.0", "method": LIST_CHANGED}))

    def follow_file(self, send: Send | None) -> None:
        """Announce every change of the tools file, as often as the script wants."""
        path = Path(self.script["tools_file"])
        before = path.stat().st_mtime_ns
        while True:
            time.sleep(0.01)
            try:
                now = path.stat().st_mtime_ns
            except OSError:
                continue
            if now != before:
                before = now
                for _ in range(self.script.get("burst", 1)):
                    self.announce(send)


def tool(name: str, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}


def long_schema(properties: int) -> dict[str, Any]:
    """About a hundred bytes for each of the properties."""
    words = "one of a great many things that this tool takes "
    members = {
        f"p{n}": {"type": "string", "description": f"{words} {n}"} for n in range(properties)
    }
    return {"type": "object", "properties": members}


def dumps(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def run_stdio(server: Server) -> None:
    script = server.script
    if script.get("ignore_sigterm"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if script.get("grandchild"):
        code = "import signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-c", code])
        Path(script["grandchild"]).write_text(str(child.pid))
    output = threading.Lock()

    def send(data: bytes) -> None:
        drip = script.get("drip")
        with output:
            if drip:
                for start in range(0, len(data), drip["bytes"]):
                    sys.stdout.buffer.write(data[start : start + drip["bytes"]])
                    sys.stdout.buffer.flush()
                    time.sleep(drip["seconds"])
            else:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()

    if script.get("print_secrets"):
        for stream in (sys.stderr, sys.stdout):
            stream.write(f"{sys.argv[2:]}\n{os.environ['A']}\n{os.environ['B']}\n")
            stream.flush()
    sys.stderr.write(script.get("stderr", ""))
    for _ in range(script.get("stderr_flood", 0)):
        sys.stderr.write("e" * 99 + "\n")
    sys.stderr.flush()
    send(script.get("banner", "").encode("latin-1"))
    for number in range(script.get("noise_flood", 0)):
        send(b"this is no protocol, line %d\n" % number)
    if script.get("die_at_start"):
        raise SystemExit(3)
    if script.get("tools_file"):
        threading.Thread(target=server.follow_file, args=(send,), daemon=True).start()
    for line in sys.stdin.buffer:
        server.handle(json.loads(line), send)
    while script.get("ignore_eof"):
        time.sleep(600)


class Handler(BaseHTTPRequestHandler):
    """Streamable HTTP at `/mcp`, the older SSE at `/sse` and `/messages`."""

    protocol_version = "HTTP/1.1"
    mcp: Server
    sessions: set[str] = set()  # noqa: RUF012 - shared by all requests on purpose
    pushes: list[queue.Queue[Pushed]] = []  # noqa: RUF012 - shared by all requests on purpose

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it
        """Say nothing: stderr is not what is tested here."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        message = json.loads(self.rfile.read(length))
        method = message.get("method", "")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.mcp.note(http=method, headers=headers, path=self.path)
        status = self.mcp.script.get("status", {}).get(method)
        once = self.mcp.script.get("status_once", {}).get(method)
        if once is not None and not Path(once["marker"]).exists():
            Path(once["marker"]).touch()
            status = once["status"]
        location = self.mcp.script.get("redirect")
        if location is not None:
            self.plain(307, b"", {"location": location})
        elif status is not None:
            self.plain(status, b"")
        elif self.path == "/messages" or "id" not in message or method == "":
            self.plain(202, b"")
            if self.mcp.script.get("stream") and method == "tools/list":
                self.push(self.mcp.streamed(message))
            else:
                self.mcp.handle(message, self.push)
        elif method == "subscriptions/listen":
            self.stream(self.subscription(message))
        else:
            self.answer(message)

    def answer(self, message: dict[str, Any]) -> None:
        if self.mcp.script.get("stream") and message["method"] == "tools/list":
            body_parts = self.mcp.streamed(message)
            if self.mcp.script.get("events"):
                self.stream(iter([("message", body_parts)]))
            else:
                self.parted(body_parts)
            return
        parts: list[bytes] = []
        self.mcp.handle(message, parts.append)
        if not parts:
            while True:
                time.sleep(600)
        extra = {}
        if message["method"] == "initialize" and not self.mcp.script.get("no_session"):
            extra["mcp-session-id"] = f"s{len(self.sessions)}"
            self.sessions.add(extra["mcp-session-id"])
        body = next((part for part in parts if b'"id"' in part), b"")
        for other in parts:
            if other is not body:
                self.push(other)
        self.plain(200, body.strip(), extra)

    def plain(self, status: int, body: bytes, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        if self.mcp.script.get("packed"):
            body = gzip.compress(body)
            self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(body)))
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def parted(self, parts: Iterator[bytes]) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for part in parts:
                self.wfile.write(part)
                self.wfile.flush()
        except OSError:
            return

    def push(self, data: Pushed) -> None:
        for pushed in list(self.pushes):
            pushed.put(data)

    def do_DELETE(self) -> None:
        self.mcp.note(http="DELETE")
        self.plain(200, b"")

    def do_GET(self) -> None:
        self.mcp.note(http="GET", path=self.path)
        status = self.mcp.script.get("status", {}).get("GET")
        if status is not None:
            self.plain(status, b"")
            return
        pushed: queue.Queue[Pushed] = queue.Queue()
        self.pushes.append(pushed)
        first = [("endpoint", b"/messages")] if self.path == "/sse" else []
        self.stream(self.events(first, pushed))

    def events(
        self, first: list[tuple[str, bytes]], pushed: queue.Queue[Pushed]
    ) -> Iterator[tuple[str, bytes | Iterator[bytes]]]:
        yield from first
        while (data := pushed.get()) is not None:
            yield "message", data.strip() if isinstance(data, bytes) else data

    def subscription(
        self, message: dict[str, Any]
    ) -> Iterator[tuple[str, bytes | Iterator[bytes]]]:
        pushed: queue.Queue[Pushed] = queue.Queue()
        self.mcp.handle(message, pushed.put)
        yield from self.events([], pushed)

    def stream(self, events: Iterator[tuple[str, bytes | Iterator[bytes]]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for name, data in events:
                self.wfile.write(b"event: %s\ndata: " % name.encode())
                for part in [data] if isinstance(data, bytes) else data:
                    self.wfile.write(part)
                    self.wfile.flush()
                self.wfile.write(b"\n\n")
                self.wfile.flush()
        except OSError:
            return


def run_http(server: Server) -> None:
    Handler.mcp = server
    address = ("127.0.0.1", server.script.get("port", 0))
    http = ThreadingHTTPServer(address, Handler)
    http.daemon_threads = True
    path = "/sse" if server.script["transport"] == "sse" else "/mcp"
    if server.script.get("tools_file"):
        push = Handler.push.__get__(Handler.__new__(Handler))
        threading.Thread(target=server.follow_file, args=(push,), daemon=True).start()
    sys.stdout.write(f"http://127.0.0.1:{http.server_address[1]}{path}\n")
    sys.stdout.flush()
    http.serve_forever()


def main() -> None:
    script = json.loads(sys.argv[1])
    server = Server(script)
    if script.get("pid_file"):
        with Path(script["pid_file"]).open("a", encoding="utf-8") as pids:
            pids.write(f"{os.getpid()}\n")
    if script.get("env_file"):
        Path(script["env_file"]).write_text(json.dumps(dict(os.environ)))
    if script.get("transport", "stdio") == "stdio":
        run_stdio(server)
    else:
        run_http(server)


if __name__ == "__main__":
    main()
