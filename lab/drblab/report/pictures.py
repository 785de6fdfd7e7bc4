# SPDX-License-Identifier: BSD-3-Clause
"""Draws figures as SVG, which turn dark with the reader's page, and as PDF."""

import concurrent.futures
import io
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib import rcParams, ticker
from matplotlib.figure import Figure as Canvas
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ..common import files
from . import growing
from .figure import Axis, Figure, Panel, Series
from .styles import DARK_GRID, DARK_INK, DARK_PAPER, GRID, INK, PAPER, SIZE, style_of

rcParams.update({'svg.fonttype': 'none', 'svg.hashsalt': 'drb', 'pdf.fonttype': 42, 'font.family': 'sans-serif',
                 'font.sans-serif': ['DejaVu Sans'], 'font.size': 11, 'axes.titlesize': 12, 'axes.titley': 1.0,
                 'axes.axisbelow': True, 'axes.grid': True, 'grid.color': GRID, 'grid.linewidth': 0.7,
                 'figure.facecolor': PAPER})
PANEL_WIDTH, PANEL_HEIGHT, KEY_ROW = 4, 3.2, 0.24  # inches
DARK_STYLE = (f'<style>@media (prefers-color-scheme:dark){{[style*="fill: {PAPER}"]{{fill:{DARK_PAPER} !important}}'
              f'text{{fill:{DARK_INK}}}[style*="stroke: {INK}"]{{stroke:{DARK_INK} !important}}'
              f'[style*="fill: {INK}"]{{fill:{DARK_INK} !important}}'
              f'[style*="stroke: {GRID}"]{{stroke:{DARK_GRID} !important}}}}</style>')


def _set_axis(axis: Any, of: Axis, limits: Callable[[float], Any], whole: bool = False) -> None:
    axis.set_label_text(of.title)
    if of.log:
        axis.axes.set(**{f'{axis.axis_name}scale': 'log'})
        if of.low is None or of.low >= 1e-3:  # values of everyday size need no powers of ten
            low, high = axis.get_view_interval()
            axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high > 10 * low else (1, 1.5, 2, 3, 4, 5, 7)))
            axis.set_major_formatter(ticker.FormatStrFormatter('%g'))
        axis.set_minor_locator(ticker.NullLocator())
    elif whole:
        axis.set_major_locator(ticker.MaxNLocator(integer=True))
    if of.low is not None:
        limits(of.low)


def _whole(value: float) -> float:
    return 0 if math.isnan(value) else value


def _line(axes: Any, series: Series, kind: str) -> None:
    """Draws a series. Points that are not means are not joined to others."""
    colour, mark = style_of(series.style)
    style = '--' if series.dashed else '-'
    xs = [p.x for p in series.points]
    if kind == 'steps':
        axes.step(xs, [p.y for p in series.points], where='post', color=colour, linestyle=style, linewidth=1.5)
        return
    grows = [p for p in series.points if p.grows]
    if len(grows) < len(series.points):
        axes.errorbar(xs, [math.nan if p.grows else p.y for p in series.points],
                      [_whole(p.half) for p in series.points], color=colour, marker=mark, linestyle=style,
                      markersize=4, linewidth=1.5, capsize=2)
    growing.mark(axes, [p.x for p in grows], [p.y for p in grows], colour, mark)


def _bars(axes: Any, panel: Panel, base: float) -> None:
    """Draws bars. A bar is hollow if its value is not a mean."""
    names = list(dict.fromkeys(p.x for series in panel.series for p in series.points))
    width = 0.85 / max(1, len(panel.series))
    for i, series in enumerate(panel.series):
        at = {name: k + (i - (len(panel.series) - 1) / 2) * width for k, name in enumerate(names)}
        colour = style_of(series.style)[0]
        drawn = [p for p in series.points if not math.isnan(p.y)]
        axes.bar([at[p.x] for p in drawn], [p.y - base for p in drawn], width, base, edgecolor=colour,
                 color=[PAPER if p.grows else colour for p in drawn],
                 alpha=0.45 if series.dashed else 1, yerr=[_whole(p.half) for p in drawn],
                 error_kw={'elinewidth': 1, 'ecolor': INK})
        for p in series.points:
            if p.note:
                axes.text(at[p.x], base, p.note, rotation=90, ha='center', va='bottom', fontsize=8, color=colour)
    axes.set_xticks(range(len(names)), names)
    axes.grid(axis='x', visible=False)


