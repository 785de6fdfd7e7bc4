# SPDX-License-Identifier: BSD-3-Clause
"""The rows of all points, in groups that belong together."""

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, TypeAlias

import pandas

from drblab.report.sample import Sample

Row: TypeAlias = Any  # a SimpleNamespace; NaN where a figure is undefined
Tree: TypeAlias = tuple[int, int]

TREES = ((3, 24), (4, 12))
# Lines of the paper's figures, its own scheme first; "drb T=0" is drb without threshold.
LINES = ('drb', 'drb T=0', 'micro', 'vlb', 'dmodk')
LEVELS = 16  # number of shares of queues with at least 1, 2, ... packets that are compared
GROWTH_ONE_IN = 150000  # src/common/measures/growth.h
# Columns of whole numbers. A frame makes them real if the column has undefined values.
WHOLE = ('layers', 'arity', 'flows', 'runs', 'seed', 'slots', 'stats', 'queues', 'start', 'bins', 'each', 'choices',
         'growing_links')
RENAMED = {'load': 'rho', 'lambda': 'rate', 'stats': 'measured'}


def name_of(tree: Tree) -> str:
    return f'F({tree[0]},{tree[1]})'


def growth_of(runs: Iterable[Row]) -> str:
    """'yes' if the queues of any run grow, else 'unclear' if they may grow in any, else 'no'
    (common/measures/growth.h)."""
    runs = list(runs)
    return 'yes' if any(run.growing for run in runs) else 'unclear' if any(run.unclear for run in runs) else 'no'


def tree_of(row: Row) -> Tree:
    return row.layers, row.arity


def estimate(flows: float, hosts: int, threshold: float) -> float:
    """Flows on the busiest link under DRB by section 4.1 of the paper: c + ln ln N / ln 2 + T."""
    return flows + math.log(math.log(hosts)) / math.log(2) + threshold


def _by_layer(row: Row, name: str, count: int) -> list[Any]:
    """The columns of all layers, layer 1 first. M in the name is replaced by the layer."""
    return [getattr(row, name.replace('M', str(m))) for m in range(1, count + 1)]


def _take_flow(row: Row) -> None:
    row.traffic = 'worst' if row.worst is True else 'permutation'


def _take_packet(row: Row) -> None:
    """Completes a row of packets. If no more links grow than chance explains, it is unclear whether
    queues grow."""
    by_chance = (2 * row.layers - 1) * row.hosts // GROWTH_ONE_IN
    chance = 0 < row.growing_links <= by_chance
    row.unclear = row.growing == 'unclear' or chance
    row.growing = row.growing == 'yes' and not chance
    for kind in ('mean', 'max'):
        setattr(row, f'up_{kind}', _by_layer(row, f'queue_upM_{kind}', row.layers - 1))
        setattr(row, f'down_{kind}', _by_layer(row, f'queue_downM_{kind}', row.layers))


def _take_chain(row: Row) -> None:
    row.s = (row.s + [0] * LEVELS)[:LEVELS]


def _take_layers(row: Row) -> None:
    for key, name in (('mean_queue', 'mean_queueM'), ('distance', 'distanceM'), ('departures_cv2', 'departuresM_cv2')):
        setattr(row, key, _by_layer(row, name, row.layers - 1))


def _take_theory(row: Row) -> None:
    row.whole = math.floor(row.threshold)
    row.s, row.z = ([level[key] for level in row.tail] for key in 'sz')


def _take_tree(row: Row) -> None:
    for key in ('up', 'up_port', 'defaults'):
        setattr(row, key, _by_layer(row, f'{key}M', row.layers - 1))
    if row.down is True:
        row.down = _by_layer(row, 'downM', row.layers)
    else:
        del row.down


TAKE: dict[str, Callable[[Row], None]] = {
    'flow': _take_flow, 'packet': _take_packet, 'chain': _take_chain, 'layers': _take_layers, 'theory': _take_theory,
    'tree': _take_tree}


def _value(name: str, value: Any) -> Any:
    if value is None:
        return math.nan
    return int(value) if name in WHOLE and value == value else value


def rows_of(frame: pandas.DataFrame) -> list[Row]:
    """Converts a frame into the rows that claims and figures read."""
    rows = []
    for record in frame.to_dict('records'):
        row: Row = SimpleNamespace(**{RENAMED.get(str(name), str(name)): _value(str(name), value)
                                      for name, value in record.items()})
        if row.layers == row.layers:
            row.hosts = 2 * row.arity ** row.layers
        TAKE.get(row.kind, lambda row: None)(row)
        rows.append(row)
    return rows


