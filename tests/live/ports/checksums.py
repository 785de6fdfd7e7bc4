# SPDX-License-Identifier: BSD-3-Clause
"""Counts TCP and UDP packets of a capture by the state of their checksums.

checksums.py PCAP    prints how many are whole, unfinished (partial: left to the device), and wrong

Exit status 1 if any is wrong, or if there are fewer than 20 packets."""

import struct
import sys


def total(octets):
    octets += b'\0' * (len(octets) % 2)
    value = sum(struct.unpack(f'>{len(octets) // 2}H', octets))
    while value >> 16:
        value = (value & 0xffff) + (value >> 16)
    return value


def state_of(frame):
    """Returns 'whole', 'unfinished' or 'wrong', or None for a frame without such a checksum."""
    at = 14
    while frame[at - 2:at] in (b'\x81\0', b'\x88\xa8'):
        at += 4
    kind, ip = frame[at - 2:at], frame[at:]
    if kind == b'\x08\0':
        header, protocol, ip = (ip[0] & 15) * 4, ip[9], ip[:int.from_bytes(ip[2:4], 'big')]
        addresses = ip[12:20]
        if total(ip[:header]) != 0xffff:
            return 'wrong'
    elif kind == b'\x86\xdd':
        header, protocol, ip = 40, ip[6], ip[:40 + int.from_bytes(ip[4:6], 'big')]
        addresses = ip[8:40]
    else:
        return None
    if protocol not in (6, 17):
        return None
    segment = ip[header:]
    pseudo = total(addresses + struct.pack('>II', protocol, len(segment)))
    field = 16 if protocol == 6 else 6
    if total(struct.pack('>H', pseudo) + segment) == 0xffff:
        return 'whole'
    return 'unfinished' if int.from_bytes(segment[field:field + 2], 'big') == pseudo else 'wrong'


def frames(path):
    with open(path, 'rb') as f:
        f.read(24)
        while len(head := f.read(16)) == 16:
            captured, length = struct.unpack('=8xII', head)
            octets = f.read(captured)
            if captured == length == len(octets):
                yield octets


def main():
    counts = {'whole': 0, 'unfinished': 0, 'wrong': 0}
    for frame in frames(sys.argv[1]):
        state = state_of(frame)
        if state:
            counts[state] += 1
    print(', '.join(f'{value} {name}' for name, value in counts.items()))
    return counts['wrong'] > 0 or sum(counts.values()) < 20


sys.exit(main())
