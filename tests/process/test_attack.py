#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests drbswitch as a process with a hostile host at one port.

Frames with somebody else's addresses reach nobody and are counted by reason. Frames that the host
may send arrive unchanged, byte for byte.

test_attack.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import collections
import struct
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import WITHIN, World, ask, capture, conserved, stop  # noqa: E402

# Switch s1-0 of F(2,2) has h0, which is hostile, and h1. All other hosts are behind its uplinks.
ME, VICTIM, AFAR = (b'\2\0\0\0\0' + bytes([h]) for h in (0, 1, 2))
ALL = b'\xff' * 6


def ip4(host):
    return bytes([10, 0, 0, host + 1])


def ip6(host):
    return bytes.fromhex('fd00') + bytes(13) + bytes([host + 1])


def frame(to, rest, source=ME):
    return (to + source + rest).ljust(60, b'\0')


def ipv4(source, body=b'\0\1\0\2\0\x08\0\0', protocol=17):
    return b'\x08\x00\x45\0' + struct.pack('!H', 20 + len(body)) + bytes(4) + bytes([64, protocol, 0, 0]) \
        + source + ip4(1) + body


def ipv6(source, body, after=17):
    return b'\x86\xdd\x60\0\0\0' + struct.pack('!H', len(body)) + bytes([after, 255]) + source + ip6(1) + body


def arp(operation, mac, address):
    return bytes.fromhex('0806000108000604') + struct.pack('!H', operation) + mac + address + VICTIM + ip4(1)


def advertisement(target, mac):
    return bytes([136, 0, 0, 0, 0x60, 0, 0, 0]) + target + b'\2\1' + mac


UDP6 = bytes([0, 1, 0, 2, 0, 8, 0, 0])
Q, AD = b'\x81\0\0\x05', b'\x88\xa8\0\x07'

GOOD = [
    ipv4(ip4(0)), ipv4(ip4(0), bytes(1400)), ipv4(ip4(0), bytes(20), 6), ipv4(ip4(0), b'\x08\0' + bytes(6), 1),
    Q + ipv4(ip4(0)), AD + ipv4(ip4(0)), AD + Q + ipv4(ip4(0)), AD + Q + ipv6(ip6(0), UDP6),
    ipv6(ip6(0), UDP6), ipv6(ip6(0), bytes([17, 0, 1, 4, 0, 0, 0, 0]) + UDP6, 60),
    ipv6(ip6(0), advertisement(ip6(0), ME), 58), arp(1, ME, ip4(0)), arp(2, ME, ip4(0)),
    arp(1, ME, bytes(4)), b'\x88\xb6' + bytes(range(200)), b'\x00\x2e' + bytes(46),
]

BAD = [
    ('spoofed_source', frame(VICTIM, ipv4(ip4(0)), AFAR)),
    ('spoofed_source', frame(VICTIM, ipv4(ip4(0)), b'\2\x40' + ME[2:])),
    ('spoofed_mark', frame(b'\2\x11' + VICTIM[2:], ipv4(ip4(0)))),
    ('spoofed_ip', frame(VICTIM, ipv4(ip4(2)))),
    ('spoofed_ip', frame(AFAR, ipv4(bytes(4)))),
    ('spoofed_ip', frame(VICTIM, Q + ipv4(ip4(2)))),
    ('spoofed_ip', frame(VICTIM, AD + b'\x81\0\0\0' + ipv4(ip4(2)))),
    ('spoofed_ip', frame(VICTIM, ipv6(ip6(2), UDP6))),
    ('spoofed_neighbour', frame(VICTIM, arp(2, ME, ip4(2)))),
    ('spoofed_neighbour', frame(AFAR, arp(1, ME, ip4(1)))),
    ('spoofed_neighbour', frame(VICTIM, arp(2, AFAR, ip4(0)))),
    ('spoofed_neighbour', frame(ALL, arp(2, ME, ip4(2)))),
    ('spoofed_neighbour', frame(VICTIM, b'\x81\0\0\0' + arp(2, ME, ip4(2)))),
    ('spoofed_neighbour', frame(VICTIM, ipv6(ip6(0), advertisement(ip6(2), ME), 58))),
    ('spoofed_neighbour', frame(VICTIM, ipv6(ip6(0), advertisement(ip6(0), AFAR), 58))),
    ('spoofed_neighbour', frame(VICTIM, ipv6(ip6(0), bytes([58, 0, 1, 4, 0, 0, 0, 0])
                                             + advertisement(ip6(2), ME), 60))),
    ('spoofed_neighbour', frame(VICTIM, ipv6(ip6(0), bytes([134]) + bytes(15), 58))),
    ('spoofed_neighbour', frame(VICTIM, ipv6(ip6(0), bytes([137]) + bytes(39), 58))),
    ('hello_from_host', frame(bytes.fromhex('0180c200000e'), b'\x88\xb5' + bytes(46))),
    ('hello_from_host', frame(AFAR, b'\x88\xb5' + bytes(46))),
    ('hello_from_host', frame(VICTIM, b'\x88\xb5' + bytes(46))),
    ('hello_from_host', frame(AFAR, Q + b'\x88\xb5' + bytes(46))),
    ('hello_from_host', frame(ALL, AD + Q + b'\x88\xb5' + bytes(46))),
    ('multicast', frame(ALL, ipv4(ip4(0)))),
    ('unknown_destination', frame(b'\2\0\0\0\1\0', ipv4(ip4(0)))),
    ('same_port', frame(ME, ipv4(ip4(0)))),
    ('bad_frame', frame(VICTIM, Q + AD + Q + ipv4(ip4(0)))),
]


