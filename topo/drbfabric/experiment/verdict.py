# SPDX-License-Identifier: BSD-3-Clause
"""Whether a scheme helps, in words, from rows of figures such as summarise() makes."""

import math

# Traffic of the demo: pattern of drbgen and drbsim, and how people read it.
TRAFFIC = (('permutation', 'fresh', 'fresh permutations (new destinations each slot)'),
           ('fixed', 'persistent', 'a persistent permutation (hosts keep destinations)'))
# Latencies this close are called equal: live runs differ from the simulator by as much.
EQUAL = 0.03
# A winner is no further from the fastest than that.
NEAR = 0.08


def queues(row):
    """What queues do for as long as the traffic lasts: they grow if they did in the run, which the machine did not
    disturb, by more than chance does; else the simulator says it, over many times the slots."""
    if row['sim_growing'] or row['growing'] and not row['disturbed']:
        return 'grow'
    return 'cannot be told' if row['sim_unclear'] else 'bounded'


def latency(row):
    """What counts: live, or the simulator's where the machine disturbed the run. Infinite where
    queues grow."""
    return math.inf if queues(row) == 'grow' else row['sim_latency' if row['disturbed'] else 'latency']


def _names(rows):
    names = [row['scheme'] for row in rows]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def answer(rows, scheme='drb'):
    """Whether a scheme helps under one traffic."""
    mine = next((row for row in rows if row['scheme'] == scheme), None)
    others = [row for row in rows if row is not mine]
    if not mine or not others:
        return f'there is no other scheme to compare {scheme} with'
    if math.isinf(latency(mine)):
        return f'no, queues of {scheme} grow without end'
    slower = [row for row in others if latency(row) > latency(mine) * (1 + EQUAL)]
    if not slower:
        return f'no, {scheme} is faster than none of the others'
    return f'yes, {scheme} is faster than {_names(slower)}'


def _behind(rows, scheme):
    """How many times the lowest latency a scheme has, at worst under any traffic."""
    worst = 1.0
    for _, name, _ in TRAFFIC:
        group = {row['scheme']: latency(row) for row in rows if row['traffic'] == name}
        best = min(group.values())
        worst = max(worst, group[scheme] / best if math.isfinite(best) else math.inf)
    return worst


def winner(rows):
    """The scheme that is never far behind the fastest."""
    behind = {row['scheme']: _behind(rows, row['scheme']) for row in rows}
    best = min(behind, key=lambda scheme: behind[scheme])
    if math.isinf(behind[best]):
        return 'none, queues of every scheme grow under one of them'
    if behind[best] <= 1 + NEAR:
        return f'{best}, at or near the lowest latency under both'
    return f'{best}, whose queues stay bounded under both'


def verdict(rows):
    """Lines that say who wins. No figures: the same in every run that measures the same."""
    lines = ['Does DRB help?']
    for _, name, meaning in TRAFFIC:
        group = [row for row in rows if row['traffic'] == name]
        lines.append(f'  Under {meaning}: {answer(group)}.')
    return [*lines, f'Winner: {winner(rows)}.']
