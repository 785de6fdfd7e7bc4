# SPDX-License-Identifier: BSD-3-Clause
"""Writes the results of an experiment with TCP: CSV, JSON, pictures and one HTML file, in the style
of report.py."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence

from drblab.common import files
from drblab.engine import Row
from drblab.report import write_page
from drblab.report.figure import Figure
from drblab.report.files import write_csv
from drblab.studies.experiment.report import bars
from drblab.studies.tcp import runs
from drblab.studies.tcp.runs import Result, Setup
from drblab.studies.tcp.summary import TOLERANCE

TEMPLATE = os.path.join(os.path.dirname(__file__), 'templates/tcp.html')
HEAD = ('workload', 'unit', 'scheme', 'mean time, live', 'simulated', 'off', 'slowdown, live', 'simulated',
        'makespan, live', 'simulated', 'runs', 'within 15 %', 'remarks')
WHY_HEAD = ('workload', 'unit', 'scheme', 'handshake, live', 'simulated', 'off after it', 'shortest round trip',
            'sent again', 'acks per packet', 'longest queue', 'simulated, open', 'simulated, other window',
            'simulated, acks without room', 'simulated, no handshake', 'control late', 'CPU stolen, s')


def _with_interval(value: float, half: float, unit: str = '') -> str:
    return f'{value:.4g}{unit}' + ('' if math.isnan(half) else f' ± {half:.2g}{unit}')


def _off(value: float, half: float) -> str:
    """Formats a deviation in percent. If half of its interval exceeds both the deviation and
    TOLERANCE, the text is that there are too few runs to tell."""
    return 'too few to tell' if half > max(abs(value), TOLERANCE) else _with_interval(100 * value, 100 * half, ' %')


def remarks(row: Row) -> list[str]:
    """Returns what a reader must know of a row."""
    found = []
    if row['unfinished']:
        found.append(f"{row['unfinished']} transfers did not arrive")
    if row['disturbed']:
        found.append(f"{row['disturbed']} of {row['runs']} runs disturbed, {row['unexplained']} of them while a "
                     'control was not')
    return found


def table(rows: Sequence[Row]) -> tuple[Sequence[str], list[list[str]]]:
    """Returns the head and the lines of the comparison."""
    return HEAD, [[row['workload'], row['unit'], row['scheme'], _with_interval(row['time'], row['time_se']),
                   f"{row['sim_time']:.4g}",
                   _off(row['time_off'], row['time_off_interval']),
                   f"{row['slowdown']:.3f}", f"{row['sim_slowdown']:.3f}", f"{row['makespan']:.4g}",
                   f"{row['sim_makespan']:.4g}", str(row['runs']), row['verdict'], ', '.join(remarks(row))]
                  for row in rows]


def why(rows: Sequence[Row]) -> tuple[Sequence[str], list[list[str]]]:
    """Returns the head and the lines of figures that may explain why live and simulated differ."""
    return WHY_HEAD, [[row['workload'], row['unit'], row['scheme'], f"{row['handshake']:.3g}",
                       f"{row['sim_handshake']:.3g}", f"{row['connected_off']:+.1%}",
                       f"{row['min_rtt']:.3g}", f"{row['resent']:.2%}", f"{row['acks']:.2f}",
                       f"{row['queue_max']:.0f}", f"{row['sim_open']:.4g}", f"{row['sim_other']:.4g}",
                       f"{row['sim_no_room']:.4g}", f"{row['sim_no_handshake']:.4g}",
                       f"{row['control_late']:.2%}", f"{row['stolen_s']:.2f}"]
                      for row in rows]


def figures_of(rows: Sequence[Row], setup: Setup) -> list[Figure]:
    """Draws the mean times of each workload."""
    figures = []
    for workload in setup.workloads:
        mine = [{**row, 'scheme': f"{row['scheme']}, {row['unit']}"} for row in rows if row['workload'] == workload]
        name = re.sub(r'[^\w.-]', '-', f'time-{workload}')
        figures.append(bars(mine, 'time', name, f'Mean completion time, {workload}'))
    return figures


def write(folder: str, setup: Setup, result: Result, rows: Sequence[Row]) -> str | None:
    """Writes all files of the study. Returns the path of the page, or None if a package for it is
    missing."""
    write_csv(f'{folder}/summary.csv', rows)
    write_csv(f'{folder}/runs.csv', result.runs)
    write_csv(f'{folder}/transfers.csv', result.transfers)
    plain = [{k: None if v != v else v for k, v in row.items()} for row in rows]
    files.write(f'{folder}/summary.json', json.dumps(plain, indent=1))
    slot = result.runs[0]['slot_ms'] / 1e3
    return write_page(folder, figures_of(rows, setup), TEMPLATE, setup=setup, table=table(rows), why=why(rows),
                      tcp=runs, slot=slot, rate=runs.WIRE_BYTES * 8 / slot, tolerance=TOLERANCE)
