"""Results and tools through functions, containers, patterns and the standard library."""

from __future__ import annotations

import pytest

from codeact_lsp.bindings.model import Bindings
from codeact_lsp.ide import shapes
from codeact_lsp.ide.refs import Value
from codeact_lsp.ide.resolve import resolve
from codeact_lsp.ide.results import shapes_of
from codeact_lsp.syntax.document import path_at, statements
from tests.ide.test_resolve import last
from tests.support.cells import bindings, cell, tool, view

I = """\
import asyncio, collections, contextlib, copy, functools, heapq, itertools, json, random, typing
from functools import partial
from codeact_lsp.tools import mcp
"""  # noqa: E741 - the import of every cell
R = I + "r = await mcp.notion.search(query='a')\n"
CALL = "mcp.notion.search(query='a')"
TOOL = "tool notion/search"
WEB = "tool web/search"
ITEMS = "result search.items"
ITEM = "result search.items.0"
TITLE = "result search.items.0.title"


@pytest.mark.parametrize(
    "body",
    [
        f"async def g():\n    return await {CALL}\n(await g())['items']",
        f"async def g(q) -> dict:\n    x = await {CALL}\n    return x\n(await g('a'))['items']",
        f"async def g(q):\n    if q:\n        return await {CALL}\n    return await {CALL}\n(await g(1))['items']",
        f"async def g(q):\n    if q:\n        return await {CALL}\n    else:\n        return await {CALL}\n(await g(1))['items']",
        f"async def g():\n    while True:\n        try:\n            return await {CALL}\n        except E:\n            pass\n(await g())['items']",
        f"async def g():\n    with x:\n        return await {CALL}\n(await g())['items']",
        f"async def g():\n    try:\n        return await {CALL}\n    except E:\n        raise\n(await g())['items']",
        f"def g():\n    return {CALL}\n(await g())['items']",
        f"def g(): return {CALL}\n(await g())['items']",
        f"g = lambda q: {CALL}\n(await g('a'))['items']",
        f"async def g():\n    def h():\n        return 1\n    return await {CALL}\n(await g())['items']",
        f"async def h():\n    return await {CALL}\nasync def g():\n    return await h()\n(await g())['items']",
        f"async def g():\n    return (await {CALL})['items']\nawait g()",
        f"@functools.cache\ndef g():\n    return {CALL}\n(await g())['items']",
        f"@functools.lru_cache(maxsize=1)\ndef g():\n    return {CALL}\n(await g())['items']",
        f"async def g():\n    yield await {CALL}\nasync for x in g():\n    x['items']",
        f"async def g():\n    yield await {CALL}\n[x async for x in g()][0]['items']",
        f"async def g():\n    yield await {CALL}\n(await anext(g()))['items']",
        f"def h():\n    yield {CALL}\ndef g():\n    yield from h()\n(await next(g()))['items']",
        f"async def g():\n    return await {CALL}\nasyncio.run(g())['items']",
        f"async def g():\n    return await {CALL}\n(await asyncio.gather(g(), g()))[1]['items']",
        f"async def g(q):\n    return await {CALL}\nf = partial(g, 'a')\n(await f())['items']",
        "def g():\n    return r['items']\ng()",
        "def g():\n    x = r\n    def h():\n        return x\n    return h()\ng()['items']",
        f"@contextlib.asynccontextmanager\nasync def g():\n    yield await {CALL}\nasync with g() as x:\n    x['items']",
        "@contextlib.contextmanager\ndef g():\n    yield r\nwith g() as x:\n    x['items']",
    ],
)  # fmt: skip
def test_what_functions_of_the_text_give(body: str) -> None:
    assert last(R + body) == {ITEMS}


