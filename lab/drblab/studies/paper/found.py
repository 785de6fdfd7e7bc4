# SPDX-License-Identifier: BSD-3-Clause
"""Findings about claims of the paper that are not reproduced or undecided, for the page and for the
table in docs/notes/simulations.md."""
import itertools
from collections.abc import Callable, Iterator, Sequence

from drblab.studies.paper.compare import FLOWS, above, busier, excess, latency, ratio
from drblab.studies.paper.judge import Claim, Judgement
from drblab.studies.paper.results import LINES, Results, Tree, growth_of, name_of

BEGIN, END = '<!-- found -->\n', '<!-- found, end -->\n'
DOUBTED = 'not reproduced', 'undecided'


def span(values: Sequence[float], form: str, unit: str = '') -> str:
    low, high = (form % end for end in (min(values), max(values)))
    return (low if low == high else f'{low} to {high}') + unit


def of_flows(results: Results, key: str) -> list[float]:
    return [getattr(point, key) for (_, label, _), point in results.flows.items() if label == 'drb T=0']


def of_packets(results: Results, key: str, trees: Sequence[Tree] | None = None) -> list[float]:
    return [getattr(run, key) for tree in trees or results.trees for rho in results.loads
            for run in results.runs(tree, 'drb T=0', rho)]


def default_of(redirected: Sequence[float]) -> str:
    return f'it takes it with {span([1 - share for share in redirected], "%.2f")}: also if both queues are equally long'


def stays(shares: Sequence[float]) -> str:
    return span([100 * share for share in shares], '%.0f', ' % stay')


def flow_zero_stays(results: Results, j: Judgement) -> str:
    return stays([results.flows[tree, label, c].kept for tree, label, c in results.flows
                  if label == 'drb T=0' and tree == results.trees[0]])


def worst_permutation(results: Results, j: Judgement) -> str:
    points = [(tree, results.worst[tree, 'dmodk']) for tree in results.trees]
    return '; '.join(f'{name_of(tree)}: {p.max_up:.0f} at most, sqrt(N) is {p.hosts ** 0.5:.0f}' for tree, p in points)


def flow_paths(results: Results, j: Judgement) -> str:
    c = FLOWS[-1]
    loads = [(tree, *(results.flows[tree, label, c].max_load for label in ('paths', 'drb'))) for tree in results.trees]
    return f'c = {c}: ' + '; '.join(f'{name_of(tree)} {a:.1f} flows on the busiest link, DRB {b:.1f}'
                                    for tree, a, b in loads)


def settled(results: Results, j: Judgement) -> str:
    says = {'yes': 'queues still grow', 'unclear': 'it cannot be told whether they do'}
    of: dict[str, dict[str, list[str]]] = {growth: {} for growth in [*says, 'no']}
    for tree, line, rho, runs in results.long_runs():
        of[growth_of(runs)].setdefault(f'{line} on {name_of(tree)}', []).append(f'{rho:g}')
    where = {growth: ', '.join(f'{at} at rho = {" and ".join(rhos)}' for at, rhos in of[growth].items())
             for growth in says}
    return '; '.join(f'{says[growth]}: {text}' for growth, text in where.items() if text)


def flow_zero_fails(results: Results, j: Judgement) -> str:
    fewer = [-margin.value for margin, _ in busier(results, 'dmodk', 'drb T=0')]
    return 'T = 0 has ' + span(fewer, '%.1f', ' flows fewer on the busiest link than D-mod-k')


def zero_fails(results: Results, j: Judgement) -> str:
    lower = [-100 * margin.value for margin, _ in above(results, 'dmodk', 'drb T=0', latency)]
    return 'mean latency under T = 0 is ' + span(lower, '%.1f', " % below D-mod-k's")


