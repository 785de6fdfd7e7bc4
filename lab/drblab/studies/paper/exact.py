# SPDX-License-Identifier: BSD-3-Clause
"""Certificates of the proofs of section 5 and its appendices, in integers and rationals, without
tolerance or chance."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import TypeAlias

Rule: TypeAlias = Callable[[int, int, int], int]

LONGEST = 40  # longest queue that is tried


def join(default: int, other: int, threshold: int) -> int:
    """The length of the queue that a packet joins by Algorithm 1."""
    return other if other < default - threshold else default


def drift_is_no_worse(threshold: int, rule: Rule = join) -> bool:
    """Certifies that the queue which a packet joins is on average no longer than a random one, for
    any queues.

    A decision is about two queues, and each of them is the default equally often. It is therefore
    enough to try all pairs."""
    return all(rule(a, b, threshold) + rule(b, a, threshold) <= a + b
               for a, b in product(range(LONGEST + 1), repeat=2))


def is_irreducible(queues: int, threshold: int, rule: Rule = join, longest: int = 5) -> bool:
    """Certifies that arrivals and departures lead from empty queues to all states up to `longest`.

    Departures lead back."""
    pending: list[tuple[int, ...]] = [(0,) * queues]
    seen = set(pending)
    while pending:
        state = pending.pop()
        joined = {next(q for q in (other, default) if state[q] == rule(state[default], state[other], threshold))
                  for default in range(queues) for other in range(queues) if other != default}
        after = [state[:q] + (state[q] + 1,) + state[q + 1:] for q in joined if state[q] < longest]
        after += [state[:q] + (n - 1,) + state[q + 1:] for q, n in enumerate(state) if n]
        new = set(after) - seen
        seen |= new
        pending += new
    return bool(len(seen) == (longest + 1) ** queues)


def _step(last: int, i: int) -> int:
    """s_i of an extreme state, in which all queues have `last` packets."""
    return 1 if i <= last else 0


def _derivative(i: int, j: int, rate: Fraction | int, threshold: int, last: int) -> Fraction:
    """The derivative of F_i with respect to s_j in such a state."""
    t = threshold
    joins = _step(last, i - t - 1) + _step(last, i + t)
    with_one_less = _step(last, i - 1) - _step(last, i)
    return Fraction(rate * (((i - 1 == j) - (i == j)) * joins + with_one_less * ((i - t - 1 == j) + (i + t == j)))
                    - (i == j) + (i + 1 == j))


def steepest(rate: Fraction | int, threshold: int) -> Fraction:
    """The smallest Lipschitz constant of F in the sum norm: the largest absolute column sum of its
    derivatives.

    Derivatives are linear in the state, so these sums are largest in an extreme state. They depend
    only on the distance between the column and the step of the state."""
    reach = 2 * threshold + 4
    columns = range(reach + 1, 3 * reach)
    return max(sum((abs(_derivative(i, j, rate, threshold, 2 * reach)) for i in range(j - reach, j + reach + 1)),
                   Fraction(0)) for j in columns)


def solves_plain(rate: Fraction, levels: int = 7) -> bool:
    """Certifies that F is zero at s_i = rate^(2^i - 1) for T = 0."""
    s = [rate ** (2 ** i - 1) for i in range(levels + 2)]
    return all(bool(rate * (s[i - 1] - s[i]) * (s[i - 1] + s[i]) == s[i] - s[i + 1]) for i in range(1, levels + 1))


def telescopes(threshold: int, more: int) -> bool:
    """Certifies, for any shares p of lengths up to 2 T + 4, that the sum of gamma_j - eta_j over j
    >= i equals the sum of p_(j-1) (s_(j-T-more) - s_(i-1)) over j = i..i+T-1.

    Both are quadratic in p, so they are equal for all p if they are for all p with one or two
    lengths."""
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


def logarithms(threshold: int, count: int) -> list[int]:
    """g_0, g_1, ..., with z_i = lambda^(g_i - 1)."""
    g = [1] * (threshold + 1)  # z_i = 1, i = -T..0
    while len(g) < threshold + count:
        g.append(g[-1] + g[-1 - threshold])
    return g[threshold:]


def grows(threshold: int, alpha: Fraction, levels: int = 60) -> bool:
    """Certifies g_i >= c alpha^i for all i, with alpha above 1 and the paper's c.

    Up to i = T + 1 it follows from c, and then by induction from alpha^T + 1 >= alpha^(T+1). In
    addition, some levels are checked one by one."""
    c = min(Fraction(i + 1) / alpha ** i for i in range(threshold + 2))
    g = logarithms(threshold, levels)
    return alpha > 1 and c > 0 and alpha ** threshold + 1 >= alpha ** (threshold + 1) and \
        all(g[i] == i + 1 for i in range(threshold + 2)) and all(g[i] >= c * alpha ** i for i in range(levels))


def base_of(threshold: int, digits: int = 1000) -> Fraction:
    """The largest alpha = n / digits with alpha^T + 1 >= alpha^(T+1)."""
    n = digits
    while Fraction(n + 1, digits) ** threshold + 1 >= Fraction(n + 1, digits) ** (threshold + 1):
        n += 1
    return Fraction(n, digits)
