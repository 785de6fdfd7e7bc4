# SPDX-License-Identifier: BSD-3-Clause
"""Section 2.1: D-mod-k."""

import math

from drbfabric.paper.claims.fat_tree import exactly
from drbfabric.paper.compare import flows, where_of
from drbfabric.paper.judge import Margin, claim, untestable
from drbfabric.paper.results import name_of
from drbfabric.paper.wiring import Wiring


@claim('2.1', 'Fig. 1', 'D-mod-k maps hosts 0, 4, 8 and 12 of F(3,2) to core 0, and no others.',
       '1 for every host that is mapped so, else -1 (exact)')
def core_0(results):
    w = Wiring(results.wiring[3, 2])
    for to in range(w.hosts):
        core = w.path((to + w.hosts // 2) % w.hosts, to).at.get(3)
        yield exactly((core == 0) == (to % 4 == 0)), 'F(3,2)'


@claim('2.1', 'Theorem 2.1', "D-mod-k's paths down to different destinations share no link.",
       '1 unless a down-link of F(3,4) or F(4,3) is on the paths to two hosts, of all pairs; then -1 (exact)')
def disjoint(results):
    for tree in ((3, 4), (4, 3)):
        w = Wiring(results.wiring[tree])
        host = {}  # whose paths a down-link is on
        shared = False
        for a in range(w.hosts):
            for b in range(w.hosts):
                path = w.path(a, b)
                for link in ((m, path.at[m], path.down[m]) for m in path.down):
                    shared |= host.setdefault(link, b) != b
        yield exactly(not shared), name_of(tree)


@claim('2.1', 'text', 'D-mod-k minimizes collisions on the way down: flows.',
       '1e-9 less how far its busiest down-link is from c flows, the least there can be, each c and tree')
def flow_dmodk_down(results):
    for point, in flows(results, 'dmodk'):
        yield Margin(1e-9 - abs(point.max_down - point.flows)), where_of(point)


untestable('2.1', 'text', 'This is the first proof of that.', 'about the literature')


@claim('2.1', 'text', 'Some permutation puts about sqrt(N) pairs on one link, under D-mod-k too.',
       'the most pairs that D-mod-k can put on an uplink, of sqrt(N), less a half (exact)')
def worst_permutation(results):
    """An uplink of layer m is the default of those who are below its switch and send to hosts with the m lowest digits
    that lead there: d^m and 2 d^(l-m) of them, and any pairs of these are of some permutation."""
    for layers, arity in results.trees:
        hosts = 2 * arity ** layers
        most = max(min(arity ** m, hosts // arity ** m) for m in range(1, layers))
        root = math.sqrt(hosts)
        yield Margin(most / root - 0.5), f'F({layers},{arity}): {most} pairs, sqrt(N) = {root:.0f}'


untestable('2.1', 'text', '... and under any other deterministic scheme.',
           'about all schemes there can be: a theorem of another paper')
