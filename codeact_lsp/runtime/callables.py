"""A tool as an async function: keywords in, payload out, the editor's picture in its attributes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from typing import Any, Final

from codeact_lsp import names
from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import BINDINGS_MODULE, ToolBinding, ToolDetails
from codeact_lsp.bindings.signature import documentation

ToolFunction = Callable[..., Coroutine[Any, Any, Any]]
Call = Callable[[ToolBinding, dict[str, object]], Coroutine[Any, Any, Any]]


class _Source:
    """Python source that shows itself as it is written, where `inspect` prints a `repr`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


_NOT_GIVEN: Final = _Source("...")


def make_function(tool: ToolBinding, fold_characters: str, call: Call) -> ToolFunction:
    """The function that code calls.

    Args:
        tool: what it stands for.
        fold_characters: the setting that its names were folded with.
        call: sends arguments by raw key and returns the payload.

    """
    made = details(tool, fold_characters)
    renames = made.renames

    # No parameter of its own, not even a private one: any name may be a tool's.
    async def binding(**arguments: object) -> Any:
        return await call(tool, names.to_wire(arguments, renames))

    name = tool.raw if tool.name is None else tool.name
    binding.__name__ = binding.__qualname__ = name
    binding.__module__ = _module(tool)
    binding.__doc__ = documentation(tool, fold_characters)
    binding.__annotations__ = _annotations(made)
    binding.__signature__ = _signature(made)  # type: ignore[attr-defined] # `inspect` reads it
    return binding


def _module(tool: ToolBinding) -> str:
    if tool.server is None:
        return BINDINGS_MODULE
    if tool.server_name is None:
        return f"{BINDINGS_MODULE}.{names.MCP}"
    return f"{BINDINGS_MODULE}.{names.MCP}.{tool.server_name}"


def _annotations(made: ToolDetails) -> dict[str, str]:
    """As `from __future__ import annotations` leaves them: source."""
    annotations = {name: parameter.annotation for name, parameter in made.by_name.items()}
    if made.catch_all is not None:
        annotations[made.catch_all.name] = made.catch_all.annotation
    return {**annotations, "return": made.returns}


def _signature(made: ToolDetails) -> inspect.Signature:
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter.required else _NOT_GIVEN,
            annotation=_Source(parameter.annotation),
        )
        for name, parameter in made.by_name.items()
    ]
    if made.catch_all is not None:
        parameters.append(
            inspect.Parameter(
                made.catch_all.name,
                inspect.Parameter.VAR_KEYWORD,
                annotation=_Source(made.catch_all.annotation),
            )
        )
    return inspect.Signature(parameters, return_annotation=_Source(made.returns))
