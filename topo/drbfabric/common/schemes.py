# SPDX-License-Identifier: BSD-3-Clause
"""The routing schemes, as drbtopo lists them."""

import functools
import json

from drbfabric import usage
from drbfabric.common import children
from drbfabric.common.places import program


@functools.cache
def table():
    """{name: {'compares': 'none', 'two' or 'all', 'threshold': bool, 'flows': bool,
    'colour': '#0072b2', 'symbol': 'o', 'meaning': text}}"""
    text = children.run([program('drbtopo', 'topo'), 'schemes', '--json'])
    rows = [json.loads(line) for line in text.splitlines()]
    return {row.pop('scheme'): row for row in rows}


def row(name):
    found = table().get(name)
    if not found:
        raise usage(f"no scheme '{name}': must be {', '.join(table())}")
    return found


def has_threshold(name):
    return row(name)['threshold']


def style(name):
    """Colour and symbol of a scheme in figures."""
    return row(name)['colour'], row(name)['symbol']


def compares_queues(name):
    """Whether decisions compare the queues of uplinks, of which links without a rate have none."""
    return row(name)['compares'] != 'none'
