"""What the user is asked of servers: approval, and the values of inputs. Each is asked once."""

from __future__ import annotations

from collections.abc import Mapping

from codeact_lsp.catalogue import approval
from codeact_lsp.catalogue.config import Config
from codeact_lsp.catalogue.entries import ServerConfig
from codeact_lsp.catalogue.messages import Answer, ApprovalRequest, InputRequest
from codeact_lsp.catalogue.outbox import Outbox


class Questions:
    """Asks by way of the outbox, and remembers what was asked.

    Attributes:
        can_ask: the editor has a way to ask.

    """

    def __init__(
        self, outbox: Outbox, store: approval.Store, environment: Mapping[str, str]
    ) -> None:
        self.can_ask = False
        self._outbox = outbox
        self._store = store
        self._environment = environment
        self._asked: set[str] = set()

    def forget(self) -> None:
        """Ask everything again that is still open."""
        self._asked.clear()

    def forget_inputs(self, config: ServerConfig) -> None:
        """Ask for the inputs of an entry again."""
        self._asked.difference_update(_of_input(config, name) for name in config.inputs)

    def approve(self, config: ServerConfig, key: str, *, refused: bool = False) -> None:
        """Ask for approval; `refused`: also where the answer was never."""
        if not self._is_open(key):
            return
        if self._store.answer(key) is Answer.NEVER and not refused:
            return
        self._asked.add(key)
        shown = approval.command_line(config, self._environment)
        cwd = config.cwd if config.transport == "stdio" else ""
        sets = approval.names_set(config)
        self._outbox.plain(ApprovalRequest(key, config.name, config.path, shown, cwd, sets))

    def inputs(self, config: ServerConfig, declared: Config) -> None:
        """Ask for the values that an entry lacks, as its config file declares them."""
        declarations = declared.inputs.get(config.path, {})
        for identifier in config.inputs:
            question = _of_input(config, identifier)
            if not self._is_open(question):
                continue
            self._asked.add(question)
            found = declarations.get(identifier)
            if found is not None:
                about = found.description, found.password
                self._outbox.plain(InputRequest(identifier, config.name, config.path, *about))

    def again(
        self, config: ServerConfig, key: str, declared: Config, *, refused: bool = False
    ) -> None:
        """Ask again what was dismissed, and with `refused` also what was refused."""
        if not config.complete or config.disabled:
            return
        if self._store.is_approved(config):
            self.forget_inputs(config)
            self.inputs(config, declared)
        else:
            self._asked.discard(key)
            self.approve(config, key, refused=refused)

    def _is_open(self, question: str) -> bool:
        return self.can_ask and question not in self._asked


def _of_input(config: ServerConfig, identifier: str) -> str:
    return f"input {identifier} {config.path}"