def _key_of(figure: Figure) -> dict[str, Any]:
    """The entries of the legend: {label: handle} over all panels."""
    handles: dict[str, Any] = {}
    for series in (s for panel in figure.panels for s in panel.series if s.label and s.in_key):
        colour, mark = style_of(series.style)
        if figure.kind == 'bars':
            handles.setdefault(series.label, Patch(color=colour, alpha=0.45 if series.dashed else 1))
        else:
            handles.setdefault(series.label, Line2D([], [], color=colour, linewidth=1.5, markersize=4,
                                                    marker='' if figure.kind == 'steps' else mark,
                                                    linestyle='--' if series.dashed else '-'))
    if any(p.grows for panel in figure.panels for s in panel.series for p in s.points):
        handles[growing.LABEL] = Patch(edgecolor=INK, facecolor='none') if figure.kind == 'bars' else \
            Line2D([], [], linestyle='', marker=growing.UPWARDS, markersize=growing.SIZE, color=INK)
    return handles


def _draw_panel(axes: Any, figure: Figure, panel: Panel) -> None:
    y = panel.y or figure.y
    if figure.kind == 'bars':
        _bars(axes, panel, (y.low or 0) if y.base is None else y.base)
    for series in panel.series if figure.kind != 'bars' else ():
        _line(axes, series, figure.kind)
    whole = all(isinstance(p.x, int) for series in panel.series for p in series.points)
    _set_axis(axes.xaxis, figure.x, lambda low: axes.set_xlim(left=low), whole)
    _set_axis(axes.yaxis, y, lambda low: axes.set_ylim(bottom=low))
    if panel.title:
        axes.set_title(panel.title)


def _add_key(canvas: Any, key: dict[str, Any]) -> int:
    """Adds the legend with as many columns as fit; returns their number."""
    for columns in range(min(4, max(1, len(key['labels']))), 1, -1):
        legend = canvas.legend(**key, loc='lower center', ncol=columns)
        if legend.get_window_extent().width <= canvas.bbox.width:
            return columns
        legend.remove()
    canvas.legend(**key, loc='lower center')
    return 1


def _draw_lines(canvas: Any, figure: Figure) -> None:
    """Draws one panel with the legend below it, or several with the legend beside them."""
    handles = _key_of(figure)
    key = {'handles': list(handles.values()), 'labels': list(handles), 'frameon': False, 'fontsize': 10}
    if len(figure.panels) <= 1:
        axes = canvas.subplots()
        _draw_panel(axes, figure, figure.panels[0])
        axes.set_title(figure.title)
        width, height = SIZE[0] * (1.7 if figure.wide else 1), SIZE[1]
        canvas.set_size_inches(width, height)
        rows = math.ceil(len(handles) / _add_key(canvas, key))
        height += KEY_ROW * rows
        canvas.set_size_inches(width, height)
        canvas.subplots_adjust(0.14, (0.6 + KEY_ROW * rows) / height, 0.97, 1 - 0.35 / height)
        return
    columns = 2 if len(figure.panels) == 3 else 3
    grid = canvas.subplots(math.ceil((len(figure.panels) + 1) / columns), columns, squeeze=False)
    height = PANEL_HEIGHT * len(grid)
    canvas.set_size_inches(PANEL_WIDTH * columns, height)
    canvas.subplots_adjust(0.06, 0.6 / height, 0.98, 1 - 0.75 / height, hspace=0.4)
    canvas.suptitle(figure.title)
    for axes in list(grid.flat)[len(figure.panels):]:
        axes.set_axis_off()
    for axes, panel in zip(grid.flat, figure.panels):
        _draw_panel(axes, figure, panel)
    grid.flat[len(figure.panels)].legend(**key, loc='center')


def canvas_of(figure: Figure) -> Any:
    """Draws a figure into a new figure of matplotlib."""
    canvas = Canvas()
    _draw_lines(canvas, figure)
    return canvas


def _svg_of(canvas: Any) -> str:
    text = io.StringIO()
    canvas.savefig(text, format='svg', metadata={'Date': None})
    head, tag, rest = text.getvalue().partition('<svg ')
    attributes, end, rest = rest.partition('>')
    return f'{head}{tag}{attributes}{end}\n{DARK_STYLE}{rest}'


def draw(figure: Figure, folder: str) -> str:
    """Writes NAME.svg and NAME.pdf into the folder; returns the SVG."""
    canvas = canvas_of(figure)
    canvas.savefig(f'{folder}/{figure.name}.pdf', metadata={'CreationDate': None})
    return draw_alone(figure, f'{folder}/{figure.name}.svg', canvas)


def draw_alone(figure: Figure, path: str, canvas: Any = None) -> str:
    """Writes only the SVG, into this file; returns it."""
    svg = _svg_of(canvas or canvas_of(figure))
    files.write(path, svg)
    return svg


def draw_all(figures: Sequence[Figure], folder: str) -> dict[str, tuple[str, str, bool]]:
    """Draws figures in one process per CPU: {name: (SVG, caption, whether it is wide)}."""
    processes = min(len(figures), os.cpu_count() or 1)
    with concurrent.futures.ProcessPoolExecutor(max(1, processes)) as pool:
        drawn = pool.map(draw, figures, [folder] * len(figures))
        return {figure.name: (svg, figure.caption, figure.wide or len(figure.panels) > 1)
                for figure, svg in zip(figures, drawn)}
