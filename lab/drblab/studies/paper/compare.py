# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons that many claims use.

Under the same seed, all schemes have the same traffic. Runs of packets are therefore compared seed
by seed. For flows, only means and deviations are kept, so intervals of their differences are wider
than necessary."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from drblab.report.sample import Sample
from drblab.studies.paper.judge import Comparisons, Margin
from drblab.studies.paper.results import Results, Row, Tree, name_of, tree_of

FLOWS = range(1, 21)
Figure: TypeAlias = Callable[[Row], float]


def ratio(a: float, b: float) -> float:
    """A quotient that may be infinite, because a queue may be 0."""
    return a / b if b else math.nan if math.isnan(a) or not a else math.copysign(math.inf, a)


# The flow model

def where_of(point: Row) -> str:
    return f'{name_of(tree_of(point))}, {point.label}, c = {point.flows}'


def busiest(point: Row) -> Margin:
    return Margin.of(Sample.of(point.runs, point.max_load, point.max_load_sd))


def redirected(point: Row, key: str = 'redirected') -> Margin:
    """The share of decisions that are redirected, whose statistical error is tiny. key 'kept': the
    share of flows that stay on their default path."""
    share = getattr(point, key)
    decisions = point.runs * point.flows * point.hosts
    return Margin(share, 2 * math.sqrt(share * (1 - share) / decisions), point.runs)


def flows(results: Results, *labels: str, trees: Sequence[Tree] | None = None) -> Iterator[list[Row]]:
    """Yields the points of these lines at each c in each tree, if all of them exist."""
    for tree in trees or results.trees:
        for c in FLOWS:
            points = [results.flows.get((tree, label, c)) for label in labels]
            if all(points):
                yield points


def mean_of(margins: Sequence[Margin]) -> Margin:
    """The mean of independent margins."""
    values = [margin.value for margin in margins]
    half = math.sqrt(sum(margin.half ** 2 for margin in margins)) / len(margins)
    return Margin(sum(values) / len(values), half, min(margin.runs for margin in margins))


def busier(results: Results, than: str, label: str) -> Comparisons:
    """Flows on the busiest link: the number under line `label` minus that under line `than`."""
    for a, b in flows(results, than, label):
        yield busiest(b).less(busiest(a)), where_of(b)


# The packet model

def latency(run: Row) -> float:
    return float(run.latency)


def tail(run: Row) -> float:
    return float(run.tail)


def excess(results: Results, tree: Tree, rho: float, labels: tuple[str, str], figure: Figure) -> Sample:
    """The relative excess of a figure of the second line over that of the first, seed by seed."""
    a, b = (results.runs(tree, label, rho) for label in labels)
    return Sample(ratio(figure(y), figure(x)) - 1 for x, y in zip(a, b))


def where_at(tree: Tree, label: str, rho: float) -> str:
    return f'{name_of(tree)}, {label}, rho = {rho:.2f}'


def loads(results: Results) -> Iterator[tuple[Tree, float]]:
    return ((tree, rho) for tree in results.trees for rho in results.loads)


def above(results: Results, than: str, label: str, figure: Figure) -> Comparisons:
    for tree, rho in loads(results):
        sample = excess(results, tree, rho, (than, label), figure)
        if sample.count:
            yield Margin.of(sample), where_at(tree, label, rho)


def each(results: Results, label: str, figure: Figure, trees: Sequence[Tree] | None = None) -> Comparisons:
    """Yields the figure of a line, over its runs, as a margin at each load."""
    for tree, rho in loads(results):
        runs = results.runs(tree, label, rho)
        if runs and (trees is None or tree in trees):
            yield Margin.of(Sample(figure(run) for run in runs)), where_at(tree, label, rho)


def queues(results: Results, than: str, label: str, key: str) -> Comparisons:
    """Queues of each layer: the relative excess under line `label` over line `than`. key: up_mean,
    down_max, ...

    Downlinks of layer 1 are left out, because every scheme has only one link to a host."""
    for tree, rho in loads(results):
        a, b = (results.runs(tree, line, rho) for line in (than, label))
        layers = range(1, tree[0]) if key.startswith('up') else range(2, tree[0] + 1)
        for m in layers if a and b else ():
            sample = Sample(ratio(getattr(y, key)[m - 1], getattr(x, key)[m - 1]) - 1 for x, y in zip(a, b))
            yield Margin.of(sample), f'{where_at(tree, than, rho)}, layer {m}'
