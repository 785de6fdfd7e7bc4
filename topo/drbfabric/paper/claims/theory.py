# SPDX-License-Identifier: BSD-3-Clause
"""Section 5 and appendices C and D: chains of queues, their fixed point, and layers in continuous time."""

import math

from drbfabric.paper.claims.fat_tree import exactly
from drbfabric.paper.compare import each
from drbfabric.paper.judge import Margin, claim, untestable
from drbfabric.paper.results import name_of

NEXT_TO_NOTHING = 1e-9


@claim('5', 'text', 'D-mod-k selects any uplink of a switch with identical probability.',
       '1 if as many hosts that are not below a switch have each of its uplinks for default, else -1, each layer and '
       'tree (exact)')
def defaults(results):
    for tree in results.trees:
        layers, arity = tree
        for m, of in enumerate(results.wiring[tree].defaults, 1):
            share = (2 * arity ** layers - arity ** m) // arity
            yield exactly(of == [share] * arity), name_of(tree)


untestable('5.1', 'Theorem 5.1', 'The chain is irreducible, nonexplosive and positive recurrent.',
           'about all times; of its bound see the next')


@claim('5.1', 'Theorem 5.1', 'The mean queue is below 1 / (1 - lambda) for any number of queues.',
       '1 less the mean queue over that bound, chains of 1000, 30 and 10 queues, each lambda and T')
def chain_bound(results):
    for chain in results.chains:
        part = Margin.of(chain.queue).times(1 - chain.rate)
        yield part._replace(value=1 - part.value), chain.where


@claim('C', 'text', '... indeed at most (1 + lambda) / (2 - 2 lambda).',
       '1 less the mean queue over that bound, likewise')
def chain_drift(results):
    for chain in results.chains:
        part = Margin.of(chain.queue).times((2 - 2 * chain.rate) / (1 + chain.rate))
        yield part._replace(value=1 - part.value), chain.where


class Fixed:
    """The fixed point of a rate and a threshold: s_i and p_i for any i."""

    def __init__(self, theory):
        self.s_known, self.z, self.rate, self.t = theory.s, theory.z, theory.rate, theory.whole
        self.theory = theory
        self.levels = range(len(theory.s))

    def s(self, i):
        if i <= 0:
            return 1
        return self.s_known[i] if i < len(self.s_known) else 0

    def p(self, i):
        return self.s(i) - self.s(i + 1)

    def arrivals(self, i):
        """A time unit, at a queue of i packets."""
        return self.rate * (self.s(i - self.t) + self.s(i + self.t + 1))


def fixed_points(results, which=lambda threshold: True):
    """Of each rate and T that has a chain of many queues."""
    for chain in results.long_chains():
        if which(chain.threshold):
            yield Fixed(chain.theory), chain.where


@claim('C', 'text', 'A packet joins a queue that is no longer than a random one, on average.',
       'mean queue less mean of those that packets join, fixed point, each lambda and T (exact)')
def joined(results):
    for x, where in fixed_points(results):
        total = 0.0
        for i in x.levels:
            total += i * x.p(i) * x.arrivals(i) / x.rate
        yield Margin(x.theory.mean_queue - total), where


def error_of(chain):
    """How far the mean queue is from that of the fixed point, relative to it."""
    limit = chain.theory.mean_queue
    queue = Margin.of(chain.queue)
    return Margin(abs(queue.value / limit - 1), queue.half / limit, queue.runs)


@claim('5.2', 'text', 'For many queues the chain is close to the fixed point.',
       '0.03 less the relative distance of the mean queues, 1000 queues, each lambda and T', 'theory')
def chain_limit(results):
    for chain in results.long_chains():
        yield error_of(chain).within(0.03), chain.where


@claim('5.2', 'text', '... and so is the share of queues with at least i packets.',
       '0.01 less the distance of s_i, 1000 queues, each lambda, T and i up to 16', 'theory-chain')
def chain_tail(results):
    for chain in results.long_chains():
        x = Fixed(chain.theory)
        for i in range(1, len(chain.s)):
            yield Margin.of(chain.s[i]).within(0.01, x.s(i)), chain.where


@claim('5.2', 'text', '... the more queues, the closer.',
       'relative distance of the mean queues, 10 queues less 30, 30 less 1000; lambda = 0.9, each T', 'theory-chain')
def chain_converges(results):
    for few in results.chains:
        larger = [chain for chain in results.chains if chain.queues > few.queues and
                  (chain.rate, chain.threshold) == (few.rate, few.threshold)]
        if larger:
            many = error_of(min(larger, key=lambda chain: chain.queues))
            yield error_of(few).less(many)._replace(runs=many.runs), few.where


@claim('D', 'text', 'F is Lipschitz, with 6 lambda + 2.',
       '6 lambda + 2 less |F(x) - F(y)| / |x - y|, sums over all components, 500 pairs of random states, each lambda '
       'and T')
def lipschitz(results):
    for x, where in fixed_points(results):
        yield Margin(6 * x.rate + 2 - x.theory.steepest), where


@claim('5.3', 'text', 'With T = 0 the fixed point is s_i = lambda^(2^i - 1).',
       '1e-9 less the largest distance, each lambda (exact)', 'theory')
def closed_form(results):
    for x, where in fixed_points(results, lambda threshold: threshold == 0):
        yield Margin(NEXT_TO_NOTHING - max(abs(x.s(i) - x.rate ** (2 ** i - 1)) for i in x.levels)), where


def distance_from_sum(x, more):
    """How far s_i is from lambda s_{i-1}^2 + lambda sum_j p_{j-1} (s_{j-T-more} - s_{i-1}), j = i..i+T-1."""
    worst = 0
    for i in x.levels[1:]:
        total = x.s(i - 1) * x.s(i - 1)
        for j in range(i, i + x.t):
            total += x.p(j - 1) * (x.s(j - x.t - more) - x.s(i - 1))
        worst = max(worst, abs(x.s(i) - x.rate * total))
    return worst


