# SPDX-License-Identifier: BSD-3-Clause
"""Section 2.1: D-mod-k, and the purpose of VLB."""

import math

from drblab.studies.paper.claims.fat_tree import exactly
from drblab.studies.paper.compare import busiest, flows, where_of
from drblab.studies.paper.judge import Comparisons, Margin, claim, untestable
from drblab.studies.paper.results import Results, name_of
from drblab.studies.paper.wiring import Wiring, shared_links


@claim('2.1', 'Fig. 1', 'D-mod-k maps hosts 0, 4, 8 and 12 of F(3,2) to core 0, and no others.',
       '1 for every host that is mapped so, else -1 (exact)')
def core_0(results: Results) -> Comparisons:
    w = Wiring(results.wiring[3, 2])
    for to in range(w.hosts):
        core = w.path((to + w.hosts // 2) % w.hosts, to).at.get(3)
        yield exactly((core == 0) == (to % 4 == 0)), 'F(3,2)'


@claim('2.1', 'Theorem 2.1', "D-mod-k's paths down to different destinations share no link.",
       '1 unless a down-link of F(3,4) or F(4,3) is on the paths to two hosts, of all pairs; then -1 (exact)')
def disjoint(results: Results) -> Comparisons:
    for tree in ((3, 4), (4, 3)):
        w = Wiring(results.wiring[tree])
        host = {}  # {down-link: the host to which paths over it lead}
        shared = False
        for a in range(w.hosts):
            for b in range(w.hosts):
                path = w.path(a, b)
                for link in ((m, path.at[m], path.down[m]) for m in path.down):
                    shared |= host.setdefault(link, b) != b
        yield exactly(not shared), name_of(tree)


@claim('2.1', 'Theorem 2.1', "... nor do they in the paper's own trees, where each path leads to its destination.",
       '1 unless two hosts share a down-link; a path up replaces one digit a hop (see eq. 1), so one sender at each '
       'distance stands for all (exact)')
def disjoint_large(results: Results) -> Comparisons:
    for tree in results.trees:
        yield exactly(shared_links(Wiring(results.wiring[tree])) == 0), name_of(tree)


@claim('2.1', 'text', 'D-mod-k minimizes collisions on the way down: flows.',
       'how far its busiest down-link is from c flows, the least there can be, each c and tree (exact)')
def flow_dmodk_down(results: Results) -> Comparisons:
    for point, in flows(results, 'dmodk'):
        yield exactly(abs(point.max_down - point.flows) < 1e-9), where_of(point)


untestable('first_proof', '2.1', 'This is the first proof of that.', 'about the literature')


@claim('2.1', 'text', 'Some permutation puts about sqrt(N) pairs on one link, under D-mod-k too.',
       'by how much of sqrt(N) the busiest uplink of D-mod-k has fewer pairs, in the permutation that is worst for it '
       '(exact, constructed and run)', room=0.5)
def worst_permutation(results: Results) -> Comparisons:
    for tree in results.trees:
        point = results.worst[tree, 'dmodk']
        root = math.sqrt(point.hosts)
        yield Margin(point.max_up / root - 1), f'{name_of(tree)}: {point.max_up:g} pairs, sqrt(N) = {root:.0f}'


@claim('2.1', 'text', '... namely as many as the wiring lets: of the d^m hosts below a switch and the N / d^m - 1 '
       'others whose lowest m digits lead to its uplink, the fewer; most over m.',
       '1 if the permutation that was constructed has as many, else -1 (exact)', ours=True)
def worst_is_known(results: Results) -> Comparisons:
    for tree in results.trees:
        point, (layers, arity) = results.worst[tree, 'dmodk'], tree
        most = max(min(arity ** m, point.hosts // arity ** m - 1) for m in range(1, layers))
        yield exactly(abs(point.max_up - most) < 1e-9), name_of(tree)  # a mean of equal values


untestable('any_deterministic', '2.1', '... and under any other deterministic scheme.',
           'about all schemes there can be: a theorem of another paper')


@claim('4', 'text', 'VLB improves the worst case of permutation routing.',
       "flows on the busiest link under D-mod-k in the permutation that is worst for it, less VLB's, each tree")
def valiant(results: Results) -> Comparisons:
    for tree in results.trees:
        bad, vlb = (results.worst[tree, label] for label in ('dmodk', 'vlb'))
        yield busiest(bad).less(busiest(vlb)), f'{name_of(tree)}: {bad.max_load:g} and {vlb.max_load:.2f} flows'
