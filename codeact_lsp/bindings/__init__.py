"""A catalogue seen as Python: index, signatures, the prompt block, stubs."""
