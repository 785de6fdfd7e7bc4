#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sends fixed streams between all hosts of a running fabric while things break.

heal.py FABRIC HOSTS SLOT_MS SECONDS [AT COMMAND]...

Host h sends to host h + 5, in each slot with probability one half: load 0.5 if a link carries one
packet per slot. After AT seconds, the shell runs COMMAND, for which nobody waits. SIGTERM ends the
program early. Prints one line of JSON for each event, in order of time:
  event, sent    the command; packets sent from it until the next
  lost           lost packets among these, and among those under way when it happened
  heal_ms        from the event until the last lost packet was sent
  latency_ms     mean of packets that arrived
  late_ms        the longest delay of a slot by this program, from shortly before the event to the
  next waited_ms      the longest wait of a switch for a CPU in that time, between two samples
  stolen         per cent of CPU time in that time that the host of a virtual machine took

The first line is for an event "none": packets from before the first event. Exits with 0."""

import json
import os
import random
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path[:0] = [f'{ROOT}/topo', f'{ROOT}/tests/live']

import machine  # noqa: E402
from drbfabric.fabric import netns  # noqa: E402

PORT = 7472
STRIDE = 5
WARM_UP = 0.5  # seconds in which hosts learn each other's addresses
DRAIN = 1.5
# seconds; packets sent so shortly before an event may be lost through it
UNDER_WAY = 0.2
MACHINE_EVERY = 20  # slots; sampling the machine takes time itself


def open_sockets(fabric, hosts):
    sockets = []
    for host in range(hosts):
        with netns.inside(f'{fabric}-h{host}'):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        s.bind(('0.0.0.0', PORT))
        s.setblocking(False)
        sockets.append(s)
    return sockets


class Streams:
    def __init__(self, fabric, hosts):
        self.sockets = open_sockets(fabric, hosts)
        self.selector = selectors.DefaultSelector()
        for s in self.sockets:
            self.selector.register(s, selectors.EVENT_READ, s)
        self.sent = []     # times of sending, by packet number
        self.arrived = {}  # packet number -> time

    def send(self, host, hosts):
        try:
            self.sockets[host].sendto(struct.pack('!I', len(self.sent)),
                                      (f'10.0.0.{(host + STRIDE) % hosts + 1}', PORT))
        except BlockingIOError:
            return  # the host's socket is full: nothing was sent
        self.sent.append(time.monotonic())

    def receive(self, until):
        while (left := until - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                try:
                    while True:
                        number, = struct.unpack('!I', key.data.recv(64)[:4])
                        self.arrived[number] = time.monotonic()
                except BlockingIOError:
                    pass


def run(streams, hosts, slot, seconds, events):
    """Sends and receives; returns the times of events, and a list with an entry for each slot.

    An entry has the time when the slot ended, its delay, and the machine's state then."""
    rng = random.Random(1)
    begin = time.monotonic()
    at, pending, children, slots, ended = [], list(events), [], [], []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    for n in range(int(seconds / slot)):
        streams.receive(begin + n * slot)
        if ended:
            break
        now = time.monotonic()
        if n % MACHINE_EVERY == 0:
            machine_then = machine.read(), machine.waited('drbswitch')
        slots.append((now, now - (begin + n * slot), machine_then))
        if pending and now - begin >= pending[0][0]:
            at.append(time.monotonic())
            children.append(subprocess.Popen(pending.pop(0)[1], shell=True, stdout=sys.stderr,
                                             stdin=subprocess.DEVNULL, start_new_session=True))
        for host in range(hosts):
            if rng.random() < 0.5:
                streams.send(host, hosts)
    streams.receive(time.monotonic() + DRAIN)
    return at, slots


def meanwhile(slots, first, last):
    """Returns what disturbed these slots: late_ms, waited_ms, stolen."""
    mine = [s for s in slots if first <= s[0] <= last] or slots[-1:]
    looks = [s[2] for s in mine]
    return {'late_ms': round(1000 * max(s[1] for s in mine)),
            'waited_ms': round(max(machine.most_waited(a[1], b[1]) for a, b in zip(looks, looks[1:] or looks)) / 1e6),
            'stolen': machine.shares(looks[0][0], looks[-1][0])[1]}


def report(streams, events, at, slots):
    bounds = [0] + at + [float('inf')]
    for i, name in enumerate(['none'] + [command for _, command in events]):
        # An event also hits packets that were sent shortly before it.
        first = bounds[i] - (UNDER_WAY if i else 0)
        last = bounds[i + 1] - UNDER_WAY
        mine = [k for k, t in enumerate(streams.sent) if first <= t < last]
        lost = [k for k in mine if k not in streams.arrived]
        took = [streams.arrived[k] - streams.sent[k] for k in mine if k in streams.arrived]
        heal = max((streams.sent[k] - bounds[i] for k in lost), default=0) if i else 0
        print(json.dumps({'event': name, 'sent': len(mine), 'lost': len(lost),
                          'heal_ms': round(1000 * max(heal, 0)),
                          'latency_ms': round(1000 * sum(took) / max(len(took), 1), 2),
                          **meanwhile(slots, first, bounds[i + 1])}))


def main():
    fabric, hosts, slot = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000
    seconds, rest = float(sys.argv[4]), sys.argv[5:]
    events = [(float(rest[i]), rest[i + 1]) for i in range(0, len(rest), 2)]
    streams = Streams(fabric, hosts)
    run(streams, hosts, slot, WARM_UP, [])
    streams.sent, streams.arrived = [], {}
    report(streams, events, *run(streams, hosts, slot, seconds, events))


if __name__ == '__main__':
    main()
