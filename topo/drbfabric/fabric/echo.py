# SPDX-License-Identifier: BSD-3-Clause
"""Pings between hosts, all by this process: a program for each of a thousand hosts takes longer than its pings."""

import contextlib
import random
import selectors
import socket
import struct
import time

from drbfabric.common.limits import at_once
from drbfabric.fabric import netns

# linux/icmp.h, linux/icmpv6.h and asm/socket.h
ECHO = {4: (8, 0), 6: (128, 129)}  # request, reply
FAMILY = {4: (socket.AF_INET, socket.IPPROTO_ICMP), 6: (socket.AF_INET6, socket.IPPROTO_ICMPV6)}
SOL_RAW, ICMP_FILTER, ICMPV6_FILTER = 255, 1, 1
SO_TIMESTAMPNS = 35
HEADER = struct.Struct('!BBHHH')  # type, code, checksum, identifier, sequence
OCTETS = 56  # behind the header, as ping sends
TIME = struct.Struct('=qq')  # struct timespec
REPLY_MAX = 256


def _checksum(data):
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def _request(family, identifier, sequence):
    data = bytes(OCTETS)
    head = HEADER.pack(ECHO[family][0], 0, 0, identifier, sequence)
    if family == 4:  # the kernel fills in that of IPv6, whose sum takes in addresses
        head = HEADER.pack(ECHO[4][0], 0, _checksum(head + data), identifier, sequence)
    return head + data


def _opened(family):
    """A socket of this thread's namespace that gets echo replies alone, with the time at which each came."""
    s = socket.socket(FAMILY[family][0], socket.SOCK_RAW | socket.SOCK_NONBLOCK, FAMILY[family][1])
    reply = ECHO[family][1]
    if family == 4:
        s.setsockopt(SOL_RAW, ICMP_FILTER, struct.pack('=I', ~(1 << reply) & 0xffffffff))
    else:
        blocked = [0xffffffff] * 8
        blocked[reply // 32] &= ~(1 << reply % 32)
        s.setsockopt(socket.IPPROTO_ICMPV6, ICMPV6_FILTER, struct.pack('=8I', *blocked))
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return s


def _taken(s, family):
    """(identifier, sequence, ns since 1970) of the reply that has come; None if it is none."""
    data, control, _, _ = s.recvmsg(REPLY_MAX, socket.CMSG_SPACE(TIME.size))
    if family == 4:
        data = data[(data[0] & 15) * 4:]
    if len(data) < HEADER.size:
        return None
    kind, _, _, identifier, sequence = HEADER.unpack_from(data)
    if kind != ECHO[family][1]:
        return None
    seconds, ns = TIME.unpack(control[0][2]) if control else divmod(time.time_ns(), 1000000000)
    return identifier, sequence, seconds * 1000000000 + ns


class _Wave:
    """The pings of a wave, which have an identifier in common. One is known by its sequence number, its place among
    them."""

    def __init__(self, family, pings):
        self.family, self.pings, self.identifier = family, pings, random.getrandbits(16)
        self.sent, self.times = {}, {}
        self.sockets, self.selector = {}, selectors.DefaultSelector()

    def open(self, namespaces):
        for source in {source for source, _, _ in self.pings}:
            with netns.inside(namespaces[source]):
                self.sockets[source] = _opened(self.family)
            self.selector.register(self.sockets[source], selectors.EVENT_READ)

    def send(self, sequence):
        source, _, address = self.pings[sequence]
        self.sent[sequence] = time.time_ns()
        with contextlib.suppress(OSError):  # no route or no buffer: no answer
            self.sockets[source].sendto(_request(self.family, self.identifier, sequence), (address, 0))

    def receive_until(self, end):
        """Takes replies until then, on the monotonic clock, or until all have come."""
        while len(self.times) < len(self.pings) and (left := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                with contextlib.suppress(OSError):  # what could not be delivered says so at the socket
                    reply = _taken(key.fileobj, self.family)
                    if reply and reply[0] == self.identifier and reply[1] in self.sent:
                        self.times.setdefault(reply[1], (reply[2] - self.sent[reply[1]]) / 1e6)

    def close(self):
        self.selector.close()
        for s in self.sockets.values():
            s.close()


def _run_wave(family, pings, namespaces, interval_ms, timeout_ms):
    wave, turns, seen = _Wave(family, pings), {}, {}
    for sequence, (source, _, _) in enumerate(pings):
        turns.setdefault(seen.get(source, 0), []).append(sequence)
        seen[source] = seen.get(source, 0) + 1
    try:
        wave.open(namespaces)
        for turn in turns.values():
            end = time.monotonic() + interval_ms / 1000
            for sequence in turn:
                wave.send(sequence)
            wave.receive_until(end)
            time.sleep(max(0, end - time.monotonic()))
        wave.receive_until(time.monotonic() + timeout_ms / 1000)
    finally:
        wave.close()
    return {(source, destination): wave.times.get(sequence)
            for sequence, (source, destination, _) in enumerate(pings)}


def run(family, pings, namespaces, interval_ms, timeout_ms):
    """Sends one echo request for each (source, destination, address), those of a source so far apart:
    {(source, destination): ms, None without an answer}. namespaces: of sources. Each of them takes a socket: where too
    few can be open, some come after the others."""
    sources = list(dict.fromkeys(source for source, _, _ in pings))
    step, times = at_once(len(sources)), {}
    for at in range(0, len(sources), max(1, step)):
        now = set(sources[at:at + step])
        times.update(_run_wave(family, [ping for ping in pings if ping[0] in now], namespaces, interval_ms, timeout_ms))
    return times
