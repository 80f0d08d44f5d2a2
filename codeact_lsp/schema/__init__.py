"""JSON Schema becomes Python types: one mapper for signatures, stubs, hover and checks."""
