"""`python -m codeact_lsp.catalogue`: the catalogue process."""

from codeact_lsp.catalogue.service import main

main()
