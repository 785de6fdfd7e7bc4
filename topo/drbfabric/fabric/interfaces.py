# SPDX-License-Identifier: BSD-3-Clause
"""Executes the `ip -batch` file of a node by netlink. Starting a process for each of a thousand
nodes would take longer than everything else that is done there."""

import os
import re
import socket
import struct

from drbfabric import Failure
from drbfabric.common import refusals
from drbfabric.fabric import netlink, netns

# linux/rtnetlink.h, linux/if_addr.h and linux/netlink.h
RTM_NEWLINK, RTM_NEWADDR = 16, 20
IFA_ADDRESS, IFA_LOCAL = 1, 2
IFA_F_NODAD = 0x2
IFF_UP = 0x1
NLM_F_NEW = 0x600  # NLM_F_CREATE, NLM_F_EXCL

LINK = struct.Struct('=BxHiII')  # struct ifinfomsg: family, type, index, flags, change mask
ADDRESS = struct.Struct('=BBBBI')  # struct ifaddrmsg: family, prefix length, flags, scope, index

# The lines that drbtopo writes (src/plan/fabric/plan_files.c).
LINK_UP = re.compile(r'link set dev (\S+) up')
ADDRESS_ADD = re.compile(r'address add (\S+)/(\d+) dev (\S+)( nodad)?')


def _order(line):
    """The netlink message for a line; None if drbtopo does not write such lines."""
    if found := LINK_UP.fullmatch(line):
        return netlink.message(RTM_NEWLINK, netlink.NLM_F_ACK,
                               LINK.pack(socket.AF_UNSPEC, 0, socket.if_nametoindex(found[1]), IFF_UP, IFF_UP))
    if found := ADDRESS_ADD.fullmatch(line):
        family = socket.AF_INET6 if ':' in found[1] else socket.AF_INET
        address = socket.inet_pton(family, found[1])
        if int(found[2]) > 8 * len(address):
            return None
        return netlink.message(RTM_NEWADDR, netlink.NLM_F_ACK | NLM_F_NEW,
                               ADDRESS.pack(family, int(found[2]), IFA_F_NODAD if found[4] else 0, 0,
                                            socket.if_nametoindex(found[3]))
                               + netlink.attribute(IFA_LOCAL, address) + netlink.attribute(IFA_ADDRESS, address))
    return None


def configure(path):
    """Does what `ip -batch FILE` does, in this thread's namespace."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().splitlines()
    line = ''
    try:
        orders = []
        for line in lines:
            orders.append(_order(line))
        if None in orders:
            netns.batch(lines)  # a user has changed the file
            return
        failed = netlink.carry_out(orders)
    except OSError as e:
        raise Failure(refusals.in_words(f'ip {line}', e.strerror or str(e))) from e
    if failed:
        raise Failure(refusals.in_words(f'ip {lines[failed[1]]}', os.strerror(failed[0])))
