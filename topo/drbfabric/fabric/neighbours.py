# SPDX-License-Identifier: BSD-3-Clause
"""Flushes the neighbour table of this thread's namespace: `ip neigh flush` without a process."""

import socket
import struct

from drbfabric.fabric import netlink

# linux/netlink.h, linux/rtnetlink.h and linux/neighbour.h
NLM_F_DUMP = 0x300
RTM_DELNEIGH, RTM_GETNEIGH = 29, 30
NDA_DST = 1
NUD_REACHABLE, NUD_STALE, NUD_DELAY, NUD_PROBE, NUD_FAILED = 0x02, 0x04, 0x08, 0x10, 0x20
# States of entries that are flushed: not those being resolved, and not permanent ones.
RESOLVED = NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_FAILED

ENTRY = struct.Struct('=BxxxiHBB')  # struct ndmsg: family, interface, state, flags, type


def _entries(sock):
    """Yields (family, interface, state, address) of all entries."""
    sock.send(netlink.message(RTM_GETNEIGH, NLM_F_DUMP, ENTRY.pack(socket.AF_UNSPEC, 0, 0, 0, 0)))
    while True:
        for kind, payload in netlink.replies(sock):
            if kind == netlink.NLMSG_DONE:
                return
            if kind == netlink.NLMSG_ERROR:
                netlink.raise_error(payload)
            family, interface, state, _, _ = ENTRY.unpack_from(payload)
            for (_, attribute), value in netlink.parts(payload[ENTRY.size:], netlink.ATTRIBUTE):
                if attribute == NDA_DST:
                    yield family, interface, state, value


def flush(interface):
    """Removes the entries of an interface."""
    with netlink.opened() as s:
        index, orders = socket.if_nametoindex(interface), b''
        for family, at, state, address in _entries(s):
            if at == index and state & RESOLVED:
                orders += netlink.message(RTM_DELNEIGH, 0, ENTRY.pack(family, at, 0, 0, 0) +
                                          netlink.attribute(NDA_DST, address))
        if orders:
            s.send(orders)
