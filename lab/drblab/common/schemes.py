# SPDX-License-Identifier: BSD-3-Clause
"""The routing schemes that drbtopo lists."""

from __future__ import annotations

import functools
import json
import subprocess

from drblab.models import program


@functools.cache
def styles() -> dict[str, tuple[str, str]]:
    """The colour and the symbol of each scheme in pictures."""
    told = subprocess.run([program('drbtopo', 'topo'), 'schemes', '--json'], capture_output=True,
                          text=True, check=True).stdout
    rows = [json.loads(line) for line in told.splitlines()]
    return {row['scheme']: (row['colour'], row['symbol']) for row in rows}


def style(name: str) -> tuple[str, str]:
    """The colour and the symbol of a scheme in pictures."""
    return styles()[name]
