# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the report: the paper's 4, 5 and 6, and those of its theory."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from drblab.report.figure import Axis, Figure, Panel, Point
from drblab.report.sample import Sample
from drblab.studies.paper import compare
from drblab.studies.paper.results import LINES, Results, Row, Tree, estimate, growth_of, name_of

Reader: TypeAlias = Callable[[Row, str], float]

QUEUES_RHO, RATE = 0.9, 0.9
LEAST = 1e-8  # beginning of axes of shares
SEEDS = 'Bars: 95 % intervals over seeds.'


def _suffix(tree: Tree) -> str:
    return f'F{tree[0]}-{tree[1]}'


def _mean(x: float | str, sample: Sample, growth: str = 'no') -> Point:
    return Point(x, sample.mean, sample.half, growth != 'no')


def flow(results: Results, tree: Tree) -> Figure:
    f = Figure(f'flow-{_suffix(tree)}', 'lines', f'Busiest link in {name_of(tree)}',
               "Paper, Fig. 4: flows on the busiest link, c flows a host. Black: an optimum that was constructed; "
               "dashed: the paper's estimate of drb, its Table 1. paths: each flow takes the better of two whole "
               "paths. Bars: "
               '95 % intervals of the mean over the runs.', Axis('flows per host, c'), Axis('flows on the busiest '
                                                                                            'link'))
    for line in (*LINES, 'paths', 'optimal'):
        points = [point for point, in compare.flows(results, line, trees=[tree])]
        f.add(line, 'ink' if line == 'optimal' else line, (Point(p.flows, *compare.busiest(p)[:2]) for p in points))
    f.add('estimate of drb', 'drb', [Point(p.flows, estimate(p.flows, p.hosts, p.threshold)) for p, in
                                     compare.flows(results, 'drb', trees=[tree])], dashed=True)
    return f


def _by_load(results: Results, tree: Tree, line: str, figure: compare.Figure) -> Iterator[Point]:
    """Yields the mean of a figure of a line at each load."""
    for rho in results.loads:
        runs = results.runs(tree, line, rho)
        if runs:
            yield _mean(rho, Sample(figure(run) for run in runs), growth_of(runs))


def latency(results: Results, tree: Tree, tail: bool = False) -> Figure:
    says = 'mean, over slots, of the longest latency born in the slot' if tail else 'mean latency'
    f = Figure(f"{'tail' if tail else 'latency'}-{_suffix(tree)}", 'lines',
               f"{'Tail' if tail else 'Mean'} latency in {name_of(tree)}", f'Paper, Fig. 6: {says}. {SEEDS}',
               Axis('load'), Axis('slots', log=True))
    for line in LINES:
        f.add(line, line, _by_load(results, tree, line, compare.tail if tail else compare.latency))
    return f


def links_of(tree: Tree) -> list[tuple[str, Reader]]:
    """The links of a path, in its order: '1 up', '2 up', ..., and down again. Each comes with a
    function that reads the queues of such links."""
    ways = [('up', m) for m in range(1, tree[0])] + [('down', m) for m in range(tree[0], 0, -1)]
    return [(f'{m} {way}', _reader(way, m)) for way, m in ways]


def _mean_of(reader: Reader) -> compare.Figure:
    return lambda run: reader(run, 'mean')


def _reader(way: str, m: int) -> Reader:
    return lambda run, kind: float(getattr(run, f'{way}_{kind}')[m - 1])


def queue(results: Results, tree: Tree, kind: str) -> Figure:
    longest = kind == 'max'
    f = Figure(f'queue-{kind}-{_suffix(tree)}', 'bars',
               f"{'Longest' if longest else 'Mean'} queue in {name_of(tree)}, load {QUEUES_RHO:g}",
               'Paper, Fig. 5: queues by layer, in the order of a path, at load 0.9 (the paper does not name its own). '
               + SEEDS, Axis('links of a layer'), Axis('packets', log=longest, low=1 if longest else 0))
    for line in LINES:
        runs = results.runs(tree, line, QUEUES_RHO)
        f.add(line, line, [_mean(link, Sample(of(run, kind) for run in runs)) for link, of in links_of(tree) if runs])
    return f


