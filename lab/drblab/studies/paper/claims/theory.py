# SPDX-License-Identifier: BSD-3-Clause
"""Section 5 and appendices C and D: chains of queues, their fixed point, and layers in continuous
time."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from drblab.report.sample import Sample
from drblab.studies.paper import exact
from drblab.studies.paper.claims.fat_tree import exactly
from drblab.studies.paper.claims.introduction import slope
from drblab.studies.paper.compare import each
from drblab.studies.paper.judge import Comparisons, Margin, claim
from drblab.studies.paper.results import Chain, Results, Row, name_of

NEXT_TO_NOTHING = 1e-9
THRESHOLDS = range(11)


@claim('5', 'text', 'D-mod-k selects any uplink of a switch with identical probability.',
       '1 if as many hosts that are not below a switch have each of its uplinks for default, else -1, each layer and '
       'tree (exact)')
def defaults(results: Results) -> Comparisons:
    for tree in results.trees:
        layers, arity = tree
        for m, of in enumerate(results.wiring[tree].defaults, 1):
            share = (2 * arity ** layers - arity ** m) // arity
            yield exactly(of == [share] * arity), name_of(tree)


@claim('5.1', 'Theorem 5.1', 'The chain is irreducible, nonexplosive and positive recurrent.',
       '1 if all states of 2 and 3 queues of up to 5 packets are reached, and a packet joins a queue no longer than a '
       'random one at any two queues of up to 40, so that the drift is below 0 outside a finite set; T = 0 to 10 '
       '(exact)')
def recurrent(results: Results) -> Comparisons:
    """Nonexplosive: in every state, at most N (lambda + 1) events happen per unit of time."""
    for t in THRESHOLDS:
        yield exactly(exact.drift_is_no_worse(t)), f'drift, T = {t}'
        for queues in (2, 3):
            yield exactly(exact.is_irreducible(queues, t)), f'{queues} queues, T = {t}'


@claim('5.1', 'Theorem 5.1', 'The mean queue is below 1 / (1 - lambda) for any number of queues.',
       '1 less the mean queue over that bound, chains of 1000, 30 and 10 queues, each lambda and T', ours=True)
def chain_bound(results: Results) -> Comparisons:
    for chain in results.chains:
        part = Margin.of(chain.queue).times(1 - chain.rate)
        yield part._replace(value=1 - part.value), chain.where


@claim('C', 'text', '... indeed at most (1 + lambda) / (2 - 2 lambda).',
       '1 less the mean queue over that bound, likewise', ours=True)
def chain_drift(results: Results) -> Comparisons:
    for chain in results.chains:
        part = Margin.of(chain.queue).times((2 - 2 * chain.rate) / (1 + chain.rate))
        yield part._replace(value=1 - part.value), chain.where


class Fixed:
    """The fixed point for a rate and a threshold: s_i and p_i for any i."""

    def __init__(self, theory: Row) -> None:
        self.s_known, self.z, self.rate, self.t = theory.s, theory.z, theory.rate, theory.whole
        self.theory = theory
        self.levels = range(len(theory.s))

    def s(self, i: int) -> float:
        if i <= 0:
            return 1
        return float(self.s_known[i]) if i < len(self.s_known) else 0

    def p(self, i: int) -> float:
        return self.s(i) - self.s(i + 1)

    def arrivals(self, i: int) -> float:
        """The arrival rate, per unit of time, at a queue of i packets."""
        return float(self.rate * (self.s(i - self.t) + self.s(i + self.t + 1)))


def fixed_points(results: Results, which: Callable[[float], bool] = lambda threshold: True
                 ) -> Iterator[tuple[Fixed, str]]:
    """Yields a fixed point and a text for each rate and T that have a chain of many queues."""
    for chain in results.long_chains():
        if which(chain.threshold):
            yield Fixed(chain.theory), chain.where


def error_of(chain: Chain) -> Margin:
    """The relative distance of the mean queue from that of the fixed point."""
    limit = chain.theory.mean_queue
    queue = Margin.of(chain.queue)
    return Margin(abs(queue.value / limit - 1), queue.half / limit, queue.runs)


@claim('5.2', 'text', 'For many queues the chain is close to the fixed point.',
       'relative distance of the mean queues, 1000 queues, each lambda and T', figure='theory', room=0.03)
def chain_limit(results: Results) -> Comparisons:
    for chain in results.long_chains():
        yield error_of(chain).off(), chain.where


@claim('5.2', 'text', '... and so is the share of queues with at least i packets.',
       'distance of s_i, 1000 queues, each lambda, T and i up to 16', figure='theory-chain', room=0.01)
def chain_tail(results: Results) -> Comparisons:
    for chain in results.long_chains():
        x = Fixed(chain.theory)
        for i in range(1, len(chain.s)):
            yield Margin.of(chain.s[i]).off(x.s(i)), chain.where


@claim('5.2', 'text', '... the more queues, the closer.',
       'relative distance of the mean queues, 10 queues less 30, 30 less 1000; lambda = 0.9, each T',
       figure='theory-chain')
def chain_converges(results: Results) -> Comparisons:
    for few in results.chains:
        larger = [chain for chain in results.chains if chain.queues > few.queues and
                  (chain.rate, chain.threshold) == (few.rate, few.threshold)]
        if larger:
            many = error_of(min(larger, key=lambda chain: int(chain.queues)))
            yield error_of(few).less(many)._replace(runs=many.runs), few.where


@claim('5.2, D', 'text', 'On [0, t] the chain tends to the solution of the equations (Kurtz), whatever it begins with.',
       'distance from -1/2 of the slope of ln(largest distance of s_i on [0, 10]) against ln(queues), 100 to 100000 '
       'queues, from empty and from 10 packets in each', figure='kurtz', room=0.1)
def kurtz(results: Results) -> Comparisons:
    """The distance is a fluctuation, so it falls with the square root of the number of queues."""
    for start, runs in results.transients.items():
        sizes = sorted(runs)
        lines = zip(*(runs[n] for n in sizes))
        slopes = Sample(slope([math.log(n) for n in sizes], [math.log(d) for d in line]) for line in lines)
        yield Margin.of(slopes).off(-0.5), f'from {start} packets in each queue'


@claim('D', 'text', 'F is Lipschitz, with 6 lambda + 2.',
       '6 lambda + 2 less the least such constant, which is 4 lambda + 2: the largest sum of a column of derivatives, '
       'each lambda and T (exact)')
def lipschitz(results: Results) -> Comparisons:
    for x, where in fixed_points(results):
        rate = Fraction(x.rate).limit_denominator(1000)
        yield Margin(float(6 * rate + 2 - exact.steepest(rate, x.t))), where


@claim('5.3', 'text', 'With T = 0 the fixed point is s_i = lambda^(2^i - 1).',
       '1 if these make F zero, in rationals, and the fixed point that was found is as near as 1e-9, else -1, each '
       'lambda (exact)', figure='theory')
def closed_form(results: Results) -> Comparisons:
    for x, where in fixed_points(results, lambda threshold: threshold == 0):
        far = max(abs(x.s(i) - x.rate ** (2 ** i - 1)) for i in x.levels)
        yield exactly(exact.solves_plain(Fraction(x.rate).limit_denominator(1000)) and far < NEXT_TO_NOTHING), where


@claim('5.3', 'text', 'As printed: s_i = lambda s_(i-1)^2 + lambda sum p_(j-1) (s_(j-T) - s_(i-1)), j = i..i+T-1.',
       '1 if the sums of gamma and eta make this sum, for any p of lengths up to 2 T + 4, else -1, T = 1 to 5 (exact)')
def sum_printed(results: Results) -> Comparisons:
    for t in range(1, 6):
        yield exactly(exact.telescopes(t, 0)), f'T = {t}'


@claim('5.3', 'text', 'What follows from its steps: the same with s_(j-T-1).', 'the same (exact)')
def sum_right(results: Results) -> Comparisons:
    for t in range(1, 6):
        yield exactly(exact.telescopes(t, 1)), f'T = {t}'


@claim('5.3', 'text', 's_i <= lambda s_(i-1) s_(i-T-1).',
       'the least difference, plus 1e-12, at the fixed point, each lambda and T')
def step_bound(results: Results) -> Comparisons:
    for x, where in fixed_points(results):
        yield Margin(min(x.rate * x.s(i - 1) * x.s(i - 1 - x.t) - x.s(i) for i in x.levels[1:]) + 1e-12), where


@claim('5.3', 'text', 'z_i = lambda^i up to i = T + 1.', '1e-9 less the largest distance, each lambda and T')
def powers(results: Results) -> Comparisons:
    for x, where in fixed_points(results):
        distances = [abs(x.z[i] - x.rate ** i) for i in x.levels if i <= x.t + 1]
        yield Margin(NEXT_TO_NOTHING - max(distances)), where


@claim('5.3', 'Theorem 5.2', 'The fixed point decays doubly exponentially: s_i <= z_i <= lambda^(c alpha^i - 1).',
       'the least of z_i - s_i, plus 1e-12, at the fixed point, each lambda and T > 0; and 1 if z_i = lambda^(g_i - 1) '
       'with g_i >= c alpha^i for a rational alpha > 1, by induction, else -1', figure='theory')
def decay(results: Results) -> Comparisons:
    for x, where in fixed_points(results, lambda threshold: threshold > 0):
        yield Margin(min(x.z[i] - x.s(i) for i in x.levels[1:]) + 1e-12), where
        g = exact.logarithms(x.t, len(x.z))
        same = all(math.isclose(z, x.rate ** (g[i] - 1), rel_tol=1e-6) for i, z in enumerate(x.z))
        yield exactly(same and exact.grows(x.t, exact.base_of(x.t))), where


@claim('5, 6', 'text', 'TTC balances like two-choice.',
       "mean queue: half way from T = 0 to one random choice, less that with T, each lambda and T up to the paper's "
       'T(rho)')
def chain_power(results: Results) -> Comparisons:
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
       '1e-9 less the largest distance, fixed point, each lambda and T')
def balance(results: Results) -> Comparisons:
    for x, where in fixed_points(results):
        worst = departures = 0.0
        for i in x.levels[:-1]:
            worst = max(worst, abs(x.p(i + 1) - x.arrivals(i) * x.p(i)))
            departures += x.arrivals(i) * x.p(i)
        yield Margin(NEXT_TO_NOTHING - max(worst, abs(departures - x.rate))), where


@claim('5.4', 'text', '... and so it departs in a chain of queues.',
       'distance from lambda of the share of queues that are not empty, 1000, 30 and 10 queues, each lambda and T',
       room=0.005, ours=True)
def chain_rate(results: Results) -> Comparisons:
    """A queue that is not empty serves one packet per unit of time."""
    for chain in results.chains:
        yield Margin.of(chain.s[1]).off(chain.rate), chain.where


@claim('5.4', 'text', 'Queues of a layer are independent of each other, as they become ever more.',
       'n times the correlation of two of n queues, 1000 queues over 10, less 1: it is to fall as 1 / n; lambda = 0.9, '
       'each T',
       room=0.5)
def independent(results: Results) -> Comparisons:
    for few in results.chains:
        if few.queues == min(chain.queues for chain in results.chains):
            many = next(chain for chain in results.long_chains()
                        if (chain.rate, chain.threshold) == (few.rate, few.threshold))
            a, b = (Margin.of(chain.correlation).times(chain.queues) for chain in (few, many))
            value = abs(b.value / a.value)
            half = value * math.hypot(a.half / a.value, b.half / b.value) if b.value else math.nan
            yield Margin(1 - value, half, min(a.runs, b.runs)), few.where


@claim('5.4', 'text', "Departures of a layer's queues are Poisson.",
       'how far the variance of the time between two, over the square of its mean, is from 1; exponential service, '
       'F(4,6) (--quick: F(4,4)), each lambda, T and layer', room=0.05)
def layers_poisson(results: Results) -> Comparisons:
    for layers in results.layers:
        for m, sample in enumerate(layers.departures_cv2, 1):
            yield Margin.of(sample).off(1), layers.where(m)


@claim('5.4', 'text', 'Queues of all layers have one distribution.',
       "the largest difference of s_i from layer 1's, likewise", room=0.05)
def layers_equal(results: Results) -> Comparisons:
    for layers in results.layers:
        for m, sample in enumerate(layers.distance[1:], 2):
            yield Margin.of(sample).off(), layers.where(m)


@claim('5.4', 'Fig. 5', 'Mean queues of the uplinks of different layers are roughly the same: DRB.',
       'how far the longest is above the shortest, each rho and tree', figure='queue-mean-', room=0.15, full=True)
def layers_alike(results: Results) -> Comparisons:
    return each(results, 'drb', lambda run: float(1 - max(run.up_mean) / min(run.up_mean)))


@claim('5.4', 'Fig. 5', 'The longest queues of the uplinks of different layers are roughly the same: DRB.',
       'the range of these, less a packet, over the shortest, each rho and tree', figure='queue-max-',
       room=0.15, full=True)
def layers_alike_longest(results: Results) -> Comparisons:
    """The longest queue is a whole number of packets."""
    return each(results, 'drb', lambda run: float((1 + min(run.up_max) - max(run.up_max)) / min(run.up_max)))
