# SPDX-License-Identifier: BSD-3-Clause
"""Whether a scheme helps, in words, from rows of figures such as summarise() makes."""

import math

# Traffic of the demo: pattern of drbgen and drbsim, and how people read it.
TRAFFIC = (('permutation', 'fresh', 'fresh permutations (new destinations in every slot)'),
           ('fixed', 'persistent', 'a persistent permutation (hosts keep their destinations)'))
# Latencies this close are called equal: live runs differ from the simulator by as much.
EQUAL = 0.03


def latency(row):
    """What counts: live, or the simulator's where the machine disturbed the run. Infinite where
    queues grow."""
    if row['disturbed']:
        return math.inf if row['sim_growing'] else row['sim_latency']
    return math.inf if row['growing'] else row['latency']


def _names(rows):
    names = [row['scheme'] for row in rows]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def fastest(rows):
    """The rows with the lowest latency, and those equal to it; none if all queues grow."""
    best = min(latency(row) for row in rows)
    return [row for row in rows if math.isfinite(best) and latency(row) <= best * (1 + EQUAL)]


def answer(rows, scheme='drb'):
    """Whether a scheme helps under one traffic."""
    mine = next((row for row in rows if row['scheme'] == scheme), None)
    others = [row for row in rows if row is not mine]
    best = fastest(rows)
    lowest = f'lowest latency: {_names(best)}' if best else 'queues of every scheme grow'
    if not mine or not others:
        return lowest
    if math.isinf(latency(mine)):
        return f'no, queues of {scheme} grow for as long as it lasts; {lowest}'
    slower = [row for row in others if latency(row) > latency(mine) * (1 + EQUAL)]
    if not slower:
        return f'no, {scheme} is faster than none of the others; {lowest}'
    return f'yes, {scheme} is faster than {_names(slower)}; {lowest}'


def winner(rows):
    """The scheme that is among the fastest under every traffic, or has the lowest worst latency."""
    groups = [[row for row in rows if row['traffic'] == name] for _, name, _ in TRAFFIC]
    schemes = [row['scheme'] for row in groups[0]]
    always = [s for s in schemes
              if all(s in [row['scheme'] for row in fastest(group)] for group in groups)]
    if always:
        return f"{' and '.join(always)}, lowest latency under both"
    bounded = [s for s in schemes
               if all(math.isfinite(latency(row)) for row in rows if row['scheme'] == s)]
    if not bounded:
        return 'none, queues of every scheme grow under one of them'
    worst = {s: max(latency(row) for row in rows if row['scheme'] == s) for s in bounded}
    best = min(bounded, key=lambda s: worst[s])
    return f'{best}, of those whose queues stay bounded under both the fastest in its worse case'


def verdict(rows):
    """Lines that say who wins. No figures: the same in every run that measures the same."""
    lines = ['Does DRB help?']
    for _, name, meaning in TRAFFIC:
        group = [row for row in rows if row['traffic'] == name]
        lines.append(f'  Under {meaning}: {answer(group)}.')
    return [*lines, f'Winner: {winner(rows)}.']
