#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the fat-tree of drbctl's page with drbtopo's, and checks positions on its map.

Includes fabrics with fewer uplinks, and the panel of a switch that does not report a counter.

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
from contrast import contrast, luminance  # noqa: E402

# (layers, arity, uplinks of layer 1)
FABRICS = (1, 3, 3), (2, 3, 3), (3, 2, 2), (2, 4, 2), (3, 2, 1), (3, 4, 2), (3, 3, 2), (4, 2, 1)

# Prints what the page's own code computes for each fabric. It needs no server.
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

# Prints the panel's texts for each missing counter: for the fabric, a switch and a port.
PANEL = """
const said = missing.map((key) => {
  const history = new History('drb');
  for (const number of [1, 2]) {
    const count = keys.map((k) => (k === key ? null : 1000 * number));
    const ports = ['d0', 'd1', 'u0', 'u1'].map((name) => ({name, peer: '', neighbour: '', state: 'up', usable: true,
      rate: '100kpps', queue: 16, count}));
    const routing = Object.fromEntries(routingKeys.map((k) => [k, k === key ? null : 10 * number]));
    history.add({unix_ms: number, time_ns: number, port_counters: keys, fabrics: [fabric], switches: [{fabric: 'drb',
      name: 's1-0', layer: 1, label: 0, up: true, pid: 1, time_ns: number * 1e9, scheme: 'drb', unit: 'packet',
      threshold: 2, trouble: '', routing, drops: {}, ports}]}, Infinity);
  }
  const frame = history.last, panel = new Panel(document.createElement('div'), () => {});
  return [{}, {name: 's1-0'}, {name: 's1-0', port: 'u0'}].map((chosen) => {
    panel.show(history, frame, {from: null, to: null, name: null, port: null, ...chosen});
    return [...panel.element.querySelectorAll('td, figcaption, p')].map((e) => e.textContent);
  });
});
document.body.textContent = JSON.stringify(said);
"""

# Prints, for each fabric and each trouble, which words of the map cover another or a node, and all
# of them. Every link is slowed, each by another share; s1-1 is dead or drained, too.
MARKS = """
document.head.append(Object.assign(document.createElement('style'), {textContent: style}));
document.body.innerHTML = '<p id=slowed></p><p id=tip></p><svg id=map style="width:1000px"></svg>';
const covers = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 &&
  a.top < b.bottom - 0.5 && b.top < a.bottom - 0.5;
const keys = ['out_packets', 'lost_credit_ns'];
const states = {dead: ['down', 'down'], drained: ['drained', 'drained by neighbour']};
const troubles = ['slowed', 'dead', 'drained', 'busy'];
const said = widths.map((width) => fabrics.flatMap(({fabric, folded}) => troubles.map((trouble) => {
  document.getElementById('map').style.width = `${width}px`;
  const history = new History('drb'), tree = new Tree(fabric);
  for (const number of [1, 2]) {
    const switches = [];
    for (let layer = 1; layer <= tree.layers; layer++) for (let label = 0; label < tree.count(layer); label++) {
      const name = tree.name(layer, label), mine = name === 's1-1', down = tree.downPorts(layer);
      const ports = Array.from({length: tree.portsOf(layer)}, (_, p) => {
        const other = tree.peer(layer, label, p >= down, p >= down ? p - down : p);
        const near = mine || (other.layer === 1 && other.label === 1);
        return {name: p < down ? `d${p}` : `u${p - down}`, queue: 16, rate: '100kpps', usable: true,
          state: !near || !states[trouble] ? 'up' : mine ? states[trouble][0] : states[trouble][1],
          count: [1000 * number, number * 1e7 * (trouble === 'busy' ? 3 : 2 + (label * 7 + p * 5) % 60)]};
      });
      const dead = mine && trouble === 'dead';
      switches.push({fabric: 'drb', name, layer, label, up: !dead, state: dead ? 'dead' : 'running', pid: 1,
        time_ns: number * 1e9, scheme: 'drb', trouble: '', routing: {}, drops: {}, ports, capturing: mine ? 1 : 0});
    }
    history.add({unix_ms: number * 1000, port_counters: keys, fabrics: [{...fabric, fabric: 'drb'}], switches},
      Infinity);
  }
  const map = new FabricMap(document.getElementById('map'), {});
  map.draw(tree, new Layout(tree, new Set(folded ? [...Array(tree.pods).keys()] : []), folded));
  map.paint(history, history.last, null);
  const boxes = (which) => [...document.querySelectorAll(which)].map((e) => [e.textContent, e.getBoundingClientRect()]);
  const words = boxes('.marks text'), nodes = boxes('.box, .host circle, .host text');
  // The boxes of texts are higher than their letters.
  const letters = ({left, right, top, bottom, height}) =>
    ({left, right, top: top + height / 8, bottom: bottom - height / 8});
  const all = boxes('#map text').map(([text, box]) => [text, letters(box)]);
  const others = (boxes, a, i) => boxes.some(([, b], k) => k !== i && covers(a, b));
  const covered = words.filter(([, a], i) => others(words, a, i) || others(nodes, a)).concat(
    all.filter(([, a], i) => others(all, a, i)));
  const notes = boxes('.note').map(([text]) => text);
  return {trouble, notes, covered: covered.map(([text]) => text), words: words.map(([text]) => text),
    above: document.getElementById('slowed').textContent};
})));
document.body.textContent = JSON.stringify(said);
"""

