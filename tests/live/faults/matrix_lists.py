# SPDX-License-Identifier: BSD-3-Clause
"""The faults and the orders of matrix.py. To add one, add an entry to FAULTS or ORDERS."""

import contextlib
import os
import signal
import socket
import subprocess
from typing import Callable, NamedTuple

from chaos_world import BUILD, run
from drbfabric.fabric.telemetry import instance_folder
from drbfabric.faults import faults
from stopped import Stopped, worker
from until import until

# The link between these two, d3 to u0, is memif; all other ports are packet sockets.
SUBJECT, PEER = 's2-0', 's1-3'
ORDER_S, STATE_S, END_S, HEALED_S = 2.0, 1.0, 5.0, 8.0
LIST_S = 1.0                          # drbctl list answers within this on a fast machine
PATIENCE_S, LIST_MOST = 0.9, 2        # DRB_TELEMETRY_PROMPT_MS
LATE_S = 0.1                         # a longer delay of the machine is a disturbance
SETTLED_S = 1.0                      # after something broke
STUCK = ('a worker of this switch is stuck or gets no CPU, so nothing was changed: try again; restart the switch if '
         '`drbctl list` says stuck')
CLIENTS = 200


def drbctl(*words):
    return run(f'{BUILD}/src/ctl/drbctl', *words, timeout=20)


class Fault(NamedTuple):
    """`of(matrix)` is a context in which it lasts."""
    of: Callable
    stuck: int | None = None  # the number of a worker that is stuck by it
    shows: str = ''           # in the log of the switch


class Order(NamedTuple):
    """Functions of a Matrix.

    do() runs while a fault lasts, and before() runs before the fault. after() checks the switch
    once the fault is over. None: the order must succeed then."""
    do: Callable
    before: Callable = lambda _: None
    after: Callable | None = None


# Faults


def _stuck(number):
    @contextlib.contextmanager
    def fault(m):
        with Stopped(worker(m.process.pid, number)):
            yield
    return Fault(fault, number, f'worker {number} is stuck')


@contextlib.contextmanager
def _dead_link(m):
    link = faults.Link(m.world.plan, 's1-1.u0')
    link.set('down')
    yield
    link.set('up')


@contextlib.contextmanager
def _full_pipe(m):
    m.log.reads.clear()
    with open(f'/proc/{os.getpid()}/fd/{m.process.stderr.fileno()}', 'wb', buffering=0,
              opener=lambda path, _: os.open(path, os.O_WRONLY | os.O_NONBLOCK)) as f:
        f.write(b'a line\n')  # after it, or one before, its reader waits
        until(lambda: m.log.waits)
        while f.write(b'full\n'):
            pass
        yield
        assert f.write(b'full\n') is None
    m.log.reads.set()


@contextlib.contextmanager
def _silent_clients(m):
    with contextlib.ExitStack() as all_of_them:
        for n in range(CLIENTS):
            s = all_of_them.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
            s.setblocking(False)
            with contextlib.suppress(BlockingIOError, ConnectionError):
                s.connect(f'{instance_folder(m.world.namespaces[SUBJECT])}/dpdk_telemetry.v2')
                for _ in range(20 if n % 2 else 0):
                    s.send(b'/drb/all')
        yield


@contextlib.contextmanager
def _stopped_neighbour(m):
    list(faults.pause(m.world.fabric, ['s1-1']))
    m.cut_off.add('s1-1')
    yield
    list(faults.resume(m.world.fabric, ['s1-1']))


FAULTS = {
    'a-stuck-worker': _stuck(1),
    'the-first-worker-stuck': _stuck(0),
    'a-dead-link': Fault(_dead_link, shows='port d1: down'),
    'a-full-log-pipe': Fault(_full_pipe),
    'silent-clients': Fault(_silent_clients),
    'a-stopped-neighbour': Fault(_stopped_neighbour, shows='port d1: down'),
}

# Orders


def _reload(m):
    m.done(drbctl('reload', SUBJECT))


def _set(m):
    m.done(drbctl('set', SUBJECT, 'threshold=3'))


def _drain(m):
    m.done(drbctl('drain', f'{SUBJECT}.d2'))


def _down(m):
    m.breaks()
    m.done(drbctl('down', f'{SUBJECT}.d2'))


def _ended(verb):
    def end(_):
        if (result := drbctl(verb, f'{SUBJECT}.d2')).returncode:
            raise AssertionError(result.stderr)
    return end


def _begin_capture(m):
    """The client goes on meanwhile."""
    # pylint: disable=consider-using-with
    m.reader = reader = subprocess.Popen(
        [f'{BUILD}/src/ctl/drbctl', 'capture', SUBJECT, '-w', '/dev/null'], stderr=subprocess.PIPE, text=True)
    assert reader.stderr and 'capturing at' in (line := reader.stderr.readline()), line


def _end_capture(m):
    m.reader.send_signal(signal.SIGINT)
    assert m.reader.wait(ORDER_S) == 0


def _capture():
    return drbctl('capture', SUBJECT, '-c', '5', '-w', '/dev/null')


def _memif(m):
    """The peer goes and comes, for this switch when the fault ends if it lasts."""
    list(faults.kill(m.world.fabric, [PEER]))
    until(lambda: not m.world.pid(PEER), ORDER_S)
    m.start_peer()


def _delete(m):
    """An interface, and makes it again."""
    there, other = (m.world.namespaces[n] for n in (SUBJECT, 's1-2'))
    for words in (('-n', there, 'link', 'delete', 'd2'),
                  ('-n', there, 'link', 'add', 'd2', 'type', 'veth', 'peer', 'name', 'u0', 'netns', other),
                  ('-n', there, 'link', 'set', 'd2', 'addrgenmode', 'none', 'up'),
                  ('-n', other, 'link', 'set', 'u0', 'addrgenmode', 'none', 'up')):
        done = run('ip', *words)
        assert done.returncode == 0, (words, done.stderr)
    m.breaks()
    if m.stuck is not None:
        m.says_once(f'port d2: cannot use interface "d2" again: {STUCK}')


def _memif_is_up(m):
    m.peer_is_there()
    until(lambda: m.world.state((PEER, 'u0')) == 'up' and m.world.state((SUBJECT, 'd3')) == 'up', HEALED_S)


def _is_used_again(m):
    until(lambda: m.log.count('interface "d2" is back and in use'), HEALED_S)


def _begin_another(m):
    m.done(_capture())


def _begins_another(_):
    """Once the one before has ended."""
    until(lambda: _capture().returncode == 0, SETTLED_S)


def _nothing(_):
    pass


ORDERS = {
    'reload': Order(_reload),
    'set': Order(_set),
    'drain': Order(_drain, after=_ended('undrain')),
    'a port goes down': Order(_down, after=_ended('up')),
    'a capture ends': Order(_end_capture, before=_begin_capture, after=_nothing),
    'a capture begins': Order(_begin_another, after=_begins_another),
    'a memif peer goes and comes': Order(_memif, after=_memif_is_up),
    'an interface is made again': Order(_delete, after=_is_used_again),
}