@pytest.mark.parametrize(
    "body",
    [
        "def g():\n    return\ng()",
        "def g():\n    pass\ng()",
        "def g(x):\n    return x\ng(r)",
        "def g():\n    return g()\ng()",
        f"@wrapped\ndef g():\n    return {CALL}\nawait g()",
        f"async def g():\n    return await {CALL}\ng()['items']",
        f"async def g():\n    await {CALL}\nawait g()",
        "class g:\n    pass\ng()",
        "def g(r):\n    return r\ng(1)",
        "with r as x:\n    x",
    ],
)
def test_what_functions_do_not_give(body: str) -> None:
    assert last(R + body) == {"?"}


@pytest.mark.parametrize(
    "body",
    [
        f"async def g(q):\n    if q:\n        return await {CALL}\nawait g(1)",
        f"async def g(q):\n    if q:\n        return\n    return await {CALL}\nawait g(1)",
        f"async def g(q):\n    for x in q:\n        return await {CALL}\nawait g(1)",
        f"async def g(q):\n    while True:\n        if q:\n            break\n        return await {CALL}\nawait g(1)",
        f"async def g(q):\n    with suppress(E):\n        x = await {CALL}\n        return x\n        raise\nawait g(1)",
        "def g(x=r):\n    x",
    ],
)  # fmt: skip
def test_what_may_be_none_or_something_else_too(body: str) -> None:
    assert last(R + body) == {"result search", "?"}


def test_a_function_that_is_called_before_its_tool_is_replaced() -> None:
    cell = "n = mcp.notion\ndef g():\n    return n.search\nn = mcp.web\ng()"
    assert last(I + cell) == {TOOL, WEB}


