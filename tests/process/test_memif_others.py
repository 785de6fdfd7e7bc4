#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""memif links to other implementations, each as client and as server.

DPDK's driver, in dpdk-testpmd, polls. VPP's libmemif, in its example icmp_responder, sleeps until
it is woken. Packets pass unchanged in both directions, also after the other end was killed and
started again.

test_memif_others.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import contextlib
import os
import shutil
import struct
import subprocess
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import until  # noqa: E402
from world import World, ask, capture, stop, until_port  # noqa: E402

# The switch is a leaf of F(2,1), the server of its uplink, or the core, the client of its
# down-ports. Packets arrive on one port as fast as they can, and leave on the link at 1000 a
# second. The other end swaps their addresses and sends them back.
SWITCHES = {
    'server': ('s1-0', 'u0', 'd0', (0, 1)),
    'client': ('s2-0', 'd0', 'd1', (1, 0)),
}
CONFIG = '''fabric: {{layers: 2, arity: 1}}
switch: {{layer: {layer}, label: 0}}
link: {{driver: none, hello: off}}
ports:
  - {{name: {link}, driver: memif, socket: {dir}/link.memif, rate: 1000pps}}
  - {{name: {other}, driver: vdev, device: "net_pcap0,rx_pcap={dir}/in.pcap,infinite_rx=1,tx_pcap={dir}/out.pcap"}}
'''
ENOUGH = 300


def mac(host):
    return b'\2\0\0\0\0' + bytes([host])


def frame_of(source, to, length):
    """Returns an echo request of this length."""
    icmp = struct.pack('>BBHHH', 8, 0, 0, 1, 1) + bytes(i % 251 for i in range(length - 42))
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, length - 14, 0, 0, 64, 1, 0, 0x0a000001 + source, 0x0a000001 + to)
    return mac(to) + mac(source) + b'\x08\0' + ip + icmp


def frames_of(path):
    """Returns the frames of a pcap file, whose last frame may be cut off."""
    data, at, found = path.read_bytes(), 24, []
    while at + 16 <= len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        if at + 16 + length <= len(data):
            found.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return found


def testpmd(socket, role, _):
    return ['dpdk-testpmd', f'--lcores=(0-1)@(0-{(os.cpu_count() or 1) - 1})', '--no-huge', '-m', '128', '--no-pci',
            '--no-telemetry', '--file-prefix=testpmd', '--iova-mode=va',
            f'--vdev=net_memif0,role={role},socket={socket},socket-abstract=no', '--',
            '--forward-mode=macswap', '--auto-start', '--total-num-mbufs=4096', '--no-mlockall']


def icmp_responder(socket, role, to):
    return ['icmp_responder', '-r', {'client': 'slave', 'server': 'master'}[role], '-s', socket, '-m', mac(to).hex(':'),
            '-a', f'10.0.0.{1 + to}']


@contextlib.contextmanager
def running(w, args):
    """Runs the other end while the context lasts, then kills it."""
    with open(w.dir / 'other.log', 'ab') as log:
        p = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=log, stderr=log, env=w.environment())
    w.processes.append(p)
    try:
        yield
    except BaseException:
        print('# ' + (w.dir / 'other.log').read_text(errors='replace').replace('\n', '\n# '))
        raise
    finally:
        p.kill()
        p.communicate()


def came_back(path, port):
    return ask(path, f'/drb/port,{port}')[0]['in_packets']


def passes(path, port):
    """Waits until ENOUGH packets have come back over the link."""
    begun = came_back(path, port)
    until(lambda: came_back(path, port), good=lambda now: now >= begun + ENOUGH)


def other_end_is(program, role):
    ours = {'server': 'client', 'client': 'server'}[role]
    name, link, other, (source, to) = SWITCHES[ours]
    with World() as w:
        args = program(f'{w.dir}/link.memif', role, to)
        if not shutil.which(args[0]):
            raise tap.Skip(f'{args[0]} is not in PATH')
        w.dir.chmod(0o777)
        sent = {frame_of(source, to, length) for length in (60, 61, 1000, 1514)}
        capture(w.dir / 'in.pcap', sorted(sent))
        p = w.start(CONFIG.format(layer=name[1], link=link, other=other, dir=w.dir))
        path = w.socket_of('drb-' + name)
        until(lambda: path.exists() and (role == 'server' or (w.dir / 'link.memif').exists()))
        with running(w, args):
            w.notified('READY=1')
            until_port(path, link, 'up')
            passes(path, link)
        until_port(path, link, 'down')
        if role == 'server':  # otherwise it could not bind its socket again
            (w.dir / 'link.memif').unlink()
        with running(w, args):
            until_port(path, link, 'up')
            passes(path, link)
        said = stop(p)
        assert 'refused' not in said, said
        keeps = 42 if program is icmp_responder else 14  # the other end rewrites these bytes
        back = {mac(source) + mac(to) + frame[keeps:] for frame in sent}
        # Leave out frames with a mark, which took a detour while the link was down.
        got = [frame[:12] + frame[keeps:] for frame in frames_of(w.dir / 'out.pcap') if frame[1] == 0]
        assert len(got) > ENOUGH and set(got) == back, (len(got), len(set(got) - back), len(back - set(got)))


def testpmd_as_client():
    other_end_is(testpmd, 'client')


def testpmd_as_server():
    other_end_is(testpmd, 'server')


def libmemif_as_client():
    other_end_is(icmp_responder, 'client')


def libmemif_as_server():
    other_end_is(icmp_responder, 'server')


tap.run((testpmd_as_client, testpmd_as_server, libmemif_as_client, libmemif_as_server))
