#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbswitch as a process: it reads its config again while packets pass.

test_reload.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import contextlib
import json
import os
import select
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from stopped import Stopped, worker  # noqa: E402
from until import until  # noqa: E402
from world import (NULLS, SWITCH, WITHIN, World, ask, capture, connect, conserved, stop, take_memory,  # noqa: E402
                   waited_for_cpus)

PAUSES = 21
WAITING = 64  # reloads at once


def frame_of(flow, number, to=4):
    """Returns a UDP packet of a flow from host 0 to another host, with a number in its payload."""
    udp = struct.pack('>HHHH', 1000 + flow, 7, 12, 0) + struct.pack('>I', number)
    ip = struct.pack('>BBHHHBBHII', 0x45, 0, 32, 0, 0, 64, 17, 0, 0x0a000001, 0x0a000001 + to)
    return struct.pack('>HIHIH', 0x0200, to, 0x0200, 0, 0x0800) + ip + udp + bytes(14)


def numbers_in(path):
    """Returns the numbers of the frames of a capture, in order."""
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


def ready_again(w):
    """Returns the result of a reload that the service manager receives, worded as a reply."""
    w.notified('RELOADING=1\nMONOTONIC_USEC=')
    assert select.select([w.notify], [], [], WITHIN)[0], 'not ready again in time'
    ready = w.notify.recv(4096).decode()
    assert ready.startswith('READY=1\nSTATUS='), ready
    said = ready.split('=', 2)[2]
    return said.replace('not reloaded', 'error', 1) if 'not reloaded' in said else 'ok: ' + said


def ordered(w, order):
    """Returns the result of an order.

    The client's reply must have the same text, unless the order waited for CPUs for too long."""
    waited, begun = waited_for_cpus(), time.monotonic()
    said = ask(w.socket_of('drb-s1-0'), order)[0]
    took, waited = time.monotonic() - begun, waited_for_cpus() - waited
    came = ready_again(w)
    late = said.startswith('error: not done within a second') and waited > took / 3
    assert late or said == came, f'{said!r}, then {came!r}; {waited:.2f} of {took:.2f} s waited for CPUs'
    return came


def reloads(w, p, text, want='ok: ', by='telemetry'):
    """Gives a running switch another config, and returns the reply."""
    w.config(text)
    if by == 'telemetry':
        said = ordered(w, '/drb/reload')
    else:
        p.send_signal(signal.SIGHUP)
        said = ready_again(w)
    assert said.startswith(want), f'{said!r} does not start with {want!r}'
    return said


