#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""same_frames.py ONE.pcap OTHER.pcap     compares what two hosts saw of their TCP connections
same_frames.py --offloads-on INTERFACE   has an interface leave checksums and segmentation to its device

Compared are octets: the frames that one host received of a connection are some of those that the
other one sent, half of them at least, and there are a thousand. Their order is not: veths have a
queue per processor, where frames of a host that changes over pass each other. Exit status 1 if not."""

import collections
import ctypes
import fcntl
import socket
import struct
import sys

SIOCETHTOOL, ETHTOOL_STXCSUM, ETHTOOL_STSO = 0x8946, 0x17, 0x1f


def offload_on(interface, command):
    value = ctypes.create_string_buffer(struct.pack('=II', command, 1))
    request = struct.pack('16sP', interface.encode(), ctypes.addressof(value)).ljust(40, b'\0')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        fcntl.ioctl(s.fileno(), SIOCETHTOOL, request)


def frames(path):
    """{(source MAC, ports): frames} of a capture, of which the end may be missing."""
    found = collections.defaultdict(collections.Counter)
    with open(path, 'rb') as f:
        f.read(24)
        while len(head := f.read(16)) == 16:
            length = struct.unpack('=II', head[8:])[0]
            frame = f.read(length)
            if len(frame) == length:
                tcp = 14 + (20 if frame[12] == 0x08 else 40)
                found[frame[6:12], frame[tcp:tcp + 4]][frame] += 1
    return found


def main():
    if sys.argv[1] == '--offloads-on':
        for command in ETHTOOL_STXCSUM, ETHTOOL_STSO:
            offload_on(sys.argv[2], command)
        return 0
    one, other = frames(sys.argv[1]), frames(sys.argv[2])
    total = 0
    for key in set(one) | set(other):
        # Whose source it is sent it.
        sent, received = ((one, other) if key[0] == b'\2\0\0\0\0\0' else (other, one))
        for frame in received[key] - sent[key]:
            print(f'from {key[0].hex(":")}, ports {key[1].hex()}, but not sent: {frame[:80].hex()}')
            return 1
        if 2 * received[key].total() < sent[key].total():
            print(f'{received[key].total()} of {sent[key].total()} frames of {key[0].hex(":")} arrived')
            return 1
        total += received[key].total()
    print(f'{total} frames are the same')
    return 0 if total > 1000 else 1


if __name__ == '__main__':
    sys.exit(main())
