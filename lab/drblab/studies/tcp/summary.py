# SPDX-License-Identifier: BSD-3-Clause
"""Summarises runs of transfers: means with intervals, and a verdict on each combination."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from drblab.engine import Row
from drblab.report.sample import Sample
from drblab.studies.tcp.runs import Setup

# Largest accepted deviation of live mean completion times from simulated ones.
TOLERANCE = 0.15


def verdict(off: float, half: float) -> str:
    """Returns 'within' or 'outside' if the whole interval is within or outside TOLERANCE, else
    'undecided'. off: deviation of live from simulated; half: half the width of the interval."""
    if math.isnan(off) or math.isnan(half):
        return 'undecided'
    if abs(off) + half <= TOLERANCE:
        return 'within'
    return 'outside' if abs(off) - half > TOLERANCE else 'undecided'


def summarise(setup: Setup, all_runs: Sequence[Row]) -> list[Row]:
    """Returns a row for each combination: means over its runs, and deviations of live from
    simulated, computed run by run."""
    rows = []
    for place in setup.combinations():
        runs = [r for r in all_runs if (r['workload'], r['unit'], r['scheme']) == place]
        row: dict[str, Any] = dict(zip(('workload', 'unit', 'scheme'), place))
        row.update({'source': runs[0]['source'], 'runs': len(runs),
                    'transfers': sum(r['transfers'] for r in runs),
                    'unfinished': sum(r['unfinished'] for r in runs),
                    'disturbed': sum(bool(r['disturbed']) for r in runs),
                    'unexplained': sum(bool(r['unexplained']) for r in runs)})
        for key in ('time', 'slowdown', 'makespan'):
            offs = [r[key] / r[f'sim_{key}'] - 1 for r in runs]
            row.update({key: statistics.fmean(r[key] for r in runs),
                        f'{key}_se': Sample(r[key] for r in runs).half,
                        f'sim_{key}': statistics.fmean(r[f'sim_{key}'] for r in runs),
                        f'{key}_off': statistics.fmean(offs),
                        f'{key}_off_interval': Sample(offs).half})
        row['verdict'] = verdict(row['time_off'], row['time_off_interval'])
        # Transfers that did not arrive would change the mean. A run that the machine disturbed does
        # not prove that live differs.
        if row['unfinished'] or row['verdict'] == 'outside' and row['disturbed'] > row['unexplained']:
            row['verdict'] = 'undecided'
        for key in ('handshake', 'sim_handshake', 'connected_off', 'min_rtt', 'resent', 'acks',
                    'sim_open', 'sim_other', 'sim_no_room', 'sim_no_handshake', 'queue_max',
                    'control_late', 'stolen_s'):
            row[key] = statistics.fmean(r[key] for r in runs)
        rows.append(row)
    return rows
