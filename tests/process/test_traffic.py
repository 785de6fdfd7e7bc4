#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbswitch as a process: it counts every packet, for many readers at once.

test_traffic.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import json
import socket
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import NULLS, WITHIN, World, ask, capture, conserved, stop  # noqa: E402


def captures_are_counted_whole():
    """Nothing of a capture is lost between opening it and forwarding."""
    with World() as w:
        frame = bytes.fromhex('020000000001' '020000000000' '88b6') + bytes(46)
        capture(w.dir / 'in.pcap', [frame] * 3000 + [b'\xff' * 60] * 7)
        text = ('fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n'
                'link: {driver: none, queue: 4096}\nports:\n'
                f'  - {{name: d0, driver: vdev, device: "net_pcap0,rx_pcap={w.dir}/in.pcap,'
                f'tx_pcap={w.dir}/x.pcap"}}\n'
                f'  - {{name: d1, driver: vdev, device: "net_pcap1,rx_pcap={w.dir}/none.pcap,'
                f'tx_pcap={w.dir}/out.pcap"}}\n')
        capture(w.dir / 'none.pcap', [])
        p = w.ready(text)
        deadline = time.monotonic() + WITHIN
        while True:
            ports, drops = ask(w.socket_of('drb-s1-0'), '/drb/ports', '/drb/drops')
            if ports['out_packets'][1] == 3000:
                break
            assert time.monotonic() < deadline, (ports, drops)
        assert ports['in_packets'][0] == 3007, ports
        assert sum(drops.values()) == 7 and drops['spoofed_source'] == 7, drops
        stop(p)
        assert (w.dir / 'out.pcap').stat().st_size == 24 + 3000 * (16 + 60)


def many_readers():
    """Several clients ask all the time while input never ends: every snapshot conserves packets."""
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')
        for _ in range(20):
            readers = []
            for _ in range(4):
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.settimeout(WITHIN)
                s.connect(str(path))
                s.recv(1 << 16)
                readers.append(s)
            for s in readers:
                s.send(b'/drb/ports')
            for s in readers:
                t = json.loads(s.recv(1 << 20))['/drb/ports']
                conserved(t)
                s.close()
        # Clients that leave before their answer, fewer than DPDK serves at once.
        for _ in range(5):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
                s.connect(str(path))
                s.send(b'/drb/ports')
        time.sleep(0.5)
        assert ask(path, '/drb/port,x7', '/drb/port', '/drb/ports,99', '/drb/ports,-1') == [None] * 4
        stop(p)


tap.run((captures_are_counted_whole, many_readers))