def reload_keeps_what_is_queued():
    """4000 packets in one queue all leave in order.

    Meanwhile the limit and the rate of the queue, the scheme and the unit change."""
    count = 4000
    with World() as w:
        frames = [frame_of(i % 9, i) for i in range(count)]

        def make(routing, link):
            return reload_world(w, frames, '', routing, link)

        p = w.ready(make('{scheme: dmodk}', '{driver: none, queue: 4096, rate: 1pps}'))
        path = w.socket_of('drb-s1-0')
        while sum(ask(path, '/drb/ports')[0]['in_packets']) < count:
            pass
        for number, (routing, link) in enumerate([
                ('{scheme: dmodk}', '{driver: none, queue: 16, rate: 50pps}'),
                ('{scheme: vlb}', '{driver: none, queue: 16, rate: 100kbit}'),
                ('{scheme: walk}', '{driver: none, queue: 16, rate: 100kbit}'),
                ('{scheme: drb, unit: flow, flow_max: 1000}', '{driver: none, queue: 16, rate: 2pps}'),
                ('{scheme: ecmp, unit: flowlet, flow_max: 1000}', '{driver: none, queue: 2000, rate: 200pps}'),
                ('{scheme: least, choices: 2, threshold: auto}', '{driver: none, queue: 4096, rate: 300pps}')]):
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
    """Reloads change all keys that may change while packets arrive without a pause."""
    with World() as w:
        frames = [frame_of(i % 50, i, 4 + i % 4) for i in range(1000)]
        rest = 'process: {buffers: 4096, workers: 1, hugepages: "no"}\n'

        def make(routing, link='{driver: none}', more=rest):
            return reload_world(w, frames, 'infinite_rx=1,', routing, link, more).replace(
                f'{w.dir}/u0.pcap', '/dev/null')

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

        # Known flows keep their uplinks, even if the scheme for new flows changes.
        first = lossless(20000)
        assert first['flows'] == first['flows_appeared'] == 50 * 4 // 2, first
        for routing in ('{unit: flow, flow_max: 1000, scheme: ecmp}',
                        '{unit: flow, flow_max: 1000, scheme: vlb, flow_idle: 10s, threshold: 7}'):
            reloads(w, p, make(routing), by='signal')
            now = lossless(20000)
            assert (now['flows'], now['flows_appeared']) == (first['flows'], first['flows_appeared']), now
        assert now['scheme'] == 'vlb' and now['threshold'] == '7', now
        # With another unit flows change their uplinks, but no packet is lost.
        for routing in ('{}', '{unit: flowlet, flow_max: 100}', '{scheme: least, threshold: auto}',
                        '{unit: flow, flow_max: 10}', '{scheme: walk}',
                        '{scheme: micro, check_source: off}'):
            reloads(w, p, make(routing))
            lossless(20000)
        # With other queues and rates, packets are dropped only because a queue is full.
        for link in ('{driver: none, queue: 4, rate: 100kpps}', '{driver: none, queue: 4000}',
                     '{driver: none, queue: 100, rate: 1Mbit}', '{driver: none}'):
            reloads(w, p, make('{}', link))
            ports, drops = ask(path, '/drb/ports', '/drb/drops')
            conserved(ports)
            assert sum(drops.values()) == drops['queue_full'], drops
        before = sum(drops.values())
        assert before > 0
        # A faulty config changes nothing. The reply names a key that needs a restart.
        reloads(w, p, make('{scheme: best}'), f'error: {w.dir}/c.yaml:3: routing.scheme: "best"')
        reloads(w, p, make('{scheme: [}'), f'error: {w.dir}/c.yaml:3: ', by='signal')
        reloads(w, p, make('{}').replace('label: 0', 'label: 1'),
                f'error: {w.dir}/c.yaml:2: switch: s1-1, but s1-0 runs')
        reloads(w, p, make('{}').replace('arity: 2', 'arity: 4'), f'error: {w.dir}/c.yaml:1: fabric: ')
        # A reload may bring the default limit of flows.
        reloads(w, p, make('{}'), 'ok: ')
        for unit in ('flow', 'flowlet', 'packet'):
            said = ordered(w, f'/drb/set,unit={unit}')
            assert said.startswith('ok: ') and f'-> {unit}' in said, said
        (w.dir / 'c.yaml').unlink()
        assert ask(path, '/drb/reload')[0] == f'error: {w.dir}/c.yaml: No such file or directory'
        w.notified('RELOADING=1\nMONOTONIC_USEC=')
        w.notified('READY=1\nSTATUS=not reloaded: ')
        assert ask(path, '/drb/routing')[0]['scheme'] == 'drb'
        said = reloads(w, p, make('{threshold: 9, seed: 4}', '{driver: none, queue: 60000}',
                                  'process: {burst: 7, workers: 2}\n').replace('net_pcap2', 'net_pcap7'))
        assert said.endswith('; needs a restart: routing.seed, process.burst, process.hugepages, '
                             'process.workers, process.buffers, ports[2].device, '
                             'ports[0].queue, link.queue, ports[1].queue, ports[2].queue'), said
        in_use, = ask(path, '/drb/routing')
        assert in_use['threshold'] == '9' and in_use['seed'] == 1, in_use
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
        assert said == f'error: /dev/fd/{r}: cannot be reloaded: not a regular file', said
        stop(p)