@pytest.mark.parametrize(
    "body",
    [
        "rs = []\nrs.append(r)\nrs[0]['items']",
        f"rs = []\nfor q in qs:\n    rs.append(await {CALL})\nrs[-1]['items']",
        f"cs = []\nfor q in qs:\n    cs.append({CALL})\n(await asyncio.gather(*cs))[0]['items']",
        "rs = list()\nrs.append(r)\nfor x in rs:\n    x['items']",
        "rs = []\nrs.extend([r, r])\nrs[i]['items']",
        "rs = []\nrs += [r]\nrs[0]['items']",
        "rs = []\nrs.insert(0, r)\nrs[0]['items']",
        "rs = collections.deque()\nrs.appendleft(r)\nrs.popleft()['items']",
        "d = {}\nd['a'] = r\nd['a']['items']",
        "d = {}\nfor q in qs:\n    d[q] = r\nd['x']['items']",
        "d = {}\nfor q in qs:\n    d[q] = r\nfor k, v in d.items():\n    v['items']",
        "d = {}\nd.update(a=r)\nd['a']['items']",
        "d = {}\nd.update({'a': r})\nlist(d.values())[0]['items']",
        "d = {}\nd.setdefault('a', r)\nd['a']['items']",
        "d = dict(a=r)\nd['b'] = 1\nd['a']['items']",
        "d = collections.defaultdict(list)\nfor q in qs:\n    d[q].append(r)\nd['x'][0]['items']",
        "d = {}\nfor q in qs:\n    d.setdefault(q, []).append(r)\nfor k, rs in d.items():\n    rs[0]['items']",
        "rs = []\ndef f():\n    rs.append(r)\nf()\nrs[0]['items']",
        "def f():\n    rs = []\n    rs.append(r)\n    return rs\nf()[0]['items']",
        "d = {q: r for q in qs}\nd['x']['items']",
        "d = {q: r for q in qs}\nfor k, v in d.items():\n    v['items']",
        "d = dict([('a', r)])\nd['a']['items']",
        "d = dict(zip(qs, [r, r]))\nd['a']['items']",
        "d = {1: r}\nd[1]['items']",
        "{**r}['items']",
        "dict(r)['items']",
        "{**r, 'next': 1}.copy()['items']",
        "(r | {'next': 1})['items']",
        "rs = []\nfor q in qs:\n    rs += [r]\nrs[0]['items']",
    ],
)  # fmt: skip
def test_what_lists_and_dicts_hold(body: str) -> None:
    assert last(R + body) - {"?"} == {ITEMS}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("fs = [mcp.notion.search]\nfs.insert(0, mcp.web.search)\nfs[0]", {TOOL, WEB}),
        ("fs = [mcp.notion.search, mcp.web.search]\nfs.reverse()\nfs[0]", {TOOL, WEB}),
        ("fs = [mcp.notion.search, mcp.web.search]\nrandom.shuffle(fs)\nfs[0]", {TOOL, WEB, "?"}),
        ("fs = [mcp.notion.search, mcp.web.search]\nsorted(fs)[0]", {TOOL, WEB}),
        ("fs = [mcp.notion.search]\nfs[0] = mcp.web.search\nfs[0]", {TOOL, WEB}),
        ("fs = [mcp.notion.search]\nfs[0], x = y\nfs[0]", {TOOL, "?"}),
        ("fs = [mcp.notion.search]\nfill(fs)\nfs[0]", {TOOL, "?"}),
        ("fs = (mcp.notion.search, 1)\nfill(fs)\nfs[0]", {TOOL}),
        ("fs = [mcp.notion.search]\nprint(fs)\nfs[0]", {TOOL}),
        ("fs = [mcp.notion.search]\nfs[0]\nfs.append(1)", {"?"}),
        ("fs = {'a': mcp.notion.search}\nfs['a'] = mcp.web.search\nfs['a']", {TOOL, WEB}),
        ("fs = {'a': mcp.notion.search}\nfs['b'] = mcp.web.search\nfs['a']", {TOOL}),
        ("fs = {'a': mcp.notion.search, **more}\nfs['a']", {TOOL, "?"}),
        ("fs = {**more, 'a': mcp.notion.search}\nfs['a']", {TOOL}),
        ("fs = {'a': 1, 'a': mcp.notion.search}\nfs['a']", {TOOL}),
        ("fs = {'a': mcp.notion.search, 'b': mcp.web.search}\nfs[name]", {TOOL, WEB}),
        ("fs = {'a': mcp.notion.search}\nfs.get(name)", {TOOL}),
        ("fs = {mcp.notion.search, mcp.web.search}\nfor f in fs:\n    f", {TOOL, WEB}),
        ("fs = []\nif x:\n    fs = [mcp.notion.search]\nfs.append(mcp.web.search)\nfs[0]", {TOOL, WEB}),
        ("def f():\n    fs = []\n    fs.append(mcp.web.search)\nfs = [mcp.notion.search]\nfs[0]", {TOOL}),
        ("fs = [mcp.notion.search]\ndef f():\n    fs[0]\nfs.append(mcp.web.search)\nfs[0]", {TOOL, WEB}),
        ("r = await mcp.notion.search(query='a')\nr['items'] = 5\nr['items']", {ITEMS, "?"}),
        ("r = await mcp.notion.search(query='a')\nr['mine'] = mcp.web\nr['mine'].search", {WEB, "?"}),
        ("r = await mcp.notion.search(query='a')\nr['next'] = 5\nr['items']", {ITEMS}),
    ],
)  # fmt: skip
def test_what_was_put_in_or_moved_counts(body: str, expected: set[str]) -> None:
    assert last(I + body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "match r:\n    case {'items': xs}:\n        xs[0]['title']",
        "match r:\n    case {'items': [x, *_]}:\n        x['title']",
        "match r:\n    case {'items': [x, *xs]}:\n        xs[0]['title']",
        "match r:\n    case {'items': list(xs)}:\n        xs[0]['title']",
        "match r:\n    case {'items': [{'title': t}]}:\n        t",
        "match r:\n    case dict() as d:\n        d['items'][0]['title']",
        "match r:\n    case x if x['items'][0]['title']:\n        x['items'][0]['title']",
        "match r['items']:\n    case [x]:\n        x['title']",
        "match 1, r:\n    case _, {'items': xs}:\n        xs[0]['title']",
        "match x:\n    case 1:\n        match r:\n            case {'items': xs}:\n                xs[0]['title']",
        "def f():\n    match r:\n        case {'items': xs}: return xs\n        case _: raise\nf()[0]['title']",
        "for x in r['items'][1:]:\n    x['title']",
        "for x in reversed(r['items']):\n    x['title']",
        "for i, x in enumerate(r['items'], 1):\n    x['title']",
        "for a, x in zip(qs, r['items'], strict=True):\n    x['title']",
        "sorted(r['items'], key=lambda i: i['title'])[0]['title']",
        "sorted(qs, key=lambda q: q)\nsorted(r['items'], key=lambda i: i['title'] and i['title'])[0]['title']",
        "[*filter(lambda i: i['title'], r['items'])][0]['title']",
        "list(map(lambda i: i['title'], r['items']))[0]",
        "list(map(lambda a, i: i['title'], qs, r['items']))[0]",
        "max(r['items'], key=lambda i: i['title'])['title']",
        "min(r['items'][0], r['items'][0], key=f)['title']",
        "next(x for x in r['items'] if x['title'])['title']",
        "next(iter(r['items']))['title']",
        "set(i['title'] for i in r['items']).pop()",
        "[i['title'] for i in r['items']][0]",
        "list({i['title']: i for i in r['items']}.values())[0]['title']",
        "(r.get('items') or [])[0]['title']",
        "(r['items'] if r else [])[0]['title']",
        "(r['items'] + r['items'])[0]['title']",
        "[*r['items'], *[]][0]['title']",
        "first, *rest = r['items']\nrest[0]['title']",
        "*rest, end = r['items']\nend['title']",
        "r['items'].pop()['title']",
        "r['items'].copy()[0]['title']",
        "copy.deepcopy(r)['items'][0]['title']",
        "typing.cast(dict, r)['items'][0]['title']",
        "list(itertools.chain(r['items'], r['items']))[0]['title']",
        "list(itertools.chain.from_iterable(x['items'] for x in [r]))[0]['title']",
        "list(itertools.islice(r['items'], 3))[0]['title']",
        "for k, group in itertools.groupby(r['items'], key=lambda i: i['title']):\n    list(group)[0]['title']",
        "for a, b in itertools.pairwise(r['items']):\n    b['title']",
        "for batch in itertools.batched(r['items'], 2):\n    batch[0]['title']",
        "heapq.nlargest(2, r['items'], key=lambda i: i['title'])[0]['title']",
        "random.choice(r['items'])['title']",
        "random.sample(r['items'], 2)[0]['title']",
        "with contextlib.nullcontext(r) as x:\n    x['items'][0]['title']",
        "xs = r['items']\nxs.sort(key=lambda i: i['title'])\nxs[0]['title']",
        f"t = asyncio.create_task({CALL})\n(await t)['items'][0]['title']",
        f"async with asyncio.TaskGroup() as tg:\n    t = tg.create_task({CALL})\nt.result()['items'][0]['title']",
        f"async with asyncio.TaskGroup() as tg:\n    ts = [tg.create_task({CALL}) for q in qs]\n[t.result() for t in ts][0]['items'][0]['title']",
        f"(await asyncio.wait_for({CALL}, 5))['items'][0]['title']",
        f"(await asyncio.gather(*[{CALL} for q in qs]))[0]['items'][0]['title']",
        f"(await asyncio.gather(*(map(lambda q: {CALL}, qs))))[0]['items'][0]['title']",
        f"for t in asyncio.as_completed([{CALL}]):\n    (await t)['items'][0]['title']",
        f"done, _ = await asyncio.wait([asyncio.create_task({CALL})])\nfor t in done:\n    t.result()['items'][0]['title']",
        f"loop.run_until_complete({CALL})['items'][0]['title']",
        f"d = {{q: await {CALL} for q in qs}}\nd['a']['items'][0]['title']",
    ],
)  # fmt: skip
def test_ways_to_a_title(body: str) -> None:
    assert last(R + body) == {TITLE}


