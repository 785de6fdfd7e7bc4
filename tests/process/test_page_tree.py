#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The fat-tree of drbctl's page beside that of drbtopo, and where its map puts things: also with fewer uplinks.

test_page_tree.py PAGE_DIR DRBTOPO    TAP on standard output."""
import functools
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile

PAGE, DRBTOPO = sys.argv[1:3]
sys.dont_write_bytecode = True

import tap  # noqa: E402

# Layers, arity, uplinks of layer 1.
FABRICS = (1, 3, 3), (2, 3, 3), (3, 2, 2), (2, 4, 2), (3, 2, 1), (3, 4, 2), (3, 3, 2), (4, 2, 1)

# What the page's own code says of each fabric; nothing of a server is needed for it.
SCRIPT = """
const said = fabrics.map((fabric) => {
  const tree = new Tree(fabric);
  const maps = [[[], false], [[0], false], [[...Array(tree.pods).keys()], true]].map(([folded, core]) => {
    const map = new Layout(tree, new Set(folded), core);
    return {width: map.width, height: map.height, nodes: [...map.nodes.values()].map(n => [n.id, n.kind, n.x, n.y]),
      links: map.links().map(l => l.ends.length).reduce((a, b) => a + b, 0)};
  });
  const ways = [];
  for (let from = 0; from < tree.hosts; from++) {
    for (let to = 0; to < tree.hosts; to++) {
      if (from !== to) ways.push(tree.path(from, to).length);
    }
  }
  return {maps, hosts: tree.hosts, switches: tree.switches, longest: Math.max(...ways)};
});
document.body.textContent = JSON.stringify(said);
"""


def rows_of(what, layers, arity, uplinks):
    size = ['-l', str(layers), '-d', str(arity), '--uplinks', str(uplinks)]
    text = subprocess.run([DRBTOPO, 'list', what, *size, '--json'], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def links_of(*fabric):
    return [[f"{r[end]}.{r[f'{end}_port']}" for end in ('lower', 'upper')] for r in rows_of('links', *fabric)]


@functools.lru_cache(maxsize=1)
def ask_page():
    if not shutil.which('chromium'):
        raise tap.Skip('chromium is not installed')
    scripts = ''.join(f'<script>{open(f"{PAGE}/{name}", encoding="utf-8").read()}</script>\n'
                      for name in ('tree.js', 'layout.js'))
    sizes = [dict(zip(('layers', 'arity', 'uplinks', 'links'), (*size, links_of(*size)))) for size in FABRICS]
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/page.html'
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'<!DOCTYPE html><html><head><meta charset="utf-8"></head><body></body>\n{scripts}'
                    f'<script>const fabrics = {json.dumps(sizes)};\n{SCRIPT}</script></html>\n')
        dump = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu',
                               f'--user-data-dir={folder}/user', '--dump-dom', f'file://{path}'],
                              capture_output=True, text=True, timeout=60, check=True)
    said = re.search(r'<body>(.*?)</body>', dump.stdout, re.S)
    assert said, dump.stderr
    return json.loads(html.unescape(said.group(1)))


def sizes_are_those_of_drbtopo():
    for fabric, said in zip(FABRICS, ask_page()):
        assert said['switches'] == len(rows_of('switches', *fabric)), fabric
        assert said['hosts'] == len(rows_of('hosts', *fabric)), fabric
        assert said['longest'] == 2 * fabric[0] - 1, fabric


def everything_has_a_place_of_its_own():
    for fabric, said in zip(FABRICS, ask_page()):
        for at, drawn in enumerate(said['maps']):
            nodes = drawn['nodes']
            assert len({(x, y) for _, _, x, y in nodes}) == len(nodes), (fabric, at)
            assert all(0 <= x <= drawn['width'] and 0 <= y <= drawn['height'] for _, _, x, y in nodes), (fabric, at)
        whole, folded = said['maps'][0], said['maps'][2]
        assert sum(kind == 'switch' for _, kind, _, _ in whole['nodes']) == said['switches'], fabric
        assert whole['links'] == len(links_of(*fabric)), fabric
        # Of what is folded only links between pods and groups are left: those of the last layer below the core.
        if fabric[0] > 1:
            layer = f's{fabric[0] - 1}-'
            assert folded['links'] == sum(lower.startswith(layer) for lower, _ in links_of(*fabric)), fabric
            assert {kind for _, kind, _, _ in folded['nodes']} == {'pod', 'group'}, fabric


tap.run((sizes_are_those_of_drbtopo, everything_has_a_place_of_its_own))
