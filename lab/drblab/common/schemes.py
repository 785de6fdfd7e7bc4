# SPDX-License-Identifier: BSD-3-Clause
"""The routing schemes that drbtopo lists.

Users give built-in schemes, variants of them, and shared objects. Each scheme has a name, which is
used in tables and pictures, and a text, which programs take as an argument."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any

from drblab.child import output_of
from drblab.models import program

# Colours and symbols for schemes whose own colour is taken by another one, such as variants.
SPARE = [('#332288', 'P'), ('#882255', 'X'), ('#999933', 'd'), ('#44aa99', '<'), ('#cc6677', '>'),
         ('#aa4499', 'h')]

_asked: dict[str, dict[str, Any]] = {}


def _listed(*options: str) -> list[dict[str, Any]]:
    told = output_of([program('drbtopo', 'plan'), 'schemes', *options, '--json'])
    return [json.loads(line) for line in told.splitlines()]


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    return {row['scheme']: row for row in _listed()}


def named(texts: Sequence[str]) -> dict[str, str]:
    """{name: text} of schemes that are given by their texts. Each gets a style of its own."""
    rows = _listed('--scheme', ','.join(texts))
    spare, taken = iter(SPARE), set()
    for row in rows:
        if row['colour'] in taken:
            row['colour'], row['symbol'] = next(spare, SPARE[-1])
        taken.add(row['colour'])
        _asked[row['name']] = row
    return {row['name']: row['scheme'] for row in rows}


def row_of(name: str) -> dict[str, Any]:
    """The row of drbtopo's table for a scheme, by its name."""
    return _asked.get(name) or _table()[name]


def styles() -> dict[str, tuple[str, str]]:
    """The colour and the symbol of each built-in scheme in pictures."""
    return {name: (row['colour'], row['symbol']) for name, row in _table().items()}


def style(name: str) -> tuple[str, str]:
    """The colour and the symbol of a scheme in pictures."""
    return row_of(name)['colour'], row_of(name)['symbol']
