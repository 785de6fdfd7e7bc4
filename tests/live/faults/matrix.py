#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives a switch every order under every lasting fault.

matrix.py faults             prints the names of the faults
matrix.py late               prints LATE_S in ms
matrix.py run FABRIC FAULT   gives s2-0, a switch of two workers in a running F(2,2), all ORDERS
                             while FAULT lasts, then SIGTERM; prints a line for each

Within ORDER_S, the order is carried out or fails with one line. `drbctl list` answers within
LIST_S. On a slow machine it may take PATIENCE_S, its timeout for a stopped switch, LIST_MOST times
what it takes without a fault, and LATE_S, which is no disturbance of the machine yet. Healthy
workers go on: they still wake for packets that keep
coming. Hosts with an intact path lose nothing from one second after the fault on. When the fault
ends, all is as before. SIGTERM ends the process within END_S.

Both lists are in matrix_lists.py."""

import contextlib
import fcntl
import json
import multiprocessing
import os
import signal
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from typing import Any

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path[:0] = [f'{ROOT}/topo', f'{ROOT}/tests/process']

import chaos_checks as checks  # noqa: E402
from chaos_streams import Streams  # noqa: E402
from chaos_world import BUILD, World, run  # noqa: E402
from matrix_lists import (  # noqa: E402
    END_S, FAULTS, HEALED_S, LATE_S, LIST_MOST, LIST_S, ORDER_S, ORDERS, PATIENCE_S, PEER, SETTLED_S, STATE_S,
    SUBJECT, drbctl)
from drbfabric.fabric import netns  # noqa: E402
from stopped import worker  # noqa: E402
from until import until  # noqa: E402

EVERY_S, FLOWS = 0.004, 16           # interval and number of flows of the packets that keep coming
LOOK_S = 0.2
FEWEST = 0.6                         # lowest rate of wake-ups, relative to the rate before
# Most wake-ups for each packet. A worker that only polls with pauses wakes 13,000 times a second,
# or 52 times for each packet.
MOST = 40


class Lines(threading.Thread):
    """Reads the switch's log from a pipe, and may leave the pipe full."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.lines, self.reads, self.waits = pipe, [], threading.Event(), False
        self.reads.set()
        self.start()

    def run(self):
        for line in self.pipe:
            self.lines.append(line.decode(errors='replace').rstrip('\n'))
            while not self.reads.wait(LOOK_S):
                self.waits = True
            self.waits = False

    def count(self, text):
        return sum(text in line for line in self.lines)


class Wakes(threading.Thread):
    """Records the wake-ups of a thread for each packet sent, once in each LOOK_S."""

    def __init__(self, pid, tid, sent):
        super().__init__(daemon=True)
        self.path, self.sent, self.rates, self.ends = f'/proc/{pid}/task/{tid}/status', sent, [], threading.Event()

    def look(self):
        with open(self.path, encoding='ascii') as f:
            wakes = next(int(line.split()[1]) for line in f if line.startswith('voluntary_ctxt_switches'))
        return wakes, self.sent.value

    def run(self):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # main() says why it ended
            before = self.look()
            while not self.ends.wait(LOOK_S):
                now = self.look()
                self.rates.append((now[0] - before[0]) / max(now[1] - before[1], 1))
                before = now

    def end(self):
        self.ends.set()
        self.join()
        return self.rates


def _send(namespace, interface, sent):
    """Sends frames of several flows to an interface's neighbour, for a host that does not exist."""
    with netns.inside(namespace):
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
        s.bind((interface, 0))
    number = 0
    while True:
        head = struct.pack('!BBHHHBBH4s4s', 0x45, 0, 46, 0, 0, 64, 17, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 99, 9]))
        udp = struct.pack('!HHHH', 1000 + number % FLOWS, 9, 26, 0)
        with contextlib.suppress(OSError):  # the interface may be gone for a moment
            s.send(bytes.fromhex('02000000ffff0200000000000800') + head + udp + bytes(18))
        number += 1
        sent.value = number
        time.sleep(EVERY_S)