@pytest.mark.parametrize(
    "body",
    [
        "match r:\n    case {'items': a} | {'next': a}:\n        a",
        "match r:\n    case {'items': xs, **rest}:\n        rest",
        "match r:\n    case C(items=xs):\n        xs",
        "json.loads(await mcp.web.search(query='a'))",
        "list(r)[0]",
        "for k in r:\n    k",
        "sorted(r)",
        "sum(r['items'])",
        "list(map(str, r['items']))[0]",
        "sorted(qs, key=lambda i: i)[0]",
        "zip(*r['items'])",
        "(lambda x: x)(r)",
    ],
)
def test_what_stays_unknown(body: str) -> None:
    assert last(R + body) == {"?"}


def tagged(key: str, value: str, **more: object) -> dict[str, object]:
    properties: dict[str, object] = {key: {"const": value}, **more}
    return {"type": "object", "properties": properties, "required": [key]}


STRING = {"type": "string"}
FILE = tagged("kind", "file", name=STRING, size={"type": "integer"})
FOLDER = tagged("kind", "folder", name=STRING, children={"type": "array", "items": STRING})
LINK = tagged("kind", "link", to=STRING)
NODE = {"anyOf": [FILE, FOLDER, LINK]}
TAGGED: Bindings = bindings(
    {
        "fs": [
            tool(
                "stat",
                output={
                    "type": "object",
                    "properties": {
                        "node": {"anyOf": [*NODE["anyOf"], {"type": "null"}]},
                        "nodes": {"type": "array", "items": NODE},
                    },
                    "required": ["node", "nodes"],
                },
            )
        ]
    }
)
FS = "from codeact_lsp.tools import mcp\nr = await mcp.fs.stat()\nx = r['node']\n"


