"""A call of one tool, with everything that the checks of calls look at."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp.bindings.details import details
from codeact_lsp.bindings.model import Parameter, ToolBinding, ToolDetails
from codeact_lsp.ide.calls import Arguments, Given, arguments, parameter_of, sure_tool
from codeact_lsp.ide.model import View
from codeact_lsp.syntax.expressions import Call


@dataclass(frozen=True, slots=True)
class Site:
    """One call that surely calls `tool`.

    Attributes:
        bound: keywords that `functools.partial` gave before; None where they are not known.
        partial: the call is `functools.partial(tool, …)` itself, so more may be given later.

    """

    view: View
    call: Call
    tool: ToolBinding
    known: ToolDetails
    arguments: Arguments
    bound: frozenset[str] | None
    partial: bool

    def parameter(self, given: Given) -> Parameter | None:
        """The parameter that an argument means."""
        return parameter_of(self.known, given)

    @property
    def whole(self) -> bool:
        """Whether everything that the tool is given can be seen."""
        return not (
            self.call.close is None
            or self.partial
            or self.arguments.open
            or self.bound is None
            or self.arguments.positional
        )


def site(view: View, call: Call) -> Site | None:
    """The call as a site; None where it may call anything but one tool."""
    found = sure_tool(view, call)
    if found is None:
        return None
    ref, partial = found
    known = details(ref.tool, view.bindings.fold_characters)
    given = arguments(view, call, partial=partial)
    return Site(view, call, ref.tool, known, given, ref.given, partial)


def bound_keys(site: Site) -> frozenset[str]:
    """The raw keys of the parameters that `functools.partial` gave before."""
    bound = site.bound or frozenset()
    return frozenset(one.raw for one in site.known.parameters if {one.name, one.raw} & bound)
