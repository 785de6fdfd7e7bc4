# SPDX-License-Identifier: BSD-3-Clause
"""The CSV files of the report: every figure of it."""

import csv
import math
from types import SimpleNamespace
from typing import Any

from drbfabric.paper import study
from drbfabric.paper.results import estimate, tree_of
from drbfabric.report.files import write_csv

FLOW = ('scheme', 'layers', 'arity', 'flows', 'threshold', 'runs', 'max_load', 'max_load_sd', 'max_up', 'max_down',
        'redirected')
PACKET = ('scheme', 'layers', 'arity', 'traffic', 'rho', 'threshold', 'latency', 'tail', 'redirected',
          'default_path', 'throughput')
STUDY = ('layers', 'arity', 'traffic', 'rho', 'scheme', 'runs', 'growing', 'unclear', 'latency', 'latency_half',
         'tail', 'tail_half', 'of_best', 'of_best_half')
SUMMARY = ('layers', 'arity', 'loads', 'places', 'drb_grows', 'micro_grows', 'walk_grows', 'walk_not_micro',
           'compared', 'within', 'worst', 'worst_half', 'worst_traffic', 'worst_rho', 'fresh_of_drb',
           'fresh_tail_of_drb', 'disjoint_of_dmodk')
NONE = SimpleNamespace(mean=math.nan, half=math.nan)


def _some(row, keys):
    return {key: getattr(row, key) for key in keys}


def _flow(row):
    """The estimate is that of the paper's scheme."""
    own = row.scheme == 'drb'
    about = estimate(row.flows, row.hosts, row.threshold) if own else math.nan
    return {**_some(row, FLOW), 'threshold': row.threshold if own else math.nan, 'estimate': about,
            'relative_error': abs(row.max_load - about) / about}


def _packet(row):
    cells = {**_some(row, PACKET), 'growing': bool(row.growing), 'unclear': bool(row.unclear),
             'growing_links': row.growing_links}
    for way in ('up', 'down'):
        for m, (mean, most) in enumerate(zip(getattr(row, f'{way}_mean'), getattr(row, f'{way}_max')), 1):
            cells.update({f'queue_{way}{m}_mean': mean, f'queue_{way}{m}_max': most})
    more = ['seed', 'slots', 'measured', 'drift']
    if row.study == 'faults':
        more += ['dead_links', 'dead_switches', 'lost']
    return {**cells, **_some(row, more)}


def _place_rows(places):
    for place in places:
        for scheme, of in place.of.items():
            mean, tail = of.mean if of.mean.count else NONE, of.tail if of.tail.count else NONE
            best = place.ratio if scheme == 'walk' and place.best else NONE
            yield dict(zip(STUDY, (*place.tree, place.traffic, place.rho, scheme, len(of.rows), of.growing, of.unclear,
                                   mean.mean, mean.half, tail.mean, tail.half, best.mean, best.half)))


def _summary_rows(places):
    for tree in dict.fromkeys(place.tree for place in places):
        for above in (False, True):
            s = study.summary_of(places, tree, above)
            worst: Any = s.worst or SimpleNamespace(ratio=NONE, traffic=None, rho=None)
            if s.places:
                yield dict(zip(SUMMARY, (
                    *tree, 'above 0.9' if above else 'to 0.9', len(s.places), s.grows['drb'], s.grows['micro'],
                    s.grows['walk'], s.grows_alone, len(s.compared), s.within, worst.ratio.mean, worst.ratio.half,
                    worst.traffic, worst.rho, s.fresh, s.fresh_tail, s.disjoint)))


def write_study(results, folder):
    places = study.places_of(results)
    write_csv(f'{folder}/study.csv', list(_place_rows(places)), STUDY)
    write_csv(f'{folder}/study-summary.csv', list(_summary_rows(places)), SUMMARY)


def costs(results):
    """What the points of each part took."""
    parts = {}
    for kind in ('packet', 'chain', 'layers', 'transient', 'bins', 'hosts', 'flow'):
        for row in results.of(kind):
            parts.setdefault(row.part, []).append(row.cpu)
    return [{'part': part, 'points': len(cpu), 'cpu_seconds': sum(cpu), 'longest_seconds': max(cpu)}
            for part, cpu in parts.items()]


def write_all(results, folder):
    """A file for each kind of point and tree; those of chains have what theory says beside."""
    rows = {}
    for row in results.of('flow'):
        rows.setdefault('flow-F{}-{}'.format(*tree_of(row)), []).append(_flow(row))
    for row in results.of('packet'):
        rows.setdefault('{}-F{}-{}'.format(row.study, *tree_of(row)), []).append(_packet(row))
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
    rows['cost'] = costs(results)
    for name, mine in rows.items():
        write_csv(f'{folder}/{name}.csv', mine)


def write_claims(judged, folder):
    write_csv(f'{folder}/claims.csv', [
        {'name': claim.name, 'section': claim.section, 'source': claim.source, 'claim': claim.says,
         'margin_of': claim.margin, 'ours': claim.ours, 'verdict': j.verdict, 'hold': j.hold, 'fail': j.fail,
         'undecided': j.open, 'room': claim.room, 'flips_at': j.flips, 'least_margin': j.margin,
         'least_margin_half': math.nan if j.is_exact else j.half, 'where': j.where,
         'runs': 0 if j.is_exact else j.runs} for claim, j in judged])


def verdicts(folder):
    """{name: verdict} of the claims.csv that is there, none if there is no such file."""
    try:
        with open(f'{folder}/claims.csv', encoding='utf-8') as f:
            return {row['name']: row['verdict'] for row in csv.DictReader(f) if 'name' in row}
    except FileNotFoundError:
        return {}
