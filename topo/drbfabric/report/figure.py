# SPDX-License-Identifier: BSD-3-Clause
"""A figure as data: what pictures.py draws."""

from dataclasses import dataclass, field
from typing import NamedTuple
import math


class Point(NamedTuple):
    """half: of the width of its interval. grows: queues do or may, so it is no mean. x of bars is a name.
    note: what stands where a bar would, of a y that is NaN."""
    x: float | str
    y: float
    half: float = math.nan
    grows: bool = False
    note: str = ''


@dataclass
class Axis:
    title: str
    log: bool = False
    low: float | None = None  # where it begins
    base: float | None = None  # from where bars go up or down; None: low


@dataclass
class Series:
    """style: a scheme, "ink", or a number from 1 on of what has an order (styles.py)."""
    label: str
    style: str
    points: list = field(default_factory=list)
    dashed: bool = False
    in_key: bool = True


@dataclass
class Panel:
    """y: its own axis, if it is not that of the figure."""
    title: str = ''
    series: list = field(default_factory=list)
    y: Axis | None = None


@dataclass
class Heat:
    """rows: a list of values for each x, the lowest first."""
    title: str
    x: list
    rows: list


@dataclass
class Figure:
    """kind: lines, steps, bars, heat. Without panels of its own it has one, to which add() adds."""
    name: str
    kind: str
    title: str
    caption: str
    x: Axis
    y: Axis
    panels: list = field(default_factory=list)
    wide: bool = False

    def add(self, label, style, points, **more):
        if not self.panels:
            self.panels.append(Panel())
        self.panels[-1].series.append(Series(label, style, list(points), **more))