def faster_than_drb(results: Results, others: Sequence[str]) -> Iterator[str]:
    """Texts about lines with a significantly lower mean latency than DRB, for each tree."""
    for tree, other in itertools.product(results.trees, others):
        below = {rho: excess(results, tree, rho, ('drb', other), latency) for rho in results.loads}
        sure = {rho: -100 * sample.mean for rho, sample in below.items() if sample.count and sample.mean < -sample.half}
        if sure:
            yield (f'{other} on {name_of(tree)}: {max(sure.values()):.1f} % below DRB at most, '
                   f'at {len(sure)} loads, rho = {min(sure):g} to {max(sure):g}')


def best(results: Results, j: Judgement) -> str:
    return '; '.join(faster_than_drb(results, LINES[1:]))


def threshold_mean(results: Results, j: Judgement) -> str:
    return '; '.join(faster_than_drb(results, ['drb T=0']))


def layers_alike(results: Results, j: Judgement) -> str:
    of = {(tree, rho): max(ratio(max(run.up_mean), min(run.up_mean)) for run in results.runs(tree, 'drb', rho))
          for tree in results.trees for rho in results.loads if results.runs(tree, 'drb', rho)}
    most, (tree, rho) = max((value, at) for at, value in of.items())
    low = min(results.loads)
    return (f'the longest is up to {most:.2f} times the shortest ({name_of(tree)}, rho = {rho:g}), '
            f'at rho = {low:g} {span([value for at, value in of.items() if at[1] == low], "%.2f")} times')


def layers_poisson(results: Results, j: Judgement) -> str:
    variances = [sample.mean for layers in results.layers for sample in layers.departures_cv2]
    return f'the variance of the time between two is {span(variances, "%.2f")} of its squared mean'


def counted(results: Results, j: Judgement) -> str:
    half = f' ± {j.half:.2g}' if j.half > 0 else ''
    fail, may = f', {j.fail} fail' * (j.fail > 0), f', {j.open} open' * (j.open > 0)
    flips = f'; all would hold from a tolerance of {j.flips:.2g} on' * (j.flips > 0)
    return (f'{j.hold} of {j.hold + j.fail + j.open} comparisons hold{fail}{may}; least margin {j.margin:.3g}{half}: '
            f'{j.where}{flips}')


# Texts for the findings on claims, by name; counted() is for all others.
FIGURES: dict[str, Callable[[Results, Judgement], str]] = {
    'flow_zero_half': lambda results, j: default_of(of_flows(results, 'redirected')),
    'zero_half': lambda results, j: default_of(of_packets(results, 'redirected')),
    'flow_zero_stays': flow_zero_stays,
    'zero_stays': lambda results, j: stays(of_packets(results, 'default_path', results.trees[:1])),
    'worst_permutation': worst_permutation,
    'flow_paths': flow_paths,
    'settled': settled,
    'flow_zero_fails': flow_zero_fails,
    'zero_fails': zero_fails,
    'best': best,
    'threshold_mean': threshold_mean,
    'layers_alike': layers_alike,
    'layers_poisson': layers_poisson,
    'sum_printed': lambda results, j: 'misprinted: with s_(j-T-1), which its own steps lead to, it holds for any p',
}


def finding(results: Results, claim: Claim, j: Judgement) -> str | None:
    """The text of the finding on a claim; None unless its verdict is one of DOUBTED."""
    own = FIGURES.get(claim.name, counted)
    return own(results, j) or counted(results, j) if j.verdict in DOUBTED else None


def table(results: Results, judged: Sequence[tuple[Claim, Judgement]]) -> str:
    """A table in Markdown of the paper's own claims that are not reproduced or undecided."""
    rows = [(claim.says, claim.section, j.verdict, finding(results, claim, j) or '') for claim, j in judged
            if j.verdict in DOUBTED and not claim.ours]
    head = [('claim', 'section', 'verdict', 'what we find'), ('---',) * 4]
    return ''.join(f'| {" | ".join(cells)} |\n' for cells in (*head, *rows))


def renew(text: str, made: str) -> str:
    """Replaces the table between the marks of a text."""
    before, rest = text.split(BEGIN)
    return before + BEGIN + made + END + rest.split(END)[1]
