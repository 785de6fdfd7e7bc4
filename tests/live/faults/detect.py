#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures how long switches take to detect a fault of a link, by their own clocks.

  detect.py FABRIC KIND OBJECT

Breaks one link of F(3,2) after another and repairs each. For KIND "one-way", an XDP program from
OBJECT drops what arrives at the lower end; for "dead", it also drops what arrives at the upper end.
Prints a line of JSON for each fault, with the milliseconds until the lower and the upper end were
down."""
import itertools
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..', 'topo'))
from drbfabric.fabric.telemetry import Telemetry  # noqa: E402


def port(fabric, switch, name):
    with Telemetry(f'{fabric}-{switch}') as telemetry:
        return telemetry.ask(f'/drb/port,{name}')


def links(fabric):
    """Yields (lower switch, its port, upper switch, its port)."""
    for layer in (1, 2):
        for label in range(8):
            for up in ('u0', 'u1'):
                peer, other = port(fabric, f's{layer}-{label}', up)['peer'].split('.')
                yield f's{layer}-{label}', up, peer, other


def set_program(fabric, switch, name, program):
    subprocess.run(['ip', '-n', f'{fabric}-{switch}', 'link', 'set', 'dev', name, 'xdpgeneric', *program],
                   check=True)


def wait_for(fabric, ends, states, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        replies = [port(fabric, *end) for end in ends]
        if all(reply['state'] in states for reply in replies):
            return replies
        time.sleep(0.02)
    raise SystemExit(f'{ends} are not {states} within {seconds} s: {[reply["state"] for reply in replies]}')


def main():
    fabric, kind, program = sys.argv[1:]
    for lower, up, upper, down in itertools.islice(links(fabric), 20):
        ends = [(lower, up), (upper, down)]
        broken = ends[:1] if kind == 'one-way' else ends
        begun = time.monotonic_ns()
        for end in broken:
            set_program(fabric, *end, ['obj', program, 'sec', 'xdp'])
        took = [(reply['since_ns'] - begun) / 1e6 for reply in wait_for(fabric, ends, ('down',))]
        for end in broken:
            set_program(fabric, *end, ['off'])
        wait_for(fabric, ends, ('up', 'flapping'))
        print(json.dumps({'link': f'{lower}.{up}', 'lower_ms': round(took[0]), 'upper_ms': round(took[1])}))


main()