# Prints the colour of each name on a card, and the card's, as red, green and blue, light and dark.
COLOURS = """
const sheet = document.head.appendChild(Object.assign(document.createElement('style'), {textContent: style})).sheet;
const context = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const probe = document.body.appendChild(document.createElement('p'));
const colour = (name) => {
  probe.style.color = `var(--${name})`;
  context.fillStyle = getComputedStyle(probe).color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const all = () => Object.fromEntries(['card', ...colours].map((name) => [name, colour(name)]));
const light = all();
const dark = [...sheet.cssRules].find((rule) => rule.conditionText?.includes('dark'));
sheet.insertRule(dark.cssRules[0].cssText, [...sheet.cssRules].indexOf(dark) + 1);
document.body.textContent = JSON.stringify([light, all()]);
"""

# Prints the most keys from the first node of the map to any switch, for each fabric.
KEYS = """
const said = fabrics.map((fabric) => {
  const nodes = [...new Layout(new Tree(fabric), new Set(), false).nodes.values()], steps = new Map([[nodes[0], 0]]);
  for (const [from, count] of steps) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End']) {
      const to = nextNode(nodes, from, key);
      if (to && !steps.has(to)) steps.set(to, count + 1);
    }
  }
  const switches = [...steps].filter(([n]) => n.kind === 'switch');
  return [steps.size === nodes.length, Math.max(...switches.map(([, count]) => count))];
});
document.body.textContent = JSON.stringify(said);
"""


def rows_of(what, layers, arity, uplinks):
    size = ['-l', str(layers), '-d', str(arity), '--uplinks', str(uplinks)]
    text = subprocess.run([DRBTOPO, 'list', what, *size, '--json'], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def links_of(*fabric):
    return [[f"{r[end]}.{r[f'{end}_port']}" for end in ('lower', 'upper')] for r in rows_of('links', *fabric)]


def run_page(names, script, **data):
    """Runs files of the page, then the script, which leaves JSON as the text of the body."""
    if not shutil.which('chromium'):
        raise tap.Skip('chromium is not installed')
    scripts = ''.join(f'<script>{open(f"{PAGE}/{name}", encoding="utf-8").read()}</script>\n'
                      for name in names)
    given = ''.join(f'const {key} = {json.dumps(value)};\n' for key, value in data.items())
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/page.html'
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'<!DOCTYPE html><html><head><meta charset="utf-8"></head><body></body>\n{scripts}'
                    f'<script>{given}{script}</script></html>\n')
        dump = subprocess.run(['chromium', '--headless', '--no-sandbox', '--disable-gpu',
                               f'--user-data-dir={folder}/user', '--dump-dom', f'file://{path}'],
                              capture_output=True, text=True, timeout=60, check=True)
    said = re.search(r'<body>(.*?)</body>', dump.stdout, re.S)
    assert said, dump.stderr
    return json.loads(html.unescape(said.group(1)))


@functools.lru_cache(maxsize=1)
def ask_page():
    return run_page(('tree.js', 'layout.js'), SCRIPT, fabrics=[fabric_of(*size) for size in FABRICS])


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
        # Folding leaves only links between pods and groups: those of the last layer below the core.
        if fabric[0] > 1:
            layer = f's{fabric[0] - 1}-'
            assert folded['links'] == sum(lower.startswith(layer) for lower, _ in links_of(*fabric)), fabric
            assert {kind for _, kind, _, _ in folded['nodes']} == {'pod', 'group'}, fabric


