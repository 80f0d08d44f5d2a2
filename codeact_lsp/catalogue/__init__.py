"""Where tools come from: config, approval, connections, cache.

`model`, `snapshot` and `messages` are pure and may be imported by every room; the rest runs in a
child process and is the only place, beside `runtime`, that imports `mcp`.
"""
