# SPDX-License-Identifier: BSD-3-Clause
"""Draws the fat-tree with the use and the queue of each link: lines of links.csv become SVG.

python3 link_tree.py LINKS.csv >TREE.svg

LINKS.csv comes from an experiment, drbgen replay --links, or drbsim packet --links --csv."""

from __future__ import annotations

import csv
import html
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH, STEP, MARGIN = 900, 110, 40


def _parts(node: str) -> tuple[int, int]:
    """Returns the layer and label of a switch or host."""
    layer, label = ('0', node[1:]) if node[0] == 'h' else node[1:].split('-')
    return int(layer), int(label)


def _place(node: str, count: Mapping[int, int]) -> tuple[float, float]:
    """Returns x and y of a node. count: {layer: number of its nodes}."""
    layer, label = _parts(node)
    return (MARGIN + (label + 0.5) * (WIDTH - 2 * MARGIN) / count[layer],
            MARGIN + (max(count) - layer) * STEP)


def draw(links: Sequence[Mapping[str, Any]], title: str) -> str:
    """Draws a line for each direction of a link. Darker lines had more use, and wider lines a
    longer mean queue. A line is red if the queue grows, and dashed if the machine kept the link
    below 99 % of its rate."""
    nodes = {link['switch'] for link in links} | {link['peer'].split('.')[0] for link in links}
    count: dict[int, int] = {}
    for node in nodes:
        layer = _parts(node)[0]
        count[layer] = count.get(layer, 0) + 1
    height = 2 * MARGIN + max(count) * STEP
    text = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
            f'font-size="9"><rect width="{WIDTH}" height="{height}" fill="white"/>'
            f'<text x="{MARGIN}" y="16" font-size="13">{html.escape(title)}</text>\n')
    for link in sorted(links, key=lambda link: float(link['queue_mean'])):
        (x1, y1), (x2, y2) = _place(link['switch'], count), _place(link['peer'].split('.')[0], count)
        side = -2 if y2 < y1 else 2
        use, queue = min(1, float(link['use'])), float(link['queue_mean'])
        shade = [round(pale + (full - pale) * use) for pale, full in ((225, 0), (235, 114), (245, 178))]
        colour = '#d00' if link['growing'] == 'yes' else f"rgb({','.join(map(str, shade))})"
        slow = ' stroke-dasharray="6 3"' if float(link.get('rate_part') or 1) < 0.99 else ''
        said = (f"{link['switch']}.{link['port']} to {link['peer']}: use {use:.0%}, "
                f"mean queue {queue:.1f}, growing {link['growing']}")
        text += (f'<line x1="{x1 + side:.1f}" y1="{y1}" x2="{x2 + side:.1f}" y2="{y2}" stroke="{colour}" '
                 f'stroke-width="{0.8 + math.log2(1 + queue):.2f}"{slow}><title>{said}</title></line>\n')
    for node in sorted(nodes):
        x, y = _place(node, count)
        if count[_parts(node)[0]] <= 32:
            below = 12 if node[0] == 'h' else 3
            text += f'<text x="{x:.1f}" y="{y + below:.1f}" text-anchor="middle">{node}</text>\n'
    return text + '</svg>\n'


def pictures(runs: Sequence[Mapping[str, Any]], load: float) -> dict[str, tuple[str, str, bool]]:
    """Returns {name: (SVG, caption, True for a wide picture)}. Each scheme has a picture of its
    first run at this load."""
    result: dict[str, tuple[str, str, bool]] = {}
    for run in runs:
        name = re.sub(r'[^\w.-]', '-', f"links-{run['name']}-{load:g}")
        if run['load'] == load and name not in result:
            what = f"{run['name']}, load {load:g}, live, seed {run['seed']}"
            result[name] = (
                draw(run['links'], what),
                f'Links under {what}: the darker the more they were used, the wider the longer their mean queue; red: '
                'it grows; dashed: the machine kept the link below 99 % of its rate.', True)
    return result


if __name__ == '__main__':
    with open(sys.argv[1], encoding='utf-8') as lines:
        print(draw(list(csv.DictReader(lines)), sys.argv[1]), end='')