def frames_of(path):
    """Returns the frames that a port sent."""
    data, at, found = path.read_bytes(), 24, []
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        found.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return found


def replay(w, frames, routing=''):
    """Has h0 send these frames; returns the frames that left each port, and the drops."""
    capture(w.dir / 'in.pcap', frames)
    capture(w.dir / 'none.pcap', [])
    ports = ''.join(f'  - {{name: {p}, driver: vdev, device: "net_pcap{i},rx_pcap={w.dir}/'
                    f'{"in" if p == "d0" else "none"}.pcap,tx_pcap={w.dir}/{p}.pcap"}}\n'
                    for i, p in enumerate(('d0', 'd1', 'u0', 'u1')))
    p = w.ready('fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n' + routing +
                'link: {driver: none, queue: 4096}\nports:\n' + ports)
    end = time.monotonic() + WITHIN
    while True:
        counts, drops = ask(w.socket_of('drb-s1-0'), '/drb/ports', '/drb/drops')
        if counts['in_packets'][0] == len(frames) and sum(counts['queue_packets']) == 0:
            break
        assert time.monotonic() < end, counts
    conserved(counts)
    stop(p)
    return {p: frames_of(w.dir / f'{p}.pcap') for p in ('d0', 'd1', 'u0', 'u1')}, drops


def all_that_is_right_arrives():
    """Frames of every kind arrive unchanged, with either tag, near and far, in all units."""
    for routing in ('', 'routing: {unit: flow}\n', 'routing: {unit: flowlet}\n', 'routing: {scheme: ecmp}\n'):
        with World() as w:
            near, far = ([frame(to, rest) for rest in GOOD] for to in (VICTIM, AFAR))
            out, drops = replay(w, [f for pair in zip(near, far) for f in pair], routing)
            assert out['d1'] == near, routing
            assert collections.Counter(out['u0'] + out['u1']) == collections.Counter(far), routing
            assert out['d0'] == [] and not any(drops.values()), (routing, drops)


def nothing_that_is_wrong_does():
    """Each forged frame is dropped for its reason and leaves no port, whatever comes between."""
    good = frame(VICTIM, GOOD[0])
    for repeat in (1, 50):
        with World() as w:
            out, drops = replay(w, [f for _, lie in BAD for f in [lie] * repeat + [good]])
            assert out['d1'] == [good] * len(BAD)
            assert out['d0'] == out['u0'] == out['u1'] == []
            want = collections.Counter(name for name, _ in BAD for _ in range(repeat))
            assert +collections.Counter(drops) == want, (drops, want)


def what_is_checked_can_be_chosen():
    """With "mac" the switch does not check IP sources; with "off" it checks no source."""
    for check, passes in (('mac', ('spoofed_ip',)), ('off', ('spoofed_ip', 'spoofed_neighbour', 'spoofed_source'))):
        with World() as w:
            lies = [(name, f) for name, f in BAD if not f[0] & 1 and name.startswith('spoofed')]
            out, drops = replay(w, [f for _, f in lies], f'routing: {{check_source: {check}}}\n')
            want = collections.Counter(f for name, f in lies if name in passes)
            assert collections.Counter(out['d1'] + out['u0'] + out['u1']) == want, (check, drops)


tap.run((all_that_is_right_arrives, nothing_that_is_wrong_does, what_is_checked_can_be_chosen))
