"""Other import roots that mean the bindings module, for cells that were written for another host."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from codeact_lsp.bindings.model import BINDINGS_MODULE


def add_alias(root: str) -> None:
    """Let `root`, such as `__dsh__.tools`, be imported as the bindings module.

    A module that is really called so stays what it is.
    """
    if root != BINDINGS_MODULE and not _exists(root):
        sys.meta_path.append(_Alias(root))


class _Alias(MetaPathFinder, Loader):
    """Finds the root, what is under it, and the packages that it is said to be in."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002 - importlib's protocol
        target: ModuleType | None = None,  # noqa: ARG002 - importlib's protocol
    ) -> ModuleSpec | None:
        if f"{fullname}.".startswith(f"{self._root}.") or self._root.startswith(f"{fullname}."):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if self._root.startswith(f"{spec.name}."):
            return None  # an empty package
        module = import_module(BINDINGS_MODULE + spec.name.removeprefix(self._root))
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing runs; but a module keeps its own spec, under whatever name it was imported."""
        spec = module.__spec__
        if spec is not None and spec.name in self._specs:
            module.__spec__ = self._specs[spec.name]


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
