#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stores what later versions must keep: a switch's replies, a plan, the interface of libdrb.

store_version.py DRBSWITCH CONFIG_DIR DRBTOPO LIBDRB HEADERS
    writes to tests/fixtures/versions/VERSION
test_versions.py has later programs read these files, and test_abi.py compares the interface."""
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True

import abi  # noqa: E402
from until import until  # noqa: E402
from world import World, ask, capture, connect, forwards, stop  # noqa: E402

STORED = pathlib.Path(__file__).parents[1] / 'fixtures/versions'
ORDERS = {'/help', '/drb/reload', '/drb/set', '/drb/capture', '/drb/drain', '/drb/undrain', '/drb/down', '/drb/up'}
PORTS = 'd0', 'd1', 'u0', 'u1'


def frame(to):
    """Returns a UDP packet from host 0 of F(2,2) to another host."""
    ip = bytes.fromhex('4500002e000000004011') + bytes(2) + bytes((10, 0, 0, 1, 10, 0, 0, 1 + to))
    return bytes((2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, 0, 8, 0)) + ip + bytes.fromhex('03e80007001a0000') + bytes(18)


def config(folder):
    """Returns the configuration of a switch of F(2,2) that forwards packets.

    Host 0 sends to host 1 and to both hosts of the other rack, over and over."""
    capture(folder / 'in.pcap', [frame(to) for to in (1, 2, 3)])
    capture(folder / 'none.pcap', [])
    devices = [f'net_pcap{i},rx_pcap={folder}/none.pcap,tx_pcap=/dev/null' for i in range(len(PORTS))]
    devices[0] = f'net_pcap0,rx_pcap={folder}/in.pcap,infinite_rx=1,tx_pcap=/dev/null'
    return ('fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\nlink: {driver: vdev, rate: 1000pps}\nports:\n'
            + ''.join(f'  - {{name: {name}, device: "{device}"}}\n' for name, device in zip(PORTS, devices)))


def replies_of(path):
    """Returns all replies of the switch: {'greeting': object, 'replies': {command: reply}}."""
    with connect(path) as s:
        s.send(b'/info')
        greeting = json.loads(s.recv(1 << 20))['/info']
    commands = [c for c in ask(path, '/')[0] if c not in ORDERS]
    commands = [f'{c},u0' if c == '/drb/port' else c for c in commands]
    return {'greeting': greeting, 'replies': dict(zip(commands, ask(path, *commands)))}


def running():
    """Returns the replies of a switch of this version."""
    with World() as w:
        p = w.ready(config(w.dir))
        path = w.socket_of('drb-s1-0')
        forwards(path, 100)
        until(lambda: ask(path, '/drb/routing')[0]['up_default'])
        found = replies_of(path)
        stop(p)
    return found


def main():
    found = running()
    folder = STORED / found['replies']['/drb/info']['version']
    folder.mkdir(parents=True, exist_ok=True)
    lines = ',\n'.join(f'{json.dumps(command)}: {json.dumps(reply)}' for command, reply in found['replies'].items())
    text = f'{{"greeting": {json.dumps(found["greeting"])},\n"replies": {{\n{lines}}}}}\n'
    (folder / 'replies.json').write_text(text, encoding='utf-8')
    plan = subprocess.run([sys.argv[3], 'plan', '-l', '2', '-d', '2', '--rate', '500pps'], capture_output=True,
                          check=True).stdout
    (folder / 'plan.json').write_bytes(plan)
    (folder / abi.FILE).write_text(abi.describe(*sys.argv[4:]), encoding='utf-8')
    print(folder)


if __name__ == '__main__':
    main()
