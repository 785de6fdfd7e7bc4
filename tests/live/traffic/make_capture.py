#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes a capture like those from elsewhere: TCP, UDP, ARP, VLAN tags, IPv6, truncated packets.

make_capture.py FILE PACKETS [micro|nano|pcapng|raw|long|gap]

It has 2000 packets a second on average; every sixth one is ARP. Equal PACKETS give equal traffic.
`gap` has a pause of a day after half of the packets. Frames of `long` claim to be 3000
bytes longer than their captured data.
"""

import random
import struct
import sys

SNAPLEN = 200
RATE = 2000


def checksum(data):
    data += b'\0' * (len(data) % 2)
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def transport(protocol, addresses, number, data):
    if protocol == 17:
        header = struct.pack('!HHHH', 1000 + number % 50, 53, 8 + len(data), 0)
        at = 6
    else:
        header = struct.pack('!HHIIBBHHH', 2000 + number % 50, 80, number * 1000, 0, 0x50, 0x10,
                             1000, 0, 0)
        at = 16
    # The checksum is the same with the pseudo-header of either family.
    pseudo = addresses + struct.pack('!II', len(header) + len(data), protocol)
    value = checksum(pseudo + header + data) or 0xffff
    return header[:at] + struct.pack('!H', value) + header[at + 2:] + data


def ipv4(addresses, protocol, number, data):
    payload = transport(protocol, addresses, number, data)
    header = struct.pack('!BBHHHBBH', 0x45, 0, 20 + len(payload), number & 0xffff, 0, 64, protocol,
                         0) + addresses
    return header[:10] + struct.pack('!H', checksum(header)) + header[12:] + payload


def ipv6(addresses, protocol, number, data):
    payload = transport(protocol, addresses, number, data)
    return struct.pack('!IHBB', 6 << 28, len(payload), protocol, 64) + addresses + payload


def frame(number, rng):
    client = bytes([192, 168, 1, rng.randrange(1, 30)])
    server = bytes([8, 8, rng.randrange(2), rng.randrange(1, 30)])
    data = rng.randbytes(rng.randrange(300))
    macs = bytes(12)
    kind = number % 6
    if kind == 0:
        return macs + b'\x08\x06' + bytes(28)
    if kind == 1:
        return macs + b'\x08\x00' + ipv4(client + server, 17, number, data)
    if kind == 2:
        return macs + b'\x08\x00' + ipv4(server + client, 6, number, data)
    if kind == 3:
        return macs + b'\x81\x00\x00\x05\x08\x00' + ipv4(client + server, 17, number, data)
    addresses = bytes(12) + client + bytes(12) + server
    return macs + b'\x86\xdd' + ipv6(addresses, 17 if kind == 4 else 6, number, data)


def packets(count):
    rng = random.Random(1)
    at = 1700000000.0
    for number in range(count):
        at += rng.expovariate(RATE)
        yield at, frame(number, rng)


def write_pcap(out, count, nano, link, more, gap=0):
    scale = 10**9 if nano else 10**6
    out.write(struct.pack('<IHHiIII', 0xa1b23c4d if nano else 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
    for number, (at, data) in enumerate(packets(count)):
        at += gap if number >= count // 2 else 0
        captured = data[:SNAPLEN]
        out.write(struct.pack('<IIII', int(at), int(at % 1 * scale), len(captured), len(data) + more))
        out.write(captured)


def write_block(out, kind, body):
    body += b'\0' * (-len(body) % 4)
    size = struct.pack('<I', 12 + len(body))
    out.write(struct.pack('<I', kind) + size + body + size)


def write_pcapng(out, count):
    write_block(out, 0x0a0d0d0a, struct.pack('<IHHq', 0x1a2b3c4d, 1, 0, -1))
    write_block(out, 1, struct.pack('<HHI', 1, 0, 65535))
    for at, data in packets(count):
        captured = data[:SNAPLEN]
        micros = int(at * 10**6)
        write_block(out, 6, struct.pack('<IIIII', 0, micros >> 32, micros & 0xffffffff,
                                        len(captured), len(data)) + captured)


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    kind = sys.argv[3] if len(sys.argv) > 3 else 'micro'
    with open(path, 'wb') as out:
        if kind == 'pcapng':
            write_pcapng(out, count)
        else:
            write_pcap(out, count, kind == 'nano', 101 if kind == 'raw' else 1, 3000 if kind == 'long' else 0,
                       86400 if kind == 'gap' else 0)


main()
