#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far a guest's clock (CLOCK_MONOTONIC) is behind this machine's: both run this over a folder that both see.

    clock.py guest FOLDER
    clock.py host FOLDER      prints the least and the most that it can be, in ns

The host makes a file, and the guest looks again and again until it is there: it was made after the guest began
its last look in vain, and before the end of the one that found it."""

import json
import os
import sys
import time

ROUNDS = 60
LIMIT_S = 30


def names(folder):
    return [f'{folder}/tick{i}' for i in range(ROUNDS)], f'{folder}/ticks'


def found(path, end):
    """When the last look in vain began (None: there was none), and when it was found."""
    vain, began = None, time.monotonic_ns()
    while not os.path.exists(path):
        vain, began = began, time.monotonic_ns()
        if began > end:
            sys.exit(f'{path} does not come')
    return vain, time.monotonic_ns()


def guest(folder):
    ticks, result = names(folder)
    end = time.monotonic_ns() + LIMIT_S * 10**9
    with open(result + '.ready', 'w', encoding='ascii'):
        pass
    looks = [found(tick, end) for tick in ticks]
    with open(result + '.new', 'w', encoding='ascii') as f:
        json.dump(looks, f)
    os.rename(result + '.new', result)


def wait_for(path):
    end = time.monotonic() + LIMIT_S
    while not os.path.exists(path):
        if time.monotonic() > end:
            sys.exit(f'{path} does not come')
        time.sleep(0.01)


def host(folder):
    ticks, result = names(folder)
    made = []
    wait_for(result + '.ready')
    for tick in ticks:
        time.sleep(0.015)
        before = time.monotonic_ns()
        with open(tick, 'w', encoding='ascii'):
            pass
        made.append((before, time.monotonic_ns()))
    wait_for(result)
    with open(result, encoding='ascii') as f:
        looks = json.load(f)
    least = max(before - found for (before, _), (_, found) in zip(made, looks))
    most = min(after - vain for (_, after), (vain, _) in zip(made, looks) if vain)
    print(least, most)


{'guest': guest, 'host': host}[sys.argv[1]](sys.argv[2])
