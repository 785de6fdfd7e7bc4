# SPDX-License-Identifier: BSD-3-Clause
"""What must hold after whatever chaos did. Each check takes what was found and returns complaints, in words; that each
can complain is tested by tests/process/test_chaos.py."""

import os
import re
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path[:0] = [f'{ROOT}/topo']

from drbfabric.fabric import check  # noqa: E402

HEALED = 5.0          # s after the mending: all ports are in use again, or held back because they were not reliable
FREED = 3.0           # s after which what a client or a fault took is free again
GROWTH_KB = 2048      # of a process's own memory since the first round it lived through
BUFFERS = 64          # that rings of neighbours may hold
# A link that was bad is held back for a while after it is good again, and used where nothing else is left.
HELD_BACK = 'flapping', 'flapping, still needed', 'lossy', 'lossy, still needed'
IN_USE = 'up', 'unknown', *HELD_BACK
SANITIZER = re.compile(r'(Address|Leak|UndefinedBehavior|Thread)Sanitizer|runtime error:')
ERROR = re.compile(r'drbswitch: error: ')


def losses(lost, connected, names, since):
    """lost: {(from, to): packets} of a time in which connected pairs must not lose any."""
    return [f'{names[a]} -> {names[b]}: {count} packets lost {since}'
            for (a, b), count in sorted(lost.items()) if (a, b) in connected]


def wrong_arrivals(doubled, strayed):
    return ([f'{doubled} packets came twice'] if doubled else []) + (
        [f'{strayed} packets came to another host than theirs'] if strayed else [])


def pings(times, connected, names, family):
    """times: {(from, to): ms or None}."""
    return [f'{names[a]} -> {names[b]}: no answer by IPv{family}'
            for a, b in sorted(connected) if times.get((a, b)) is None]


def states(ports):
    """ports: {(switch, port): state}, all of them."""
    return [f'{switch}.{port} is {state}' for (switch, port), state in sorted(ports.items()) if state not in IN_USE]


def processes(expected, found):
    """Both {switch: pid}; those that chaos ended or started are expected so. No pid: it does not run."""
    return [f'{name} died: process {pid} is ' + (f'{found[name]} now' if found.get(name) else 'gone')
            for name, pid in sorted(expected.items()) if found.get(name) != pid]


def said(lines):
    """lines: {switch: [line of its log]}."""
    return [f'{name} said: {line}' for name, mine in sorted(lines.items()) for line in mine
            if SANITIZER.search(line) or ERROR.search(line)]


class Level:
    """What a process holds: files, memory (kB), free packet buffers."""

    def __init__(self, files, memory, free):
        self.files, self.memory, self.free = files, memory, free

    @staticmethod
    def of(pid, free):
        with open(f'/proc/{pid}/status', encoding='ascii') as f:
            found = re.search(r'^RssAnon:\s+(\d+)', f.read(), re.M)
        assert found
        # An address sanitizer keeps what was freed on purpose.
        with open(f'/proc/{pid}/maps', encoding='utf-8') as f:
            memory = None if 'libasan' in f.read() else int(found[1])
        return Level(len(os.listdir(f'/proc/{pid}/fd')), memory, free)


def level(name, before, after):
    """What a switch holds at rest, and held at rest before."""
    complaints = []
    if after.files > before.files:
        complaints.append(f'{name} has {after.files} files open, had {before.files}')
    if before.memory is not None and after.memory > before.memory + GROWTH_KB:
        complaints.append(f'{name} holds {after.memory} kB, held {before.memory}')
    if after.free < before.free - BUFFERS:
        complaints.append(f'{name} has {after.free} free packet buffers, had {before.free}')
    return complaints


def balance(links, before, after):
    """What was sent into links at rest then came out of them since; before, after: counters of all switches."""
    grown = {name: {key: value if key == 'name' else [b - a for a, b in zip(before[name][key], value)]
                    for key, value in view.items() if isinstance(value, list)}
             for name, view in after.items() if name in before}
    return [text for link in links if link['lower'] in grown and link['upper'] in grown
            for text in check.link_balance(link, grown)]
