"""`result-attribute`: a result is a dict, so its keys are no attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from codeact_lsp import text
from codeact_lsp.ide import edits, results, shapes
from codeact_lsp.ide.diagnostics.rules import finding
from codeact_lsp.ide.model import Diagnostic, Fix, TextEdit, View
from codeact_lsp.ide.nearest import nearest
from codeact_lsp.ide.refs import Value
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.names import rename_map, spell_parameters
from codeact_lsp.schema.types import DictType, ObjectType
from codeact_lsp.syntax.expressions import Attribute, Span

_DICT: Final = frozenset(
    "clear copy fromkeys get items keys pop popitem setdefault update values".split()
)


def check_result_attribute(view: View, node: Attribute) -> Iterator[Diagnostic]:
    """`r.exit_code` where `r` surely is an object of a result."""
    name = node.name
    if not name or name in _DICT or (name.startswith("__") and name.endswith("__")):
        return
    refs = resolve(view, node.value)
    if len(refs) != 1 or not isinstance(refs[0], Value):
        return
    value = refs[0]
    if not all(isinstance(one, ObjectType | DictType) for one in shapes.variants(value.type)):
        return
    keys = [
        field.raw for field in shapes.fields(value.type, results.shapes_of(view.bindings, value))
    ]
    spelled = rename_map(spell_parameters(keys, view.bindings.fold_characters))
    key = name if name in keys else spelled.get(name) or nearest(name, ((k, k) for k in keys))
    fix = None
    if key is not None:
        written = f"[{text.literal(key)}]"
        # From the end of the value, so that the dot goes too.
        edit = TextEdit(Span(node.value.span.end, node.name_span.end), written)
        fix = Fix(edits.writes(written), (edit,), safe=key == name or key == spelled.get(name))
    yield finding(
        "result-attribute",
        node.name_span,
        f"a result is a dict, so `{name}` is no attribute of it"
        + (f": write `[{text.literal(key)}]`" if key is not None else ""),
        fix,
    )
