"""A call of one tool, with everything that the checks of calls look at."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Parameter, ToolBinding, ToolDetails
from codeact_lsp.ide.calls import Arguments, Given, arguments, parameter_of
from codeact_lsp.ide.model import View
from codeact_lsp.ide.refs import ToolRef
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.syntax.expressions import Call


@dataclass(frozen=True, slots=True)
class Site:
    """One call that surely calls `tool`.

    Attributes:
        bound: keywords that `functools.partial` gave before; None where they are not known.

    """

    view: View
    call: Call
    tool: ToolBinding
    known: ToolDetails
    arguments: Arguments
    bound: frozenset[str] | None

    def parameter(self, given: Given) -> Parameter | None:
        """The parameter that an argument means."""
        return parameter_of(self.known, given)


def site(view: View, call: Call) -> Site | None:
    """The call as a site; None where it may call anything but one tool."""
    refs = resolve(view, call.function)
    if len(refs) != 1 or not isinstance(refs[0], ToolRef):
        return None
    tool = refs[0].tool
    known = details(tool, view.bindings.fold_characters)
    return Site(view, call, tool, known, arguments(view, call), refs[0].given)
