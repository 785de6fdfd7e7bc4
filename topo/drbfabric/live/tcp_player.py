# SPDX-License-Identifier: BSD-3-Clause
"""Plays a list of transfers by TCP between the hosts of a running fabric.

One process is enough, because a socket stays in the network namespace in which it was created."""

import contextlib
import errno
import selectors
import socket
import struct
import time
from dataclasses import dataclass, field

from drbfabric import Failure
from drbfabric.fabric import netns
from drbfabric.fabric.plan_types import Plan

PORT = 5201
# Bytes of a full frame with IPv4 and TCP time stamps: its payload, and its size on the wire (with
# headers and 24 bytes of Ethernet overhead).
PAYLOAD, WIRE_BYTES = 1448, 1514 + 24
BUFFER = bytearray(1 << 18)
TCP_CONGESTION = 13  # from linux/tcp.h
# Size of struct tcp_info in linux/tcp.h, and offsets of some members, in bytes.
TCP_INFO_BYTES = 160
TOTAL_RETRANS, SEGS_IN, MIN_RTT, DATA_SEGS_OUT = 100, 140, 148, 156
# Hosts have resolved the MAC addresses of their neighbours after this time. They do so only once.
SETTLE_SECONDS = 0.5
# A transfer that starts later than this many slots counts as late. Its own time counts from
# connect(), but a late start changes which other transfers run at the same time.
LATE_SLOTS = 2


@dataclass
class Transfer:
    """A line of the list, and its result. Times are ns of the monotonic clock."""
    slot: int
    source: int
    dest: int
    packets: int
    waits: int = 0  # events that must happen before it starts
    then: dict = field(default_factory=lambda: {'sent': [], 'arrived': []})
    due: bool = False  # true once its slot has come
    start: int = 0
    connected: int = 0
    finish: int = 0
    left: int = 0  # bytes to send
    came: int = 0
    figures: dict = field(default_factory=dict)


def transfers_of(rows):
    """Makes transfers from the rows of a list that drbsim prints. `then` gets the indices of the
    transfers that wait for each event."""
    transfers = []
    for row in rows:
        t = Transfer(int(row['slot']), int(row['from']), int(row['to']), int(row['packets']))
        for event in ('sent', 'arrived'):
            if row[f'after_{event}']:
                t.waits += 1
                transfers[int(row[f'after_{event}'])].then[event].append(len(transfers))
        t.left = t.packets * PAYLOAD
        transfers.append(t)
    return transfers


def set_host_links(plan: Plan, rate):
    """Gives host links the rate of all other links, in bit/s. Also keeps TCP from using metrics of
    earlier connections."""
    for host in plan['hosts']:
        with netns.inside(host['namespace']):
            netns.tc('qdisc replace dev eth0 root stab overhead 24 linklayer ethernet '
                     f'tbf rate {rate:.0f}bit burst {WIRE_BYTES + 62} limit 10000000')
            netns.sysctl({'ipv4/tcp_no_metrics_save': 1})


