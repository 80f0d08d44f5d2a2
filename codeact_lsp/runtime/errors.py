"""What a call can raise."""

from __future__ import annotations

from codeact_lsp import text


class ToolCallError(Exception):
    """The tool, or its server, answered with an error.

    Attributes:
        server: raw server name; None for a tool without a server.
        tool_name: raw tool name.
        text: what the tool said, exactly; `str()` of the error is the same made safe to print.

    """

    def __init__(self, said: str, *, server: str | None, tool_name: str) -> None:
        super().__init__(text.terminal(said))
        self.server = server
        self.tool_name = tool_name
        self.text = said

    def __reduce__(self) -> tuple[object, ...]:
        return (_tool_call_error, (self.text, self.server, self.tool_name))


class ServerConnectionError(ConnectionError):
    """The server cannot be reached, or was lost during a call, which may have had its effect.

    Attributes:
        server: raw server name; None for a tool without a server.
        tool_name: raw tool name; None when no tool was being called.

    """

    def __init__(
        self, message: str, *, server: str | None = None, tool_name: str | None = None
    ) -> None:
        super().__init__(text.terminal(message))
        self.server = server
        self.tool_name = tool_name


class ToolTimeoutError(TimeoutError):
    """The tool did not answer within the time limit of its server; it was told to stop.

    Attributes:
        server: raw server name.
        tool_name: raw tool name.

    """

    def __init__(self, message: str, *, server: str, tool_name: str) -> None:
        super().__init__(text.terminal(message))
        self.server = server
        self.tool_name = tool_name


def _tool_call_error(said: str, server: str | None, tool_name: str) -> ToolCallError:
    return ToolCallError(said, server=server, tool_name=tool_name)
