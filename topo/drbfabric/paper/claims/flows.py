# SPDX-License-Identifier: BSD-3-Clause
"""Section 4.1: flows, Fig. 4 and Table 1."""

import math

from drbfabric.paper.claims.introduction import fullest, hosts_of
from drbfabric.paper.compare import FLOWS, busier, busiest, flows, redirected, where_of
from drbfabric.paper.judge import Margin, claim, untestable
from drbfabric.paper.results import LINES, estimate


@claim('4.1', 'Fig. 4', 'DRB with T(c) has a smaller busiest link than micro, VLB and T = 0, for every c.',
       'flows on the busiest link, the other less DRB, each c and tree', 'flow-')
def flow_best(results):
    for other in ('drb T=0', 'micro', 'vlb'):
        yield from busier(results, 'drb', other)


@claim('4.1', 'text', 'The variance of the busiest link over the runs is small.',
       '0.1 less standard deviation over mean, each scheme, c and tree')
def flow_spread(results):
    for line in LINES:
        for point, in flows(results, line):
            share = point.max_load_sd / point.max_load
            # A standard deviation of n figures is known to about 1 / sqrt(2 (n - 1)) of itself.
            half = 2 * share / math.sqrt(2 * (point.runs - 1))
            yield Margin(0.1 - share, half, point.runs), where_of(point)


untestable('4.1', 'text', 'Under an optimal assignment the busiest link has c flows.',
           'about the best assignment there is: a theorem (fat-trees do not block)')


def error_of(point):
    """Of the estimate, relative."""
    about = estimate(point.flows, point.hosts, point.threshold)
    load = busiest(point)
    return Margin(abs(load.value - about) / about, load.half / about, load.runs)


@claim('4.1', 'Table 1', "c + ln ln N / ln 2 + T(c) estimates DRB's busiest link accurately.",
       '0.15 less the relative error, each c and tree')
def flow_estimate(results):
    for point, in flows(results, 'drb'):
        yield error_of(point).within(0.15), where_of(point)


@claim('4.1', 'Table 1', 'The relative error is slightly larger in F(4,12) than in F(3,24).',
       'relative error, F(4,12) less F(3,24), each c')
def flow_second_tree(results):
    for c in FLOWS:
        points = [results.flows.get((tree, 'drb', c)) for tree in results.trees]
        if all(points):
            yield error_of(points[1]).less(error_of(points[0])), where_of(points[1])


@claim('4.1', 'eq. 14', 'c n balls in n bins, each in the less loaded of two: about c + ln ln n / ln 2 + Theta(1).',
       '2 less the distance of the fullest bin from c + ln ln n / ln 2, c = 1, 5, 10, 20')
def bins_heavy(results):
    for n in hosts_of(results):
        for c in (1, 5, 10, 20):
            most, where = fullest(results, n, c, 2)
            yield most.within(2, estimate(c, n, 0)), where


@claim('4.1', 'text', 'The threshold greatly limits how many flows are redirected.',
       'half of the share with T = 0, less that with T(c), each c and tree')
def flow_limited(results):
    for own, plain in flows(results, 'drb', 'drb T=0'):
        share = redirected(plain)
        yield share._replace(value=share.value / 2).less(redirected(own)), where_of(own)


@claim('4.1', 'text', "DRB's busiest link is like two-choice's in balls and bins: c + ln ln N / ln 2 + O(1).",
       'T(c) + 1 less the distance from c + ln ln N / ln 2, each c and tree', 'flow-')
def flow_two_choice(results):
    for point, in flows(results, 'drb'):
        bins = estimate(point.flows, point.hosts, 0)
        yield busiest(point).within(math.floor(point.threshold) + 1, bins), where_of(point)
