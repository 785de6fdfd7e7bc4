#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbswitch as a process: starting, being found, being stopped, and refusing to start.

test_switch.py DRBSWITCH CONFIG_DIR    TAP on standard output. Needs no root, no hugepages and no
network interfaces: ports are DPDK's null, capture and memif devices.
"""
import json
import os
import pathlib
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402

SWITCH, CONFIGS = sys.argv[1], pathlib.Path(sys.argv[2])
WITHIN = 60  # seconds for anything to happen on a loaded machine
HEAD = 'fabric: {layers: 2, arity: 1}\nswitch: {layer: 1, label: 0}\n'
NULLS = HEAD + '''link: {driver: vdev}
ports:
  - {name: d0, device: net_null0}
  - {name: u0, device: net_null1}
'''


class World:
    """A directory for one test: configs, DPDK's sockets, and a socket to be notified on."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='drb-test-'))
        (self.dir / 'run').mkdir()
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(self.dir / 'notify'))
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
                p.wait()
            p.stderr.close()
        self.notify.close()
        shutil.rmtree(self.dir)

    def config(self, text, name='c.yaml'):
        path = self.dir / name
        path.write_text(text)
        return path

    def environment(self):
        env = dict(os.environ, RUNTIME_DIRECTORY=str(self.dir / 'run'),
                   NOTIFY_SOCKET=str(self.dir / 'notify'))
        return env

    def start(self, text, *args, name='c.yaml'):
        p = subprocess.Popen([SWITCH, '-c', self.config(text, name), *args],
                             env=self.environment(), stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)
        self.processes.append(p)
        return p

    def notified(self, want):
        """The next notification; it must begin with want."""
        assert select.select([self.notify], [], [], WITHIN)[0], f'no {want} in time'
        got = self.notify.recv(4096).decode()
        assert got.startswith(want), got

    def ready(self, text, *args, name='c.yaml'):
        p = self.start(text, *args, name=name)
        self.notified('READY=1\nSTATUS=layer ')
        return p

    def drain(self):
        """Forgets notifications; a sender waits when too many are unread."""
        while select.select([self.notify], [], [], 0)[0]:
            self.notify.recv(4096)

    def socket_of(self, instance):
        return self.dir / 'run/dpdk' / instance / 'dpdk_telemetry.v2'

    def left(self):
        return sorted(str(p.relative_to(self.dir / 'run')) for p in self.dir.glob('run/dpdk/*'))


