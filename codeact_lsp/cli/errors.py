"""What a command raises when it cannot do its work."""

from __future__ import annotations

import click


class NotRunError(click.ClickException):
    """The command could not do its work; the message is one line."""

    exit_code = 2
