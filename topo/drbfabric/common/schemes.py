# SPDX-License-Identifier: BSD-3-Clause
"""The routing schemes, as drbtopo lists them: those of the tree, and what users ask for: these, variants of them, and
shared objects. Each has a name that tables and pictures have, and a text by which programs take it."""

import functools
import json

from drbfabric.common import children
from drbfabric.common.places import program

# What else has the colour of another one, such as a variant of it.
SPARE = [('#332288', 'P'), ('#882255', 'X'), ('#999933', 'd'), ('#44aa99', '<'), ('#cc6677', '>'), ('#aa4499', 'h')]

_asked = {}


def _listed(*options):
    text = children.run([program('drbtopo', 'topo'), 'schemes', *options, '--json'])
    return [json.loads(line) for line in text.splitlines()]


@functools.cache
def table():
    """{name: {'scheme': text, 'compares': 'none', 'two' or 'all', 'threshold': bool, 'flows': bool,
    'colour': '#0072b2', 'symbol': 'o', 'meaning': text}} of those of the tree."""
    return {row['scheme']: row for row in _listed()}


def named(texts):
    """The names of schemes as users write them."""
    rows = _listed('--scheme', ','.join(texts))
    spare, taken = iter(SPARE), set()
    for row in rows:
        if row['colour'] in taken:
            row['colour'], row['symbol'] = next(spare, SPARE[-1])
        taken.add(row['colour'])
        _asked[row['name']] = row
    return [row['name'] for row in rows]


def row(name):
    """Of a name, or a text."""
    return _asked.get(name) or table().get(name) or _listed('--scheme', name)[0]


def text(name):
    """What programs take it by."""
    return row(name)['scheme']


def has_threshold(name):
    """Whether it goes by the T that is given for all."""
    return row(name)['threshold']


def style(name):
    """Colour and symbol of a scheme in figures."""
    return row(name)['colour'], row(name)['symbol']


def compares_queues(name):
    """Whether decisions compare the queues of uplinks, of which links without a rate have none."""
    return row(name)['compares'] != 'none'
