"""Where the import of a bare name goes, and under which name it comes."""

from __future__ import annotations

import ast

import pytest

from codeact_lsp.ide.model import Empty
from tests.support.cells import SERVERS, bindings, tool
from tests.support.offers import answer, chosen, labels

ONE = bindings({"notion": SERVERS["notion"]})
NEW = "from codeact_lsp.tools.mcp.notion import ping"


@pytest.mark.parametrize(
    ("marked", "after"),
    [
        pytest.param("pin‸", "{new}\nping", id="an empty file"),
        pytest.param("\n\npin‸", "{new}\n\n\nping", id="above blank lines"),
        pytest.param("    pin‸", "{new}\n    ping", id="an indented first line"),
        pytest.param('"""Doc."""\nx = 1\npin‸', '"""Doc."""\n{new}\nx = 1\nping', id="a docstring"),
        pytest.param(
            '# Who wrote it.\n"""Doc."""\nx = 1\npin‸',
            '# Who wrote it.\n"""Doc."""\n{new}\nx = 1\nping',
            id="a docstring behind a comment",
        ),
        pytest.param(
            '"""Doc."""; x = 1\npin‸', '"""Doc."""; x = 1\n{new}\nping', id="a docstring's line"
        ),
        pytest.param(
            "#!/usr/bin/env python\nx = 1\npin‸",
            "#!/usr/bin/env python\n{new}\nx = 1\nping",
            id="the interpreter's line stays the first",
        ),
        pytest.param(
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\nx = 1\npin‸",
            "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n{new}\nx = 1\nping",
            id="the encoding's line stays the second",
        ),
        pytest.param(
            "# Who wrote it.\n# A licence.\n\nx = 1\npin‸",
            "# Who wrote it.\n# A licence.\n\n{new}\nx = 1\nping",
            id="a block of comments at the head",
        ),
        pytest.param(
            "# What x is.\nx = 1\npin‸",
            "{new}\n# What x is.\nx = 1\nping",
            id="a comment stays with its statement",
        ),
        pytest.param(
            "from __future__ import annotations\npin‸",
            "from __future__ import annotations\n{new}\nping",
            id="behind __future__",
        ),
        pytest.param("import a\n\npin‸", "import a\n{new}\n\nping", id="behind the imports"),
        pytest.param(
            "import a  # why\npin‸", "import a  # why\n{new}\nping", id="a comment stays with its import"
        ),
        pytest.param(
            "from a import (\n    b,\n)\npin‸", "from a import (\n    b,\n)\n{new}\nping", id="brackets"
        ),
        pytest.param("import a \\\n  as b\npin‸", "import a \\\n  as b\n{new}\nping", id="a backslash"),
        pytest.param("import a; pin‸", "import a\n{new}; ping", id="the same line"),
        pytest.param("import a; x = 1\npin‸", "import a\n{new}; x = 1\nping", id="two on a line"),
        pytest.param("pin‸\nimport a\n", "{new}\nping\nimport a\n", id="not behind what runs later"),
        pytest.param(
            "import a\ndef f():\n    import b\n    pin‸",
            "import a\n{new}\ndef f():\n    import b\n    ping",
            id="not behind an import inside a function",
        ),
        pytest.param(
            "try:\n    import a\nexcept ImportError:\n    a = None\npin‸",
            "{new}\ntry:\n    import a\nexcept ImportError:\n    a = None\nping",
            id="not behind an import that may fail",
        ),
        pytest.param("@pin‸\ndef f(): ...", "{new}\n@ping\ndef f(): ...", id="above a decorator"),
        pytest.param("x = [\n  pin‸\n]", "{new}\nx = [\n  ping\n]", id="above an open bracket"),
        pytest.param("x = '''\nimport a\n'''\npin‸", "{new}\nx = '''\nimport a\n'''\nping", id="text"),
        pytest.param("x = 1\r\npin‸", "{new}\r\nx = 1\r\nping", id="the text's own line ending"),
        pytest.param("%%time\n%%capture\npin‸", "%%time\n%%capture\n{new}\nping", id="cell magics"),
        pytest.param("%load_ext x\n!ls\npin‸", "%load_ext x\n!ls\n{new}\nping", id="line magics"),
        pytest.param("x = 1\n%time y\npin‸", "{new}\nx = 1\n%time y\nping", id="a magic further down"),
        pytest.param(
            "for x in y:\n    !ls\n    pin‸",
            "{new}\nfor x in y:\n    !ls\n    ping",
            id="a magic inside a block",
        ),
        pytest.param(
            "# %%\nx = 1\n# %%\npin‸",
            "# %%\n{new}\nx = 1\n# %%\nping",
            id="in the first section, not before its mark",
        ),
        pytest.param(
            "# ---\n# jupyter: {{}}\n# ---\n\n# %% [markdown]\n# # Title\n\n# %%\nx = pin‸",
            "# ---\n# jupyter: {{}}\n# ---\n\n# %% [markdown]\n# # Title\n\n# %%\n{new}\nx = ping",
            id="in the first section with code",
        ),
        pytest.param(
            "# %%\nimport a\n# %%\n# Why.\npin‸",
            "# %%\nimport a\n{new}\n# %%\n# Why.\nping",
            id="behind the imports of an earlier section",
        ),
        pytest.param("# %%\n%%time\npin‸", "# %%\n%%time\n{new}\nping", id="a section with a magic"),
    ],
)  # fmt: skip
def test_where_the_import_goes(marked: str, after: str) -> None:
    assert chosen(marked.replace("{{}}", "{}"), "ping", ONE) == after.format(new=NEW)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import search", "import search, ping"),
        ("import search  # why", "import search, ping  # why"),
        ("import search as s", "import search as s, ping"),
        ("import (\n    search,\n)", "import (\n    search, ping,\n)"),
        ("import (search)", "import (search, ping)"),
        ("import search, \\\n    API_patch_page", "import search, \\\n    API_patch_page, ping"),
    ],
)
def test_an_import_of_the_same_module_is_extended(before: str, after: str) -> None:
    head = "from codeact_lsp.tools.mcp.notion "
    assert chosen(f"{head}{before}\npin‸", "ping", ONE) == f"{head}{after}\nping"
    ast.parse(f"{head}{after}\nping")


