#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests a scenario's rates on made-up counters of switches that grow, fall silent and restart."""

import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'topo'))

from drbfabric.faults.scenario import Watch  # noqa: E402

import tap  # noqa: E402

KEYS = 'delivered', 'dropped', 'detours'
NAMES = 's1-0', 's1-1', 's2-0'


class Told(Watch):
    """Each switch replies with its entry in `answers`; a switch without an entry does not reply."""

    def __init__(self, answers):
        super().__init__({'switches': [{'name': name, 'layer': int(name[1]), 'namespace': name} for name in NAMES]})
        self.answers = answers

    def _read(self, name):
        return self.answers.get(name)


def growth_is_never_negative():
    rng = random.Random(5)
    counts = {name: dict.fromkeys(KEYS, 0) for name in NAMES}
    answers = {}
    watch = Told(answers)
    seen, restarts = set(), 0
    # A restarted switch is polled before its counters reach their values at the last poll.
    waiting = {name: dict.fromkeys(KEYS, 0) for name in NAMES}  # growth since a switch's last reply
    for _ in range(500):
        grown = dict.fromkeys(KEYS, 0)
        answers.clear()
        for name, count in counts.items():
            restarts += (again := rng.random() < 0.1 and all(count.values()) and not any(waiting[name].values()))
            for key in KEYS:
                more = rng.randrange(count[key]) if again else rng.randrange(1000)
                count[key] = more if again else count[key] + more
                waiting[name][key] = more if again else waiting[name][key] + more
            if rng.random() < 0.2 and not again:
                continue
            if name in seen:
                grown = {key: grown[key] + waiting[name][key] for key in KEYS}
            seen.add(name)
            waiting[name] = dict.fromkeys(KEYS, 0)
            answers[name] = {**count, 'queue': rng.randrange(50)}
        want = grown, sum(a['queue'] for a in answers.values()), len(NAMES) - len(answers)
        assert (got := watch.look()) == want, (got, want)
    assert restarts > 50


def unknown_stays_unknown():
    answers: dict[str, dict[str, int | None]] = {name: {**dict.fromkeys(KEYS, 1), 'queue': 2} for name in NAMES}
    watch = Told(answers)
    watch.look()
    answers['s1-1'] = {'delivered': 5, 'dropped': 1, 'detours': None, 'queue': None}
    assert watch.look() == ({'delivered': 4, 'dropped': 0, 'detours': None}, None, 0)


tap.run((growth_is_never_negative, unknown_stays_unknown))
