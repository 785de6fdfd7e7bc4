# SPDX-License-Identifier: BSD-3-Clause
"""Pings between hosts, all sent by this process. Starting a program for each of a thousand hosts
would take longer than the pings."""

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
OCTETS = 56  # bytes after the header, as ping sends them
TIME = struct.Struct('=qq')  # struct timespec
REPLY_MAX = 256
WAITS_MAX_NS = 1000000000  # longest plausible time from a reply's arrival until it is read


def _checksum(data):
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def _request(family, identifier, sequence):
    data = bytes(OCTETS)
    head = HEADER.pack(ECHO[family][0], 0, 0, identifier, sequence)
    if family == 4:  # the kernel fills in the checksum of ICMPv6, which includes addresses
        head = HEADER.pack(ECHO[4][0], 0, _checksum(head + data), identifier, sequence)
    return head + data


def _opened(family):
    """Opens a socket in this thread's namespace that receives only echo replies and their times."""
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
    """Reads a reply: (identifier, sequence, arrival in monotonic ns); None: not a reply."""
    data, control, _, _ = s.recvmsg(REPLY_MAX, socket.CMSG_SPACE(TIME.size))
    if family == 4:
        data = data[(data[0] & 15) * 4:]
    if len(data) < HEADER.size:
        return None
    kind, _, _, identifier, sequence = HEADER.unpack_from(data)
    if kind != ECHO[family][1]:
        return None
    now, waited = time.monotonic_ns(), 0
    if control:
        seconds, ns = TIME.unpack(control[0][2])
        waited = time.time_ns() - seconds * 1000000000 - ns
    # The kernel's timestamp is of the wall clock, which may have been set since: ignore absurd
    # values.
    return identifier, sequence, now - (waited if 0 <= waited < WAITS_MAX_NS else 0)


class _Wave:
    """The pings of a wave. They share an identifier; the sequence number of a ping is its index."""

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
        self.sent[sequence] = time.monotonic_ns()
        with contextlib.suppress(OSError):  # no route or no buffer: counts as no answer
            self.sockets[source].sendto(_request(self.family, self.identifier, sequence), (address, 0))

    def receive_until(self, end):
        """Reads replies until all have arrived, or until `end` on the monotonic clock."""
        while len(self.times) < len(self.pings) and (left := end - time.monotonic()) > 0:
            for key, _ in self.selector.select(left):
                with contextlib.suppress(OSError):  # the socket reports undeliverable requests
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
    """Sends one echo request for each (source, destination, address): {(source, destination): ms or
    None}.

    interval_ms: time between two requests of a source. namespaces: {source: namespace}. Each source
    needs a socket; if too few can be open, the sources are done in several groups."""
    sources = list(dict.fromkeys(source for source, _, _ in pings))
    step, times = at_once(len(sources)), {}
    for at in range(0, len(sources), max(1, step)):
        now = set(sources[at:at + step])
        times.update(_run_wave(family, [ping for ping in pings if ping[0] in now], namespaces, interval_ms, timeout_ms))
    return times
