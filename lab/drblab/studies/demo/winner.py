# SPDX-License-Identifier: BSD-3-Clause
"""Puts in words which schemes help. Input: rows of figures such as summarise() makes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]

# Traffic of the demo: pattern of drbgen and drbsim, short name, description.
TRAFFIC = (('permutation', 'fresh', 'fresh permutations (new destinations each slot)'),
           ('fixed', 'persistent', 'a persistent permutation (hosts keep destinations)'))
# Latencies that differ by this share count as equal, because live runs differ from the simulator by
# about this share.
EQUAL = 0.03
# A winner is "at or near the lowest latency" within this share of it.
NEAR = 0.08


def queues(row: Row) -> str:
    """Returns 'grow', 'bounded' or 'cannot be told'. Queues grow if they grew in an undisturbed
    live run by more than chance explains. Otherwise the simulator decides, over many times the
    slots."""
    if row['sim_growing'] or row['growing'] and not row['disturbed']:
        return 'grow'
    return 'cannot be told' if row['sim_unclear'] else 'bounded'


def latency(row: Row) -> float:
    """Returns the latency that counts: live, or simulated if the run was disturbed. It is infinite
    if queues grow."""
    return math.inf if queues(row) == 'grow' else \
        float(row['sim_latency' if row['disturbed'] else 'latency'])


def _names(rows: Sequence[Row]) -> str:
    names: list[str] = [row['scheme'] for row in rows]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def answer(rows: Sequence[Row], scheme: str = 'drb') -> str:
    """Answers in words whether a scheme helps under one traffic."""
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


def _behind(rows: Sequence[Row], scheme: str) -> float:
    """Returns the ratio of a scheme's latency to the lowest one, under the traffic where the ratio
    is largest."""
    worst = 1.0
    for _, name, _ in TRAFFIC:
        group = {row['scheme']: latency(row) for row in rows if row['traffic'] == name}
        best = min(group.values())
        worst = max(worst, group[scheme] / best if math.isfinite(best) else math.inf)
    return worst


def winner(rows: Sequence[Row]) -> str:
    """Names the scheme that is least behind the fastest under every traffic."""
    behind = {row['scheme']: _behind(rows, row['scheme']) for row in rows}
    best = min(behind, key=lambda scheme: behind[scheme])
    if math.isinf(behind[best]):
        return 'none, queues of every scheme grow under one of them'
    if behind[best] <= 1 + NEAR:
        return f'{best}, at or near the lowest latency under both'
    return f'{best}, whose queues stay bounded under both'


def verdict(rows: Sequence[Row]) -> list[str]:
    """Returns the lines of the verdict. They contain no figures, so that runs with the same outcome
    print the same lines."""
    lines = ['Does DRB help?']
    for _, name, meaning in TRAFFIC:
        group = [row for row in rows if row['traffic'] == name]
        lines.append(f'  Under {meaning}: {answer(group)}.')
    return [*lines, f'Winner: {winner(rows)}.']