@claim('5.3', 'text', 'As printed: s_i = lambda s_(i-1)^2 + lambda sum p_(j-1) (s_(j-T) - s_(i-1)), j = i..i+T-1.',
       '1e-9 less the largest distance, each lambda and T > 0 (exact)')
def sum_printed(results):
    for x, where in fixed_points(results, lambda threshold: threshold > 0):
        yield Margin(NEXT_TO_NOTHING - distance_from_sum(x, 0)), where


@claim('5.3', 'text', 'What follows from its steps: the same with s_(j-T-1).',
       '1e-9 less the largest distance, each lambda and T (exact)')
def sum_right(results):
    for x, where in fixed_points(results):
        yield Margin(NEXT_TO_NOTHING - distance_from_sum(x, 1)), where


@claim('5.3', 'text', 's_i <= lambda s_(i-1) s_(i-T-1).', 'the least difference plus 1e-12, each lambda and T (exact)')
def step_bound(results):
    for x, where in fixed_points(results):
        yield Margin(min(x.rate * x.s(i - 1) * x.s(i - 1 - x.t) - x.s(i) for i in x.levels[1:]) + 1e-12), where


@claim('5.3', 'text', 'z_i = lambda^i up to i = T + 1.', '1e-9 less the largest distance, each lambda and T (exact)')
def powers(results):
    for x, where in fixed_points(results):
        distances = [abs(x.z[i] - x.rate ** i) for i in x.levels if i <= x.t + 1]
        yield Margin(NEXT_TO_NOTHING - max(distances)), where


@claim('5.3', 'Theorem 5.2', 'The fixed point decays doubly exponentially: s_i <= z_i <= lambda^(c alpha^i - 1).',
       'the least of both differences plus 1e-12, each lambda and T (exact)', 'theory')
def decay(results):
    for x, where in fixed_points(results, lambda threshold: threshold > 0):
        bound = [x.rate ** (x.theory.c * x.theory.alpha ** i - 1) for i in x.levels]
        yield Margin(min(min(x.z[i] - x.s(i), bound[i] - x.z[i]) for i in x.levels[1:]) + 1e-12), where


@claim('5, 6', 'text', 'TTC balances like two-choice.',
       "mean queue: half way from T = 0 to one random choice, less that with T, each lambda and T up to the paper's "
       'T(rho)')
def chain_power(results):
    for chain in results.long_chains():
        queue = Margin.of(chain.queue)
        if chain.threshold == 0:
            plain = queue
        elif chain.threshold <= chain.theory.paper_threshold:
            random = chain.rate / (1 - chain.rate)
            yield Margin((plain.value + random) / 2 - queue.value, math.hypot(plain.half / 2, queue.half),
                         queue.runs), chain.where


@claim('5.4', 'text',
       'A queue is in balance with what arrives, p_(i+1) = lambda (s_(i-T) + s_(i+T+1)) p_i, and departs at rate '
       'lambda.',
       '1e-9 less the largest distance, fixed point, each lambda and T (exact)')
def balance(results):
    for x, where in fixed_points(results):
        worst = departures = 0.0
        for i in x.levels[:-1]:
            worst = max(worst, abs(x.p(i + 1) - x.arrivals(i) * x.p(i)))
            departures += x.arrivals(i) * x.p(i)
        yield Margin(NEXT_TO_NOTHING - max(worst, abs(departures - x.rate))), where


@claim('5.4', 'text', '... and so it departs in a chain of queues.',
       '0.005 less the distance from lambda of the share of queues that are not empty, 1000, 30 and 10 queues, each '
       'lambda and T')
def chain_rate(results):
    """A queue that is not empty serves one packet a time unit."""
    for chain in results.chains:
        yield Margin.of(chain.s[1]).within(0.005, chain.rate), chain.where


untestable('5.4', 'text', 'Queues of a layer are independent of each other.',
           'for ever more queues; the models of finite trees do not note what two queues have in common')


@claim('5.4', 'text', "Departures of a layer's queues are Poisson.",
       '0.05 less how far the variance of the time between two, over the square of its mean, is from 1; exponential '
       'service, F(4,6) (--quick: F(4,4)), each lambda, T and layer')
def layers_poisson(results):
    for layers in results.layers:
        for m, sample in enumerate(layers.departures_cv2, 1):
            yield Margin.of(sample).within(0.05, 1), layers.where(m)


@claim('5.4', 'text', 'Queues of all layers have one distribution.',
       "0.05 less the largest difference of s_i from layer 1's, likewise")
def layers_equal(results):
    for layers in results.layers:
        for m, sample in enumerate(layers.distance[1:], 2):
            value = Margin.of(sample)
            yield value._replace(value=0.05 - value.value), layers.where(m)


@claim('5.4', 'Fig. 5', 'Mean queues of the uplinks of different layers are roughly the same: DRB.',
       '0.15 less how far the longest is above the shortest, each rho and tree', 'queue-mean-')
def layers_alike(results):
    return each(results, 'drb', lambda run: 0.15 - (max(run.up_mean) / min(run.up_mean) - 1))


@claim('5.4', 'Fig. 5', 'The longest queues of the uplinks of different layers are roughly the same: DRB.',
       'a packet and 0.15 of the shortest of these less their range, each rho and tree', 'queue-max-')
def layers_alike_longest(results):
    """The longest queue is a whole number of packets."""
    return each(results, 'drb', lambda run: 1 + 0.15 * min(run.up_max) - (max(run.up_max) - min(run.up_max)))
