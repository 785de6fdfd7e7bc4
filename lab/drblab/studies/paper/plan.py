# SPDX-License-Identifier: BSD-3-Clause
"""The points for the paper's figures, tables and claims.

Each has a tag `kind`, and a tag `label` if the report draws a line with that name."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from drblab.point import Point, sweep
from drblab.studies.paper.results import LINES, TREES
from drblab.studies.persistent import settling

FEW_FLOWS = (1, 2, 5, 10, 20)
SLOTS, STATS = 2000, 500  # as in the paper
MOST_MEASURED = 120
CHAIN_QUEUES = 1000
# Fat-trees whose wiring is judged: (layers, arity, whether down-ports are, too).
WIRED = [(layers, arity, 2 * arity ** layers < 200)
         for layers, arity in ((3, 2), (3, 3), (4, 2), (3, 4), (4, 3), *TREES)]


def lengths(quick: bool, load: float) -> tuple[int, int]:
    """The slots of a run, and the number of its last slots that are measured.

    Both are those of the paper at loads at which queues need that long to settle. At lower loads,
    the run has the slots that queues need, and then at most 120 measured ones. Quick runs suffice
    for a picture only."""
    if quick:
        return 60, 20
    if settling(load) > SLOTS - STATS:
        return SLOTS, STATS
    measured = min(settling(load), MOST_MEASURED)
    return settling(load) + measured, measured


@dataclass(frozen=True)
class Plan:
    """The plan. quick: few repetitions and short runs. seeds: number per point; None: the plan's
    own number. seed: the first one."""

    quick: bool = False
    seeds: int | None = None
    seed: int = 1

    def _seeds(self, quick: int) -> range:
        runs = self.seeds or (quick if self.quick else 5)
        return range(self.seed, self.seed + runs)

    @property
    def points(self) -> list[Point]:
        """All points; those that take longest are last."""
        found = [*self._chains(), *self._layers(), *self._transients(), *self._bins()]
        rates = dict.fromkeys((p.get('lambda'), p.get('threshold')) for p in found
                              if p.model in ('ctmc', 'ctmc_layers'))
        for rate, t in rates:
            found += _sweep('theory', 'theory', rate=rate, threshold=t, tail=True)
        for layers, arity, down in WIRED:
            found += _sweep('tree', 'tree', layers=layers, arity=arity, down=down or None)
        for layers, arity in TREES:
            tree = {'layers': layers, 'arity': arity}
            found += [*self._flows(tree), *self._packets(tree)]
        return found

    def _chains(self) -> Iterator[Point]:
        """Chains of queues. All have equally many arrivals: fewer queues run for longer."""
        sizes = [(CHAIN_QUEUES, rate) for rate in (0.5, 0.9, 0.95)]
        for queues, rate, t in [*((n, rate, t) for n, rate in sizes for t in (0, 1, 2, 3, 5)),
                                *((n, 0.9, t) for t in (0, 1, 2, 3, 5) for n in (30, 10))]:
            time = CHAIN_QUEUES / queues * (700 if self.quick else 5000)
            yield from _sweep('chain', 'ctmc', queues=queues, rate=rate, threshold=t,
                              warm_up=300 if self.quick else 1000, time=time, seed=self._seeds(3))

    def _layers(self) -> list[Point]:
        """Trees in continuous time, with uplinks in three layers."""
        return _sweep('layers', 'ctmc_layers', layers=4, arity=4 if self.quick else 6,
                      rate=(0.5, 0.9) if self.quick else (0.5, 0.9, 0.95),
                      threshold=[0, 'paper'], warm_up=200 if self.quick else 500,
                      time=600 if self.quick else 2000, seed=self._seeds(3))

    def _transients(self) -> list[Point]:
        """Transients that start with empty queues, and with 10 packets in each queue."""
        t = int(1 - math.log1p(-0.9))  # the paper's T for this rate
        return _sweep('transient', 'transient', start=[0, 10],
                      queues=[100, 1000, 10000] + [100000] * (not self.quick),
                      rate=0.9, threshold=t, time=10, repeats=4, seed=self._seeds(3))

    def _bins(self) -> Iterator[Point]:
        """More and more bins, to see how the fullest one grows; and one bin per host, with more
        balls."""
        for bits in range(10, 19 if self.quick else 25, 2):
            yield from _sweep('bins', 'bins', bins=1 << bits, each=1,
                              choices=(1, 2) if bits > 20 else (1, 2, 3), seed=self.seed)
        yield from _sweep('bins', 'bins', bins=[2 * arity ** layers for layers, arity in TREES],
                          each=(1, 5, 10, 20), choices=2, seed=self.seed)

    def _flows(self, tree: dict[str, int]) -> Iterator[Point]:
        few = 3 if self.quick else 20
        for label, scheme in _lines():
            yield from _sweep('flow', 'flow', label, **tree, **scheme,
                              flows=FEW_FLOWS if self.quick else range(1, 21),
                              runs=3 if self.quick else 200, seed=self.seed)
        # Schemes that know all links. The optimum is exact, so one run suffices.
        for label, paths, runs in ('paths', 'two', few), ('optimal', 'optimal', 1):
            yield from _sweep('flow', 'flow', label, **tree, scheme='dmodk', paths=paths,
                              flows=FEW_FLOWS, runs=runs, seed=self.seed)
        # The permutation that is worst for D-mod-k.
        for label, scheme in _lines():
            yield from _sweep('flow', 'flow', label, **tree, **scheme, flows=1, worst=True,
                              runs=few, seed=self.seed)

    def _packets(self, tree: dict[str, int]) -> Iterator[Point]:
        """Packets. Quick runs decide on no claim about these, so they need only one seed."""
        loads = (60, 90, 96) if self.quick else range(60, 100, 3)
        for label, scheme in _lines():
            for load in (percent / 100 for percent in loads):
                slots, stats = lengths(self.quick, load)
                yield from _sweep('packet', 'packet', label, **tree, **scheme, load=load,
                                  slots=slots, stats=stats, seed=self._seeds(1))


def _sweep(kind: str, model: str, label: str | None = None, **options: Any) -> list[Point]:
    if 'rate' in options:  # `lambda` cannot be the name of an argument
        options['lambda'] = options.pop('rate')
    return sweep(model, {'kind': kind, 'label': label}, **options)


def _lines() -> Iterator[tuple[str, dict[str, Any]]]:
    """The labels and schemes of the paper's lines; T = 0 is two-choice without a threshold."""
    for label in LINES:
        yield label, {'scheme': label.split()[0], 'threshold': 0 if label.endswith('T=0') else None}