def test_in_a_notebook_the_import_goes_into_the_cell_that_is_edited() -> None:
    earlier = "from codeact_lsp.tools.mcp.notion import search\n"
    assert chosen("x = 1\npin‸", "ping", ONE, earlier) == f"{NEW}\nx = 1\nping"


SEARCH = "from codeact_lsp.tools.mcp.web import search\n"


@pytest.mark.parametrize(
    ("marked", "offered"),
    [
        pytest.param("sea‸", ["search", "search"], id="each server's"),
        pytest.param(f"{SEARCH}sea‸", ["notion_search"], id="another server's has the name"),
        pytest.param("search = 1\nsea‸", ["notion_search", "web_search"], id="a variable has it"),
        pytest.param(
            "def f(search):\n    sea‸", ["notion_search", "web_search"], id="a parameter has it"
        ),
        pytest.param(
            "def f():\n    sea‸\nsearch = 1", ["notion_search", "web_search"], id="a later global has it"
        ),
        pytest.param(
            "search = web_search = 1\nsea‸", ["notion_search"], id="the longer name is taken, too"
        ),
        pytest.param(
            "from codeact_lsp.tools.mcp.web import *\nsea‸", ["search"], id="a star brought it"
        ),
    ],
)  # fmt: skip
def test_a_name_that_is_taken(marked: str, offered: list[str]) -> None:
    assert sorted(labels(marked)) == offered


def test_a_tool_whose_name_is_taken_comes_under_its_servers() -> None:
    assert chosen(f"{SEARCH}sea‸", "notion_search") == (
        f"{SEARCH}from codeact_lsp.tools.mcp.notion import search as notion_search\nnotion_search"
    )


def test_what_is_imported_is_not_offered_again() -> None:
    only = bindings({"web": SERVERS["web"]})
    assert answer(f"{SEARCH}sea‸", only) is Empty.NOTHING_MATCHES
    assert answer("from codeact_lsp.tools.mcp.web import *\nsea‸", only) is Empty.NOTHING_MATCHES
    assert answer("sea‸", only, SEARCH) is Empty.NOTHING_MATCHES


@pytest.mark.parametrize("name", ["_", "case", "lazy", "match", "type", "open"])
def test_a_name_that_hides_something_comes_under_its_servers(name: str) -> None:
    made = bindings({"s": [tool(name)]})
    assert chosen(f"{name}‸", f"s_{name}", made) == (
        f"from codeact_lsp.tools.mcp.s import {name} as s_{name}\ns_{name}"
    )


@pytest.mark.parametrize("alias", ["s_type = 1\n", "def s_type(): ...\n"])
def test_no_name_is_left(alias: str) -> None:
    assert answer(f"{alias}type‸", bindings({"s": [tool("type")]})) is Empty.NOTHING_MATCHES


def test_what_has_no_name_is_not_offered() -> None:
    assert answer("fin‸", bindings({"s": [tool("find it")]})) is Empty.NOTHING_MATCHES
