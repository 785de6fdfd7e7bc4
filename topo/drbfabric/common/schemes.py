# SPDX-License-Identifier: BSD-3-Clause
"""The routing schemes that drbtopo lists: built-in ones, variants of them, and shared objects."""

import functools
import json

from drbfabric.common import children
from drbfabric.common.places import program


def _listed(*options):
    text = children.run([program('drbtopo', 'plan'), 'schemes', *options, '--json'])
    return [json.loads(line) for line in text.splitlines()]


@functools.cache
def table():
    """{name: {'scheme': text, 'compares': 'none', 'two' or 'all', 'threshold': bool, 'flows': bool,
    'colour': '#0072b2', 'symbol': 'o', 'meaning': text}} of the built-in schemes."""
    return {row['scheme']: row for row in _listed()}


@functools.cache
def row(scheme):
    """The row of table() for a scheme, as it is given to programs."""
    return table().get(scheme) or _listed('--scheme', scheme)[0]


def has_threshold(scheme):
    """Returns whether a scheme uses the threshold T that is given for all schemes."""
    return row(scheme)['threshold']


def compares_queues(scheme):
    """Returns whether decisions compare the queues of uplinks.

    Links without a rate have no queues."""
    return row(scheme)['compares'] != 'none'