def kinds(body: str) -> set[str]:
    """What the last expression may be: the tag of each object, or null."""
    seen = view(FS + body, TAGGED)
    expression = list(statements(seen.document))[-1].expressions[-1]
    found = set()
    for ref in resolve(seen, expression):
        assert isinstance(ref, Value)
        for one in shapes.variants(ref.type):
            keys = {field.raw for field in shapes.fields(one, shapes_of(TAGGED, ref))}
            found |= {"size": "file", "children": "folder", "to": "link"}.keys() & keys or {"null"}
    return {{"size": "file", "children": "folder", "to": "link"}.get(key, key) for key in found}


ALL = {"file", "folder", "link"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x", {*ALL, "null"}),
        ("if x['kind'] == 'file':\n    x", {"file"}),
        ("if 'file' == x['kind']:\n    x", {"file"}),
        ("if x.get('kind') == 'file':\n    x", {"file"}),
        ("if (x['kind'] == 'file'):\n    if y:\n        x", {"file"}),
        ("if x['kind'] == 'file' and y:\n    x", {"file"}),
        ("if x['kind'] == 'file' or y:\n    x", {*ALL, "null"}),
        ("if x['kind'] in ('file', 'link'):\n    x", {"file", "link"}),
        ("if x['kind'] not in {'file', 'link'}:\n    x", {"folder"}),
        ("if not x['kind'] == 'file':\n    x", {"folder", "link"}),
        ("if x['kind'] != 'file':\n    pass\nelse:\n    x", {"file"}),
        ("if x['kind'] == 'file':\n    pass\nelse:\n    x", {"folder", "link"}),
        ("if x['kind'] == 'file':\n    pass\nelif x['kind'] == 'link':\n    x", {"link"}),
        ("if x['kind'] == 'file':\n    pass\nelif x['kind'] == 'link':\n    pass\nelse:\n    x", {"folder"}),
        ("if x['kind'] == 'file':\n    pass\nx", {*ALL, "null"}),
        ("if x['kind'] == 'file': x", {"file"}),
        ("def f():\n    if x['kind'] != 'file':\n        return\n    x", {"file"}),
        ("for y in z:\n    if x['kind'] != 'file':\n        continue\n    x", {"file"}),
        ("if x['kind'] == 'file':\n    raise E\nx", {"folder", "link"}),
        ("if x['kind'] == 'file':\n    pass\nelse:\n    raise E\nx", {"file"}),
        ("if x['kind'] == 'file':\n    raise E\nelif x['kind'] == 'link':\n    raise E\nx", {"folder"}),
        ("assert x['kind'] == 'file'\nx", {"file"}),
        ("assert x['kind'] == 'file', 'no file'\nx", {"file"}),
        ("while x['kind'] == 'file':\n    x", {"file"}),
        ("y = x if x['kind'] == 'file' else None\nx", {*ALL, "null"}),
        ("if x:\n    x", ALL),
        ("if not x:\n    raise E\nx", ALL),
        ("if x is None:\n    raise E\nx", ALL),
        ("if x is not None:\n    x", ALL),
        ("if x is None:\n    x", {"null"}),
        ("if x is not None and x['kind'] == 'file':\n    x", {"file"}),
        ("match x['kind']:\n    case 'file':\n        x", {"file"}),
        ("match x['kind']:\n    case 'file' | 'link':\n        x", {"file", "link"}),
        ("match x['kind']:\n    case 'file':\n        pass\n    case _:\n        x", {"folder", "link"}),
        ("match x['kind']:\n    case 'file' if y:\n        pass\n    case _:\n        x", {*ALL, "null"}),
        ("match x:\n    case {'kind': 'file'}:\n        x", {"file"}),
        ("match x:\n    case {'kind': 'file', 'name': name}:\n        x", {"file"}),
        ("match x:\n    case {'kind': 'file'} as y:\n        y", {"file"}),
        ("match r:\n    case {'node': {'kind': 'link'} as y}:\n        y", {"link"}),
        ("for x in r['nodes']:\n    if x['kind'] == 'file':\n        x", {"file"}),
        ("[y for y in r['nodes'] if y['kind'] == 'file'][0]", {"file"}),
        ("if r['node']['kind'] == 'file':\n    r['node']", {"file"}),
        ("if r['nodes'][0]['kind'] == 'file':\n    r['nodes'][1]", ALL),
        ("if x['kind'] == 'file':\n    x = r['node']\n    x", {*ALL, "null"}),
        ("while y:\n    if x['kind'] != 'file':\n        break\n    if z:\n        x = r['node']\n    x", {*ALL, "null"}),
        ("x['kind'] = y\nif x['kind'] == 'file':\n    x", {*ALL, "null"}),
        ("if x['kind'] == 'file':\n    def f():\n        x", {*ALL, "null"}),
        ("if x['kind'] == y:\n    x", {*ALL, "null"}),
        ("if x['kind'] == 'other':\n    x", {*ALL, "null"}),
    ],
)  # fmt: skip
def test_what_conditions_leave(body: str, expected: set[str]) -> None:
    assert kinds(body) == expected


def test_a_condition_inside_an_expression() -> None:
    text = FS + "y = x‸ if x['kind'] == 'file' else (x‸['kind'] == 'link' and x‸)"
    place = cell(text)
    seen = view(place.text, TAGGED)
    found = []
    for offset in place.offsets:
        refs = resolve(seen, path_at(seen.document, offset)[-1])  # type: ignore[arg-type] # a name
        assert isinstance(refs[0], Value)
        keys = {field.raw for field in shapes.fields(refs[0].type, shapes_of(TAGGED, refs[0]))}
        found.append(keys - {"kind", "name"})
    assert found == [{"size"}, {"children", "to"}, {"to"}]
