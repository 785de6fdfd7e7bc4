# SPDX-License-Identifier: BSD-3-Clause
"""What is found where a claim of the paper does not hold, in words and figures of the results: for the page, and for
the table in docs/notes/simulations.md."""

from drbfabric.paper.compare import FLOWS
from drbfabric.paper.results import LINES, growth_of, name_of

BEGIN, END = '<!-- found -->\n', '<!-- found, end -->\n'
DOUBTED = 'not reproduced', 'undecided'


def span(values, form, unit=''):
    low, high = (form % end for end in (min(values), max(values)))
    return (low if low == high else f'{low} to {high}') + unit


def of_flows(results, key):
    return [getattr(point, key) for (_, label, _), point in results.flows.items() if label == 'drb T=0']


def of_packets(results, key, trees=None):
    return [getattr(run, key) for tree in trees or results.trees for rho in results.loads
            for run in results.runs(tree, 'drb T=0', rho)]


def default_of(redirected):
    return f'it takes it with {span([1 - share for share in redirected], "%.2f")}: also if both queues are equally long'


def stays(shares):
    return span([100 * share for share in shares], '%.0f', ' % stay')


def flow_zero_stays(results, j):
    return stays([results.flows[tree, label, c].kept for tree, label, c in results.flows
                  if label == 'drb T=0' and tree == results.trees[0]])


def worst_permutation(results, j):
    points = [(tree, results.worst[tree, 'dmodk']) for tree in results.trees]
    return '; '.join(f'{name_of(tree)}: {p.max_up:.0f} at most, sqrt(N) is {p.hosts ** 0.5:.0f}' for tree, p in points)


def flow_paths(results, j):
    c = FLOWS[-1]
    loads = [(tree, *(results.flows[tree, label, c].max_load for label in ('paths', 'drb'))) for tree in results.trees]
    return f'c = {c}: ' + '; '.join(f'{name_of(tree)} {a:.1f} flows on the busiest link, DRB {b:.1f}'
                                    for tree, a, b in loads)


def settled(results, j):
    of = {(tree, line): [rho for rho in results.loads if growth_of(results.runs(tree, line, rho)) != 'no']
          for tree in results.trees for line in LINES}
    return 'queues still grow or may: ' + '; '.join(
        f'{line} on {name_of(tree)} from {rhos[0]:g} on' for (tree, line), rhos in of.items() if rhos)


def counted(results, j):
    half = f' ± {j.half:.2g}' if j.half > 0 else ''
    fail, may = f', {j.fail} fail' * (j.fail > 0), f', {j.open} open' * (j.open > 0)
    flips = f'; all would hold from a tolerance of {j.flips:.2g} on' * (j.flips > 0)
    return (f'{j.hold} of {j.hold + j.fail + j.open} comparisons hold{fail}{may}; least margin {j.margin:.3g}{half}: '
            f'{j.where}{flips}')


# Else counted() says it.
FIGURES = {
    'flow_zero_half': lambda results, j: default_of(of_flows(results, 'redirected')),
    'zero_half': lambda results, j: default_of(of_packets(results, 'redirected')),
    'flow_zero_stays': flow_zero_stays,
    'zero_stays': lambda results, j: stays(of_packets(results, 'default_path', results.trees[:1])),
    'worst_permutation': worst_permutation,
    'flow_paths': flow_paths,
    'settled': settled,
    'sum_printed': lambda results, j: 'misprinted: with s_(j-T-1), which its own steps lead to, it holds for any p',
}


def finding(results, claim, j):
    """None where there is nothing to tell."""
    return FIGURES.get(claim.name, counted)(results, j) if j.verdict in DOUBTED else None


def table(results, judged):
    """Of the paper's own claims, in Markdown."""
    rows = [(claim.says, claim.section, j.verdict, finding(results, claim, j)) for claim, j in judged
            if j.verdict in DOUBTED and not claim.ours]
    head = ('claim', 'section', 'verdict', 'what we find'), ('---',) * 4
    return ''.join(f'| {" | ".join(cells)} |\n' for cells in (*head, *rows))


def renew(text, made):
    """A text with another table between its marks."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + made + END + rest.split(END)[1]
