"""What a request can be refused with: the error codes of JSON-RPC 2.0 and LSP 3.18."""

from __future__ import annotations

from typing import Any, Final

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
SERVER_NOT_INITIALIZED: Final = -32002
REQUEST_FAILED: Final = -32803
REQUEST_CANCELLED: Final = -32800


class RpcError(Exception):
    """An answer to a request that is an error.

    `message` is shown to people, so it holds no path and no text of a traceback.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def to_json(self) -> dict[str, Any]:
        """The `error` member of a response."""
        return {"code": self.code, "message": self.message}


class InvalidParams(RpcError):  # noqa: N818 - the name of the code in LSP
    """The params of a message do not have the shape that LSP gives them."""

    def __init__(self, message: str) -> None:
        super().__init__(INVALID_PARAMS, message)
