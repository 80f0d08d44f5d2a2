"""One file an answer: pure functions of (bindings, documents, offset) to frozen values."""
