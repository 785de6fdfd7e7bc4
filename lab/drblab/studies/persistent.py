# SPDX-License-Identifier: BSD-3-Clause
"""traffic that persists: drb, micro, walk and D-mod-k side by side

A place is a fabric under some traffic at some load; equal seeds give all schemes the same traffic.
DIR gets rows.jsonl and study.csv, with a row for each scheme at each place: latency and tail, how
many runs grow, and the latency of walk next to that of the best other scheme that is stable.
costs.md has the most that walk costs under each traffic, as docs/walk.md shows it.

examples:
  drblab persistent --quick -o persistent
"""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import pandas

import drblab
from drblab.statistics import half_width
from drblab.studies import options
from drblab.studies.genes import Case, Traffic

SCHEMES = ('drb', 'micro', 'walk', 'dmodk')
# Slots of a full run, of a run above load 0.9, and of a run above load 0.9 in the long plan. If the
# second number is 0, only the long plan has this fabric.
FABRICS = {(3, 8): (6000, 4000, 6000), (3, 24): (1000, 0, 1500), (4, 6): (3000, 0, 3000),
           (3, 2): (20000, 20000, 20000), (3, 4): (12000, 8000, 12000)}
# Names for drbsim packet --traffic or of CASES. A value of --fail may follow after a blank.
USUAL = (*'permutation fixed mixed racks:0.1 racks:0.5 turns:10 epoch:4 jobs:8 transpose reversal '
         'tornado random hotspot:0.5 oneway:0.5:0 sink:0.25 trains:4 trains:16 writers '
         'sender'.split(), 'fixed link:1')
LONG = (*'permutation fixed mixed racks:0.03 racks:0.1 racks:0.25 racks:0.5 racks:0.9 turns:2 '
        'turns:4 turns:10 turns:16 turns:64 epoch:2 epoch:4 epoch:10 epoch:100 epoch:1000 jobs:2 '
        'jobs:8 transpose reversal tornado stride:1/7 all-to-all random hotspot:0.5 oneway:0.5:0 '
        'oneway:0.1:0 oneway:0.5:0.01 oneway:0.5:0.05 oneway:0.5:0.2 sink:0.25 silent:0.5 '
        'unequal:0.25 trains:2 trains:4 trains:16 trains:64 writers sender'.split(),
        'fixed link:1', 'mixed link:1', 'oneway:0.5:0 link:1')
# Traffic from files. writers: one host in a quarter of the racks keeps writing to one pod. sender:
# one rack only sends.
CASES = {'writers': {'keep': 2, 'how': 2, 'each': 1, 'same': True}, 'sender': {'alone': 1}}
SHARES = {'hotspot:0.5': ('hotspot', 0.5), 'stride:1/7': ('stride', 1 / 7)}  # of the hosts
DISJOINT = 'tornado', 'stride', 'all-to-all'  # no defaults collide, so D-mod-k is compared, too
LOADS = {'quick': (0.5, 0.7, 0.9), 'usual': (0.5, 0.7, 0.9, 0.95, 0.99),
         'long': (0.5, 0.7, 0.8, 0.9, 0.95, 0.99)}


def settling(load: float) -> int:
    """Returns the number of slots in which queues settle at this load."""
    return max(60, math.ceil(4 / ((1 - load) * (1 - load))))


def lengths(slots: int, load: float, full: bool) -> tuple[int, int]:
    """Returns the slots of a run, and the number of its slots that are measured.

    Runs that are not full measure a tenth of the slots, if queues settle before that."""
    stats = slots // 2
    if full or settling(load) > slots - stats:
        return slots, stats
    return slots - stats + slots // 10, slots // 10


def patterns(plan: str) -> tuple[str, ...]:
    """The traffic of a plan."""
    return LONG if plan == 'long' else USUAL


def traffic_of(name: str, layers: int, arity: int, seed: int, folder: str) -> str:
    """The argument of --traffic. A case becomes a file in the folder."""
    if name in CASES:
        path = Path(folder, f'{name}-{layers}-{arity}-{seed}.csv')
        if not path.exists():
            case = Case.of(seed=seed, **CASES[name])
            path.write_text(Traffic(case, layers, arity, 1).text(), encoding='ascii')
        return f'file:{path}'
    name, share = SHARES.get(name, (name, 0))
    return f'{name}:{math.ceil(share * 2 * arity ** layers)}' if share else name


def points(plan: str, fabrics: list[tuple[int, int]], seeds: int, folder: str,
           some: Sequence[str] = ()) -> list[drblab.Point]:
    """Returns the points of a plan: quick, usual or long. some: only this traffic."""
    found: list[drblab.Point] = []
    for layers, arity in fabrics:
        slots, high, long_high = FABRICS[layers, arity]
        if not high and plan != 'long':
            continue
        for pattern in some or patterns(plan):
            name, _, fail = pattern.partition(' ')
            schemes = [s for s in SCHEMES if s != 'dmodk' or name.split(':')[0] in DISJOINT]
            # A switch with a dead uplink can carry no more than its other uplinks do.
            loads = [load for load in LOADS[plan] if not fail or load < 1 - 1 / arity]
            for load, scheme, seed in itertools.product(loads, schemes, range(1, seeds + 1)):
                most = 800 if plan == 'quick' else slots if load <= 0.9 else \
                    long_high if plan == 'long' else high
                n, stats = lengths(most, load, seed == 1 or plan != 'usual')
                found.append(drblab.Point.of(
                    'packet', {'full': most, 'pattern': pattern}, layers=layers, arity=arity,
                    traffic=traffic_of(name, layers, arity, seed, folder), load=load,
                    scheme=scheme, seed=seed, slots=n, stats=stats, most_slots=2 * n,
                    give_up=True, fail=fail or None))
    return found


