"""The bindings module: what cells import. Its names are those of the catalogue, looked up live."""

import sys
from typing import TYPE_CHECKING

from codeact_lsp.runtime import modules

if TYPE_CHECKING:
    from typing import Any

    from codeact_lsp.runtime.errors import ToolCallError as ToolCallError

    mcp: Any

modules.install(sys.modules[__name__])
# Whatever stays here would hide a tool of that name.
del sys, modules, TYPE_CHECKING
