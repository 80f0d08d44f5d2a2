"""Diagnostics as text, JSON, workflow commands and SARIF. The shapes are in docs/command-line.md."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import codeact_lsp
from codeact_lsp import text
from codeact_lsp.cli.places import span_json
from codeact_lsp.ide.model import Diagnostic, Severity
from codeact_lsp.syntax.document import Document


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic at its place, counted from 1.

    Attributes:
        file: as it was named or found.
        place: `line`, `column`, `endLine`, `endColumn`.
        code: the diagnostic's code.
        severity: how much it matters.
        message: one or more lines.
        fixes: the titles of what would put it right.

    """

    file: str
    place: Mapping[str, int]
    code: str
    severity: Severity
    message: str
    fixes: tuple[str, ...]

    @staticmethod
    def of(file: str, document: Document, found: Diagnostic) -> Finding:
        """The finding for a diagnostic of a file's text."""
        return Finding(
            file=file,
            place=span_json(document, found.span),
            code=found.code,
            severity=found.severity,
            message=text.visible(found.message),
            fixes=tuple(fix.title for fix in found.fixes),
        )


Report: TypeAlias = Callable[[Sequence[Finding], int], Sequence[str]]


def as_text(findings: Sequence[Finding], fixed: int) -> list[str]:
    """A line a finding, then the counts."""
    lines = [
        f"{text.terminal_line(one.file)}:{one.place['line']}:{one.place['column']}:"
        f" {one.severity.value}[{one.code}] {text.terminal_line(one.message)}"
        for one in findings
    ]
    counts = Counter(one.severity for one in findings)
    said = [_count(counts[severity], severity.value) for severity in Severity if counts[severity]]
    if fixed:
        said.append(f"{fixed} fixed")
    return [*lines, ", ".join(said) or "nothing to report"]


def as_json(findings: Sequence[Finding], fixed: int) -> list[str]:
    """One object."""
    value = {
        "diagnostics": [
            {
                "file": one.file,
                **one.place,
                "code": one.code,
                "severity": one.severity.value,
                "message": one.message,
                "fixes": list(one.fixes),
            }
            for one in findings
        ],
        "fixed": fixed,
    }
    return [json.dumps(value, indent=2)]


_GITHUB: Final = MappingProxyType(
    {
        Severity.ERROR: "error",
        Severity.WARNING: "warning",
        Severity.INFORMATION: "notice",
        Severity.HINT: "notice",
    }
)


def as_github(findings: Sequence[Finding], _fixed: int) -> list[str]:
    """Workflow commands, which show up in a pull request."""
    return [
        f"::{_GITHUB[one.severity]} file={_property(one.file)},line={one.place['line']},"
        f"endLine={one.place['endLine']},col={one.place['column']},"
        f"endColumn={one.place['endColumn']},title={_property(one.code)}::{_data(text.terminal(one.message))}"
        for one in findings
    ]


_SARIF: Final = MappingProxyType(
    {
        Severity.ERROR: "error",
        Severity.WARNING: "warning",
        Severity.INFORMATION: "note",
        Severity.HINT: "note",
    }
)


def as_sarif(findings: Sequence[Finding], _fixed: int) -> list[str]:
    """SARIF 2.1.0, columns in code points."""
    codes = sorted({one.code for one in findings})
    run = {
        "tool": {
            "driver": {
                "name": "codeact-lsp",
                "version": codeact_lsp.__version__,
                "rules": [{"id": code} for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, codes.index(one.code)) for one in findings],
    }
    value = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return [json.dumps(value, indent=2)]


def _result(one: Finding, rule: int) -> dict[str, Any]:
    region = {
        "startLine": one.place["line"],
        "startColumn": one.place["column"],
        "endLine": one.place["endLine"],
        "endColumn": one.place["endColumn"],
    }
    location = {"artifactLocation": {"uri": _uri(one.file)}, "region": region}
    return {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": _SARIF[one.severity],
        "message": {"text": one.message},
        "locations": [{"physicalLocation": location}],
    }


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else path.as_posix()


def _count(number: int, word: str) -> str:
    plural = word if number == 1 or word == "information" else f"{word}s"
    return f"{number} {plural}"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


REPORTS: Final[Mapping[str, Report]] = MappingProxyType(
    {"text": as_text, "json": as_json, "github": as_github, "sarif": as_sarif}
)
