# SPDX-License-Identifier: BSD-3-Clause
"""Certificates: what section 5 and its appendices prove, in integers and rationals: no tolerance, no chance."""

from fractions import Fraction
from itertools import product

LONGEST = 40  # of the queues that are tried


def join(default, other, threshold):
    """The queue that a packet finds by Algorithm 1."""
    return other if other < default - threshold else default


def drift_is_no_worse(threshold, rule=join):
    """That a packet joins a queue which is on average no longer than a random one, whatever the queues are. A decision
    is about two of them, each of which is the default as often, so two queues are all there is to try."""
    return all(rule(a, b, threshold) + rule(b, a, threshold) <= a + b
               for a, b in product(range(LONGEST + 1), repeat=2))


def is_irreducible(queues, threshold, rule=join, longest=5):
    """That arrivals and departures lead from empty queues to all states up to some length; departures lead back."""
    todo, seen = [(0,) * queues], {(0,) * queues}
    while todo:
        state = todo.pop()
        joined = {next(q for q in (other, default) if state[q] == rule(state[default], state[other], threshold))
                  for default in range(queues) for other in range(queues) if other != default}
        after = [state[:q] + (state[q] + 1,) + state[q + 1:] for q in joined if state[q] < longest]
        after += [state[:q] + (n - 1,) + state[q + 1:] for q, n in enumerate(state) if n]
        new = set(after) - seen
        seen |= new
        todo += new
    return len(seen) == (longest + 1) ** queues


def _step(last, i):
    """An extreme state: all queues have `last` packets."""
    return 1 if i <= last else 0


def _derivative(i, j, rate, threshold, last):
    """Of F_i in s_j, at such a state."""
    t = threshold
    joins = _step(last, i - t - 1) + _step(last, i + t)
    with_one_less = _step(last, i - 1) - _step(last, i)
    return rate * (((i - 1 == j) - (i == j)) * joins + with_one_less * ((i - t - 1 == j) + (i + t == j))) \
        - (i == j) + (i + 1 == j)


def steepest(rate, threshold):
    """The least constant by which F is Lipschitz, in sums over components: the largest sum of a column of its
    derivatives. These are linear in the state, so their absolute sums are largest at an extreme one; only how far the
    column is from the step of the state matters."""
    reach = 2 * threshold + 4
    columns = range(reach + 1, 3 * reach)
    return max(sum(abs(_derivative(i, j, rate, threshold, 2 * reach)) for i in range(j - reach, j + reach + 1))
               for j in columns)


def solves_plain(rate, levels=7):
    """That s_i = rate^(2^i - 1) makes F zero where T = 0."""
    s = [rate ** (2 ** i - 1) for i in range(levels + 2)]
    return all(rate * (s[i - 1] - s[i]) * (s[i - 1] + s[i]) == s[i] - s[i + 1] for i in range(1, levels + 1))


def telescopes(threshold, more):
    """That sum of gamma_j - eta_j, j >= i, is sum of p_(j-1) (s_(j-T-more) - s_(i-1)), j = i..i+T-1, for any shares p
    of lengths up to 2 T + 4. Both are quadratic in p: equal for all if they are for all with one or two lengths."""
    t, levels = threshold, 2 * threshold + 5
    for a in range(levels):
        for b in range(a, levels):
            p = [0] * (levels + 3 * t + 2)
            p[a], p[b] = 1, 1
            tails = [sum(p[i:]) for i in range(len(p))]
            s = [tails[0]] * (t + 1) + tails  # s[i + t + 1] is s_i, i > -T - 2
            terms = [p[j - 1] * (s[j] - s[j + t]) - p[j - 1] * (s[j + t + 1] - s[j + 2 * t + 1])
                     for j in range(1, levels + 1)]
            for i in range(1, levels - t):
                short = sum(p[j - 1] * (s[j - more + 1] - s[i + t]) for j in range(i, i + t))
                if sum(terms[i - 1:]) != short:
                    return False
    return True


def logarithms(threshold, count):
    """g_0, g_1, ...: z_i = lambda^(g_i - 1)."""
    g = [1] * (threshold + 1)  # z_i = 1, i = -T..0
    while len(g) < threshold + count:
        g.append(g[-1] + g[-1 - threshold])
    return g[threshold:]


def grows(threshold, alpha, levels=60):
    """That g_i >= c alpha^i for all i, with alpha above 1 and the paper's c: up to T + 1 by c, and then by induction,
    as alpha^T + 1 >= alpha^(T+1). Some levels are looked at besides."""
    c = min(Fraction(i + 1) / alpha ** i for i in range(threshold + 2))
    g = logarithms(threshold, levels)
    return alpha > 1 and c > 0 and alpha ** threshold + 1 >= alpha ** (threshold + 1) and \
        all(g[i] == i + 1 for i in range(threshold + 2)) and all(g[i] >= c * alpha ** i for i in range(levels))


def base_of(threshold, digits=1000):
    """The largest alpha of so many digits with alpha^T + 1 >= alpha^(T+1)."""
    n = digits
    while Fraction(n + 1, digits) ** threshold + 1 >= Fraction(n + 1, digits) ** (threshold + 1):
        n += 1
    return Fraction(n, digits)
