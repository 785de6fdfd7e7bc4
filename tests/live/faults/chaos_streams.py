# SPDX-License-Identifier: BSD-3-Clause
"""Sends packets between all hosts of a running fabric, in a separate process.

Reports for any span of time what became of its packets."""

import multiprocessing
import os
import selectors
import signal
import socket
import struct
import sys
import time
from typing import NamedTuple

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path[:0] = [f'{ROOT}/topo']

from drbfabric.fabric import netns  # noqa: E402

PORT = 7473
SLOT = 0.02      # s; each host sends a packet in each slot
DRAIN = 0.3      # s; the longest delay of a packet
LENGTH = 100
BUFFER = 1 << 20
FAMILIES = {'4': (4,), '6': (6,), '46': (4, 6)}


class Span(NamedTuple):
    """The packets that were sent in a span of time."""
    sent: int
    lost: dict    # (from, to): packets
    doubled: int  # arrived more than once, since the last `forget`
    strayed: int  # arrived at another host, since the last `forget`


class Ledger:
    """Packets that were sent since the last `forget`, and which of them arrived."""

    def __init__(self):
        self.first, self.doubled, self.strayed = 0, 0, 0
        self.packets = []  # (time, from, to); the first one has the number `first`
        self.arrived = bytearray()

    def sent(self, at, source, to):
        """Records a packet; returns its number."""
        self.packets.append((at, source, to))
        self.arrived.append(0)
        return self.first + len(self.packets) - 1

    def came(self, number, to, host):
        """Records that a packet for host `to` arrived at `host`."""
        place = number - self.first
        if 0 <= place < len(self.packets):
            self.strayed += to != host
            self.doubled += self.arrived[place]
            self.arrived[place] = 1

    def span(self, begin, end):
        lost, sent = {}, 0
        for (at, source, to), came in zip(self.packets, self.arrived):
            if begin <= at < end:
                sent += 1
                if not came:
                    lost[source, to] = lost.get((source, to), 0) + 1
        return Span(sent, lost, self.doubled, self.strayed)

    def forget(self):
        self.first += len(self.packets)
        self.packets, self.arrived, self.doubled, self.strayed = [], bytearray(), 0, 0


class Hosts:
    """The sockets of all hosts, and the ledger of their packets."""

    def __init__(self, hosts, families):
        self.hosts, self.families, self.ledger = hosts, FAMILIES[families], Ledger()
        self.sockets, self.selector = {}, selectors.DefaultSelector()
        for n, host in enumerate(hosts):
            with netns.inside(host['namespace']):
                for family in self.families:
                    self.sockets[n, family] = s = self.open(family)
                    self.selector.register(s, selectors.EVENT_READ, (s, n))

    def open(self, family):
        s = socket.socket(socket.AF_INET if family == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        if family == 6:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        s.bind(('0.0.0.0' if family == 4 else '::', PORT))
        s.setblocking(False)
        return s

    def send(self, slot):
        """Sends a packet from each host. Over the slots, all pairs and families have their turn."""
        count = len(self.hosts)
        for source in range(count):
            to = (source + 1 + slot % (count - 1)) % count
            family = self.families[(slot // (count - 1) + source) % len(self.families)]
            head = struct.pack('!QH', self.ledger.first + len(self.ledger.packets), to)
            at = time.monotonic()
            try:
                self.sockets[source, family].sendto(head.ljust(LENGTH, b'.'), (self.hosts[to][f'ipv{family}'], PORT))
            except OSError:
                # The interface is gone or has no carrier, so nothing was sent.
                continue
            self.ledger.sent(at, source, to)

    def receive(self, until):
        while (left := until - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                s, host = key.data
                try:
                    while True:
                        number, to = struct.unpack('!QH', s.recv(2 * LENGTH)[:10])
                        self.ledger.came(number, to, host)
                except OSError:
                    pass  # no packet is left, or an earlier one failed, such as for want of a route


def _serve(hosts, families, pipe):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    mine, runs, slot, due = Hosts(hosts, families), True, 0, time.monotonic()
    while True:
        while pipe.poll():
            order, *rest = pipe.recv()
            if order == 'end':
                return
            if order == 'run':
                runs, = rest
            elif order == 'forget':
                mine.ledger.forget()
            pipe.send(mine.ledger.span(*rest) if order == 'span' else None)
        if runs:
            mine.send(slot)
            slot += 1
        due = max(due + SLOT, time.monotonic())
        mine.receive(due)


class Streams:
    """Packets that flow from construction until `end`, except while paused."""

    def __init__(self, hosts, families):
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_serve, args=(hosts, families, other), daemon=True)
        self.process.start()
        other.close()

    def _order(self, *words):
        self.pipe.send(words)
        return self.pipe.recv()

    def span(self, begin, end):
        """Returns the Span of packets sent between two monotonic times, once they could arrive."""
        time.sleep(max(0.0, end + DRAIN - time.monotonic()))
        return self._order('span', begin, end)

    def forget(self):
        self._order('forget')

    def pause(self):
        self._order('run', False)
        time.sleep(DRAIN)

    def go_on(self):
        self._order('run', True)

    def end(self):
        self.pipe.send(('end',))
        self.process.join()
