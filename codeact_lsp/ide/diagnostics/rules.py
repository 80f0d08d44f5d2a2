"""The codes, their severities, and one finding of one of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from codeact_lsp.ide.model import Diagnostic, Fix, Severity
from codeact_lsp.syntax.expressions import Span

RULES: Final[Mapping[str, Severity]] = MappingProxyType(
    {
        "raw-key": Severity.WARNING,
        "raw-keyword": Severity.ERROR,
        "raw-tool-name": Severity.ERROR,
        "needless-getattr": Severity.HINT,
        "soft-keyword-shadowing": Severity.WARNING,
        "builtin-shadowing": Severity.INFORMATION,
        "binding-overwritten": Severity.WARNING,
        "name-conflict": Severity.ERROR,
        "unknown-server": Severity.ERROR,
        "unknown-tool": Severity.ERROR,
        "unknown-parameter": Severity.ERROR,
        "missing-argument": Severity.ERROR,
        "positional-argument": Severity.ERROR,
        "not-awaited": Severity.WARNING,
        "argument-type": Severity.ERROR,
        "result-attribute": Severity.ERROR,
        "renamed-nested-key": Severity.ERROR,
    }
)
"""Code → severity unless the `rules` setting says otherwise."""


def finding(
    code: str,
    span: Span,
    message: str,
    *fixes: Fix | None,
    severity: Severity | None = None,
) -> Diagnostic:
    """A diagnostic of a known code; fixes that are None are left out.

    What is struck through is the old spelling of something, what is faded is given already.
    """
    return Diagnostic(
        code,
        span,
        message,
        RULES[code] if severity is None else severity,
        tuple(fix for fix in fixes if fix is not None),
        deprecated=code == "raw-key",
        unnecessary=code == "name-conflict",
    )
