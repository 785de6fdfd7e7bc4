# SPDX-License-Identifier: BSD-3-Clause
"""Figures as data, which pictures.py draws."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple


class Point(NamedTuple):
    """A point of a series. x: a number, or a name for bars. half: half the width of its interval.
    grows: queues grow or may grow, so y is not a mean. note: text in place of a bar if y is NaN."""
    x: float | str
    y: float
    half: float = math.nan
    grows: bool = False
    note: str = ''


@dataclass
class Axis:
    title: str
    log: bool = False
    low: float | None = None  # beginning of the axis
    base: float | None = None  # value at which bars begin; None: low


@dataclass
class Series:
    """A line, or bars of one colour. style: a scheme, "ink", or the number of an ordered value,
    from 1 (styles.py)."""
    label: str
    style: str
    points: list[Point] = field(default_factory=list)
    dashed: bool = False
    in_key: bool = True


@dataclass
class Panel:
    """A part of a figure; y: its own axis, None: that of the figure."""
    title: str = ''
    series: list[Series] = field(default_factory=list)
    y: Axis | None = None


@dataclass
class Figure:
    """A figure; kind: lines, steps or bars. If it has no panels, add() makes one."""
    name: str
    kind: str
    title: str
    caption: str
    x: Axis
    y: Axis
    panels: list[Panel] = field(default_factory=list)
    wide: bool = False

    def add(self, label: str, style: str, points: Iterable[Point], **more: bool) -> None:
        """Adds a series to the last panel."""
        if not self.panels:
            self.panels.append(Panel())
        self.panels[-1].series.append(Series(label, style, list(points), **more))
