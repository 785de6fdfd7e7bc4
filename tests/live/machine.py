#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how much CPU time the machine has to spare while something else is measured.

Figures that were taken beside other work do not describe this project.

machine.py watch [PROGRAM]   prints "ready", measures until SIGTERM, then prints one line of JSON:
  late_ms    the longest delay at which a control process woke. Each CPU that we may use has one,
  which
             only sleeps. Nothing that a switch does to itself delays it.
  waited_ms  the longest time within a tenth of a second that a thread of PROGRAM (default
  drbswitch)
             could run but had no CPU
  stolen     per cent of the CPU time that the host of a virtual machine took away
  free       per cent of the CPU time that was idle
  others     per cent of the CPU time of processes that we cannot see: those outside our process
             namespace, and threads of the kernel
machine.py COMMAND...        runs it, and prints free and stolen"""

import glob
import json
import mmap
import os
import signal
import struct
import subprocess
import sys
import time

NAP = 0.002    # seconds that a control process sleeps
EVERY = 0.1    # seconds between two samples of the threads
RENEW = 10     # samples between two searches for new processes


def read():
    """Returns ticks of the CPUs that we may use, since the machine started: (all, idle, stolen)."""
    ours = {f'cpu{i}' for i in os.sched_getaffinity(0)}
    total = idle = stolen = 0
    with open('/proc/stat', encoding='ascii') as f:
        for line in f:
            name, *rest = line.split()
            if name in ours:
                ticks = [int(t) for t in rest[:8]]
                total += sum(ticks)
                idle += ticks[3] + ticks[4]
                stolen += ticks[7]
    return total, idle, stolen


def shares(before, after):
    """Returns the percentages of time between two readings that were idle, and stolen."""
    total, idle, stolen = (b - a for a, b in zip(before, after))
    return round(100 * idle / max(total, 1), 1), round(100 * stolen / max(total, 1), 1)


def seen():
    """Returns CPU time in ticks of all processes that we can see, and of their ended children."""
    ticks = 0
    for path in glob.glob('/proc/[0-9]*/stat'):
        try:
            with open(path, encoding='ascii', errors='replace') as f:
                ticks += sum(int(t) for t in f.read().rpartition(')')[2].split()[11:15])
        except (FileNotFoundError, ProcessLookupError):
            pass  # ended meanwhile
    return ticks


def threads(name):
    """Returns the schedstat files of all threads of processes with this name."""
    paths = []
    for path in glob.glob('/proc/[0-9]*/comm'):
        folder = os.path.dirname(path)
        try:
            with open(path, encoding='ascii', errors='replace') as f:
                if f.read() == f'{name}\n':
                    paths += [f'{folder}/task/{task}/schedstat' for task in os.listdir(f'{folder}/task')]
        except (FileNotFoundError, ProcessLookupError):
            pass  # ended meanwhile
    return paths


def waits(paths):
    """Returns how long each thread could run but had no CPU since it started: {path: ns}."""
    times = {}
    for path in paths:
        try:
            with open(path, encoding='ascii') as f:
                times[path] = int(f.read().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            pass
    return times


def waited(name):
    return waits(threads(name))


def most_waited(before, after):
    """Returns the longest wait of a thread between two readings, in ns."""
    return max((after[path] - before[path] for path in after if path in before), default=0)


class Control:
    """A process on each CPU that only sleeps, and records its longest delay in waking."""

    def __init__(self):
        cpus = sorted(os.sched_getaffinity(0))
        self.worst, self.children = mmap.mmap(-1, 8 * len(cpus)), []
        for slot, cpu in enumerate(cpus):
            child = os.fork()
            if child == 0:
                try:
                    os.sched_setaffinity(0, {cpu})
                    self._sleep(8 * slot)
                finally:
                    os._exit(1)
            self.children.append(child)

    def _sleep(self, at):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        parent = os.getppid()
        while os.getppid() == parent:
            due = time.monotonic() + NAP
            time.sleep(NAP)
            late = time.monotonic() - due
            if late > struct.unpack_from('d', self.worst, at)[0]:
                struct.pack_into('d', self.worst, at, late)

    def late(self):
        """Returns the longest delay of all of them, in seconds."""
        return max(struct.unpack(f'{len(self.children)}d', self.worst))

    def restart(self):
        """Forgets all recorded delays."""
        self.worst[:8 * len(self.children)] = bytes(8 * len(self.children))

    def end(self):
        for child in self.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def watch(name):
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    control, begun, ours, most, looks = Control(), read(), seen(), 0, 0
    before = waits(paths := threads(name))
    print('ready', flush=True)
    while not ended:
        time.sleep(EVERY)
        looks += 1
        if looks % RENEW == 0:
            paths = threads(name)
        now = waits(paths)
        most, before = max(most, most_waited(before, now)), now
    ours, now = seen() - ours, read()
    late = control.late()
    control.end()
    free, stolen = shares(begun, now)
    others = 100 - free - stolen - 100 * ours / max(now[0] - begun[0], 1)
    print(json.dumps({'late_ms': round(1000 * late), 'waited_ms': round(most / 1e6), 'stolen': stolen,
                      'free': free, 'others': round(max(others, 0), 1)}), flush=True)


def main():
    if sys.argv[1] == 'watch':
        watch(*sys.argv[2:] or ['drbswitch'])
        return
    before = read()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    print(*shares(before, read()))


if __name__ == '__main__':
    main()
