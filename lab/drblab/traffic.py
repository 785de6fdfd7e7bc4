# SPDX-License-Identifier: BSD-3-Clause
"""Converts users' traffic into files for the simulator and the generator.

`matrix()` converts rates into a traffic file, for ``traffic='file:PATH'`` of the model `packet` and
for `drbgen write --traffic`. `flows()` converts flows into a list of transfers, for ``list=PATH``
of the model `list`. Connection matrices of htsim (`.cm`) and GOAL schedules need no conversion:
give their path as the list.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy
import numpy.typing
import pandas

File: TypeAlias = str | os.PathLike[str]
FLOWS = ('start_us', 'src', 'dst', 'bytes')
LIST_HEADING = 'transfer,slot,from,to,packets,after_sent,after_arrived'


class TrafficError(ValueError):
    """Raised for traffic that cannot be read; the text names file, line or cell, and the error."""


def matrix(rates: numpy.typing.ArrayLike | File, path: File) -> float:
    """Writes a traffic file from a square matrix.

    Parameters
    ----------
    rates
        Shape (hosts, hosts), in any unit: the rate from the host of the row to that of the column;
        or a CSV file of such numbers without a heading. The diagonal must be 0.
    path
        The file to write. Its rates are shares of a link. The busiest host link has 1, so that
        `load` of a point is the load of this link.

    Returns
    -------
    float
        The rate that is 1 in the file, in the unit of `rates`: the largest sum of a row or column.
    """
    where = str(rates) if isinstance(rates, (str, os.PathLike)) else 'matrix'
    cells = _numbers(rates) if isinstance(rates, (str, os.PathLike)) else \
        numpy.asarray(rates, dtype=float)
    if cells.ndim != 2 or cells.shape[0] != cells.shape[1] or cells.shape[0] < 2:
        raise TrafficError(f'{where}: must be square, of two hosts or more, not of shape '
                           f'{" x ".join(map(str, cells.shape))}')
    for wrong, what in ((~numpy.isfinite(cells), 'is no number'), (cells < 0, 'is below 0'),
                        (numpy.diag(numpy.diag(cells) != 0), 'is of a host to itself')):
        if wrong.any():
            row, column = numpy.argwhere(wrong)[0]
            raise TrafficError(f'{where}: row {row}, column {column} (from 0): '
                               f'{cells[row, column]:g} {what}')
    most = float(max(cells.sum(axis=0).max(), cells.sum(axis=1).max()))
    if most == 0:
        raise TrafficError(f'{where}: no host sends anything')
    lines = [f'0,{source},{to},{cells[source, to] / most:.17g}'
             for source, to in numpy.argwhere(cells)]
    Path(path).write_text('\n'.join(['slot,from,to,rate', *lines, '']), encoding='ascii')
    return most


def _numbers(path: File) -> numpy.typing.NDArray[numpy.float64]:
    try:
        return numpy.loadtxt(path, delimiter=',', ndmin=2, dtype=numpy.float64)
    except ValueError as e:
        raise TrafficError(f'{path}: must be rows of numbers with commas: {e}') from e


def flows(table: pandas.DataFrame | File, path: File, *, gbps: float,
          packet: int = 4096) -> float:
    """Writes a list of transfers from flows with start times.

    Parameters
    ----------
    table
        Columns `start_us` (microseconds), `src`, `dst` (numbers of hosts) and `bytes`, in any
        order of rows and columns; or a CSV file with this heading.
    path
        The file to write.
    gbps
        Rate of all links in Gbit/s.
    packet
        Bytes of a packet.

    Returns
    -------
    float
        The duration of a slot, in which a link carries one packet, in ns. Multiply times of a row
        by it.
    """
    where = 'flows' if isinstance(table, pandas.DataFrame) else str(table)
    frame = table if isinstance(table, pandas.DataFrame) else _read_flows(table)
    missing = [name for name in FLOWS if name not in frame]
    if missing:
        raise TrafficError(f'{where}: no column {missing[0]}; needed are {",".join(FLOWS)}')
    columns = {name: pandas.to_numeric(frame[name], errors='coerce') for name in FLOWS}
    _check(where, columns)
    slot_ns = packet * 8 / gbps
    slots = (columns['start_us'] * 1000 / slot_ns).round().astype('int64')
    packets = numpy.ceil(columns['bytes'] / packet).clip(lower=1).astype('int64')
    order = numpy.argsort(slots.to_numpy(), kind='stable')
    lines = [f'{i},{slots.iloc[at]},{columns["src"].iloc[at]:.0f},{columns["dst"].iloc[at]:.0f},'
             f'{packets.iloc[at]},,' for i, at in enumerate(order)]
    Path(path).write_text('\n'.join([LIST_HEADING, *lines, '']), encoding='ascii')
    return slot_ns


def _read_flows(path: File) -> pandas.DataFrame:
    try:
        return pandas.read_csv(path, comment='#', skipinitialspace=True)
    except (ValueError, pandas.errors.ParserError) as e:
        raise TrafficError(f'{path}: must be CSV with the heading {",".join(FLOWS)}: {e}') from e


def _check(where: str, columns: dict[str, Any]) -> None:
    """Raises TrafficError for the first bad row; rows count from 1 after the heading."""
    def wrong(name: str, bad: Any, what: str) -> None:
        if bad.any():
            row = int(numpy.argmax(bad.to_numpy()))
            raise TrafficError(f'{where}: row {row + 1}: {name}: {what}')

    for name, column in columns.items():
        wrong(name, ~numpy.isfinite(column.astype(float)), 'must be a number')
        wrong(name, column < 0, 'must not be below 0')
    for name in ('src', 'dst', 'bytes'):
        wrong(name, columns[name] % 1 != 0, 'must be a whole number')
    wrong('dst', columns['src'] == columns['dst'], 'must be another host than src')
