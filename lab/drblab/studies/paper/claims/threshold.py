# SPDX-License-Identifier: BSD-3-Clause
"""Section 3: the purpose of the threshold."""

from drblab.studies.paper.compare import above, busier, each, flows, latency, redirected, where_of
from drblab.studies.paper.judge import Comparisons, Margin, claim
from drblab.studies.paper.results import Results


@claim('3', 'text', 'With T = 0 a switch takes the D-mod-k uplink with nearly 0.5 probability: flows.',
       'distance of the redirected share from 0.5, each c and tree', room=0.05)
def flow_zero_half(results: Results) -> Comparisons:
    for point, in flows(results, 'drb T=0'):
        yield redirected(point).off(0.5), where_of(point)


@claim('3', 'text', 'With T = 0 a switch takes the D-mod-k uplink with nearly 0.5 probability: packets.',
       'the same, each rho and tree', room=0.05, full=True)
def zero_half(results: Results) -> Comparisons:
    return each(results, 'drb T=0', lambda run: -abs(float(run.redirected) - 0.5))


@claim('3', 'text', 'With T = 0 about 25 % of the traffic of a tree of three layers stays on its D-mod-k path: '
       'flows.',
       'distance from 0.25 of the share of flows by way of the core whose whole path is the default, each c', room=0.05)
def flow_zero_stays(results: Results) -> Comparisons:
    for point, in flows(results, 'drb T=0', trees=results.trees[:1]):
        yield redirected(point, 'kept').off(0.25), where_of(point)


@claim('3', 'text', 'With T = 0 about 25 % of the traffic of a tree of three layers stays on its D-mod-k path: '
       'packets.',
       'distance from 0.25 of the share of packets by way of the core whose whole path is the default, each rho',
       room=0.05, full=True)
def zero_stays(results: Results) -> Comparisons:
    return each(results, 'drb T=0', lambda run: -abs(float(run.default_path) - 0.25), trees=results.trees[:1])


@claim('3', 'text', 'T = 0 fails to improve on D-mod-k: flows.',
       'flows on the busiest link, T = 0 less D-mod-k, each c and tree', figure='flow-')
def flow_zero_fails(results: Results) -> Comparisons:
    return busier(results, 'dmodk', 'drb T=0')


@claim('3', 'text', 'T = 0 fails to improve on D-mod-k: packets.',
       "mean latency of T = 0 over D-mod-k's, less 1, each rho and tree", figure='latency-', full=True)
def zero_fails(results: Results) -> Comparisons:
    return above(results, 'dmodk', 'drb T=0', latency)


@claim('3', 'text', 'A higher threshold redirects less, and balances the uplinks less.',
       'from one T to the next higher: redirected share that goes, mean queue that comes, chain of queues')
def chain_threshold(results: Results) -> Comparisons:
    chains = results.long_chains()
    for last, chain in zip(chains, chains[1:]):
        if last.rate == chain.rate:  # the thresholds of each rate are ascending
            for a, b in (chain.redirected, last.redirected), (last.queue, chain.queue):
                yield Margin.of(b).less(Margin.of(a)), chain.where
