#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The control thread of a switch waits for nobody: not for workers, the broker, clients or peers.

test_loop.py DRBSWITCH CONFIG_DIR DRBCTL DRB_LUA LOOP_WATCH

TAP on standard output. See world.py."""
import os
import pathlib
import signal
import socket
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from stopped import Stopped, worker  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import NULLS, World, ask, connect, stop, take_memory  # noqa: E402

MOST_US = 1000


class Watched:
    """A switch whose event loop is measured (tests/fixtures/loop_watch.c)."""

    def __init__(self, w, text):
        self.report = w.dir / 'waits'
        self.report.touch(mode=0o666)
        self.report.chmod(0o666)
        self.p = w.start(text, env={'LD_PRELOAD': sys.argv[5], 'DRB_LOOP_WATCH': str(self.report)})
        w.notified('READY=1')
        self.report.write_text('0\n', encoding='ascii')

    def worst_us(self):
        return max(map(int, self.report.read_text(encoding='ascii').split()), default=0)

    def waited_for_nobody(self):
        worst = self.worst_us()
        print(f'# longest wait of the loop: {worst} us')
        assert worst < MOST_US, f'{worst} us'


def orders_and_readers():
    """The loop serves 60 clients with requests and orders, captures, and a worker that stops."""
    with World() as w:
        s = Watched(w, NULLS + 'process: {workers: 2}\n')
        path = w.socket_of('drb-s1-0')
        clients = [connect(path) for _ in range(60)]
        asks = ('/drb/all', '/drb/set,threshold=3', '/drb/down,u0', '/drb/info', '/drb/reload', '/drb/up,u0')
        for round_ in range(6):
            for i, c in enumerate(clients):
                c.send(asks[(i + round_) % len(asks)].encode())
            for c in clients:
                w.drain()
                c.recv(1 << 20)
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
            os.close(take_memory(connection, path))
        with Stopped(worker(s.p.pid, 1)):
            for c in clients[:6]:
                c.send(b'/drb/set,threshold=4')
            for c in clients[:6]:
                assert c.recv(1 << 16).startswith(b'{"/drb/set":"error: ')
        until(lambda: w.drain() or ask(path, '/drb/set,threshold=5')[0], good=lambda said: said.startswith('ok: '))
        for c in clients:
            c.close()
        s.waited_for_nobody()
        stop(s.p)


def a_stopped_broker():
    with World() as w:
        s = Watched(w, NULLS)
        path = w.socket_of('drb-s1-0')
        broker, = pathlib.Path(f'/proc/{s.p.pid}/task/{s.p.pid}/children').read_text(encoding='ascii').split()
        for _ in range(5):
            os.kill(int(broker), signal.SIGSTOP)
            for _ in range(3):
                s.p.send_signal(signal.SIGHUP)
                ask(path, '/drb/reload')
            os.kill(int(broker), signal.SIGCONT)
            w.drain()
            time.sleep(0.05)
        until(lambda: w.drain() or ask(path, '/drb/reload')[0], good=lambda said: said.startswith('ok: '))
        s.waited_for_nobody()
        stop(s.p)


def a_memif_peer_that_comes_and_goes():
    with World() as w:
        tail = f'link: {{driver: memif}}\nprocess: {{memif_dir: {w.dir}/memif, workers: 2}}\n'
        head = 'fabric: {layers: 2, arity: 1}\nswitch: {layer: %d, label: 0}\n'
        text = head % 1 + 'ports: [{name: d0, driver: none}]\n' + tail
        s = Watched(w, text)
        for _ in range(5):
            other = w.start(head % 2 + tail, name='core.yaml')
            w.notified('READY=1')
            until(lambda: ask(w.socket_of('drb-s1-0'), '/drb/port,u0')[0]['state'] == 'up')
            other.kill()
            other.wait(WITHIN)
            until(lambda: ask(w.socket_of('drb-s1-0'), '/drb/port,u0')[0]['state'] != 'up')
        s.waited_for_nobody()
        stop(s.p)


tap.run((orders_and_readers, a_stopped_broker, a_memif_peer_that_comes_and_goes))
