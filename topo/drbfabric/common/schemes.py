# SPDX-License-Identifier: BSD-3-Clause
"""The routing schemes that drbtopo lists.

Users may give built-in schemes, variants of them, and shared objects. Each scheme has a name, which
is used in tables and pictures, and a text, which programs take as an argument."""

import functools
import json

from drbfabric.common import children
from drbfabric.common.places import program

# Colours and symbols for schemes whose own colour is taken by another one, such as variants.
SPARE = [('#332288', 'P'), ('#882255', 'X'), ('#999933', 'd'), ('#44aa99', '<'), ('#cc6677', '>'), ('#aa4499', 'h')]

_asked = {}


def _listed(*options):
    text = children.run([program('drbtopo', 'topo'), 'schemes', *options, '--json'])
    return [json.loads(line) for line in text.splitlines()]


@functools.cache
def table():
    """{name: {'scheme': text, 'compares': 'none', 'two' or 'all', 'threshold': bool, 'flows': bool,
    'colour': '#0072b2', 'symbol': 'o', 'meaning': text}} of the built-in schemes."""
    return {row['scheme']: row for row in _listed()}


def named(texts):
    """The names of schemes that are given by their texts."""
    rows = _listed('--scheme', ','.join(texts))
    spare, taken = iter(SPARE), set()
    for row in rows:
        if row['colour'] in taken:
            row['colour'], row['symbol'] = next(spare, SPARE[-1])
        taken.add(row['colour'])
        _asked[row['name']] = row
    return [row['name'] for row in rows]


def row(name):
    """The row of table() for a scheme, by its name or its text."""
    return _asked.get(name) or table().get(name) or _listed('--scheme', name)[0]


def text(name):
    """The text by which programs take a scheme."""
    return row(name)['scheme']


def has_threshold(name):
    """Returns whether a scheme uses the threshold T that is given for all schemes."""
    return row(name)['threshold']


def style(name):
    """The colour and the symbol of a scheme in figures."""
    return row(name)['colour'], row(name)['symbol']


def compares_queues(name):
    """Returns whether decisions compare the queues of uplinks.

    Links without a rate have no queues."""
    return row(name)['compares'] != 'none'
