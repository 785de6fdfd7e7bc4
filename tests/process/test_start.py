#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbswitch as a process: starting, being found, being stopped, and meeting its neighbours.

test_start.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import json
import os
import random
import select
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from stopped import worker  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import HEAD, NULLS, World, ask, broker_of, run, refuses, stop, timely, until_port  # noqa: E402

# The message that lists ports without a device.
NONE = ('drbswitch: ports without a device (driver none), which carry no packets: {}; '
        'af_packet gives them interfaces')


def command_line():
    r = run('--help')
    assert r.returncode == 0 and '--layer' in r.stdout and r.stderr == ''
    r = run('--version')
    assert r.returncode == 0 and r.stdout.startswith('drbswitch ')
    for args, want in (((), 'no config'), (('-c', 'x', 'y'), "'y' is one argument too many"),
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
            # Frames of net_null are all zeros, so they are from no host.
            ready, source = err.splitlines()
            assert ' drb-s1-0 ready: layer 1, label 0 of F(2,1)' in ready, err
            assert 'port d0: frames from 00:00:00:00:00:00 are dropped: host h0 must have the MAC ' \
                '02:00:00:00:00:00 (ip link set' in source, err
            assert w.left() == [], w.left()
            assert not select.select([w.notify], [], [], 0)[0], 'notified again'


def held():
    """With --hold, a switch answers requests, but forwards only once standard input ends."""
    with World() as w:
        p = w.start(NULLS, '--hold', stdin=subprocess.PIPE)
        until(lambda: w.listens('drb-s1-0'))
        info, = ask(w.socket_of('drb-s1-0'), '/drb/info')
        assert info['ready'] == 0 and info['pid'] == p.pid, info
        listed = subprocess.run([sys.argv[3], 'list', '--runtime', w.dir / 'run', '--json'], capture_output=True,
                                text=True, timeout=WITHIN, check=True).stdout
        assert json.loads(listed)['state'] == 'starting' and json.loads(listed)['pid'] == p.pid, listed
        assert not select.select([w.notify], [], [], 0.3)[0], 'notified while held'
        p.stdin.close()
        w.notified('READY=1')
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['ready'] == 1
        stop(p)


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


def claimed_until_removed():
    """The name of a killed switch is free once its broker, which removes the folder, has ended."""
    with World() as w:
        p = w.ready(NULLS)
        broker = broker_of(p)
        os.kill(broker, signal.SIGSTOP)
        p.kill()
        p.wait()
        refuses(w, NULLS, f'drb-broker, process {broker}, is stopped')
        os.kill(broker, signal.SIGKILL)
        stop(w.ready(NULLS))


def stopped_while_starting():
    rng = random.Random(1)
    with World() as w:
        for _ in range(15):
            p = w.start(NULLS)
            time.sleep(rng.uniform(0, 0.15))
            p.terminate()
            code = p.wait(WITHIN)
            w.drain()
            # SIGTERM kills the process before its handler is set, and ends it in order afterwards.
            assert code in (0, -signal.SIGTERM), f'exit {code}: {p.stderr.read().decode()}'
            if code == 0:
                assert w.left() == [], w.left()


def workers_have_cpus_of_their_own():
    """Each worker is pinned to a CPU if the config names as many. With fewer, all share these."""
    cpus = sorted(os.sched_getaffinity(0))[:2]
    if len(cpus) < 2:
        raise tap.Skip('there is one CPU only')
    for named, want in (cpus, [{cpus[0]}, {cpus[1]}]), (cpus[1:], [{cpus[1]}] * 2):
        with World() as w:
            p = w.ready(f'{NULLS}process: {{workers: 2, cpus: "{",".join(map(str, named))}"}}\n')
            ask(w.socket_of('drb-s1-0'), '/drb/ports')  # both run
            assert [os.sched_getaffinity(worker(p.pid, number)) for number in (0, 1)] == want, (named, want)
            stop(p)


def forwards_without_its_peers():
    """A switch is ready at once although no peer comes.

    It has more links than DPDK has entries for devices."""
    with World() as w:
        text = HEAD.replace('arity: 1', 'arity: 17').replace('layer: 1', 'layer: 2') + (
            'link: {driver: memif}\nports: [{name: d0, driver: none}]\n' f'process: {{memif_dir: {w.dir}}}\n')
        p = w.start(text)
        timely(3, lambda: w.notified('READY=1'))
        said = stop(p).splitlines()
        assert said[0] == NONE.format('d0') and ' ready: ' in said[1] and len(said) == 2, said
        assert w.left() == []


def ports_without_a_device():
    """Ports without a device are listed once, and are not usable."""
    with World() as w:
        p = w.ready('fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\nlink: {driver: none}\n'
                    'ports: [{name: d1, driver: vdev, device: net_null0}]\n')
        info = ask(w.socket_of('drb-s1-0'), '/drb/info')[0]
        assert info['ports'] == 4 and info['ports_usable'] == 1, info
        assert info['trouble'].startswith('d0 none; u0 none; u1 none'), info
        assert stop(p).splitlines()[0] == NONE.format('d0 u0 u1')


def check_last_words(said):
    """A switch that outlives a peer reports the port that lost its link, and nothing else."""
    said = [line for line in said.splitlines() if line != NONE.format('d0')]
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
            # The port is up once it has received a hello of its neighbour.
            until_port(w.socket_of('drb-s2-0'), 'd1', 'up')
            port = ask(w.socket_of('drb-s2-0'), '/drb/port,d1')[0]
            assert port['peer'] == port['neighbour'] == 's1-1.u0', port
            # Stop all switches at once, as the end of a fabric does.
            for p in running:
                p.send_signal(signal.SIGTERM)
            for p in running:
                check_last_words(stop(p))
            for _ in running:
                w.notified('STOPPING=1')
            assert w.left() == []
        # Switches that were killed leave sockets behind, which the next ones replace.
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
    # A port is polled without a pause while its peer ends, in both directions of the link.
    with World() as w:
        # Three polling switches share the CPUs with other tests, so hellos may be late.
        tail = (f'link: {{driver: memif, hello: 2s}}\nprocess: {{memif_dir: {w.dir}/memif, idle: poll}}\n')
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


tap.run((command_line, starts_and_stops, held, one_process_per_name, two_at_once, starts_after_a_crash,
         claimed_until_removed, stopped_while_starting, workers_have_cpus_of_their_own,
         forwards_without_its_peers, ports_without_a_device, memif_peers_meet, memif_peers_leave))
