# SPDX-License-Identifier: BSD-3-Clause
"""Checks of chaos.py. Each one takes observations and returns complaints as text.

tests/process/test_chaos.py tests that each check can complain."""

import os
import re
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path[:0] = [f'{ROOT}/topo']

from drbfabric.fabric import check  # noqa: E402

HEALED = 5.0          # s after mending until all ports are in use, or held back as unreliable
FREED = 3.0           # s until resources of a client or a fault are free again
GROWTH_KB = 2048      # allowed growth of memory since the first round, without packet buffers
BUFFERS = 64          # packet buffers that rings of neighbours may hold
# A faulty link is held back for a while after it is good again, and used only if no other is left.
HELD_BACK = 'flapping', 'flapping, still needed', 'lossy', 'lossy, still needed'
IN_USE = 'up', 'unknown', *HELD_BACK
SANITIZER = re.compile(r'(Address|Leak|UndefinedBehavior|Thread)Sanitizer|runtime error:')
ERROR = re.compile(r'drbswitch: error: ')


def losses(lost, connected, names, since):
    """Takes packets lost, {(from, to): count}, while connected pairs must lose none."""
    return [f'{names[a]} -> {names[b]}: {count} packets lost {since}'
            for (a, b), count in sorted(lost.items()) if (a, b) in connected]


def wrong_arrivals(doubled, strayed):
    return ([f'{doubled} packets came twice'] if doubled else []) + (
        [f'{strayed} packets came to another host than theirs'] if strayed else [])


def pings(times, connected, names, family):
    """Takes times of pings, {(from, to): ms or None}."""
    return [f'{names[a]} -> {names[b]}: no answer by IPv{family}'
            for a, b in sorted(connected) if times.get((a, b)) is None]


def states(ports):
    """Takes the states of all ports, {(switch, port): state}."""
    return [f'{switch}.{port} is {state}' for (switch, port), state in sorted(ports.items()) if state not in IN_USE]


def processes(expected, found):
    """Compares {switch: pid} as expected after chaos's own starts and kills with those found.

    A switch without a process has pid None."""
    return [f'{name} died: process {pid} is ' + (f'{found[name]} now' if found.get(name) else 'gone')
            for name, pid in sorted(expected.items()) if found.get(name) != pid]


def said(lines):
    """Takes lines of logs, {switch: [line]}."""
    return [f'{name} said: {line}' for name, mine in sorted(lines.items()) for line in mine
            if SANITIZER.search(line) or ERROR.search(line)]


class Level:
    """Resources of a process: open files, memory in kB, free packet buffers."""

    def __init__(self, files, memory, free):
        self.files, self.memory, self.free = files, memory, free

    @staticmethod
    def of(pid, free, memory):
        # An address sanitizer keeps freed memory on purpose.
        with open(f'/proc/{pid}/maps', encoding='utf-8') as f:
            return Level(len(os.listdir(f'/proc/{pid}/fd')), None if 'libasan' in f.read() else memory, free)


def level(name, before, after):
    """Compares the resources of a switch at rest with those of its first rest."""
    complaints = []
    if after.files > before.files:
        complaints.append(f'{name} has {after.files} files open, had {before.files}')
    if before.memory is not None and after.memory > before.memory + GROWTH_KB:
        complaints.append(f'{name} holds {after.memory} kB, held {before.memory}')
    if after.free < before.free - BUFFERS:
        complaints.append(f'{name} has {after.free} free packet buffers, had {before.free}')
    return complaints


def balance(links, before, after):
    """Packets that entered a link between two rests must have left it.

    before and after are the counters of all switches at these rests."""
    grown = {name: {key: value if key == 'name' else [b - a for a, b in zip(before[name][key], value)]
                    for key, value in view.items() if isinstance(value, list)}
             for name, view in after.items() if name in before}
    return [text for link in links if link['lower'] in grown and link['upper'] in grown
            for text in check.link_balance(link, grown)]
