"""A session of the server without a process: its handlers, called as the endpoint would."""

from __future__ import annotations

import inspect
import json
from typing import Any

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.server.endpoint import Endpoint
from codeact_lsp.server.handlers import METHODS
from codeact_lsp.server.session import Options, Session
from codeact_lsp.syntax.lines import Encoding
from tests.support.cells import BINDINGS
from tests.support.notebooks import Book, position

Json = dict[str, Any]
PUBLISH = "textDocument/publishDiagnostics"


class Conversation:
    """An initialized session that knows `made`, and all that it sent."""

    def __init__(
        self, made: Bindings = BINDINGS, *, encoding: Encoding = "utf-16", pulls: bool = False
    ) -> None:
        self.sent: list[Json] = []
        self.pulled: dict[str, tuple[str | None, list[Json]]] = {}
        self.endpoint = Endpoint(lambda body: self.sent.append(json.loads(body)), {})
        self.session = Session(self.endpoint, Options())
        workspace = {"diagnostics": {"refreshSupport": True}} if pulls else {}
        document = {
            "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}},
            **({"diagnostic": {}} if pulls else {"publishDiagnostics": {"versionSupport": True}}),
        }
        capabilities = {
            "general": {"positionEncodings": [encoding]},
            "textDocument": document,
            "workspace": {"workspaceEdit": {"documentChanges": True}, **workspace},
        }
        METHODS["initialize"](self.session, {"processId": None, "capabilities": capabilities})
        self.session.knowledge.bindings = made

    def tell(self, method: str, params: Any) -> None:
        """A notification."""
        assert METHODS[method](self.session, params) is None

    async def ask(self, method: str, params: Any) -> Any:
        """A request."""
        found = METHODS[method](self.session, params)
        return await found if inspect.isawaitable(found) else found

    async def diagnostics(self, uri: str) -> list[Json]:
        """What a pull of one text gives."""
        known, items = self.pulled.get(uri, (None, []))
        params = {"textDocument": {"uri": uri}, "previousResultId": known}
        report = await self.ask("textDocument/diagnostic", params)
        if report["kind"] == "full":
            items = report["items"]
        self.pulled[uri] = report.get("resultId"), items
        return items

    async def published(self) -> dict[str, list[Json]]:
        """What an editor that is pushed to shows now, by the URI of its text."""
        await self.session.publisher.publish()
        told = (one["params"] for one in self.sent if one["method"] == PUBLISH)
        return {one["uri"]: one["diagnostics"] for one in told}

    async def codes(self, book: Book) -> list[list[str]]:
        """The codes of what is wrong, cell by cell."""
        return [[one["code"] for one in await self.diagnostics(cell.uri)] for cell in book.cells]

    async def at(self, method: str, uri: str, place: Json) -> Any:
        """A request about one position."""
        return await self.ask(method, {"textDocument": {"uri": uri}, "position": place})

    async def labels(self, book: Book, cell: int, offset: int) -> list[str]:
        """What completion offers at an offset of a cell."""
        here = book.cells[cell]
        place = position(here.text, offset, book.encoding)
        found = await self.at("textDocument/completion", here.uri, place)
        return [item["label"] for item in found["items"]] if found else []
