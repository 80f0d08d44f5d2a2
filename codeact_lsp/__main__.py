"""`python -m codeact_lsp` is `codeact-lsp`."""

import sys

from codeact_lsp.cli import main

if __name__ == "__main__":
    sys.exit(main())
