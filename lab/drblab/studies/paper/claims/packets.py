# SPDX-License-Identifier: BSD-3-Clause
"""Section 4.2: packets, Fig. 5 and Fig. 6."""

from drblab.studies.paper.compare import above, excess, latency, queues, tail, where_at
from drblab.studies.paper.judge import Comparisons, Margin, claim
from drblab.studies.paper.results import LINES, Results, growth_of, name_of

# The schemes that the paper compares DRB with, except DRB without threshold.
OTHERS = ('dmodk', 'micro', 'vlb')


@claim('4.2', 'text', 'The system is stable by the last 500 of 2000 slots.',
       '1 if no queue grows any more, 0 if that is unclear, else -1, each scheme and tree, each rho with 2000 slots',
       full=True)
def settled(results: Results) -> Comparisons:
    """The simulator reports whether queues grow, so margins have no interval."""
    for tree, line, rho, runs in results.long_runs():
        yield Margin({'yes': -1, 'unclear': 0, 'no': 1}[growth_of(runs)], 0, len(runs)), where_at(tree, line, rho)


NAMES = {'dmodk': 'D-mod-k', 'drb': 'DRB', 'micro': 'micro'}


def balances(says: str, than: str, label: str, key: str) -> None:
    """Adds a claim of Fig. 5: queues of each layer are shorter under `than` than under `label`."""
    kind = key.split('_')[1]
    better, what = ('better than ' + NAMES[label], 'mean') if kind == 'mean' else ('the longest queue', 'longest')

    def judge(results: Results) -> Comparisons:
        return queues(results, than, label, key)

    judge.__name__ = f'{than}_{key}'
    claim('4.2', 'Fig. 5', f'{says}: {better}.',
          f"{what} queue of a layer, {NAMES[label]}'s over {NAMES[than]}'s, less 1, each layer, rho and tree",
          figure=f'queue-{kind}-', full=True)(judge)


for kind in ('mean', 'max'):
    balances('DRB balances the uplinks', 'drb', 'dmodk', f'up_{kind}')
    balances('DRB balances the down-links', 'drb', 'micro', f'down_{kind}')
    balances('Micro balances the uplinks', 'micro', 'dmodk', f'up_{kind}')
    balances('D-mod-k balances the down-links', 'dmodk', 'micro', f'down_{kind}')


@claim('4.2', 'Fig. 6', 'DRB achieves the best performance: the lowest mean latency of all five.',
       "mean latency, the other's over DRB's, less 1, T = 0 among them, each rho and tree", figure='latency-',
       full=True)
def best(results: Results) -> Comparisons:
    for other in LINES[1:]:
        yield from above(results, 'drb', other, latency)


@claim('4.2', 'Fig. 6', 'DRB has the lower mean latency: than D-mod-k, micro and VLB.',
       "mean latency, the other's over DRB's, less 1, each rho and tree", figure='latency-', full=True)
def mean_latency(results: Results) -> Comparisons:
    for other in OTHERS:
        yield from above(results, 'drb', other, latency)


@claim('4.2', 'Fig. 6', 'DRB has the lower tail latency: than D-mod-k, micro and VLB.',
       "tail latency, the other's over DRB's, less 1, each rho and tree", figure='tail-', full=True)
def tail_latency(results: Results) -> Comparisons:
    for other in OTHERS:
        yield from above(results, 'drb', other, tail)


@claim('4.2', 'Fig. 6', '... the more so under heavy load.',
       'the margin of the mean, at the highest rho less at the lowest, each other scheme and tree', figure='latency-',
       full=True)
def heavy(results: Results) -> Comparisons:
    for tree in results.trees:
        for other in OTHERS:
            samples = [excess(results, tree, rho, ('drb', other), latency) for rho in results.loads]
            margins = [Margin.of(sample) for sample in samples if sample.count]
            if margins:
                yield margins[-1].less(margins[0])._replace(runs=margins[-1].runs), f'{name_of(tree)}, {other}'


@claim('4.2', 'Fig. 6', 'The threshold T(rho) lowers the mean latency against T = 0.',
       'mean latency, T = 0 over DRB, less 1, each rho and tree', figure='latency-', full=True)
def threshold_mean(results: Results) -> Comparisons:
    return above(results, 'drb', 'drb T=0', latency)


@claim('4.2', 'Fig. 6', 'The threshold T(rho) lowers the tail latency against T = 0.',
       'tail latency, T = 0 over DRB, less 1, each rho and tree', figure='tail-', full=True)
def threshold_tail(results: Results) -> Comparisons:
    return above(results, 'drb', 'drb T=0', tail)
