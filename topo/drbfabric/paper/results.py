# SPDX-License-Identifier: BSD-3-Clause
"""results.jsonl, as src/sim/paper/results.h has it, and what belongs together of it."""

import itertools
import json
import math
from types import SimpleNamespace

from drbfabric.report.sample import Sample

# Lines of the paper's figures, its own scheme first; "drb T=0" is drb without threshold.
LINES = ('drb', 'drb T=0', 'micro', 'vlb', 'dmodk')


def name_of(tree):
    return f'F({tree[0]},{tree[1]})'


def _row(members):
    return SimpleNamespace(**{key: math.nan if value is None else value for key, value in members.items()})


def growth_of(runs):
    """'yes' if the queues of any run grow, else 'unclear' if those of any may, else 'no' (common/measures/growth.h)."""
    return 'yes' if any(run.growing for run in runs) else 'unclear' if any(run.unclear for run in runs) else 'no'


def tree_of(row):
    return row.layers, row.arity


def estimate(flows, hosts, threshold):
    """Flows on the busiest link under DRB, as section 4.1 has them: c + ln ln N / ln 2 + T."""
    return flows + math.log(math.log(hosts)) / math.log(2) + threshold


class Chain:
    """The runs of a chain of queues: s[i] is the share of queues with at least i packets."""

    def __init__(self, runs, theory):
        self.queues, self.rate, self.threshold, self.theory = runs[0].queues, runs[0].rate, runs[0].threshold, theory
        self.queue = Sample(run.mean_queue for run in runs)
        self.redirected = Sample(run.redirected for run in runs)
        self.correlation = Sample(run.correlation for run in runs)
        self.s = [Sample([1, *run.s][i] for run in runs) for i in range(len(runs[0].s) + 1)]
        self.where = f'n = {self.queues}, lambda = {self.rate:g}, T = {self.threshold:g}'


class Layers:
    """The runs of a tree in continuous time; lists by layer, layer 1 first."""

    def __init__(self, runs, theory):
        first = runs[0]
        self.tree, self.rate, self.threshold, self.theory = tree_of(first), first.rate, first.threshold, theory
        for key in ('mean_queue', 'distance', 'departures_cv2'):
            setattr(self, key, [Sample(getattr(run, key)[i] for run in runs) for i in range(first.layers - 1)])

    def where(self, layer):
        return f'lambda = {self.rate:g}, T = {self.threshold:.3g}, layer {layer}'


class Results:
    """Points and the rest, by kind, in the order of the plan."""

    def __init__(self, folder):
        with open(f'{folder}/results.jsonl', encoding='utf-8') as f:
            self.take([json.loads(line, object_hook=_row) for line in f])

    def take(self, rows):
        self.rows = {}
        for row in rows:
            self.rows.setdefault(row.kind, []).append(row)
        self.run = self.rows['run'][0]
        flows = [row for row in self.of('flow') if row.done]
        self.flows = {(tree_of(row), row.label, row.flows): row for row in flows if row.traffic == 'permutation'}
        self.worst = {(tree_of(row), row.label): row for row in flows if row.traffic == 'worst'}
        self.trees = list(dict.fromkeys(tree_of(row) for row in self.of('flow')))
        self.theory = {(row.rate, row.threshold): row for row in self.of('theory')}
        self.wiring = {tree_of(row): row for row in self.of('tree')}
        self.bins = {(row.bins, row.each, row.choices): row.fullest for row in self.of('bins') if row.done}
        self.chains = self._groups('chain', Chain, ('queues', 'rate', 'threshold'))
        self.layers = self._groups('layers', Layers, ('layers', 'arity', 'rate', 'threshold'))
        # Distances from the equations: {packets in each queue at the start: {queues: [of each seed]}}.
        self.transients = {}
        for row in self.of('transient'):
            if row.done:
                self.transients.setdefault(row.start, {}).setdefault(row.queues, []).append(row.distance)
        self.starts = list(self.transients)
        own = self.packets('packet')
        self.loads = sorted({row.rho for row in own})
        # Those whose runs are as long as the paper's: shorter ones do not tell what holds by its last 500 slots.
        longest = max((row.slots for row in own), default=0)
        self.long_loads = sorted({row.rho for row in own if row.slots == longest})
        self._runs = {}
        for row in own:
            self._runs.setdefault((tree_of(row), row.label, row.rho), []).append(row)

    def throws(self, choices):
        """[(n, the fullest bin of each run)] of n balls in n bins, for n = 2^10, 2^12, ..."""
        return sorted((n, runs) for (n, each, ways), runs in self.bins.items()
                      if each == 1 and ways == choices and n & (n - 1) == 0)

    def of(self, kind):
        return self.rows.get(kind, [])

    def packets(self, study):
        """Of the paper's experiment (packet), or a study: persistent, faults."""
        return [row for row in self.of('packet') if row.study == study]

    def runs(self, tree, label, rho):
        """The runs of a point of the paper's experiment with packets, seed by seed."""
        return self._runs.get((tree, label, rho), [])

    def long_runs(self):
        """(tree, line, rho, the runs) of each point whose runs are as long as the paper's."""
        for tree, line, rho in itertools.product(self.trees, LINES, self.long_loads):
            if self.runs(tree, line, rho):
                yield tree, line, rho, self.runs(tree, line, rho)

    def long_chains(self):
        """Those of many queues."""
        most = max(chain.queues for chain in self.chains)
        return [chain for chain in self.chains if chain.queues == most]

    def _groups(self, kind, make, keys):
        runs = itertools.groupby((row for row in self.of(kind) if row.done),
                                 lambda row: tuple(getattr(row, key) for key in keys))
        return [make(list(rows), self.theory.get((key[-2], key[-1]))) for key, rows in runs]
