# SPDX-License-Identifier: BSD-3-Clause
"""How pictures show points whose queues grow: their values are lower bounds, not means."""

from collections.abc import Sequence
from typing import Any

from matplotlib.transforms import offset_copy

LABEL = 'queues grow or may: lower bound'
UPWARDS = '^'
SIZE = 3.5  # points


def mark(axes: Any, xs: Sequence[Any], ys: Sequence[float], colour: str, marker: str) -> None:
    """Draws the scheme's mark, hollow, and a small arrow head above it."""
    axes.plot(xs, ys, linestyle='', marker=marker, markersize=5, color=colour, markerfacecolor='none')
    above = offset_copy(axes.transData, axes.figure, y=6, units='points')
    axes.plot(xs, ys, linestyle='', marker=UPWARDS, markersize=SIZE, color=colour, transform=above)
