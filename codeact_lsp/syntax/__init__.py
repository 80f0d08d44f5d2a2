"""One Python text: lines and positions, statements, scopes, the call under the cursor. Pure."""