class Matrix:
    """A switch, its fault, and the orders to it."""

    def __init__(self, fabric):
        self.world = World(fabric, {}, '')
        self.stuck = None        # number of the stuck worker
        self.broken = 0.0        # time of the last fault
        self.usual_s = 0.0       # duration of `drbctl list` without a fault
        # (name, begin, end, time of the fault, cut-off switches): nothing may be lost in between
        self.spans = []
        self.cut_off = {PEER}    # switches whose hosts have no path now; the peer was killed
        self.names = [h['name'] for h in self.world.plan['hosts']]
        self.process: Any = None
        self.log: Any = None
        self.peer: Any = None
        self.reader: Any = None

    # The switch under test

    def prepare(self):
        for name, port in ((SUBJECT, 'd3'), (PEER, 'u0')):
            path = self.world.fabric.path(self.world.switches[name]['config'])
            with open(path, 'a', encoding='utf-8') as f:
                f.write(f'ports:\n  - {{name: {port}, driver: memif}}\n')
        fabric = f'{ROOT}/topo/fabric'
        for words in (('kill', PEER), ('stop', SUBJECT)):
            assert run(fabric, *words).returncode == 0, words
        self.start_peer()
        self.start()

    def start(self):
        config = self.world.fabric.path(self.world.switches[SUBJECT]['config'])
        # pylint: disable=consider-using-with
        process: Any = subprocess.Popen(
            ['ip', 'netns', 'exec', self.world.namespaces[SUBJECT], f'{BUILD}/src/switch/drbswitch', '-c', config],
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        fcntl.fcntl(process.stderr.fileno(), fcntl.F_SETPIPE_SZ, 4096)
        self.process, self.log = process, Lines(process.stderr)
        until(lambda: self.log.count(' ready: '))
        self.peer_is_there()
        self.until_whole()

    def start_peer(self):
        """Starts the peer, which waits for its neighbour for up to 10 s."""
        # pylint: disable=consider-using-with
        self.peer = subprocess.Popen([f'{ROOT}/topo/fabric', 'start', PEER], stderr=subprocess.PIPE, text=True)

    def peer_is_there(self):
        said = self.peer.communicate(timeout=60)[1]
        assert self.peer.returncode == 0, said

    def row(self):
        """Returns the switch's row of drbctl list."""
        rows = [json.loads(line) for line in drbctl('list', '--json').stdout.splitlines()]
        return next((r for r in rows if r['switch'] == SUBJECT), None)

    def listing_s(self):
        begun = time.monotonic()
        self.row()
        return time.monotonic() - begun

    def until_whole(self):
        begun = time.monotonic()
        while not (row := self.row()) or row['state'] != 'running' or row['ports_usable'] != 4:
            assert time.monotonic() < begun + HEALED_S, f'not as before: {row}'
            time.sleep(0.05)

    def breaks(self):
        self.broken = time.monotonic()

    def done(self, result):
        """Checks that an order succeeded or, while a worker is stuck, failed with one line."""
        said = result.stderr.strip()
        if self.stuck is None:
            assert result.returncode == 0, said
        else:
            assert result.returncode == 1 and said.count('\n') == 0 and 'is stuck' in said, said

    def says_once(self, text):
        """While a worker is stuck, the switch reports only once what it cannot do."""
        until(lambda: self.log.count(text), HEALED_S)
        assert self.log.count(text) == 1, self.log.lines

    # A fault with all orders

    def pair(self, name, order):
        begin = time.monotonic()
        order(self)
        took = time.monotonic() - begin
        assert took < ORDER_S, f'{name} took {took:.2f} s'
        asked = time.monotonic()
        row = self.row()
        listed = time.monotonic() - asked
        assert row and listed < max(LIST_S, PATIENCE_S + LIST_MOST * self.usual_s + LATE_S), \
            f'drbctl list took {listed:.2f} s, {self.usual_s:.2f} s before the fault: {row}'
        self.spans.append((name, begin, time.monotonic(), self.broken, set(self.cut_off)))
        print(f'{name}: {took * 1e3:.0f} ms, listed in {listed * 1e3:.0f} ms as {row["state"]}', flush=True)

    def lost(self, streams):
        """Returns complaints about packets lost in the recorded spans."""
        found = []
        for name, begin, end, broken, cut_off in self.spans:
            self.world.dead_switches = cut_off
            span = streams.span(max(begin, broken + SETTLED_S), end)
            found += checks.losses(span.lost, self.world.connected(), self.names, f'with {name}')
        self.spans = []
        return found

    def healthy(self):
        return worker(self.process.pid, 1 if self.stuck == 0 else 0)

    def orders(self, fault):
        for order in ORDERS.values():
            order.before(self)
        self.usual_s = statistics.median(self.listing_s() for _ in range(5))
        with sender(self.world.namespaces['s1-0']) as sent:
            self.stuck = fault.stuck
            before, wakes = (Wakes(self.process.pid, self.healthy(), sent) for _ in range(2))
            before.start()
            time.sleep(1)
            streams = Streams(self.world.plan['hosts'], '4')
            time.sleep(0.5)
            before.end()
            wakes.start()
            with fault.of(self):
                self.breaks()
                for name, order in ORDERS.items():
                    self.pair(name, order.do)
                if self.stuck is not None:
                    until(lambda: self.row()['state'] == 'stuck', STATE_S)
                time.sleep(max(0.0, self.broken + SETTLED_S + 1.5 - time.monotonic()))
                self.spans.append(('all of them', self.broken, time.monotonic(),
                                   self.broken, set(self.cut_off)))
                # Read losses now: packets that wait for a stuck worker arrive when it goes on.
                complaints = self.lost(streams)
            assert self.log.count(fault.shows), 'nothing shows of the fault'
            usual, rates = statistics.mean(before.rates), wakes.end()
            print(f'wake-ups for each packet: {usual:.2f} before, then {statistics.mean(rates):.2f}, '
                  f'{min(rates):.2f} to {max(rates):.2f}', flush=True)
            self.stuck = None
            self.breaks()
            until(lambda: self.row()['state'] == 'running', STATE_S)
            for order in ORDERS.values():
                (order.after or order.do)(self)
            self.until_whole()
            self.cut_off = set()
            time.sleep(max(0.0, self.broken + SETTLED_S + 0.5 - time.monotonic()))
            self.spans.append(('its end', self.broken, time.monotonic(), self.broken, set()))
            complaints += self.lost(streams)
            streams.end()
            assert not complaints, complaints
            assert FEWEST * usual <= statistics.mean(rates) and 0 < min(rates) and max(rates) <= MOST, rates

    def ends(self, fault):
        with fault.of(self):
            time.sleep(1)
            begin = time.monotonic()
            self.process.send_signal(signal.SIGTERM)
            # A traced process stays until the tracer releases it.
            until(lambda: state(self.process.pid) == 'Z', END_S)
            took = time.monotonic() - begin
        code = self.process.wait(END_S)
        if fault.stuck is None:
            assert code == 0, code
        # The tracer of the first thread has received the exit status.
        else:
            self.log.join(END_S)
            assert self.log.count(f'worker {fault.stuck} does not end: the switch ends') == 1, self.log.lines
        print(f'SIGTERM: ended after {took * 1e3:.0f} ms', flush=True)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def state(pid):
    with open(f'/proc/{pid}/stat', encoding='ascii') as f:
        return f.read().rpartition(')')[2].split()[0]


@contextlib.contextmanager
def sender(namespace):
    sent = multiprocessing.Value('Q', 0, lock=False)
    process = multiprocessing.Process(target=_send, args=(namespace, 'u0', sent), daemon=True)
    process.start()
    yield sent
    process.kill()
    process.join()


def main():
    if sys.argv[1] == 'faults':
        print('\n'.join(FAULTS))
        return
    if sys.argv[1] == 'late':
        print(round(1000 * LATE_S))
        return
    m, fault = Matrix(sys.argv[2]), FAULTS[sys.argv[3]]
    try:
        m.prepare()
        m.orders(fault)
        m.ends(fault)
    except BaseException as e:
        print(f'{type(e).__name__}: {e}')
        if m.log:
            print('\n'.join(m.log.lines))
        raise
    finally:
        m.end()


if __name__ == '__main__':
    main()
