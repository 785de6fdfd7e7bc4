#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A switch of which a part stands still: one thread, stopped as a debugger does, or the whole process. It is
said within a second, orders fail instead of waiting, the service manager hears no more.

test_stuck.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import ctypes
import os
import select
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import NULLS, SWITCH, WITHIN, World, ask, stop, timely  # noqa: E402

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000  # of waitpid(): threads, too
TWO = NULLS + 'process: {workers: 2}\n'
libc = ctypes.CDLL(None, use_errno=True)


def ptrace(request, tid):
    arguments = (ctypes.c_long(request), ctypes.c_long(tid), None, None)
    if libc.ptrace(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def until(condition, within=WITHIN):
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < within
        time.sleep(0.02)


class Stopped:
    """A thread stands still meanwhile."""

    def __init__(self, tid):
        self.tid = tid

    def __enter__(self):
        try:
            ptrace(PTRACE_SEIZE, self.tid)
        except PermissionError as e:
            raise tap.Skip(f'may not stop a thread here: {e}') from e
        ptrace(PTRACE_INTERRUPT, self.tid)
        until(lambda: os.waitpid(self.tid, WALL | os.WNOHANG)[0])

    def __exit__(self, *_):
        try:
            ptrace(PTRACE_DETACH, self.tid)
        except ProcessLookupError:  # killed: its process is not done before whoever traces it has waited for it
            until(lambda: os.waitpid(self.tid, WALL | os.WNOHANG)[0])


def worker(p, number):
    """The thread of a worker: the first is the process's, others are DPDK's."""
    if number == 0:
        return p.pid
    for tid in os.listdir(f'/proc/{p.pid}/task'):
        with open(f'/proc/{p.pid}/task/{tid}/comm', encoding='ascii') as f:
            # By releases of DPDK: up to 22.11, 23.03, later.
            if f.read().strip() in (f'lcore-worker-{number}', f'rte-worker-{number}', f'dpdk-worker{number}'):
                return int(tid)
    raise AssertionError('no such thread')


def state_of(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as f:
        return f.read().rsplit(')', 1)[1].split()[0]


def a_worker_stands_still(number):
    with World() as w:
        p = w.ready(TWO)
        path = w.socket_of('drb-s1-0')
        assert ask(path, '/drb/info')[0]['ports_usable'] > 0

        def says():
            return ask(path, '/drb/info')[0]['trouble']
        with Stopped(worker(p, number)):
            want = f'worker {number} stands still: restart the switch'
            timely(1, lambda: until(lambda: says() == want))
            info = timely(0.5, lambda: ask(path, '/drb/info'))[0]
            assert info['ports_usable'] == 0, info
            for order in ('/drb/drain', '/drb/reload', '/drb/set,threshold=3'):
                said = timely(2, lambda o=order: ask(path, o))[0]
                assert said.startswith('error: ') and 'stands still' in said, said
            assert '\ndrb_up{fabric="drb",switch="s1-0",layer="1"} 0\n' in metrics(w)
        until(lambda: 'stands still' not in says())
        w.drain()
        assert ask(path, '/drb/set,threshold=3')[0].startswith('ok: ')
        err = stop(p)
        assert f'worker {number} stands still (thread {worker_of(err)}, state t)' in err, err
        assert f'worker {number} goes on' in err, err


def metrics(w):
    run = [os.path.join(os.path.dirname(SWITCH), '../ctl/drbctl'), 'metrics', '--runtime', str(w.dir / 'run')]
    return subprocess.run(run, check=True, capture_output=True, text=True, timeout=WITHIN).stdout


def worker_of(err):
    return err.split('(thread ')[1].split(',')[0]


def first_worker():
    a_worker_stands_still(0)


def second_worker():
    a_worker_stands_still(1)


def ends_without_it():
    """SIGTERM ends the switch although a worker does not."""
    with World() as w:
        p = w.ready(TWO)
        ask(w.socket_of('drb-s1-0'), '/drb/ports')  # both run
        with Stopped(worker(p, 1)):
            p.terminate()
            until(lambda: state_of(p.pid) == 'Z', 10)
        assert p.wait(WITHIN) == 1
        assert 'worker 1 does not end: the switch ends without it' in p.stderr.read().decode()


def watchdog():
    """WATCHDOG=1 comes while the workers go on, and only then."""
    with World() as w:
        p = w.start(TWO, env={'WATCHDOG_USEC': '1000000'})
        w.notified('READY=1')
        for _ in range(3):
            w.notified('WATCHDOG=1')
        ask(w.socket_of('drb-s1-0'), '/drb/ports')
        with Stopped(worker(p, 1)):
            time.sleep(1)
            w.drain()
            assert not select.select([w.notify], [], [], 1.5)[0], 'it still says that all is well'
        w.notified('WATCHDOG=1')
        stop(p)


def all_of_it():
    """SIGSTOP of the process: whoever asks hears within a second that it does not answer."""
    with World() as w:
        p = w.ready(NULLS)
        drbctl = os.path.join(os.path.dirname(SWITCH), '../ctl/drbctl')
        run = [drbctl, 'list', '--runtime', str(w.dir / 'run')]
        assert subprocess.run(run, check=False, capture_output=True, timeout=WITHIN).returncode == 0
        p.send_signal(signal.SIGSTOP)
        r = timely(1, lambda: subprocess.run(run, check=False, capture_output=True, text=True, timeout=WITHIN))
        assert r.returncode == 1 and 'drb-s1-0: does not answer' in r.stderr, r
        p.send_signal(signal.SIGCONT)
        stop(p)


def busy_is_not_stuck():
    """A machine whose CPUs are all taken: workers wait for them, and nobody stands still."""
    with World() as w:
        p = w.ready(TWO)
        hogs = [subprocess.Popen(['nice', '-n', '-5', sys.executable, '-c', 'while True: pass'],
                                 stderr=subprocess.DEVNULL) for _ in range(4 * (os.cpu_count() or 1))]
        time.sleep(5)
        for hog in hogs:
            hog.kill()
            hog.wait(WITHIN)
        assert 'stands still' not in stop(p)


tap.run((first_worker, second_worker, ends_without_it, watchdog, all_of_it, busy_is_not_stuck))
