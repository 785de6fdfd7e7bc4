# SPDX-License-Identifier: BSD-3-Clause
"""Section 1: balls and bins, and what congests where."""

import math

from drbfabric.paper.compare import busier, queues
from drbfabric.paper.judge import Margin, claim, untestable
from drbfabric.report.sample import Sample


def hosts_of(results):
    return [2 * arity ** layers for layers, arity in results.trees]


def fullest(results, bins, each, choices):
    """The fullest bin of some throws, and where that is."""
    return Margin.of(Sample(results.bins[bins, each, choices])), f'{bins} bins, {each} balls each, {choices} choices'


@claim('1', 'text',
       'n balls in n random bins: the fullest has about ln n / ln ln n, Theta(), with high probability.',
       'ln n / ln ln n less the distance of the fullest bin from it, as many bins as hosts')
def bins_one(results):
    for n in hosts_of(results):
        most, where = fullest(results, n, 1, 1)
        orders = math.log(n) / math.log(math.log(n))
        yield most.within(orders, orders), where


@claim('1', 'text', '... each in the less loaded of two: about ln ln n / ln 2.',
       '2 less the distance of the fullest bin from it, likewise')
def bins_two(results):
    for n in hosts_of(results):
        most, where = fullest(results, n, 1, 2)
        yield most.within(2, math.log(math.log(n)) / math.log(2)), where


@claim('1', 'text', '... of d > 2 just a fractional improvement over two.',
       'what the second choice takes off the fullest bin, less twice what the third does, likewise')
def bins_third(results):
    for n in hosts_of(results):
        one, two, three = (fullest(results, n, 1, choices)[0] for choices in (1, 2, 3))
        half = math.hypot(math.hypot(one.half, 3 * two.half), 2 * three.half)
        value = one.value - two.value - 2 * (two.value - three.value)
        yield Margin(value, half, one.runs), f'{n} bins, 1 balls each, 3 choices'


untestable('1', 'text', 'Choosing among whole paths cannot gain as much.',
           'cited; no scheme here chooses among paths')
untestable('1', 'text', 'Micro outperforms Conga and Presto.', 'cited; neither of them is simulated here')


@claim('1', 'text', 'Micro cannot address congestion on the way down.',
       "0.1 less by how much the mean queue of a layer of down-links is shorter than VLB's, whose way up is random, "
       'each layer, rho and tree', 'queue-mean-')
def micro_as_random(results):
    return queues(results, 'vlb', 'micro', 'down_mean', room=0.1)


@claim('1, 2.1', 'text', 'D-mod-k may suffer heavy congestion on the way up: flows.',
       'flows on the busiest link, D-mod-k less DRB, each c and tree', 'flow-')
def flow_dmodk_up(results):
    return busier(results, 'drb', 'dmodk')


@claim('1, 3', 'text', 'With T = 0 redirected traffic congests the down-links: packets.',
       'mean queue of a layer of down-links, T = 0 over DRB, less 1, each layer, rho and tree')
def zero_down(results):
    return queues(results, 'drb', 'drb T=0', 'down_mean')
