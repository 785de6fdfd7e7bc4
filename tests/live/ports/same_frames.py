#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the frames of TCP connections that two hosts captured.

same_frames.py ONE OTHER                     compares two captures; exit status 1 if they differ
same_frames.py --capture INTERFACE FILE      writes all TCP frames there to FILE; prints "ready"
same_frames.py --offloads 0|1 INTERFACE...   sets whether interfaces leave checksums and
segmentation
                                             to their devices

Every frame that one host received of a connection must equal a frame that the other one sent, byte
for byte. At least half of the frames must arrive, and at least a thousand in all. Their order does
not matter: veths have a queue per CPU, so frames of a host that changes CPUs may overtake each
other."""

import collections
import ctypes
import fcntl
import itertools
import mmap
import select
import socket
import struct
import sys

SOL_PACKET, PACKET_RX_RING, PACKET_VERSION, TPACKET_V2, TP_STATUS_USER = 263, 5, 10, 1, 1
ETH_P_ALL = 3
FRAMES, FRAME, BLOCK = 16384, 2048, 65536
SIOCETHTOOL, ETHTOOL_STXCSUM, ETHTOOL_STSO = 0x8946, 0x17, 0x1f


def set_offloads(value, interfaces):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        for interface in interfaces:
            for command in ETHTOOL_STXCSUM, ETHTOOL_STSO:
                order = ctypes.create_string_buffer(struct.pack('=II', command, value))
                request = struct.pack('16sP', interface.encode(), ctypes.addressof(order))
                fcntl.ioctl(s.fileno(), SIOCETHTOOL, request.ljust(40, b'\0'))


def at_tcp(frame):
    """Returns the offset of the TCP header, or None if there is none."""
    if frame[12:14] == b'\x08\x00' and frame[23] == 6:
        return 34
    return 54 if frame[12:14] == b'\x86\xdd' and frame[20] == 6 else None


def capture(interface, path):
    # This ring holds a whole transfer. A socket buffer of that size would need more privileges.
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as s, open(path, 'wb', 0) as f:
        s.setsockopt(SOL_PACKET, PACKET_VERSION, TPACKET_V2)
        s.setsockopt(SOL_PACKET, PACKET_RX_RING,
                     struct.pack('=4I', BLOCK, FRAMES * FRAME // BLOCK, FRAME, FRAMES))
        ring = mmap.mmap(s.fileno(), FRAMES * FRAME)
        s.bind((interface, ETH_P_ALL))
        print('ready', flush=True)
        for at in itertools.cycle(range(0, FRAMES * FRAME, FRAME)):
            while not struct.unpack_from('=I', ring, at)[0] & TP_STATUS_USER:
                select.select([s], [], [])
            length, start = struct.unpack_from('=I', ring, at + 8)[0], \
                struct.unpack_from('=H', ring, at + 12)[0]
            frame = ring[at + start:at + start + length]
            struct.pack_into('=I', ring, at, 0)
            if at_tcp(frame):
                f.write(struct.pack('=I', len(frame)) + frame)


def frames(path):
    """Returns {(source MAC, ports): frames} of a capture, which may end within a frame."""
    found = collections.defaultdict(collections.Counter)
    with open(path, 'rb') as f:
        while len(head := f.read(4)) == 4:
            length = struct.unpack('=I', head)[0]
            frame = f.read(length)
            if len(frame) == length:
                tcp = at_tcp(frame)
                found[frame[6:12], frame[tcp:tcp + 4]][frame] += 1
    return found


def main():
    if sys.argv[1] == '--capture':
        capture(*sys.argv[2:])
    if sys.argv[1] == '--offloads':
        set_offloads(int(sys.argv[2]), sys.argv[3:])
        return 0
    one, other = frames(sys.argv[1]), frames(sys.argv[2])
    total = 0
    for key in set(one) | set(other):
        # The sender is the host whose MAC is the source.
        sent, received = ((one, other) if key[0] == b'\2\0\0\0\0\0' else (other, one))
        for frame in received[key] - sent[key]:
            print(f'from {key[0].hex(":")}, ports {key[1].hex()}: received {received[key][frame]} times, sent '
                  f'{sent[key][frame]} times: {frame[:80].hex()}')
            return 1
        if 2 * received[key].total() < sent[key].total():
            print(f'{received[key].total()} of {sent[key].total()} frames of {key[0].hex(":")} arrived')
            return 1
        total += received[key].total()
    print(f'{total} frames are the same')
    return 0 if total > 1000 else 1


if __name__ == '__main__':
    sys.exit(main())
