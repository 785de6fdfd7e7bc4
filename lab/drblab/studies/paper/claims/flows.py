# SPDX-License-Identifier: BSD-3-Clause
"""Section 4.1: flows, Fig. 4 and Table 1."""

import math

from drblab.studies.paper.claims.fat_tree import exactly
from drblab.studies.paper.claims.introduction import fullest, hosts_of
from drblab.studies.paper.compare import busier, busiest, flows, mean_of, redirected, where_of
from drblab.studies.paper.judge import Comparisons, Margin, claim
from drblab.studies.paper.results import LINES, Results, Row, Tree, estimate, name_of


@claim('4.1', 'Fig. 4', 'DRB with T(c) has a smaller busiest link than micro, VLB and T = 0, for every c.',
       'flows on the busiest link, the other less DRB, each c and tree', figure='flow-')
def flow_best(results: Results) -> Comparisons:
    for other in ('drb T=0', 'micro', 'vlb'):
        yield from busier(results, 'drb', other)


@claim('4.1', 'text', 'The variance of the busiest link over the runs is small.',
       'standard deviation over mean, each scheme, c and tree', room=0.1)
def flow_spread(results: Results) -> Comparisons:
    for line in LINES:
        for point, in flows(results, line):
            share = point.max_load_sd / point.max_load
            # The relative error of a standard deviation of n values is about 1 / sqrt(2 (n - 1)).
            half = 2 * share / math.sqrt(2 * (point.runs - 1))
            yield Margin(-share, half, point.runs), where_of(point)


@claim('4.1', 'text', 'Under an optimal assignment the busiest link has c flows.',
       '1 if the paths that an edge colouring of the flows gives have c on the busiest link, else -1, c = 1, 2, 5, 10, '
       '20 and each tree (exact, constructed)', figure='flow-')
def flow_optimal(results: Results) -> Comparisons:
    for point, in flows(results, 'optimal'):
        yield exactly(point.max_load == point.flows), where_of(point)


def error_of(point: Row) -> Margin:
    """The relative error of the paper's estimate of the busiest link."""
    about = estimate(point.flows, point.hosts, point.threshold)
    load = busiest(point)
    return Margin(abs(load.value - about) / about, load.half / about, load.runs)


def mean_error(results: Results, tree: Tree) -> Margin:
    """The mean of error_of() over all c."""
    return mean_of([error_of(point) for point, in flows(results, 'drb', trees=[tree])])


@claim('4.1', 'Table 1', "c + ln ln N / ln 2 + T(c) estimates DRB's busiest link accurately.",
       'mean over c of the relative error, each tree', figure='table-1', room=0.05)
def flow_estimate(results: Results) -> Comparisons:
    for tree in results.trees:
        yield mean_error(results, tree).off(), name_of(tree)


@claim('4.1', 'Table 1', '... at every single c, which the paper does not say.', 'relative error, each c and tree',
       figure='table-1', room=0.15, ours=True)
def flow_estimate_each(results: Results) -> Comparisons:
    for point, in flows(results, 'drb'):
        yield error_of(point).off(), where_of(point)


@claim('4.1', 'Table 1', 'The relative error is slightly larger in F(4,12) than in F(3,24).',
       'mean over c of the relative error, F(4,12) less F(3,24)', figure='table-1')
def flow_second_tree(results: Results) -> Comparisons:
    first, second = results.trees
    yield mean_error(results, second).less(mean_error(results, first)), 'means over c'


@claim('4.1', 'eq. 14', 'c n balls in n bins, each in the less loaded of two: about c + ln ln n / ln 2 + Theta(1).',
       'distance of the fullest bin from c + ln ln n / ln 2, c = 1, 5, 10, 20', room=2, ours=True)
def bins_heavy(results: Results) -> Comparisons:
    for n in hosts_of(results):
        for c in (1, 5, 10, 20):
            most, where = fullest(results, n, c, 2)
            yield most.off(estimate(c, n, 0)), where


@claim('4.1', 'text', 'The threshold greatly limits how many flows are redirected.',
       'half of the share with T = 0, less that with T(c), each c and tree')
def flow_limited(results: Results) -> Comparisons:
    for own, plain in flows(results, 'drb', 'drb T=0'):
        share = redirected(plain)
        yield share._replace(value=share.value / 2).less(redirected(own)), where_of(own)


@claim('4.1', 'text', "DRB's busiest link is like two-choice's in balls and bins: c + ln ln N / ln 2 + O(1).",
       'by how much it is more than T(c), rounded down, away from c + ln ln N / ln 2, each c and tree', figure='flow-',
       room=1)
def flow_two_choice(results: Results) -> Comparisons:
    for point, in flows(results, 'drb'):
        far = busiest(point).off(estimate(point.flows, point.hosts, 0))
        yield far._replace(value=far.value + math.floor(point.threshold)), where_of(point)