def too_many_at_once():
    """While a worker does not run, orders wait. One more than may wait is refused at once."""
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')

        def changes():
            return ask(path, '/drb/worker')[0]['changes']
        before, clients = changes(), [connect(path) for _ in range(WAITING + 2)]
        said: dict[socket.socket, str] = {}
        want = f'error: {w.dir}/c.yaml: not reloaded: too many reloads wait: try again'
        with contextlib.ExitStack() as control:
            control.enter_context(Stopped(p.pid))
            for client in clients:
                client.send(b'/drb/set,threshold=3')
            with Stopped(worker(p.pid, 0)):
                control.close()  # the control thread takes all orders at once
                while list(said.values()).count(want) < 2:
                    some = select.select([c for c in clients if c not in said], [], [], WITHIN)[0]
                    assert some, said
                    said |= {c: json.loads(c.recv(1 << 16))['/drb/set'] for c in some}
        # On a busy machine, some of the others were told that they wait.
        assert all(text == want or 'not done within a second' in text for text in said.values()), said
        until(lambda: w.drain() or changes() == before + WAITING)  # the service manager reads
        w.drain()
        assert ask(path, '/drb/set,threshold=4')[0].startswith('ok: ')
        assert changes() == before + WAITING + 1
        for client in clients:
            client.close()
        stop(p)


def another_signal_reloads_nothing():
    with World() as w:
        p = w.ready(NULLS)
        reloads(w, p, NULLS, by='signal')
        p.send_signal(signal.SIGCHLD)
        # The order would wait for a reload that the signal began.
        assert ordered(w, '/drb/set,threshold=3').startswith('ok: ')
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['reloads'] == 1
        stop(p)


def another_switch_is_refused():
    """A config of another switch, or of another fabric, changes nothing."""
    with World() as w:
        p = w.ready(NULLS)
        said = reloads(w, p, NULLS.replace('label: 0', 'label: 1'), want='error: ')
        assert 's1-1, but s1-0 runs; it needs a restart' in said, said
        said = reloads(w, p, NULLS.replace('{layers: 2,', '{name: x, layers: 2,'), want='error: ')
        assert 'another fabric than that of the switch that runs' in said, said
        reloads(w, p, NULLS)
        stop(p)


def link_rate_follows_the_device():
    """`rate: link` is the speed of the device behind a port: at the start, and after a reload."""
    def text(rate):
        return reload_world(w, [], '', '{}', f'{{driver: none, rate: {rate}}}')

    with World() as w:
        p = w.ready(text('link'))
        path = w.socket_of('drb-s1-0')
        for want, given in ((('10Gbit', 'none'), None), (('500pps',) * 2, '500pps'), (('10Gbit', 'none'), 'link')):
            if given:
                reloads(w, p, text(given))
            rates = tuple(ask(path, f'/drb/port,{port}')[0]['rate'] for port in ('u0', 'd1'))
            assert rates == want, (rates, want)
        assert ask(path, '/drb/port,u0')[0]['catchup_ns'] == 2000000
        said = stop(p)
        assert 'port u0: its link negotiated 10Gbit, which is its rate now' in said, said


def changes_take_no_time():
    """Under continuous load, a change pauses forwarding for less than 50 us.

    Times are those of the worker's clock. The median is judged, because another program may take
    the worker's CPU during a change."""
    with World() as w:
        p = w.ready(NULLS)
        path = w.socket_of('drb-s1-0')

        def paused(order):
            w.drain()
            before, = ask(path, '/drb/worker')
            if order == '/drb/capture':
                with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as reader:
                    os.close(take_memory(reader, path))
            else:
                assert ask(path, order)[0].startswith('ok: ')
            made = 2 if order == '/drb/capture' else 1  # the end of a capture is a change, too
            while (after := ask(path, '/drb/worker')[0])['changes'] < before['changes'] + made:
                pass
            assert after['changes'] == before['changes'] + made and after['rx_packets'] > before['rx_packets']
            return (after['change_ns'] - before['change_ns']) / made / 1e3

        for order in ('/drb/reload', '/drb/set,threshold=3', '/drb/down,u0', '/drb/up,u0', '/drb/capture'):
            pauses = [paused(order) for _ in range(PAUSES)]
            print(f'# {order}: forwarding paused for {statistics.median(pauses):.1f} us, {max(pauses):.1f} at most')
            assert statistics.median(pauses) < 50, pauses
        stop(p)


tap.run((another_switch_is_refused, reload_keeps_what_is_queued, reload_under_load, reload_of_a_pipe, too_many_at_once,
         another_signal_reloads_nothing, link_rate_follows_the_device, changes_take_no_time))
