# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of frames. A scheme has the same colour and mark everywhere."""

from __future__ import annotations

import io
import os
from typing import Any

import pandas
from matplotlib import ticker
from matplotlib.figure import Figure

from drblab.common import schemes
from drblab.report import growing
from drblab.report.styles import GRID, ORDER, SIZE


class Picture(Figure):
    """A figure that a notebook shows."""

    def _repr_svg_(self) -> str:
        text = io.StringIO()
        self.savefig(text, format='svg', metadata={'Date': None})
        return text.getvalue()


def styles(names: list[Any]) -> dict[Any, tuple[str, str]]:
    """The colour and the mark of each name. Names that are not schemes get free ones, in order."""
    known = schemes.styles()
    taken = {known[name] for name in names if name in known}
    spare = iter([style for style in ORDER if style not in taken] * len(names))
    return {name: known.get(name) or next(spare) for name in names}


def lines(frame: pandas.DataFrame, x: str, y: str, by: str, *, unit: str = '', log: bool = False,
          title: str = '', path: str | os.PathLike[str] | None = None) -> Picture:
    """Draws a line for each value of a column, with intervals.

    Parameters
    ----------
    frame
        From `mean()`. A column `Y_half` gives intervals. Points whose queues grow (`growing` is
        not "no") are lower bounds; they are hollow, with an arrow, and not joined to others.
    x, y
        Columns of the axes.
    by
        The column with a line for each of its values.
    unit
        Unit of column `y`, for the title of the axis.
    log
        True: the axis of `y` is logarithmic.
    title
        Title above the picture.
    path
        File into which the picture is also written: .svg, .pdf or .png.

    Returns
    -------
    Picture
        A matplotlib figure, which a notebook shows.
    """
    figure = Picture(figsize=SIZE, layout='constrained')
    axes = figure.subplots()
    of = styles(list(dict.fromkeys(frame[by])))
    for name, group in frame.groupby(by, sort=False):
        colour, mark = of[name]
        grows = group['growing'] != 'no' if 'growing' in group else group[y].isna()
        settled = group[~grows]
        # One run has no interval, and matplotlib fails without any.
        half = settled.get(f'{y}_half')
        half = None if half is None or half.isna().all() else half
        axes.errorbar(settled[x], settled[y], half, color=colour, marker=mark, markersize=4,
                      linewidth=1.5, capsize=2, label=name)
        growing.mark(axes, list(group[grows][x]), list(group[grows][y]), colour, mark)
    axes.set_xlabel(x)
    axes.set_ylabel(f'{y} ({unit})' if unit else y)
    axes.set_title(title)
    axes.grid(color=GRID, linewidth=0.7)
    if log:
        _set_log(axes)
    axes.legend(frameon=False, title=by)
    if path is not None:
        figure.savefig(path, metadata={'Date': None} if str(path).endswith('.svg') else None)
    return figure


def _set_log(axes: Any) -> None:
    """Sets a logarithmic axis with labels such as 5, 10 and 20."""
    axes.set_yscale('log')
    low, high = axes.get_ylim()
    steps = (1, 2, 5) if high > 10 * low else (1, 1.5, 2, 3, 4, 5, 7)
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=steps))
    axes.yaxis.set_major_formatter(ticker.FormatStrFormatter('%g'))
    axes.yaxis.set_minor_locator(ticker.NullLocator())
