# SPDX-License-Identifier: BSD-3-Clause
"""Section 1: balls and bins, and which schemes congest which links."""

import math
from collections.abc import Sequence

from drblab.report.sample import Sample
from drblab.studies.paper.compare import busier, queues
from drblab.studies.paper.judge import Comparisons, Margin, claim, untestable
from drblab.studies.paper.results import Results


def hosts_of(results: Results) -> list[int]:
    return [2 * arity ** layers for layers, arity in results.trees]


def fullest(results: Results, bins: int, each: int, choices: int) -> tuple[Margin, str]:
    """The fullest bin of throws, and a text that identifies them."""
    return Margin.of(Sample(results.bins[bins, each, choices])), f'{bins} bins, {each} balls each, {choices} choices'


def loglog(n: int) -> float:
    return math.log(math.log(n))


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def range_of(throws: Sequence[tuple[int, list[float]]]) -> str:
    return f'2^{throws[0][0].bit_length() - 1} to 2^{throws[-1][0].bit_length() - 1} bins'


@claim('1', 'text',
       'n balls in n random bins: the fullest has about ln n / ln ln n, Theta(), with high probability.',
       'mean of the exponents by which it grows with ln n / ln ln n and with ln ln n, less 1: above 0 the former is '
       'nearer to 1, as its order would be; n = 2^10 to 2^24', figure='bins', full=True)
def bins_one(results: Results) -> Comparisons:
    throws = results.throws(1)
    scales = [[math.log(n) / loglog(n) for n, _ in throws], [loglog(n) for n, _ in throws]]
    exponents = [[slope(list(map(math.log, scale)), list(map(math.log, run))) for scale in scales]
                 for run in zip(*(runs for _, runs in throws))]
    yield Margin.of(Sample(sum(pair) / 2 - 1 for pair in exponents)), range_of(throws)


@claim('1', 'text', '... each in the less loaded of two: about ln ln n / ln 2.',
       'distance from 1 of how much the fullest bin grows with ln ln n / ln 2, n = 2^10 to 2^24', figure='bins',
       room=0.5,
       full=True)
def bins_two(results: Results) -> Comparisons:
    throws = results.throws(2)
    scale = [loglog(n) / math.log(2) for n, _ in throws]
    slopes = Sample(slope(scale, run) for run in zip(*(runs for _, runs in throws)))
    yield Margin.of(slopes).off(1), range_of(throws)


@claim('1', 'text', '... of d > 2 just a fractional improvement over two.',
       'what the second choice takes off the fullest bin, less twice what the third does, the same n', figure='bins')
def bins_third(results: Results) -> Comparisons:
    for n, _ in results.throws(3):
        one, two, three = (fullest(results, n, 1, choices)[0] for choices in (1, 2, 3))
        half = math.hypot(math.hypot(one.half, 3 * two.half), 2 * three.half)
        value = one.value - two.value - 2 * (two.value - three.value)
        yield Margin(value, half, one.runs), f'{n} bins, 1 balls each, 3 choices'


@claim('1', 'text', 'Choosing among whole paths cannot gain as much as at each link (cited; of ever larger trees).',
       'flows on the busiest link, the better of two random paths less DRB, c = 1, 2, 5, 10, 20 and each tree',
       figure='flow-')
def flow_paths(results: Results) -> Comparisons:
    return busier(results, 'drb', 'paths')


untestable('conga', '1', 'Micro outperforms Conga and Presto.', 'cited; neither of them is simulated here')


@claim('1', 'text', 'Micro cannot address congestion on the way down.',
       "by how much the mean queue of a layer of down-links is shorter than VLB's, whose way up is random, each layer, "
       "rho "
       'and tree', figure='queue-mean-', room=0.1, full=True)
def micro_as_random(results: Results) -> Comparisons:
    return queues(results, 'vlb', 'micro', 'down_mean')


@claim('1, 2.1', 'text', 'D-mod-k may suffer heavy congestion on the way up: flows.',
       'flows on the busiest link, D-mod-k less DRB, each c and tree', figure='flow-')
def flow_dmodk_up(results: Results) -> Comparisons:
    return busier(results, 'drb', 'dmodk')


@claim('1, 3', 'text', 'With T = 0 redirected traffic congests the down-links: packets.',
       'mean queue of a layer of down-links, T = 0 over DRB, less 1, each layer, rho and tree', figure='queue-mean-',
       full=True)
def zero_down(results: Results) -> Comparisons:
    return queues(results, 'drb', 'drb T=0', 'down_mean')