class Player:
    """Plays all transfers of a list."""

    def __init__(self, plan: Plan, transfers, slot, congestion):
        self.hosts, self.transfers, self.slot = plan['hosts'], transfers, slot
        self.congestion = congestion
        self.selector, self.stack = selectors.DefaultSelector(), contextlib.ExitStack()
        # {(sender's address and port, receiver's address): (transfer, sender's socket)}
        self.senders = {}
        self.over, self.next, self.late = 0, 0, 0
        self.begin = 0.0

    def _socket(self, host, kind=socket.SOCK_STREAM):
        with netns.inside(self.hosts[host]['namespace']):
            s = self.stack.enter_context(socket.socket(socket.AF_INET, kind))
        s.setblocking(False)
        return s

    def _listen(self):
        for host in {t.dest for t in self.transfers}:
            s = self._socket(host)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((self.hosts[host]['ipv4'], PORT))
            s.listen(1024)
            self.selector.register(s, selectors.EVENT_READ, (self._accept, s))

    def _meet_neighbours(self):
        for host in {t.source for t in self.transfers} | {t.dest for t in self.transfers}:
            s = self._socket(host, socket.SOCK_DGRAM)
            for peer in {t.dest for t in self.transfers if t.source == host} | \
                        {t.source for t in self.transfers if t.dest == host}:
                s.sendto(b'', (self.hosts[peer]['ipv4'], PORT))
        time.sleep(SETTLE_SECONDS)

    def _start(self, t):
        t.start = time.monotonic_ns()
        s = self._socket(t.source)
        s.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, self.congestion.encode())
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Writable when few bytes are unsent. _send() later lowers the limit to 1 byte, so that the
        # socket is writable again when all bytes have been sent.
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, 2 * PAYLOAD)
        code = s.connect_ex((self.hosts[t.dest]['ipv4'], PORT))
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, f"{self.hosts[t.source]['name']} to {self.hosts[t.dest]['name']}")
        # Connections of a host to different hosts may have the same local port.
        self.senders[s.getsockname(), self.hosts[t.dest]['ipv4']] = t, s
        self.selector.register(s, selectors.EVENT_WRITE, (self._send, t, s))

    def _send(self, t, s):
        if not t.connected:
            code = s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if code:
                raise OSError(code, f"{self.hosts[t.source]['name']} to {self.hosts[t.dest]['name']}")
            t.connected = time.monotonic_ns()
        if t.left:
            t.left -= s.send(memoryview(BUFFER)[:min(t.left, 16 * PAYLOAD)])
            if not t.left:
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, 1)
        else:
            self.selector.unregister(s)
            self._release(t, 'sent')

    def _accept(self, listener):
        with contextlib.suppress(BlockingIOError):
            while True:
                s, sender = listener.accept()
                self.stack.enter_context(s)
                s.setblocking(False)
                t, other = self.senders[sender, s.getsockname()[0]]
                self.selector.register(s, selectors.EVENT_READ, (self._receive, t, s, other))

    def _receive(self, t, s, sender):
        t.came += s.recv_into(BUFFER)
        if t.came < t.packets * PAYLOAD:
            return
        t.finish = time.monotonic_ns()
        info = sender.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES)
        t.figures = {name: struct.unpack_from('=I', info, place)[0] for name, place in
                     (('resent', TOTAL_RETRANS), ('acks', SEGS_IN), ('min_rtt_us', MIN_RTT), ('sent', DATA_SEGS_OUT))}
        self.selector.unregister(s)
        s.close()
        if sender in self.selector.get_map():
            self.selector.unregister(sender)
            self._release(t, 'sent')
        sender.close()
        self.over += 1
        self._release(t, 'arrived')

    def _release(self, t, event):
        for i in t.then[event]:
            other = self.transfers[i]
            other.waits -= 1
            if not other.waits and other.due:
                self._start(other)
        t.then[event] = []

    def _start_due(self):
        """Starts the transfers whose slot has come. Returns the seconds until the next slot of a
        transfer, or 1 after the last one."""
        while self.next < len(self.transfers):
            t = self.transfers[self.next]
            ahead = self.begin + t.slot * self.slot - time.monotonic()
            if ahead > 0:
                return ahead
            self.next += 1
            t.due = True
            if not t.waits:
                self.late += -ahead > LATE_SLOTS * self.slot
                self._start(t)
        return 1

    def play(self, seconds):
        """Plays until all transfers have arrived, at most this many seconds. Returns rows()."""
        with self.stack, self.selector:
            try:
                self._listen()
                self._meet_neighbours()
                self.begin = time.monotonic()
                while self.over < len(self.transfers) and time.monotonic() < self.begin + seconds:
                    wait = self._start_due()
                    for key, _ in self.selector.select(wait):
                        call, *what = key.data
                        call(*what)
            except OSError as e:
                raise Failure(f'TCP transfers: {e.strerror}: {e.filename or ""}'.rstrip(': ')) from e
        return self.rows()

    def rows(self):
        """Returns {'start', 'time', ...} of each transfer, in slots; both are None if it did not
        arrive. The host's own link passes a packet on when its transmission begins, so a slot is
        added."""
        rows = []
        for i, t in enumerate(self.transfers):
            row = {'transfer': i, 'from': t.source, 'to': t.dest, 'packets': t.packets, 'start': None, 'time': None}
            if t.finish:
                row.update(start=(t.start / 1e9 - self.begin) / self.slot,
                           time=(t.finish - t.start) / 1e9 / self.slot + 1,
                           handshake=(t.connected - t.start) / 1e9 / self.slot,
                           min_rtt=t.figures['min_rtt_us'] / 1e6 / self.slot,
                           **{key: t.figures[key] for key in ('resent', 'acks', 'sent')})
            rows.append(row)
        return rows
