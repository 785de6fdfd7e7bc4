# SPDX-License-Identifier: BSD-3-Clause
"""The CSV files of the report, which have all of its figures."""

import csv
import math
from collections.abc import Sequence
from typing import Any

from drblab.report.files import write_csv
from drblab.studies.paper.judge import Claim, Judgement
from drblab.studies.paper.results import Results, Row, estimate, tree_of

Cells = dict[str, Any]

FLOW = ('scheme', 'layers', 'arity', 'flows', 'threshold', 'runs', 'max_load', 'max_load_sd', 'max_up', 'max_down',
        'redirected')
PACKET = ('scheme', 'layers', 'arity', 'traffic', 'rho', 'threshold', 'latency', 'tail', 'redirected',
          'default_path', 'throughput')


def _some(row: Row, keys: Sequence[str]) -> Cells:
    return {key: getattr(row, key) for key in keys}


def _flow(row: Row) -> Cells:
    """A row of flows. Only the paper's own scheme has an estimate."""
    own = row.scheme == 'drb'
    about = estimate(row.flows, row.hosts, row.threshold) if own else math.nan
    return {**_some(row, FLOW), 'threshold': row.threshold if own else math.nan, 'estimate': about,
            'relative_error': abs(row.max_load - about) / about}


def _packet(row: Row) -> Cells:
    cells = {**_some(row, PACKET), 'growing': bool(row.growing), 'unclear': bool(row.unclear),
             'growing_links': row.growing_links}
    for way in ('up', 'down'):
        for m, (mean, most) in enumerate(zip(getattr(row, f'{way}_mean'), getattr(row, f'{way}_max')), 1):
            cells.update({f'queue_{way}{m}_mean': mean, f'queue_{way}{m}_max': most})
    return {**cells, **_some(row, ('seed', 'slots', 'measured', 'drift'))}


def write_all(results: Results, folder: str) -> None:
    """Writes a file for each kind of point and tree; those of chains also have theory's values."""
    rows: dict[str, list[Cells]] = {}
    for row in results.of('flow'):
        rows.setdefault('flow-F{}-{}'.format(*tree_of(row)), []).append(_flow(row))
    for row in results.of('packet'):
        rows.setdefault('packet-F{}-{}'.format(*tree_of(row)), []).append(_packet(row))
    rows['ctmc'] = [{'lambda': row.rate, **_some(row, ('threshold', 'queues', 'seed', 'mean_queue')),
                     'mean_queue_theory': theory.mean_queue, **_some(row, ('mean_time', 'redirected')),
                     'redirected_theory': theory.redirected}
                    for row in results.of('chain') for theory in [results.theory[row.rate, row.threshold]]]
    rows['tails'] = [{'lambda': chain.rate, 'threshold': chain.threshold, 'queues': chain.queues, 'i': i,
                      's': s.mean, 's_half_width': s.half, 's_theory': (chain.theory.s[i:i + 1] or [0])[0]}
                     for chain in results.chains for i, s in enumerate(chain.s) if i]
    keys = ('mean_queue', 'distance', 'departures_cv2')
    rows['layers'] = [{**_some(row, ('layers', 'arity')), 'lambda': row.rate, **_some(row, ('threshold', 'seed')),
                       'layer': m, **{key: getattr(row, key)[m - 1] for key in keys}}
                      for row in results.of('layers') for m in range(1, row.layers)]
    for name, mine in rows.items():
        write_csv(f'{folder}/{name}.csv', mine)


def write_claims(judged: Sequence[tuple[Claim, Judgement]], folder: str) -> None:
    write_csv(f'{folder}/claims.csv', [
        {'name': claim.name, 'section': claim.section, 'source': claim.source, 'claim': claim.says,
         'margin_of': claim.margin, 'ours': claim.ours, 'verdict': j.verdict, 'hold': j.hold, 'fail': j.fail,
         'undecided': j.open, 'room': claim.room, 'flips_at': j.flips, 'least_margin': j.margin,
         'least_margin_half': math.nan if j.is_exact else j.half, 'where': j.where,
         'runs': 0 if j.is_exact else j.runs} for claim, j in judged])


def verdicts(folder: str) -> dict[str, str]:
    """The verdicts of an existing claims.csv, {name: verdict}; {} if there is none."""
    try:
        with open(f'{folder}/claims.csv', encoding='utf-8') as f:
            return {row['name']: row['verdict'] for row in csv.DictReader(f) if 'name' in row}
    except FileNotFoundError:
        return {}
