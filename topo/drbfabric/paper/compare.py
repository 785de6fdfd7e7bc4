# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons that many claims are judged by. Equal seeds give all schemes the same traffic, so packets are compared
seed by seed; of flows only means and deviations are kept, so intervals of their differences are wider than they had to
be."""

import math

from drbfabric.paper.judge import Margin
from drbfabric.paper.results import name_of, tree_of
from drbfabric.report.sample import Sample

FLOWS = range(1, 21)


def ratio(a, b):
    """A quotient that may be infinite: a queue may be 0."""
    return a / b if b else math.nan if math.isnan(a) or not a else math.copysign(math.inf, a)


# The flow model

def where_of(point):
    return f'{name_of(tree_of(point))}, {point.label}, c = {point.flows}'


def busiest(point):
    return Margin.of(Sample.of(point.runs, point.max_load, point.max_load_sd))


def redirected(point, key='redirected'):
    """A share; of so many decisions or flows it has next to no error by chance. key: kept, of whole paths."""
    share = getattr(point, key)
    decisions = point.runs * point.flows * point.hosts
    return Margin(share, 2 * math.sqrt(share * (1 - share) / decisions), point.runs)


def flows(results, *labels, trees=None):
    """The points of these lines at each c in each tree, for whom all are there."""
    for tree in trees or results.trees:
        for c in FLOWS:
            points = [results.flows.get((tree, label, c)) for label in labels]
            if all(points):
                yield points


def mean_of(margins):
    """Of independent ones."""
    values = [margin.value for margin in margins]
    half = math.sqrt(sum(margin.half ** 2 for margin in margins)) / len(margins)
    return Margin(sum(values) / len(values), half, min(margin.runs for margin in margins))


def busier(results, than, label):
    """Flows on the busiest link: how many more under one line than under another."""
    for a, b in flows(results, than, label):
        yield busiest(b).less(busiest(a)), where_of(b)


# The packet model

def latency(run):
    return run.latency


def tail(run):
    return run.tail


def excess(results, tree, rho, labels, figure):
    """How far a figure of the second line is above that of the first."""
    a, b = (results.runs(tree, label, rho) for label in labels)
    return Sample(ratio(figure(y), figure(x)) - 1 for x, y in zip(a, b))


def where_at(tree, label, rho):
    return f'{name_of(tree)}, {label}, rho = {rho:.2f}'


def loads(results):
    return ((tree, rho) for tree in results.trees for rho in results.loads)


def above(results, than, label, figure):
    for tree, rho in loads(results):
        sample = excess(results, tree, rho, (than, label), figure)
        if sample.count:
            yield Margin.of(sample), where_at(tree, label, rho)


def each(results, label, figure, trees=None):
    """A figure of each run of a line, as a margin, at each load."""
    for tree, rho in loads(results):
        runs = results.runs(tree, label, rho)
        if runs and (trees is None or tree in trees):
            yield Margin.of(Sample(figure(run) for run in runs)), where_at(tree, label, rho)


def queues(results, than, label, key):
    """Queues of each layer: how far longer under one line than under another. key: up_mean, down_max, ... To its host a
    packet has one link, whatever the scheme: layer 1 down is left out."""
    for tree, rho in loads(results):
        a, b = (results.runs(tree, line, rho) for line in (than, label))
        layers = range(1, tree[0]) if key.startswith('up') else range(2, tree[0] + 1)
        for m in layers if a and b else ():
            sample = Sample(ratio(getattr(y, key)[m - 1], getattr(x, key)[m - 1]) - 1 for x, y in zip(a, b))
            yield Margin.of(sample), f'{where_at(tree, than, rho)}, layer {m}'
