#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One thread of a switch is stuck, stopped as by a debugger, or the whole process is.

This is reported within a second. Orders fail instead of waiting, and the service manager gets no
further notifications.

test_stuck.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from stopped import Stopped, worker  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import NULLS, SWITCH, World, ask, connect, stop, take_memory, timely, until_port  # noqa: E402

sys.path.append(os.path.join(sys.argv[2], '../topo'))
from drbfabric.fabric.telemetry import Telemetry  # noqa: E402

TWO = NULLS + 'process: {workers: 2}\n'


def state_of(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as f:
        return f.read().rsplit(')', 1)[1].split()[0]


def a_stuck_worker(number):
    with World() as w:
        p = w.ready(TWO)
        path = w.socket_of('drb-s1-0')
        assert ask(path, '/drb/info')[0]['ports_usable'] > 0

        def says():
            return ask(path, '/drb/info')[0]['trouble']
        with Stopped(worker(p.pid, number)):
            want = f'worker {number} is stuck: restart the switch'
            timely(1, lambda: until(lambda: says() == want))
            info = timely(0.5, lambda: ask(path, '/drb/info'))[0]
            assert info['ports_usable'] == 0, info
            for order in ('/drb/drain', '/drb/down', '/drb/reload', '/drb/set,threshold=3'):
                said = timely(2, lambda o=order: ask(path, o))[0]
                assert said.startswith('error: ') and 'is stuck' in said, said
            assert '\ndrb_up{fabric="drb",switch="s1-0",layer="1"} 0\n' in metrics(w)
            assert ports(w) == 'a worker does not answer'
            with Stopped(worker(p.pid, 1 - number)):
                until(lambda: says() == f'worker {1 - number} is stuck: restart the switch')
            until(lambda: says() == want)  # one worker runs again, the other is still stuck
            assert ask(path, '/drb/info')[0]['ports_usable'] == 0
        until(lambda: 'is stuck' not in says())
        assert ports(w)['in_packets']
        w.drain()
        assert ask(path, '/drb/set,threshold=3')[0].startswith('ok: ')
        err = stop(p)
        assert f'worker {number} is stuck (thread {worker_of(err)}, state t)' in err, err
        for line in (f'worker {1 - number} runs again\n', f'worker {number} runs again: the switch sends hellos again'):
            assert err.count(line) == 1, err


def ports(w):
    """Returns counters of ports as the checks of a fabric read them, or the error."""
    os.environ['RUNTIME_DIRECTORY'] = str(w.dir / 'run')
    with Telemetry('drb-s1-0') as t:
        try:
            return t.ports()
        except OSError as e:
            return str(e)


def metrics(w):
    run = [os.path.join(os.path.dirname(SWITCH), '../ctl/drbctl'), 'metrics', '--runtime', str(w.dir / 'run')]
    return subprocess.run(run, check=True, capture_output=True, text=True, timeout=WITHIN).stdout


def worker_of(err):
    return err.split('(thread ')[1].split(',')[0]


def at_work(p, number):
    """Returns the seconds for which a worker has run or waited for a CPU.

    Packets come without end, so a worker does so all the time unless something stops it."""
    with open(f'/proc/{p.pid}/task/{worker(p.pid, number)}/schedstat', encoding='ascii') as f:
        return sum(map(int, f.read().split()[:2])) / 1e9


def the_other_goes_on():
    """The reader of a capture ends it while a worker is stuck, which may be writing to its memory.

    The capture ends, and the reader learns this, when that worker runs again. The packets that
    the other worker captures show that it works as before."""
    with World() as w, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
        p = w.ready(TWO)
        path = w.socket_of('drb-s1-0')
        memory = take_memory(connection, path)
        with mmap.mmap(memory, 0) as rings:
            def captured():
                return sum(struct.unpack_from('<64Q', rings, 8))

            def look(seconds):
                begun, work, packets = time.monotonic(), at_work(p, 0), captured()
                time.sleep(seconds)
                span = time.monotonic() - begun
                return round((at_work(p, 0) - work) / span, 2), round((captured() - packets) / span)
            until(lambda: captured() > 0)
            before = look(0.5)
            with Stopped(worker(p.pid, 1)):
                connection.shutdown(socket.SHUT_WR)
                looks = [look(0.25) for _ in range(12)]
                assert not select.select([connection], [], [], 0)[0], 'told that no worker writes any more'
                said = timely(1, lambda: ask(path, '/drb/capture'))[0]
                assert said.startswith('error: ') and 'is stuck' in said, said
            print(f'# at work, packets/s: {before} before, {looks} with a stuck worker')
            shares, rates = zip(*looks)
            # The kernel counts the time of a wait only when the wait is over.
            assert min(shares) > 0.4 and sum(shares) / len(shares) > 0.85 and min(rates) > 0, looks
            assert connection.recv(1) == b''
            packets = captured()
            time.sleep(0.2)
            assert captured() == packets
            assert ask(path, '/drb/capture')[0] == 'ok: waits'
        os.close(memory)
        stop(p)


def first_worker():
    a_stuck_worker(0)


def second_worker():
    a_stuck_worker(1)


LINKED = '''fabric: {{layers: 2, arity: 1}}
switch: {{layer: {}, label: 0}}
link: {{driver: vdev, hello: 100ms}}
process: {{memif_dir: {}/memif, workers: {}}}
ports:
  - {{name: d{}, device: net_null0}}
  - {{name: {}, driver: memif}}
'''


def the_neighbour_waits_for_both():
    """Both workers are stuck, and the one that sends hellos runs again: nobody hears any."""
    with World() as w:
        p = w.ready(LINKED.format(1, w.dir, 2, 0, 'u0'), name='low.yaml')
        neighbour = w.ready(LINKED.format(2, w.dir, 1, 1, 'd0'), name='high.yaml')
        path, above = w.socket_of('drb-s1-0'), w.socket_of('drb-s2-0')

        def says(number):
            until(lambda: ask(path, '/drb/info')[0]['trouble'] == f'worker {number} is stuck: restart the switch')
        until_port(above, 'd0', 'up')
        with Stopped(worker(p.pid, 1)):
            until_port(above, 'd0', 'down')
            with Stopped(worker(p.pid, 0)):
                says(0)
            says(1)
            end = time.monotonic() + 1
            while time.monotonic() < end:
                assert ask(above, '/drb/port,d0')[0]['state'] == 'down'
                time.sleep(0.05)
        until_port(above, 'd0', 'up')
        stop(p)
        stop(neighbour)


def ends_without_it():
    """SIGTERM ends the switch although a worker does not."""
    with World() as w:
        p = w.ready(TWO)
        ask(w.socket_of('drb-s1-0'), '/drb/ports')  # both workers run
        with Stopped(worker(p.pid, 1)):
            p.terminate()
            until(lambda: state_of(p.pid) == 'Z', 10)
        assert p.wait(WITHIN) == 1
        assert 'worker 1 does not end: the switch ends without it' in p.stderr.read().decode()


class Starved:
    """A worker gets no CPU while the context lasts, because other processes use it.

    The worker is not stuck."""

    def __init__(self, pid, number):
        self.stat = f'/proc/{pid}/task/{worker(pid, number)}/schedstat'
        self.tid, self.cpu, self.hogs = worker(pid, number), min(os.sched_getaffinity(0)), []

    def ran(self):
        with open(self.stat, encoding='ascii') as f:
            return f.read().split()[0]

    def __enter__(self):
        os.sched_setscheduler(self.tid, os.SCHED_IDLE, os.sched_param(0))
        os.sched_setaffinity(self.tid, {self.cpu})
        loop = f'import os\nos.sched_setaffinity(0, [{self.cpu}])\nwhile True: pass'
        self.hogs = [subprocess.Popen([sys.executable, '-c', loop]) for _ in range(8)]
        before = None
        while before != (before := self.ran()):
            time.sleep(0.2)
        return self

    def __exit__(self, *_):
        for hog in self.hogs:
            hog.kill()
            hog.wait(WITHIN)


def no_leak_search():
    """Returns an environment in which a sanitizer does not look for leaks.

    That search stops each thread at the exit. A thread that gets no CPU takes seconds to stop."""
    return {'ASAN_OPTIONS': os.environ.get('ASAN_OPTIONS', '') + ' detect_leaks=0'}


def clock_of_cpu(pid):
    """Returns the time, without that in which the control thread or this test waited for a CPU."""
    waited = 0
    for who in (pid, os.getpid()):
        with open(f'/proc/{who}/schedstat', encoding='ascii') as f:
            waited += int(f.read().split()[1])
    return time.monotonic() - waited / 1e9


def a_starved_worker():
    """A worker without a CPU delays only requests that need it.

    Other requests are served however many of those wait, and so is SIGTERM."""
    asks = ('/drb/all', '/drb/drain,u0', '/drb/ports')
    with World() as w:
        p = w.start(TWO, env=no_leak_search())
        w.notified('READY=1')
        path = w.socket_of('drb-s1-0')
        ask(path, '/drb/ports')  # both run
        with Starved(p.pid, 1) as starved:
            waiting, quick = [connect(path) for _ in range(60)], connect(path)

            def all_ask():
                for i, s in enumerate(waiting):
                    s.send(asks[i % 3].encode())
            before = None
            # Repeat if the worker got a CPU: then it answered, and orders were carried out.
            while before != (before := starved.ran()):
                all_ask()
                begun, longest = time.monotonic(), 0
                while time.monotonic() - begun < 1.2:
                    sent = clock_of_cpu(p.pid)
                    quick.send(b'/info')
                    quick.recv(1 << 16)
                    longest = max(longest, clock_of_cpu(p.pid) - sent)
                assert longest < 1.2, f'{longest:.2f} s'
                replies = [s.recv(1 << 20).decode() for s in waiting]
            assert longest < 0.2, f'{longest:.2f} s'
            for i, said in enumerate(replies):
                want = ('a worker does not answer', 'gets no CPU, so nothing was changed', ':null')[i % 3]
                assert want in said, said
            all_ask()
            begun = clock_of_cpu(p.pid)
            p.terminate()
            until(lambda: state_of(p.pid) == 'Z')
            took = clock_of_cpu(p.pid) - begun
            print(f'# the loop served others within {longest:.3f} s and ended within {took:.2f} s')
        said = p.stderr.read().decode()
        # The worker may get a CPU in time and end.
        assert p.wait(WITHIN) == ('worker 1 does not end' in said) and took < 4, f'{took:.2f} s: {said}'
        assert 'is stuck' not in said, said
        for s in (*waiting, quick):
            s.close()


def watchdog():
    """The switch sends WATCHDOG=1 only while the workers and the control thread go on."""
    with World() as w:
        p = w.start(TWO, env={'WATCHDOG_USEC': '500000'})
        w.notified('READY=1')
        for _ in range(3):
            w.notified('WATCHDOG=1')
        ask(w.socket_of('drb-s1-0'), '/drb/ports')
        with Stopped(worker(p.pid, 1)):
            time.sleep(1)
            w.drain()
            assert not select.select([w.notify], [], [], 0.75)[0], 'it still says that all is well'
        w.notified('WATCHDOG=1')
        with Stopped(p.pid):  # the control thread
            time.sleep(1)
            w.drain()
            assert not select.select([w.notify], [], [], 0.75)[0], 'it still says that all is well'
        w.notified('WATCHDOG=1')
        stop(p)


def all_of_it():
    """If the process is stopped, drbctl reports within a second that it does not answer."""
    with World() as w:
        p = w.ready(NULLS)
        drbctl = os.path.join(os.path.dirname(SWITCH), '../ctl/drbctl')
        run = [drbctl, 'list', '--runtime', str(w.dir / 'run')]
        begun = time.monotonic()
        assert subprocess.run(run, check=False, capture_output=True, timeout=WITHIN).returncode == 0
        # With sanitizers a program takes a tenth of a second to start.
        own = time.monotonic() - begun
        p.send_signal(signal.SIGSTOP)
        r = timely(0.95 + own,
                   lambda: subprocess.run(run, check=False, capture_output=True, text=True, timeout=WITHIN))
        assert r.returncode == 1 and ' hung   answers nothing ' in r.stdout and not r.stderr, r
        p.send_signal(signal.SIGCONT)
        stop(p)


def busy_is_not_stuck():
    """Workers that wait because all CPUs are busy are not reported as stuck."""
    with World() as w:
        p = w.ready(TWO)
        hogs = [subprocess.Popen(['nice', '-n', '-5', sys.executable, '-c', 'while True: pass'],
                                 stderr=subprocess.DEVNULL) for _ in range(4 * (os.cpu_count() or 1))]
        time.sleep(5)
        for hog in hogs:
            hog.kill()
            hog.wait(WITHIN)
        assert 'is stuck' not in stop(p)


tap.run((first_worker, second_worker, the_neighbour_waits_for_both, the_other_goes_on, ends_without_it,
         a_starved_worker, watchdog, all_of_it, busy_is_not_stuck))
