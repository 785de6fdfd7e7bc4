# SPDX-License-Identifier: BSD-3-Clause
"""traffic under which the queues of one scheme alone grow

Tries random admissible rates, also beside dead and slow links, and climbs from the worst of them,
one gene at a time (genes.py).
Prints the worst cases. A case in which the queues of the first scheme alone grow, also in longer
runs with three seeds, is written to DIR/witness-N.csv, and the exit status is 1. Called again
with the same DIR, it goes on where it was interrupted.

examples:
  drblab search -o search
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas

import drblab
from drblab.random import Random
from drblab.studies import options
from drblab.studies.genes import Case, Traffic

SEEDS, LONGER = 3, 4  # seeds, and factor of the slots, of the runs that confirm a case
BATCH = 64            # cases whose traffic files exist at the same time
SHOWN = 10


@dataclass(frozen=True)
class Tried:
    """Result of a case. Each pair has the figure of the searched scheme, then that of the other."""

    case: Case
    latency: tuple[float, float] = (0.0, 0.0)
    tail: tuple[float, float] = (0.0, 0.0)
    other_grows: bool = False
    grows_alone: bool = False

    @property
    def badness(self) -> float:
        """Latency divided by that of the other scheme; 0 if the queues of the other scheme grow."""
        return 0.0 if self.other_grows or not self.latency[1] > 0 else \
            self.latency[0] / self.latency[1]

    @property
    def order(self) -> tuple[bool, float]:
        """Key that sorts the worst cases first."""
        return not self.grows_alone, -self.badness if math.isfinite(self.badness) else 0.0


class Search:
    """Tries cases; rows are kept in the journal."""

    def __init__(self, args: argparse.Namespace, folder: str) -> None:
        self.args, self.engine = args, options.engine_of(args)
        self.journal = f'{folder}/rows.jsonl'

    def _run(self, cases: Sequence[Case], longer: bool) -> list[pandas.DataFrame | None]:
        """Returns for each case a row per seed and scheme, or None if no host sends."""
        args, times = self.args, LONGER if longer else 1
        frames: list[pandas.DataFrame | None] = [None] * len(cases)
        points: list[drblab.Point] = []
        with tempfile.TemporaryDirectory() as folder:
            for i, case in enumerate(cases):
                traffic = Traffic(case, args.layers, args.arity, times * args.slots)
                if not traffic.lines:
                    continue
                path = Path(folder, f'{i}.csv')
                path.write_text(traffic.text(), encoding='ascii')
                seeds = range(args.seed + 1, args.seed + SEEDS + 1) if longer else [args.seed]
                points += drblab.sweep(
                    'packet', {'case': i}, traffic=f'file:{path}', slots=times * args.slots,
                    stats=times * (args.slots // 2), most_slots=2 * times * args.slots,
                    give_up=True, seed=seeds, scheme=args.scheme,
                    **case.options(args.layers, args.arity, args.load[case.load]))
            if points:
                rows = drblab.run(points, self.engine, journal=self.journal)
                for i, group in rows.groupby('case'):
                    frames[i] = group.assign(scheme=args.scheme * (len(group) // 2))
        return frames

    def _confirm(self, cases: Sequence[Case]) -> list[bool]:
        found = []
        for rows in self._run(cases, longer=True):
            assert rows is not None
            grows = rows['growing'] == 'yes'
            found.append(bool(grows.iloc[::2].all() and not grows.iloc[1::2].any()))
        return found

    def try_cases(self, cases: Sequence[Case]) -> list[Tried]:
        """Runs each case. Longer runs then confirm cases in which the first scheme alone grows."""
        tried: list[Tried] = []
        for at in range(0, len(cases), BATCH):
            batch = cases[at:at + BATCH]
            for case, rows in zip(batch, self._run(batch, longer=False)):
                if rows is None:
                    tried.append(Tried(case))
                    continue
                it, other = rows.iloc[0], rows.iloc[1]
                tried.append(Tried(case, (it['latency'], other['latency']),
                                   (it['tail'], other['tail']), other['growing'] == 'yes',
                                   it['growing'] != 'no' and other['growing'] != 'yes'))
        doubted = [i for i, one in enumerate(tried) if one.grows_alone]
        for i, sure in zip(doubted, self._confirm([tried[i].case for i in doubted])):
            tried[i] = Tried(tried[i].case, tried[i].latency, tried[i].tail,
                             tried[i].other_grows, sure)
        return tried

    def climb(self, worst: Sequence[Tried]) -> list[Tried]:
        """Changes each of the worst cases, one gene at a time. A change is kept if the case is at
        least as bad as before."""
        args, tops = self.args, list(worst)
        randoms = [Random(args.seed, args.cases + i) for i in range(len(tops))]
        for _ in range(args.steps):
            climbing = [i for i, top in enumerate(tops) if not top.grows_alone]
            changed = [tops[i].case.like(randoms[i], len(args.load)) for i in climbing]
            for i, one in zip(climbing, self.try_cases(changed)):
                if one.badness >= tops[i].badness:
                    tops[i] = one
        return tops


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of the verb."""
    parser.add_argument('-l', '--layers', type=int, default=3, help='layers of the fat-tree')
    parser.add_argument('-d', '--arity', type=int, default=2, help='arity of the fat-tree')
    parser.add_argument('--scheme', type=options.some_schemes, default='walk,micro',
                        metavar='TWO',
                        help='the scheme to be searched, and the one to compare it with')
    parser.add_argument('--load', type=options.some_reals, default='0.7,0.9,0.95',
                        metavar='LIST', help='loads that cases have')
    parser.add_argument('--cases', type=int, default=200, metavar='COUNT', help='random cases')
    parser.add_argument('--climbs', type=int, default=10, metavar='COUNT',
                        help='climbs, each from one of the worst cases')
    parser.add_argument('--steps', type=int, default=20, metavar='COUNT',
                        help='cases tried in a climb')
    parser.add_argument('--slots', type=int, default=4000, metavar='COUNT',
                        help='slots of a run; the later half is measured')
    parser.add_argument('--seed', type=int, default=1, help='the same seed tries the same cases')
    options.add_run_options(parser)


