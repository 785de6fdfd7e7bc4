# SPDX-License-Identifier: BSD-3-Clause
"""The neighbour table of this thread's network namespace, by netlink: `ip neigh flush` without a process for each."""

import os
import socket
import struct

# linux/netlink.h, linux/rtnetlink.h and linux/neighbour.h
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_DUMP = 0x1, 0x300
RTM_DELNEIGH, RTM_GETNEIGH = 29, 30
NDA_DST = 1
NUD_REACHABLE, NUD_STALE, NUD_DELAY, NUD_PROBE, NUD_FAILED = 0x02, 0x04, 0x08, 0x10, 0x20
# Neither those that are asked for now nor those that are set by hand.
RESOLVED = NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_FAILED

MESSAGE = struct.Struct('=IHHII')  # struct nlmsghdr: length, type, flags, sequence, port
ENTRY = struct.Struct('=BxxxiHBB')  # struct ndmsg: family, interface, state, flags, type
ATTRIBUTE = struct.Struct('=HH')  # struct rtattr: length, type
REPLY_MAX = 1 << 16


def _parts(data, header):
    """What netlink puts in a row: (fields of its header, octets behind it), whose length comes first."""
    while len(data) >= header.size:
        fields = header.unpack_from(data)
        if fields[0] < header.size:
            return
        yield fields, data[header.size:fields[0]]
        data = data[(fields[0] + 3) & ~3:]


def _message(kind, flags, payload):
    return MESSAGE.pack(MESSAGE.size + len(payload), kind, NLM_F_REQUEST | flags, 0, 0) + payload


def _entries(sock):
    """(family, interface, state, address) of all."""
    sock.send(_message(RTM_GETNEIGH, NLM_F_DUMP, ENTRY.pack(socket.AF_UNSPEC, 0, 0, 0, 0)))
    while True:
        for (_, kind, *_), payload in _parts(sock.recv(REPLY_MAX), MESSAGE):
            if kind == NLMSG_DONE:
                return
            if kind == NLMSG_ERROR:
                code = -struct.unpack_from('=i', payload)[0]
                raise OSError(code, os.strerror(code))
            family, interface, state, _, _ = ENTRY.unpack_from(payload)
            for (_, attribute), value in _parts(payload[ENTRY.size:], ATTRIBUTE):
                if attribute == NDA_DST:
                    yield family, interface, state, value


def flush(interface):
    """Removes what is known of the neighbours of an interface."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as s:
        index, orders = socket.if_nametoindex(interface), b''
        for family, at, state, address in _entries(s):
            if at == index and state & RESOLVED:
                attribute = ATTRIBUTE.pack(ATTRIBUTE.size + len(address), NDA_DST) + address
                orders += _message(RTM_DELNEIGH, 0, ENTRY.pack(family, at, 0, 0, 0) + attribute)
        if orders:
            s.send(orders)
