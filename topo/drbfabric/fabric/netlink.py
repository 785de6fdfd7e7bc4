# SPDX-License-Identifier: BSD-3-Clause
"""Netlink messages about interfaces, addresses and neighbours of this thread's network namespace.

They do what `ip` does, but need no process for each operation."""

import os
import socket
import struct

# linux/netlink.h
NLMSG_ERROR, NLMSG_DONE = 2, 3
NLM_F_REQUEST, NLM_F_ACK = 0x1, 0x4

MESSAGE = struct.Struct('=IHHII')  # struct nlmsghdr: length, type, flags, sequence, port
ATTRIBUTE = struct.Struct('=HH')  # struct rtattr: length, type
REPLY_MAX = 1 << 16


def opened():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)


def parts(data, header):
    """Splits a sequence of messages or attributes: yields (fields of the header, payload).

    The first field of a header is the length, including the header."""
    while len(data) >= header.size:
        fields = header.unpack_from(data)
        if fields[0] < header.size:
            return
        yield fields, data[header.size:fields[0]]
        data = data[(fields[0] + 3) & ~3:]


def message(kind, flags, payload):
    data = MESSAGE.pack(MESSAGE.size + len(payload), kind, NLM_F_REQUEST | flags, 0, 0) + payload
    return data.ljust((len(data) + 3) & ~3, b'\0')


def attribute(kind, value):
    data = ATTRIBUTE.pack(ATTRIBUTE.size + len(value), kind) + value
    return data.ljust((len(data) + 3) & ~3, b'\0')


def code_of(payload):
    """The error number in the payload of NLMSG_ERROR; 0: success."""
    return -struct.unpack_from('=i', payload)[0]


def replies(sock):
    """Waits for messages, and yields (type, payload) of each."""
    for (_, kind, *_), payload in parts(sock.recv(REPLY_MAX), MESSAGE):
        yield kind, payload


def carry_out(orders):
    """Sends messages, which must have NLM_F_ACK, and waits for all answers.

    Returns the first error as (error number, index of the message), or None."""
    failed, answered = None, 0
    if not orders:
        return None
    with opened() as s:
        s.send(b''.join(orders))
        while answered < len(orders):
            for kind, payload in replies(s):
                if kind != NLMSG_ERROR:
                    continue
                if code_of(payload) and not failed:
                    failed = code_of(payload), answered
                answered += 1
    return failed


def raise_error(payload):
    raise OSError(code_of(payload), os.strerror(code_of(payload)))