class Chain:
    """The runs of a chain of queues; s[i]: share of queues with at least i packets."""

    def __init__(self, runs: list[Row], theory: Row) -> None:
        self.queues, self.rate, self.threshold, self.theory = runs[0].queues, runs[0].rate, runs[0].threshold, theory
        self.queue = Sample(run.mean_queue for run in runs)
        self.redirected = Sample(run.redirected for run in runs)
        self.correlation = Sample(run.correlation for run in runs)
        self.s = [Sample([1, *run.s][i] for run in runs) for i in range(len(runs[0].s) + 1)]
        self.where = f'n = {self.queues}, lambda = {self.rate:g}, T = {self.threshold:g}'


class Layers:
    """The runs of a tree in continuous time. Lists are by layer, layer 1 first."""

    def __init__(self, runs: list[Row], theory: Row) -> None:
        first = runs[0]
        self.tree, self.rate, self.threshold, self.theory = tree_of(first), first.rate, first.threshold, theory
        self.mean_queue, self.distance, self.departures_cv2 = (
            [Sample(getattr(run, key)[i] for run in runs) for i in range(first.layers - 1)]
            for key in ('mean_queue', 'distance', 'departures_cv2'))

    def where(self, layer: int) -> str:
        return f'lambda = {self.rate:g}, T = {self.threshold:.3g}, layer {layer}'


class Results:
    """Rows by kind, in the order of the plan. `run` has version, seed, quick and points."""

    def __init__(self, rows: Iterable[Row], run: Row) -> None:
        self.run = run
        self.rows: dict[str, list[Row]] = {}
        for row in rows:
            self.rows.setdefault(row.kind, []).append(row)
        flows = self.of('flow')
        self.flows = {(tree_of(row), row.label, row.flows): row for row in flows if row.traffic == 'permutation'}
        self.worst = {(tree_of(row), row.label): row for row in flows if row.traffic == 'worst'}
        self.trees = list(dict.fromkeys(tree_of(row) for row in flows))
        self.theory = {(row.rate, row.threshold): row for row in self.of('theory')}
        self.wiring = {tree_of(row): row for row in self.of('tree')}
        self.bins = {(row.bins, row.each, row.choices): row.fullest for row in self.of('bins')}
        self.chains = self._groups('chain', Chain, ('queues', 'rate', 'threshold'))
        self.layers = self._groups('layers', Layers, ('layers', 'arity', 'rate', 'threshold'))
        # Distances from the equations: {packets in each queue at the start: {queues: [distance by
        # seed]}}.
        self.transients: dict[int, dict[int, list[float]]] = {}
        for row in self.of('transient'):
            self.transients.setdefault(row.start, {}).setdefault(row.queues, []).append(row.distance)
        self.starts = list(self.transients)
        own = self.of('packet')
        self.loads = sorted({row.rho for row in own})
        # Loads with runs of the paper's length. Shorter runs cannot decide on claims about its last
        # 500 slots.
        longest = max((row.slots for row in own), default=0)
        self.long_loads = sorted({row.rho for row in own if row.slots == longest})
        self._runs: dict[tuple[Tree, str, float], list[Row]] = {}
        for row in own:
            self._runs.setdefault((tree_of(row), row.label, row.rho), []).append(row)

    def throws(self, choices: int) -> list[tuple[int, list[float]]]:
        """Throws of n balls into n bins, n = 2^10, 2^12, ...: [(n, fullest bin of each run)]."""
        return sorted((n, runs) for (n, each, ways), runs in self.bins.items()
                      if each == 1 and ways == choices and n & (n - 1) == 0)

    def of(self, kind: str) -> list[Row]:
        return self.rows.get(kind, [])

    def runs(self, tree: Tree, label: str, rho: float) -> list[Row]:
        """The runs of a point with packets, in the order of seeds."""
        return self._runs.get((tree, label, rho), [])

    def long_runs(self) -> Iterator[tuple[Tree, str, float, list[Row]]]:
        """Yields (tree, line, rho, runs) for each point with runs of the paper's length."""
        for tree, line, rho in itertools.product(self.trees, LINES, self.long_loads):
            if self.runs(tree, line, rho):
                yield tree, line, rho, self.runs(tree, line, rho)

    def long_chains(self) -> list[Chain]:
        """The chains with the largest number of queues."""
        most = max(chain.queues for chain in self.chains)
        return [chain for chain in self.chains if chain.queues == most]

    def _groups(self, kind: str, make: Any, keys: tuple[str, ...]) -> list[Any]:
        runs = itertools.groupby(self.of(kind), lambda row: tuple(getattr(row, key) for key in keys))
        return [make(list(rows), self.theory.get((key[-2], key[-1]))) for key, rows in runs]