def what_is_not_reported_is_unknown():
    keys = ['in_packets', 'out_packets', 'in_octets', 'out_octets', 'queue_packets', 'in_missed', 'lost_credit_ns']
    routing = ['up_default', 'up_redirected']
    missing = [None, *keys, *routing]
    fabric = {'fabric': 'drb', **dict(zip(('layers', 'arity', 'uplinks'), (2, 2, 2))), 'links': links_of(2, 2, 2)}
    said = run_page(('tree.js', 'history.js', 'timeline.js', 'map.js', 'panel.js'), PANEL, keys=keys,
                    routingKeys=routing, missing=missing, fabric=fabric)
    for key, views in zip(missing, said):
        texts = [text for view in views for text in view]
        assert not any(re.search('NaN|null|undefined|Infinity', text) for text in texts), (key, texts)
        port = dict(zip(views[2], views[2][1:]))  # the cell after a name has its value
        assert [port[k] for k in keys] == ['–' if k == key else '2,000' for k in keys], (key, port)
        sent = 'sent: – ' if key == 'out_packets' else 'sent: 1,000 '
        share = 'redirected: – ' if key in routing else 'redirected: 50 %'
        for view, begin in ((2, sent), (1, share)):
            assert any(text.startswith(begin) for text in views[view]), (key, begin, views[view])


def fabric_of(*size):
    return dict(zip(('layers', 'arity', 'uplinks', 'links'), (*size, links_of(*size))))


def no_word_of_the_map_covers_another():
    drawn = [{'fabric': fabric_of(layers, d, d), 'folded': folded} for layers, d, folded in
             ((2, 2, False), (3, 2, False), (3, 4, False), (3, 4, True))]
    files = ('tree.js', 'history.js', 'layout.js', 'viewport.js', 'marks.js', 'map.js')
    with open(f'{PAGE}/style.css', encoding='utf-8') as f:
        style = f.read()
    for said in run_page(files, MARKS, fabrics=drawn, style=style, widths=(1000, 640, 340)):
        words_have_room(drawn, said)


def words_have_room(drawn, all_said):
    for i, said in enumerate(all_said):
        where = drawn[i // 4]['fabric']['layers'], drawn[i // 4]['fabric']['arity'], said
        assert said['covered'] == [], where
        slowed = [word for word in said['words'] if word.startswith('slowed')]
        assert len(slowed) <= 3 and (len(slowed) > 0) == (said['trouble'] != 'busy'), where
        assert ('dead' in said['words'], 'down' in said['words']) == (False, False), where
        assert said['notes'].count('capturing') == (said['trouble'] != 'dead'), where
        if drawn[i // 4]['folded']:
            continue
        assert any(word.startswith('drained') for word in said['words']) == (said['trouble'] == 'drained'), where
        busy = 'all links slowed 3 %: the machine is busy'
        assert re.match('(?:all|most) links slowed ', said['above']), where
        assert (said['above'] == busy) == (said['trouble'] == 'busy'), where


def every_mark_stands_out():
    """On light and on dark cards, by 3 to 1 for marks and 4.5 to 1 for words."""
    loads, words = [f'l{i}' for i in range(1, 11)], ['fg', 'dim', 'bad']
    marks = ['l0', *loads, 'queue', 'warn', 'delivered', 'redirected', 'accent', 'band', 'good']
    with open(f'{PAGE}/style.css', encoding='utf-8') as f:
        style = f.read()
    for scheme in run_page((), COLOURS, style=style, colours=marks + words):
        for name in marks + words:
            seen = contrast(scheme[name], scheme['card'])
            assert seen >= (4.5 if name in words else 3), (name, scheme[name], seen)
        light = [luminance(scheme[name]) for name in loads]
        steps = [b - a for a, b in zip(light, light[1:])]
        assert all(step > 0 for step in steps) or all(step < 0 for step in steps), (scheme, steps)


def keys_reach_every_switch():
    """Tab reaches the map, and keys from there every switch, in fewer than 20 steps."""
    with open(f'{PAGE}/index.html', encoding='utf-8') as f:
        tabs = len(re.findall('<(?:select|input|button)', f.read().split('<svg id="map"', maxsplit=1)[0])) + 1
    sizes = (3, 2, 2), (3, 4, 4), (2, 8, 8)
    said = run_page(('tree.js', 'layout.js', 'viewport.js'), KEYS, fabrics=[fabric_of(*size) for size in sizes])
    for size, (all_of_them, most) in zip(sizes, said):
        assert all_of_them and tabs + most < 20, (size, tabs, most)


tap.run((sizes_are_those_of_drbtopo, everything_has_a_place_of_its_own, no_word_of_the_map_covers_another,
         every_mark_stands_out, keys_reach_every_switch, what_is_not_reported_is_unknown))
