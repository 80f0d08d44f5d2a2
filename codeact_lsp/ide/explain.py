"""Why is there nothing here: what is at the cursor, and what each answer says of it."""

from __future__ import annotations

from dataclasses import dataclass

from codeact_lsp.ide.completion import complete
from codeact_lsp.ide.hover import hover
from codeact_lsp.ide.model import Empty, View
from codeact_lsp.ide.signature_help import signature_help


@dataclass(frozen=True, slots=True)
class Explanation:
    """For each feature the reason of its empty answer; None where it has an answer."""

    completion: Empty | None
    hover: Empty | None
    signature_help: Empty | None

    def sentences(self) -> tuple[str, ...]:
        """One line a feature, for people."""
        return tuple(
            f"{feature}: {'there is an answer here.' if why is None else why.value}"
            for feature, why in (
                ("Completion", self.completion),
                ("Hover", self.hover),
                ("Signature help", self.signature_help),
            )
        )


def explain(view: View, offset: int) -> Explanation:
    """Why there is nothing at `offset`, feature by feature."""
    return Explanation(
        complete(view, offset).empty,
        hover(view, offset).empty,
        signature_help(view, offset).empty,
    )
