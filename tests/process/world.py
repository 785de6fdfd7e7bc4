# SPDX-License-Identifier: BSD-3-Clause
"""Gives each test of drbswitch as a process a folder of its own.

Functions start a switch, send it requests, stop it, and replay captures. Programs that use this
module are called with DRBSWITCH CONFIG_DIR. Tests need no root, hugepages or network interfaces:
ports are DPDK's null and capture devices, and memif."""
import json
import os
import pathlib
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

import tap
from until import WITHIN, until

SWITCH, CONFIGS = sys.argv[1], pathlib.Path(sys.argv[2])
TIME = re.compile(r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ', re.MULTILINE)
CAPTURE_VERSION = 3  # DRB_CAPTURE_VERSION of capture_ring.h
HEAD = 'fabric: {layers: 2, arity: 1}\nswitch: {layer: 1, label: 0}\n'
NULLS = HEAD + '''link: {driver: vdev}
ports:
  - {name: d0, device: net_null0}
  - {name: u0, device: net_null1}
'''


class World:
    """The folder of one test: configurations, DPDK's sockets, and a notification socket."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix='drb-test-'))
        self.dir.chmod(0o711)  # a switch started by root becomes another user
        (self.dir / 'run').mkdir()
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(self.dir / 'notify'))
        (self.dir / 'notify').chmod(0o666)
        self.processes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for p in self.processes:
            if p.poll() is None:
                p.kill()
                p.wait(WITHIN)
            if p.stderr:
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

    def start(self, text, *args, name='c.yaml', limit=None, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
              env=None):
        """limit: number of descriptors that the switch may have"""
        limits = ['prlimit', f'--nofile={limit}:{limit}'] if limit else []
        p = subprocess.Popen([*limits, SWITCH, '-c', self.config(text, name), *args],
                             env={**self.environment(), **(env or {})},
                             stdin=stdin, stderr=stderr)
        self.processes.append(p)
        return p

    def notified(self, want):
        """Receives the next notification, which must begin with "want"."""
        assert select.select([self.notify], [], [], WITHIN)[0], f'no {want} in time'
        got = self.notify.recv(4096).decode()
        assert got.startswith(want), got

    def ready(self, text, *args, name='c.yaml'):
        p = self.start(text, *args, name=name)
        self.notified('READY=1\nSTATUS=layer ')
        return p

    def drain(self):
        """Discards notifications: a sender blocks if too many are unread."""
        while select.select([self.notify], [], [], 0)[0]:
            self.notify.recv(4096)

    def socket_of(self, instance):
        return self.dir / 'run/dpdk' / instance / 'dpdk_telemetry.v2'

    def listens(self, instance):
        """Tells whether the stats socket takes clients, which it does soon after it is there."""
        try:
            connect(self.socket_of(instance)).close()
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        return True

    def left(self):
        return sorted(str(p.relative_to(self.dir / 'run')) for p in self.dir.glob('run/dpdk/*'))


def waited_for_cpus():
    """Returns the seconds for which some process of this machine has waited for a CPU so far."""
    with open('/proc/pressure/cpu', encoding='ascii') as f:
        return int(f.readline().split('total=')[1]) / 1e6


def timely(limit, work):
    """Returns work()'s result; fails if it takes longer than limit seconds.

    Skips instead if it would have been in time without the time for which some process waited for a
    CPU: then the cause is unknown."""
    waited, begun = waited_for_cpus(), time.monotonic()
    result = work()
    took = time.monotonic() - begun
    if limit < took <= limit + waited_for_cpus() - waited:
        raise tap.Skip(f'it took {took:.2f} s on a busy machine')
    assert took <= limit, f'{took:.2f} s'
    return result


def connect(path):
    """Returns a client of a stats socket that has received the greeting."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(WITHIN)
    s.connect(str(path))
    assert 'version' in json.loads(s.recv(1 << 16))
    return s


def ask(path, *commands):
    """Returns the replies of a stats socket to these commands."""
    with connect(path) as s:
        replies = []
        for command in commands:
            s.send(command.encode(errors='surrogateescape'))
            replies.append(json.loads(s.recv(1 << 20))[command.split(',')[0]])
        return replies


def take_memory(connection, at):
    """Connects as the reader of a capture; returns the memory that the switch shares."""
    assert ask(at, '/drb/capture')[0] == 'ok: waits'
    connection.settimeout(WITHIN)
    connection.connect(str(at.parent / 'capture'))
    connection.send(struct.pack('<IIQII', CAPTURE_VERSION, 64, 3, 0, 0))
    _, descriptors, _, _ = socket.recv_fds(connection, 64, 1)
    return descriptors[0]


def stop(p, how=signal.SIGTERM):
    p.send_signal(how)
    code = p.wait(WITHIN)
    err = p.stderr.read().decode(errors='replace')
    assert code == 0, f'exit {code}: {err}'
    return TIME.sub('', err)


def refuses(world, text, want, *args):
    """The configuration is refused: status 2, one line that has "want" in it, nothing started."""
    r = subprocess.run([SWITCH, '-c', world.config(text), *args], env=world.environment(),
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=WITHIN)
    assert r.returncode == 2, f'exit {r.returncode}: {r.stderr}'
    assert r.stdout == '', r.stdout
    assert r.stderr.count('\n') == 1 and r.stderr.startswith('drbswitch: '), r.stderr
    assert want in r.stderr, f'{want!r} is not in {r.stderr!r}'


def run(*args):
    return subprocess.run([SWITCH, *map(str, args)], capture_output=True, text=True,
                          timeout=WITHIN)


def capture(path, frames):
    with open(path, 'wb') as f:
        f.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            f.write(struct.pack('<IIII', 0, i, len(frame), len(frame)) + frame)


def conserved(t, made=0):
    """Checks that no packet is missing.

    Packets come from ports, or the switch made them to report to hosts that packets are too big."""
    total = {k: sum(v) for k, v in t.items() if isinstance(v, list) and k != 'name'}
    assert total['in_packets'] + made == total['out_packets'] + total['in_discards'] \
        + total['out_discards'] + total['queue_packets'], t
    return total


def until_port(path, port, state):
    """Waits until a port has this state."""
    until(lambda: ask(path, f'/drb/port,{port}')[0]['state'], good=lambda says: says == state)


def open_files(pid):
    """Returns the number of descriptors of a process."""
    return len(os.listdir(f'/proc/{pid}/fd'))


def broker_of(p):
    """Returns the process that opens files for a switch."""
    broker, = map(int, pathlib.Path(f'/proc/{p.pid}/task/{p.pid}/children').read_text(encoding='ascii').split())
    return broker


def forwards(path, count=1):
    """Waits until this many more packets have arrived at the first port."""
    def come():
        return ask(path, '/drb/ports')[0]['in_packets'][0]
    before = come()
    until(come, good=lambda now: now >= before + count)