def places(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Returns a row for each scheme at each place.

    If queues grow, latencies depend on the length of a run, so the mean is over runs of the full
    length. If growth is unclear, there is no mean."""
    rows = []
    for key, place in frame.groupby(['layers', 'arity', 'pattern', 'load'], sort=False):
        means: dict[str, float] = {}
        for scheme, runs in place.groupby('scheme', sort=False):
            growing, unclear = ((runs['growing'] == word).sum() for word in ('yes', 'unclear'))
            used = runs[runs['slots'] == runs['full']] if growing else runs[:0 if unclear else None]
            row = dict(zip(('layers', 'arity', 'traffic', 'load'), key), scheme=scheme,
                       runs=len(runs), growing=growing, unclear=unclear)
            for name in ('latency', 'tail'):
                row |= {name: used[name].mean(), f'{name}_half': half_width(used[name])}
            if not growing and not unclear:
                means[scheme] = row['latency']
            rows.append(row)
        others = [scheme for scheme in ('drb', 'micro') if scheme in means and 'walk' in means]
        if others:
            best = min(others, key=means.__getitem__)
            of = place.set_index('seed')['latency']
            ratio = of[(place['scheme'] == 'walk').values] / of[(place['scheme'] == best).values]
            row = next(row for row in reversed(rows) if row['scheme'] == 'walk')
            row |= {'of_best': ratio.mean(), 'of_best_half': half_width(ratio)}
    return pandas.DataFrame(rows)


def _cost(rows: pandas.DataFrame, alone: pandas.Series) -> str:
    """Returns a cell of the table, from rows of walk under one traffic on one fabric.

    alone: true at places where the queues of walk grow and those of micro do not."""
    compared, grows = rows[rows['of_best'].notna()], rows.loc[alone[rows.index], 'load']
    words = [f'grows from {grows.min():g} on'] if len(grows) else []
    if len(compared):
        worst = compared.loc[compared['of_best'].idxmax()]
        words.insert(0, f"{100 * (worst['of_best'] - 1):+.0f} % at {worst['load']:g}")
    return ', '.join(words)


def costs(study: pandas.DataFrame) -> str:
    """Returns a table in Markdown, with a row for each traffic and a column for each fabric.

    A cell has the largest excess of walk's latency over that of the better of drb and micro, in
    percent, and its load."""
    place = ['layers', 'arity', 'traffic', 'load']
    walk, micro = (study[study['scheme'] == scheme].set_index(place, drop=False)
                   for scheme in ('walk', 'micro'))
    alone = (walk['growing'] > 0) & (micro['growing'].reindex(walk.index) == 0)
    fabrics = list(dict.fromkeys(zip(walk['layers'], walk['arity'])))
    lines = ['| traffic | ' + ' | '.join(f'F({layers},{arity})' for layers, arity in fabrics) + ' |',
             '|' + '---|' * (len(fabrics) + 1)]
    for name in dict.fromkeys(walk['traffic']):
        lines.append('| ' + ' | '.join([name, *(
            _cost(walk[(walk['traffic'] == name) & (walk['layers'] == layers)
                       & (walk['arity'] == arity)],
                  alone) for layers, arity in fabrics)]) + ' |')
    return '\n'.join([*lines, ''])


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    names = [f'{layers},{arity}' for layers, arity in FABRICS]
    parser.add_argument('--fabric', choices=names, action='append', metavar='L,D',
                        help=f'only this fabric, of {" ".join(names)}; may be repeated')
    parser.add_argument('--quick', dest='plan', action='store_const', const='quick',
                        default='usual', help='F(3,8) alone, with short runs')
    parser.add_argument('--long', dest='plan', action='store_const', const='long',
                        help='all patterns and loads: hours')
    parser.add_argument('--traffic', choices=LONG, action='append', metavar='NAME',
                        help=f'only this traffic, of {", ".join(LONG)}; may be repeated')
    parser.add_argument('--seeds', type=options.count, default=5, metavar='COUNT', help='runs of each place')
    options.add_run_options(parser)


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    folder = options.folder_of(args)
    fabrics = [(3, 8)] if args.plan == 'quick' else list(FABRICS)
    if args.fabric:
        fabrics = [(int(name[0]), int(name[2:])) for name in args.fabric]
    asked = points(args.plan, fabrics, args.seeds, folder, args.traffic or ())
    if not asked:
        raise drblab.PointError('--fabric: only --long has these fabrics')
    frame = drblab.run(asked, options.engine_of(args), journal=f'{folder}/rows.jsonl')
    study = places(frame)
    study.to_csv(f'{folder}/study.csv', index=False, float_format='%.10g')
    Path(folder, 'costs.md').write_text(costs(study), encoding='utf-8')
    options.show(study[['layers', 'arity', 'traffic', 'load', 'scheme', 'growing', 'latency',
                        'tail', 'of_best', 'of_best_half']])
    return 0
