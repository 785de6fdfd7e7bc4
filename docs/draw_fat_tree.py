#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws docs/fat-tree.svg: F(3,2), and one decision about a packet from h4 to h10.

    docs/draw_fat_tree.py [BUILD] > docs/fat-tree.svg

Wiring, path and queues come from drbtopo and from the example that links libdrb. The
colours have a contrast of at least 4 to white and to the page of a dark theme.
"""

import json
import re
import subprocess
import sys

BUILD = sys.argv[1] if len(sys.argv) > 1 else 'build'
GREY, BLUE, ORANGE, TEXT = '#8b949e80', '#2f7fdb', '#c95f1a', '#6e7b8a'
WIDTH, HEIGHT = 900, 430
LEVEL = {1: 265, 2: 165, 3: 65}
HOSTS_Y = 350


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def path(*arguments):
    """The nodes that the example prints, and its first line about a decision."""
    lines = run(f'{BUILD}/examples/route', '3', '2', '4', '10', *arguments).splitlines()
    return [line.split('.')[0] for line in lines], lines[1]


def place(node, counts):
    """Returns x and y of a node: hosts below, switches by layer, spread over 600 pixels."""
    if node[0] == 'h':
        layer, number = 0, int(node[1:])
    else:
        layer, number = (int(n) for n in node[1:].split('-'))
    return 20 + 580 * (number + 0.5) / counts[layer], LEVEL.get(layer, HOSTS_Y)


def line(a, b, colour, width, more=''):
    return (f'<line x1="{a[0]:.1f}" y1="{a[1]}" x2="{b[0]:.1f}" y2="{b[1]}" stroke="{colour}" '
            f'stroke-width="{width}"{more}/>')


def text(x, y, words, colour=TEXT, size=13, anchor='middle', more=''):
    return (f'<text x="{x:.1f}" y="{y}" fill="{colour}" font-size="{size}" '
            f'text-anchor="{anchor}"{more}>{words}</text>')


def tree(taken, default):
    """The fabric with both paths."""
    rows = [json.loads(row) for row in
            run(f'{BUILD}/src/plan/drbtopo', 'list', '-l', '3', '-d', '2', '--json').splitlines()]
    counts = {0: 16, 1: 8, 2: 8, 3: 4}
    ends = {(row['switch'], far.split('.')[0])
            for row in rows for far in re.findall(r'd\d+=(\S+)', row['links'])}
    out = [line(place(a, counts), place(b, counts), GREY, 1) for a, b in sorted(ends)]
    for nodes, colour, more in ((default, BLUE, ' stroke-dasharray="6 4"'), (taken, ORANGE, '')):
        out += [line(place(a, counts), place(b, counts), colour, 3, more)
                for a, b in zip(nodes, nodes[1:])]
    for node in [f'h{n}' for n in range(16)] + [row['switch'] for row in rows]:
        x, y = place(node, counts)
        colour = ORANGE if node in taken else BLUE if node in default else TEXT
        if node[0] == 'h':
            out += [f'<circle cx="{x:.1f}" cy="{y}" r="6" fill="{colour}"/>',
                    text(x, y + 24, node, colour, 12)]
        else:
            out.append(f'<rect x="{x - 9:.1f}" y="{y - 9}" width="18" height="18" rx="3" '
                       f'fill="{colour}"/>')
    x, y = place(taken[1], counts)
    out.append(text(x - 14, y + 5, taken[1], ORANGE, 12, anchor='end'))
    for layer, name in ((3, 'core'), (2, 'aggregation'), (1, 'edge')):
        out.append(text(612, LEVEL[layer] + 5, name, anchor='start'))
    return out + [text(612, HOSTS_Y + 5, 'hosts', anchor='start')]


def decision(words, switch):
    """Returns the drawing of the queues of the first switch, and of its decision."""
    candidate, default = (int(n) for n in re.findall(r'(\d+) queued; default u0: (\d+)', words)[0])
    queued = [default, candidate]
    out = [text(795, 75, f'decision at {switch}, T = 2', size=14, more=' font-weight="bold"')]
    for u, (count, colour) in enumerate(zip(queued, (BLUE, ORANGE))):
        x = 740 + 90 * u
        out.append(f'<rect x="{x}" y="90" width="42" height="116" fill="none" stroke="{TEXT}"/>')
        out += [f'<rect x="{x + 4}" y="{188 - 16 * n}" width="34" height="12" fill="{colour}"/>'
                for n in range(count)]
        out.append(text(x + 21, 226, f'u{u}: {count}', colour))
    out += [text(761, 245, 'default', BLUE), text(851, 245, 'candidate', ORANGE)]
    return out + [text(795, 275, f'{queued[1]} &lt; {queued[0]} &#8722; T: redirected', size=14)]


def main():
    taken, words = path('drb', '2', '21')
    default, _ = path('dmodk', '2', '21')
    body = tree(taken, default) + decision(words, taken[1])
    body += [line((40, 405), (75, 405), BLUE, 3, ' stroke-dasharray="6 4"'),
             text(85, 410, 'default path from h4 to h10 (D-mod-k)', BLUE, anchor='start'),
             line((400, 405), (435, 405), ORANGE, 3),
             text(445, 410, 'path taken: redirected at s1-2, just as long', ORANGE, anchor='start')]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 40 {WIDTH} {HEIGHT - 45}" '
          f'width="{WIDTH}" font-family="sans-serif">')
    print('<title>A fat-tree F(3,2) and one decision of DRB</title>')
    print('\n'.join(body))
    print('</svg>')


if __name__ == '__main__':
    main()
