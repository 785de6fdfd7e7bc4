#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much time the machine has while something is measured: a figure taken beside other work says
nothing about this project.

machine.py COMMAND...: runs it, and prints which per cent of the CPU time meanwhile nobody used, and
which the host of a virtual machine took away."""

import glob
import os
import subprocess
import sys


def read():
    """CPU time of the CPUs we may run on since the machine started, in ticks: (all, idle, stolen)."""
    ours = {f'cpu{i}' for i in os.sched_getaffinity(0)}
    total = idle = stolen = 0
    with open('/proc/stat', encoding='ascii') as f:
        for line in f:
            name, *ticks = line.split()
            if name in ours:
                ticks = [int(t) for t in ticks[:8]]
                total += sum(ticks)
                idle += ticks[3] + ticks[4]
                stolen += ticks[7]
    return total, idle, stolen


def shares(before, after):
    """Percent of that time between two readings which nobody used, and which the host took away."""
    total, idle, stolen = (b - a for a, b in zip(before, after))
    return round(100 * idle / max(total, 1), 1), round(100 * stolen / max(total, 1), 1)


def waited(name):
    """How long each thread of the processes of this name could run but had no CPU since it started:
    {thread: ns}."""
    times = {}
    for path in glob.glob('/proc/[0-9]*/comm'):
        folder = os.path.dirname(path)
        try:
            with open(path, encoding='ascii') as f:
                if f.read() != f'{name}\n':
                    continue
            for task in os.listdir(f'{folder}/task'):
                with open(f'{folder}/task/{task}/schedstat', encoding='ascii') as f:
                    times[task] = int(f.read().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            pass  # ended meanwhile
    return times


def main():
    before = read()
    subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
    print(*shares(before, read()))


if __name__ == '__main__':
    main()