def ask(path, *commands):
    """Replies of a stats socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.settimeout(WITHIN)
        s.connect(str(path))
        s.recv(1 << 16)
        replies = []
        for command in commands:
            s.send(command.encode(errors='surrogateescape'))
            replies.append(json.loads(s.recv(1 << 20))[command.split(',')[0]])
        return replies


def stop(p, how=signal.SIGTERM):
    p.send_signal(how)
    code = p.wait(WITHIN)
    err = p.stderr.read().decode()
    assert code == 0, f'exit {code}: {err}'
    return err


def refuses(world, text, want, *args):
    """The config is refused: status 2, one line with want in it, nothing started."""
    r = subprocess.run([SWITCH, '-c', world.config(text), *args], env=world.environment(),
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WITHIN)
    assert r.returncode == 2, f'exit {r.returncode}: {r.stderr}'
    assert r.stdout == '', r.stdout
    assert r.stderr.count('\n') == 1 and r.stderr.startswith('drbswitch: '), r.stderr
    assert want in r.stderr, f'{want!r} is not in {r.stderr!r}'


def run(*args):
    return subprocess.run([SWITCH, *map(str, args)], capture_output=True, text=True,
                          timeout=WITHIN)


def command_line():
    r = run('--help')
    assert r.returncode == 0 and '--layer' in r.stdout and r.stderr == ''
    r = run('--version')
    assert r.returncode == 0 and r.stdout.startswith('drbswitch ')
    for args, want in (((), 'no config'), (('-c', 'x', 'y'), 'unexpected argument "y"'),
                       (('--nonsense',), 'nonsense'), (('-c', 'x', '--layer', '-1'), '--layer'),
                       (('-c', 'x', '--label', '1x'), '--label'),
                       (('-c', 'x', '--label', '4294967296'), '--label'),
                       (('-c', '/nonexistent'), '/nonexistent: No such file')):
        r = run(*args)
        assert r.returncode == 2 and want in r.stderr and r.stdout == '', (args, r)
        assert r.stderr.count('\n') == 1 and r.stderr.startswith('drbswitch: '), r


def starts_and_stops():
    with World() as w:
        for how in (signal.SIGTERM, signal.SIGINT):
            p = w.ready(NULLS)
            info, ports = ask(w.socket_of('drb-s1-0'), '/drb/info', '/drb/ports')
            assert info['ready'] == 1 and info['name'] == 's1-0' and info['pid'] == p.pid, info
            assert ports['name'] == ['d0', 'u0'] and ports['in_packets'][0] > 0, ports
            err = stop(p, how)
            w.notified('STOPPING=1')
            assert err.count('\n') == 1 and ' drb-s1-0 ready: layer 1, label 0 of F(2,1)' in err, err
            assert w.left() == [], w.left()
            assert not select.select([w.notify], [], [], 0)[0], 'notified again'


def one_process_per_name():
    with World() as w:
        p = w.ready(NULLS)
        refuses(w, NULLS, 'a switch drb-s1-0 is running already')
        other = w.ready(NULLS.replace('label: 0', 'label: 1'), name='other.yaml')
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['pid'] == p.pid
        assert ask(w.socket_of('drb-s1-1'), '/drb/info')[0]['pid'] == other.pid
        stop(p)
        w.notified('STOPPING=1')
        assert w.left() == ['dpdk/drb-s1-1'], w.left()
        # The name is free as soon as the process is gone.
        stop(w.ready(NULLS))
        w.notified('STOPPING=1')
        stop(other)


def two_at_once():
    with World() as w:
        for _ in range(5):
            both = [w.start(NULLS, name=name) for name in ('a.yaml', 'b.yaml')]
            w.notified('READY=1')
            winner_pid = ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['pid']
            winner, loser = sorted(both, key=lambda p: p.pid != winner_pid)
            assert loser.wait(WITHIN) == 2
            assert 'is running already' in loser.stderr.read().decode()
            assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['pid'] == winner.pid
            stop(winner)
            w.notified('STOPPING=1')
            assert w.left() == []


def starts_after_a_crash():
    with World() as w:
        for _ in range(3):
            p = w.ready(NULLS)
            p.kill()
            p.wait()
            assert w.socket_of('drb-s1-0').exists()
        p = w.ready(NULLS)
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['pid'] == p.pid
        stop(p)
        assert w.left() == [], w.left()


def stopped_while_starting():
    rng = random.Random(1)
    with World() as w:
        for _ in range(15):
            p = w.start(NULLS)
            time.sleep(rng.uniform(0, 0.15))
            p.terminate()
            code = p.wait(WITHIN)
            w.drain()
            # Before the handler is there the signal ends the process; after it, it ends in order.
            assert code in (0, -signal.SIGTERM), f'exit {code}: {p.stderr.read().decode()}'
            if code == 0:
                assert w.left() == [], w.left()


def stopped_while_waiting():
    with World() as w:
        text = HEAD + ('link: {driver: memif}\nports: [{name: d0, driver: none}]\n'
                       f'process: {{memif_dir: {w.dir}}}\n')
        p = w.start(text)
        deadline = time.monotonic() + WITHIN
        while not w.socket_of('drb-s1-0').exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(0.3)
        assert p.poll() is None
        begun = time.monotonic()
        assert stop(p) == ''
        assert time.monotonic() - begun < 10
        assert w.left() == []


def check_last_words(said):
    """Who outlives a peer, if only for a moment, says that a port lost its link, and nothing else."""
    said = said.splitlines()
    assert ' ready: ' in said[0], said
    assert all(': port ' in line and ': down, ' in line for line in said[1:]), said


def memif_peers_meet():
    with World() as w:
        tail = f'link: {{driver: memif}}\nprocess: {{memif_dir: {w.dir}/memif}}\n'
        core = HEAD.replace('layer: 1', 'layer: 2') + tail
        low = HEAD + 'ports: [{name: d0, driver: none}]\n' + tail
        for order in ((core, 's2-0', low, 's1-0', low, 's1-1'),
                      (low, 's1-1', low, 's1-0', core, 's2-0')):
            running = []
            for text, name in zip(order[::2], order[1::2]):
                label = name.split('-')[1]
                running.append(w.start(text, '--label', label, name=name + '.yaml'))
            for _ in running:
                w.notified('READY=1')
            # Up once its neighbour has said hello.
            deadline = time.monotonic() + WITHIN
            while True:
                port = ask(w.socket_of('drb-s2-0'), '/drb/port,d1')[0]
                if port['state'] == 'up':
                    break
                assert time.monotonic() < deadline, port
            assert port['peer'] == port['neighbour'] == 's1-1.u0', port
            # All at once, as a fabric goes down.
            for p in running:
                p.send_signal(signal.SIGTERM)
            for p in running:
                check_last_words(stop(p))
            for _ in running:
                w.notified('STOPPING=1')
            assert w.left() == []
        # Killed, they leave sockets behind that are in nobody's way.
        for _ in range(2):
            running = [w.start(low, '--label', label, name=label) for label in '01']
            running.append(w.start(core, name='core'))
            for _ in running:
                w.notified('READY=1')
            assert len(list((w.dir / 'memif').iterdir())) == 2
            for p in running:
                p.kill()
                p.wait()


def memif_peers_leave():
    # A port is polled without a pause while its peer goes, in either direction.
    with World() as w:
        tail = (f'link: {{driver: memif}}\nprocess: {{memif_dir: {w.dir}/memif, idle: poll}}\n')
        core = HEAD.replace('layer: 1', 'layer: 2') + tail
        low = HEAD + 'ports: [{name: d0, driver: none}]\n' + tail
        for first in (0, 1, 2, 0, 1, 2):
            running = [w.start(core, name='core')]
            running += [w.start(low, '--label', label, name=label) for label in '01']
            for _ in running:
                w.notified('READY=1')
            running.insert(0, running.pop(first))
            for p in running:
                check_last_words(stop(p))
            for _ in running:
                w.notified('STOPPING=1')
            assert w.left() == []


def capture(path, frames):
    with open(path, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            f.write(struct.pack('<IIII', 0, i, len(frame), len(frame)) + frame)


def captures_are_counted_whole():
    """Nothing of a capture is lost between opening it and forwarding."""
    with World() as w:
        frame = bytes.fromhex('020000000001' '020000000000' '0800') + bytes(46)
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
    """Several clients ask all the time while input never ends: every picture conserves packets."""
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
                total = {k: sum(v) for k, v in t.items() if isinstance(v, list) and k != 'name'}
                assert total['in_packets'] == total['out_packets'] + total['in_discards'] \
                    + total['out_discards'] + total['queue_packets'], t
                s.close()
        # Clients that leave before their answer, fewer than DPDK serves at once.
        for _ in range(5):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
                s.connect(str(path))
                s.send(b'/drb/ports')
        time.sleep(0.5)
        assert ask(path, '/drb/port,x7', '/drb/port', '/drb/ports,99', '/drb/ports,-1') == [None] * 4
        stop(p)


def frame_of(flow, number, to=4):
    """UDP from host 0 to another, of a flow, with a number in its payload."""
    udp = struct.pack('>HHHH', 1000 + flow, 7, 12, 0) + struct.pack('>I', number)
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, 32, 0, 0, 64, 17, 0, 0x0a000001, 0x0a000001 + to)
    return struct.pack('>HIHIH', 0x0200, to, 0x0200, 0, 0x0800) + ip + udp + bytes(14)


def numbers_in(path):
    """The numbers of the frames of a capture, in order."""
    data, at, numbers = path.read_bytes(), 24, []
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        numbers.append(struct.unpack_from('>I', data, at + 16 + 42)[0])
        at += 16 + length
    return numbers


def reload_world(w, frames, rx, routing, link, rest=''):
    capture(w.dir / 'in.pcap', frames)
    capture(w.dir / 'none.pcap', [])
    return (f'fabric: {{layers: 2, arity: 2}}\nswitch: {{layer: 1, label: 0}}\n'
            f'routing: {routing}\nlink: {link}\n{rest}ports:\n'
            f'  - {{name: d0, driver: vdev, device: "net_pcap0,rx_pcap={w.dir}/in.pcap,{rx}'
            f'tx_pcap=/dev/null"}}\n'
            f'  - {{name: u0, driver: vdev, device: "net_pcap1,rx_pcap={w.dir}/none.pcap,'
            f'tx_pcap={w.dir}/u0.pcap"}}\n'
            f'  - {{name: u1, driver: vdev, device: "net_pcap2,rx_pcap={w.dir}/none.pcap,'
            f'tx_pcap=/dev/null"}}\n')


def reloads(w, p, text, want='ok: ', by='telemetry'):
    """Another config for a running switch; what it says of it."""
    w.config(text)
    if by == 'telemetry':
        said = ask(w.socket_of('drb-s1-0'), '/drb/reload')[0]
    else:
        p.send_signal(signal.SIGHUP)
        said = 'ok: '
    w.notified('RELOADING=1\nMONOTONIC_USEC=')
    ready = select.select([w.notify], [], [], WITHIN)[0] and w.notify.recv(4096).decode()
    assert ready.startswith('READY=1\nSTATUS='), ready
    if by != 'telemetry':
        said = ready.split('=', 2)[2]
        said = said.replace('not reloaded', 'error', 1) if 'not reloaded' in said else 'ok: ' + said
    assert said.startswith(want), f'{said!r} does not start with {want!r}'
    return said


def conserved(t):
    total = {k: sum(v) for k, v in t.items() if isinstance(v, list) and k != 'name'}
    assert total['in_packets'] == total['out_packets'] + total['in_discards'] \
        + total['out_discards'] + total['queue_packets'], t
    return total


def reload_keeps_what_is_queued():
    """4000 packets wait in one queue while its limit, rate, scheme and unit change: all of them
    leave, in order."""
    count = 4000
    with World() as w:
        frames = [frame_of(i % 9, i) for i in range(count)]
        make = lambda routing, link: reload_world(w, frames, '', routing, link)
        p = w.ready(make('{scheme: dmodk}', '{driver: none, queue: 4096, rate: 1pps}'))
        path = w.socket_of('drb-s1-0')
        while sum(ask(path, '/drb/ports')[0]['in_packets']) < count:
            pass
        for number, (routing, link) in enumerate((
                ('{scheme: dmodk}', '{driver: none, queue: 16, rate: 50pps}'),
                ('{scheme: vlb}', '{driver: none, queue: 16, rate: 100kbit}'),
                ('{scheme: walk, tau: 3}', '{driver: none, queue: 16, rate: 100kbit}'),
                ('{scheme: drb, unit: flow, flow_max: 1000}', '{driver: none, queue: 16, rate: 2pps}'),
                ('{scheme: ecmp, unit: flowlet, flow_max: 1000}', '{driver: none, queue: 2000, rate: 200pps}'),
                ('{scheme: least, choices: 2, threshold: auto}', '{driver: none, queue: 4096, rate: 300pps}'))):
            reloads(w, p, make(routing, link), by=('signal', 'telemetry')[number % 2])
            ports, = ask(path, '/drb/ports')
            total = conserved(ports)
            assert total['in_packets'] == count and total['queue_packets'] > count / 2, ports
        reloads(w, p, make('{}', '{driver: none, rate: none}'))
        while conserved(ask(path, '/drb/ports')[0])['queue_packets'] > 0:
            pass
        drops, port = ask(path, '/drb/drops', '/drb/port,u0')
        assert sum(drops.values()) == 0, drops
        assert port['rate'] == 'none' and port['queue'] == 512 and port['out_packets'] == count, port
        stop(p)
        assert numbers_in(w.dir / 'u0.pcap') == list(range(count))


def reload_under_load():
    """Packets come without end while everything that may change does."""
    with World() as w:
        frames = [frame_of(i % 50, i, 4 + i % 4) for i in range(1000)]
        rest = 'process: {buffers: 4096, workers: 1, hugepages: "no"}\n'
        make = lambda routing, link='{driver: none}', more=rest: reload_world(
            w, frames, 'infinite_rx=1,', routing, link, more).replace(f'{w.dir}/u0.pcap', '/dev/null')
        p = w.ready(make('{unit: flow, flow_max: 1000}'))
        path = w.socket_of('drb-s1-0')

        def lossless(more):
            routing, ports = ask(path, '/drb/routing', '/drb/ports')
            until = routing['up_default'] + routing['up_redirected'] + more
            while routing['up_default'] + routing['up_redirected'] < until:
                routing, ports, drops = ask(path, '/drb/routing', '/drb/ports', '/drb/drops')
                conserved(ports)
            assert sum(drops.values()) == 0, drops
            return routing

        # Flows keep their uplinks, whatever becomes of new ones.
        first = lossless(20000)
        assert first['flows'] == first['flows_appeared'] == 50 * 4 // 2, first
        for routing in ('{unit: flow, flow_max: 1000, scheme: ecmp}',
                        '{unit: flow, flow_max: 1000, scheme: vlb, flow_idle: 10s, threshold: 7}'):
            reloads(w, p, make(routing), by='signal')
            now = lossless(20000)
            assert (now['flows'], now['flows_appeared']) == (first['flows'], first['flows_appeared']), now
        assert now['scheme'] == 'vlb' and now['threshold'] == '7', now
        # Another unit is another matter, but no packet is lost.
        for routing in ('{}', '{unit: flowlet, flow_max: 100}', '{scheme: least, threshold: auto}',
                        '{unit: flow, flow_max: 10}', '{scheme: walk}', '{scheme: rotate, slot: 1us}',
                        '{scheme: micro, check_source: false}'):
            reloads(w, p, make(routing))
            lossless(20000)
        # Queues and rates: what is dropped then is dropped because the queue is full.
        for link in ('{driver: none, queue: 4, rate: 100kpps}', '{driver: none, queue: 4000}',
                     '{driver: none, queue: 100, rate: 1Mbit}', '{driver: none}'):
            reloads(w, p, make('{}', link))
            ports, drops = ask(path, '/drb/ports', '/drb/drops')
            conserved(ports)
            assert sum(drops.values()) == drops['queue_full'], drops
        before = sum(drops.values())
        assert before > 0
        # What is wrong changes nothing; what needs a restart is named.
        said = reloads(w, p, make('{scheme: best}'), f'error: {w.dir}/c.yaml:3: routing.scheme: "best"')
        reloads(w, p, make('{scheme: [}'), f'error: {w.dir}/c.yaml:3: ', by='signal')
        reloads(w, p, make('{}').replace('label: 0', 'label: 1'),
                f'error: {w.dir}/c.yaml:2: switch: s1-1, but s1-0 runs')
        reloads(w, p, make('{}').replace('arity: 2', 'arity: 4'), f'error: {w.dir}/c.yaml:1: fabric: ')
        reloads(w, p, make('{unit: flow, flow_max: 9000000}'),
                f'error: {w.dir}/c.yaml:3: routing.unit: no memory')
        (w.dir / 'c.yaml').unlink()
        assert ask(path, '/drb/reload')[0] == f'error: {w.dir}/c.yaml: No such file or directory'
        w.drain()
        assert ask(path, '/drb/routing')[0]['scheme'] == 'drb'
        said = reloads(w, p, make('{threshold: 9, seed: 4}', '{driver: none, queue: 60000}',
                                  'process: {burst: 7, workers: 2}\n').replace('net_pcap2', 'net_pcap7'))
        assert said.endswith('; needs a restart: routing.seed, process.workers, process.burst, '
                             'process.hugepages, process.buffers, ports[2].device, '
                             'ports[0].queue, link.queue, ports[1].queue, ports[2].queue'), said
        routing, drops = ask(path, '/drb/routing', '/drb/drops')
        assert routing['threshold'] == '9' and routing['seed'] == 1, routing
        err = stop(p)
        assert ' drb-s1-0 reloaded: scheme vlb, unit flow, T 7\n' in err, err
        assert f'drbswitch: {w.dir}/c.yaml:3: routing.scheme: "best" is none of' in err, err


def reload_of_a_pipe():
    with World() as w:
        r, write = os.pipe()
        os.write(write, NULLS.encode())
        os.close(write)
        p = subprocess.Popen([SWITCH, '-c', f'/dev/fd/{r}'], env=w.environment(), pass_fds=[r],
                             stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(r)
        w.processes.append(p)
        w.notified('READY=1')
        said = ask(w.socket_of('drb-s1-0'), '/drb/reload')[0]
        assert said == f'error: /dev/fd/{r}: no regular file: it cannot be read again', said
        stop(p)


def until_port(path, port, state):
    """Waits until a port is in this state."""
    end = time.monotonic() + WITHIN
    while (says := ask(path, f'/drb/port,{port}')[0]['state']) != state:
        assert time.monotonic() < end, f'{port} is {says}, not {state}'
        time.sleep(0.01)


def drains():
    """A core is drained: the switch below knows, and does not give its other uplink. It stays so over
    a reload until it is undrained."""
    with World() as w:
        text = (f'fabric: {{layers: 2, arity: 2}}\nlink: {{driver: none, hello: 100ms}}\n'
                f'process: {{memif_dir: {w.dir}/memif}}\nswitch: {{layer: M, label: N}}\nports:\n')
        low, core, other = (w.start(text.replace('M', m).replace('N', n) + ''.join(
            f'  - {{name: {port}, driver: memif}}\n' for port in ports), name=f's{m}-{n}')
            for m, n, ports in (('1', '0', ('u0', 'u1')), ('2', '0', ('d0',)), ('2', '1', ('d0',))))
        for _ in range(3):
            w.notified('READY=1')
        below, above, beside = (w.socket_of(f'drb-s{name}') for name in ('1-0', '2-0', '2-1'))
        for path, port in ((below, 'u0'), (below, 'u1'), (above, 'd0'), (beside, 'd0')):
            until_port(path, port, 'up')
        assert ask(above, '/drb/drain')[0] == 'ok: drb-s2-0: drained now: d0'
        until_port(above, 'd0', 'drained')
        until_port(below, 'u0', 'drained by neighbour')
        assert ask(below, '/drb/info')[0]['trouble'] == 'u0 drained by neighbour'
        for path, order, why in (
                (below, '/drb/drain', 'not drained: its hosts have no other way'),
                (below, '/drb/drain,d0', 'd0 not drained: h0 has no other way'),
                (below, '/drb/drain,u1', 'u1 not drained: no other uplink is in use'),
                (below, '/drb/undrain,u9', "no port 'u9'"),
                (below, '/drb/undrain,\udc80', 'no such port: they are d0, u0 and so on')):
            assert ask(path, order)[0] == f'error: {why}', order
        end = time.monotonic() + WITHIN  # until s2-1 has heard of it
        while (said := ask(beside, '/drb/drain')[0]).startswith('ok: ') and time.monotonic() < end:
            ask(beside, '/drb/undrain')
        assert said == 'error: d0 not drained: s1-0 has no other uplink in use', said
        until_port(below, 'u1', 'up')
        assert ask(above, '/drb/reload')[0].startswith('ok: ')
        until_port(above, 'd0', 'drained')
        assert ask(above, '/drb/undrain')[0] == 'ok: drb-s2-0: drained now: no port'
        until_port(above, 'd0', 'up')
        until_port(below, 'u0', 'up')
        err = stop(low)
        assert 'port u0: drained by s2-0.d0, no new traffic to it\n' in err, err
        for p in (core, other):
            stop(p)


def status_of(task):
    return dict(line.split(':\t', 1) for line in (task / 'status').read_text().splitlines())


def least_privilege():
    """Once it forwards no thread has a capability in effect, nor may get one; sockets are for one
    user alone. All of it holds after a reload, which still works."""
    with World() as w:
        text = HEAD + (f'link: {{driver: memif}}\nports: [{{name: d0, driver: vdev, device: net_null0}}]\n'
                       f'process: {{workers: 1, memif_dir: {w.dir}/memif}}\n')
        (w.dir / 'run/dpdk').mkdir(mode=0o755)
        (w.dir / 'run/dpdk/drb-s1-0').mkdir(mode=0o755)
        low = w.start(text)
        core = w.start(text.replace('layer: 1', 'layer: 2').replace('name: d0', 'name: d1'), name='core')
        for _ in range(2):
            w.notified('READY=1')
        for p in (low, core):
            tasks = list(pathlib.Path(f'/proc/{p.pid}/task').iterdir())
            assert len(tasks) >= 3, tasks
            for task in tasks:
                status = status_of(task)
                assert status['NoNewPrivs'] == '1', status
                for kind in ('CapEff', 'CapPrm', 'CapInh', 'CapAmb'):
                    assert int(status[kind], 16) == 0, (task, kind, status[kind])
        sockets = [w.socket_of('drb-s1-0'), w.socket_of('drb-s2-0'), *(w.dir / 'memif').iterdir()]
        assert len(sockets) == 3, sockets
        for path in sockets:
            assert path.stat().st_mode & 0o777 == 0o600, (path, oct(path.stat().st_mode))
            assert path.parent.stat().st_mode & 0o777 == 0o700, path.parent
        assert ask(w.socket_of('drb-s1-0'), '/drb/reload')[0].startswith('ok: ')
        for p in (low, core):
            stop(p)


def bad_input():
    with World() as w:
        refuses(w, 'fabric: {layers: 3, arity: 2}\n', 'c.yaml:1: switch: key is missing')
        refuses(w, NULLS, 'switch.label: 2 is not in 0..1', '--label', '2')
        refuses(w, HEAD + 'link: {driver: none}\nprocess: {cpus: "999"}\n',
                'c.yaml:4: process.cpus: "999" are not all CPUs')
        refuses(w, HEAD + 'ports: [{name: d0, interface: nosuch0}]\n',
                'c.yaml:3: ports[0].interface: port d0: no interface "nosuch0"')
        refuses(w, HEAD + 'process: {workers: 2}\nlink: {driver: none}\n'
                'ports: [{name: d0, driver: af_xdp, interface: lo}]\n',
                'c.yaml:3: process.workers: port d0: the af_xdp driver needs a channel of interface '
                '"lo" for each of 2 workers and finds 1')
        refuses(w, HEAD + 'link: {driver: none}\n'
                'ports: [{name: u0, driver: pci, device: "fffe:1f:1f.7"}]\n',
                'c.yaml:4: ports[0].device: port u0: no PCI device "fffe:1f:1f.7"')
        refuses(w, HEAD + 'link: {driver: memif}\nports: [{name: d0, driver: none}]\n'
                f'process: {{memif_dir: {w.dir}/no/such}}\n', 'process.memif_dir')
        assert w.left() == [], w.left()
        shutil.rmtree(w.dir / 'run', ignore_errors=True)
        refuses(w, NULLS, f'cannot make {w.dir}/run/dpdk for the stats socket')
        (w.dir / 'run').write_text('a file')
        refuses(w, NULLS, 'Not a directory')
        (w.dir / 'run').unlink()
        (w.dir / 'run').mkdir()
        if os.geteuid() != 0:
            (w.dir / 'run').chmod(0o500)
            refuses(w, NULLS, 'Permission denied')
            (w.dir / 'run').chmod(0o700)


def devices_that_fail():
    """A device that only the driver can refuse is bad input all the same: its line is named."""
    with World() as w:
        for device, want in (('net_pcap0,rx_pcap=/nonexistent/x', 'port d0: cannot create device'),
                             ('no_such_driver', 'port d0: cannot create device "no_such_driver"')):
            p = w.start(NULLS.replace('device: net_null0', f'device: "{device}"'))
            assert p.wait(WITHIN) == 2
            err = p.stderr.read().decode()
            assert want in err and '].device: ' in err and 'Usage' not in err, err
            assert w.left() == [], w.left()


def examples():
    """Every example of config/ is a config, as it says it is used."""
    files = sorted(str(p.relative_to(CONFIGS)) for p in CONFIGS.rglob('*.yaml'))
    assert files, 'no examples'
    whole = 'f32/switch.yaml'
    assert whole in files
    for name in files:
        if name == whole:
            for layer, switches in ((1, 8), (2, 8), (3, 4)):
                for label in range(switches):
                    r = run('-c', CONFIGS / name, '--layer', layer, '--label', label, '--check')
                    assert r.returncode == 0 and f'ok, drb-s{layer}-{label}' in r.stderr, r.stderr
            r = run('-c', CONFIGS / name, '--layer', 3, '--label', 4, '--check')
            assert r.returncode == 2
            continue
        r = run('-c', CONFIGS / name, '--check')
        assert r.returncode == 0 and ': ok, ' in r.stderr, r.stderr


def service_file():
    """systemd understands every line of it, and finds nothing gravely exposed."""
    if not shutil.which('systemd-analyze'):
        return
    with World() as w:
        text = (CONFIGS.parent / 'deploy/drbswitch@.service').read_text()
        unit = w.dir / 'drbswitch@.service'
        unit.write_text(text.replace('/usr/local/bin/drbswitch', os.path.abspath(SWITCH)))
        r = subprocess.run(['systemd-analyze', 'verify', w.dir / 'drbswitch@s1-0.service'],
                           capture_output=True, text=True, timeout=WITHIN)
        assert r.returncode == 0 and r.stderr == '', r.stderr
        r = subprocess.run(['systemd-analyze', 'security', '--offline=true', '--threshold=35', unit],
                           capture_output=True, text=True, timeout=WITHIN)
        assert r.returncode == 0, r.stdout


def every_key_is_documented():
    source = (CONFIGS.parent / 'src/common/config/config_file.c').read_text()
    keys = set(re.findall(r'(?:OPTIONAL_|CYAML_FIELD_)[A-Z_]+\(\s*"([a-z0-9_]+)"', source))
    text = (CONFIGS / 'README.md').read_text()
    assert len(keys) > 30, keys
    missing = [k for k in sorted(keys) if f'| `{k}` |' not in text and f'`{k}`: ' not in text]
    assert missing == [], f'config/README.md says nothing of {missing}'


TESTS = (command_line, starts_and_stops, one_process_per_name, two_at_once, starts_after_a_crash,
         stopped_while_starting, stopped_while_waiting, memif_peers_meet, memif_peers_leave,
         captures_are_counted_whole, many_readers, reload_keeps_what_is_queued,
         reload_under_load, reload_of_a_pipe, drains, least_privilege, bad_input, devices_that_fail, examples,
         every_key_is_documented, service_file)


tap.run(TESTS)