def _write_witness(args: argparse.Namespace, folder: str, found: Tried, number: int) -> None:
    """Writes the traffic of a case, below a comment with the command that shows its effect."""
    slots, path = LONGER * args.slots, f'{folder}/witness-{number}.csv'
    traffic = Traffic(found.case, args.layers, args.arity, slots)
    setup = found.case.options(args.layers, args.arity, args.load[found.case.load])
    command = (f'# drbsim packet --scheme {",".join(args.scheme)} '
               f'{" ".join(f"--{name} {value}" for name, value in setup.items())}'
               f' --slots {slots} --stats {slots // 2} --traffic file:{path}\n')
    Path(path).write_text(command + traffic.text(), encoding='ascii')


def main(args: argparse.Namespace) -> int:
    """Runs the search. Returns the exit status."""
    if len(args.scheme) != 2:
        raise drblab.PointError('--scheme: must be two, such as walk,micro')
    folder = options.folder_of(args)
    search = Search(args, folder)
    loads = len(args.load)
    found = search.try_cases([Case.any(Random(args.seed, i), loads) for i in range(args.cases)])
    found.sort(key=lambda one: one.order)
    found += search.climb(found[:min(args.climbs, args.cases)])
    found.sort(key=lambda one: one.order)
    alone = sum(one.grows_alone for one in found)
    for number, one in enumerate(found[:alone], 1):
        _write_witness(args, folder, one, number)
    options.show(pandas.DataFrame([
        {'load': args.load[one.case.load], 'case': str(one.case), 'latency': one.latency[0],
         'tail': one.tail[0], 'against_latency': one.latency[1], 'against_tail': one.tail[1],
         'ratio': one.badness, 'grows_alone': 'yes' if one.grows_alone else 'no'}
        for one in found[:alone + SHOWN]]))
    return 1 if alone else 0
