"""The command line: one file a subcommand, imported when it is asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

INTERRUPTED = 130
NOT_RUN = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, `sys.argv[1:]` if None, and return its exit code.

    Whatever goes wrong is one line on stderr.
    """
    import click

    from codeact_lsp import text
    from codeact_lsp.cli.app import app

    try:
        code = app.main(args=argv, prog_name="codeact-lsp", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 0
    except click.ClickException as error:
        return _fail(text.terminal_line(error.format_message()), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough; flushing at exit must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _fail(text.terminal_line(str(error)), NOT_RUN)
    except Exception as error:
        if os.environ.get("CODEACT_LSP_DEBUG"):
            raise
        said = text.terminal_line(f"{type(error).__name__}: {error}")
        return _fail(f"internal error: {said} (CODEACT_LSP_DEBUG=1 shows where)", NOT_RUN)
    return code if isinstance(code, int) else 0


def _fail(message: str, code: int) -> int:
    print(f"codeact-lsp: {message}", file=sys.stderr)
    return code