def queue_load(results: Results, tree: Tree) -> Figure:
    f = Figure(f'queue-load-{_suffix(tree)}', 'lines', f'Mean queues in {name_of(tree)} by load and layer',
               "As the paper's Fig. 5, at every load of its Fig. 6: mean queues of the links of each layer. " + SEEDS,
               Axis('load'), Axis('packets', log=True))
    for line in LINES:
        f.panels.append(Panel(line))
        for i, (link, of) in enumerate(links_of(tree), 1):
            f.add(link, str(i), _by_load(results, tree, line, _mean_of(of)),
                  dashed=i >= tree[0])
    return f


def _fixed_point(shares: Sequence[float]) -> list[Point]:
    return [Point(i, share) for i, share in enumerate(shares[:21]) if share >= LEAST]


def theory(results: Results) -> Figure:
    f = Figure('theory', 'lines', f'Queues with at least i packets, λ = {RATE:g}',
               'Paper, sections 5.2 and 5.3: the fixed point s_i (solid) and its bound z_i (dashed), Theorem 5.2.',
               Axis('i'), Axis('share of queues', log=True, low=LEAST))
    for i, threshold in enumerate((0, 1, 3, 5)):
        of = results.theory[RATE, threshold]
        f.add(f'T = {threshold:g}', str(2 * i + 1), _fixed_point(of.s))
        f.add('', str(2 * i + 1), _fixed_point(of.z), dashed=True)
    return f


def theory_chain(results: Results) -> Figure:
    """Chains with the paper's T, rounded down, and the fixed point."""
    threshold = math.floor(results.theory[RATE, 0].paper_threshold)
    f = Figure('theory-chain', 'lines', f'Queues with at least i packets, λ = {RATE:g}, T = {threshold:g}',
               'Paper, section 5.2: the limit of many queues. ' + SEEDS, Axis('i'),
               Axis('share of queues, s_i', log=True, low=LEAST))
    f.add('fixed point', 'ink', _fixed_point(results.theory[RATE, threshold].s), dashed=True)
    chains = [chain for chain in results.chains if (chain.rate, chain.threshold) == (RATE, threshold)]
    for i, chain in enumerate(chains):
        f.add(f'n = {chain.queues}', str(2 * i + 1), [_mean(k, s) for k, s in enumerate(chain.s) if s.mean >= LEAST])
    return f


def kurtz(results: Results) -> Figure:
    f = Figure('kurtz', 'lines', 'How far chains are from their equations',
               'Paper, section 5.2 and appendix D: the largest distance of s_i on [0, 10] from the solution of the '
               'equations; λ = 0.9. A line of slope -1/2 is dashed. ' + SEEDS, Axis('queues', log=True),
               Axis('distance', log=True, low=LEAST * 1e5))
    for i, start in enumerate(results.starts):
        samples = [(n, Sample(runs)) for n, runs in results.transients[start].items()]
        f.add(f'from {start} packets in each queue' if start else 'from empty', str(3 * i + 1),
              [Point(n, sample.mean, sample.half) for n, sample in samples])
    ends = [n for n in results.transients[results.starts[0]]]
    f.add('', 'ink', [Point(n, 0.7 / math.sqrt(n)) for n in (ends[0], ends[-1])], dashed=True)
    return f


def bins(results: Results) -> Figure:
    """The axis is ln ln n, on which growth with ln ln n is a straight line."""
    f = Figure('bins', 'lines', 'Fullest of n bins, n balls', 'Paper, section 1: balls thrown into random bins, each '
               'into the least loaded of some. Bars: 95 % intervals over 20 runs.', Axis('ln ln n'), Axis('balls',
                                                                                                          low=0))
    for choices in (1, 2, 3):
        f.add(f'{choices} choices' if choices > 1 else '1 choice', str(2 * choices - 1),
              [_mean(math.log(math.log(n)), Sample(runs)) for n, runs in results.throws(choices)])
    return f


def all_of(results: Results) -> list[Figure]:
    """All figures, in the order of the report."""
    figures = [flow(results, tree) for tree in results.trees]
    for tree in results.trees:
        figures += [latency(results, tree), latency(results, tree, tail=True), queue(results, tree, 'mean'),
                    queue(results, tree, 'max'), queue_load(results, tree)]
    return [*figures, bins(results), theory(results), theory_chain(results), kurtz(results)]
