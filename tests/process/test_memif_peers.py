#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Puts two hostile neighbours on memif links of one switch.

They report false sizes, share sparse memory with holes, and close channels too early. The switch
survives, does not grow, and logs the link.

test_memif_peers.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import contextlib
import ctypes
import fcntl
import mmap
import os
import socket
import statistics
import struct
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from inject import call, filters, needs_x86, status  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import SWITCH, World, ask, stop  # noqa: E402

UPLINKS = '''fabric: {{layers: 2, arity: 2}}
switch: {{layer: 1, label: 0}}
link: {{driver: vdev, hello: off}}
process: {{memif_dir: {dir}}}
ports:
  - {{name: d0, device: net_null0}}
  - {{name: d1, device: net_null1}}
  - {{name: u0, driver: memif}}
  - {{name: u1, driver: memif}}
'''
DOWNLINK = '''fabric: {{layers: 2, arity: 1}}
switch: {{layer: 2, label: 0}}
link: {{driver: vdev, hello: off}}
ports:
  - {{name: d0, driver: memif, socket: {dir}/link}}
  - {{name: d1, device: net_null0}}
'''
MESSAGE, ACK, HELLO, INIT, REGION, RING, CONNECT, CONNECTED = 128, 1, 2, 3, 4, 5, 6, 7
LOG2, DESCRIPTORS = 10, 1024
COOKIE = struct.pack('<I', 0x3E31F20)
RING_OCTETS = 128 + 16 * DESCRIPTORS
PAGE = mmap.PAGESIZE
BUFFERS = -(-2 * RING_OCTETS // PAGE) * PAGE  # offset of buffers
# Memory that the rings of a link with one worker need, in whole pages. The switch accepts no more.
MOST = 2 * (-(-RING_OCTETS // PAGE) + -(-2048 * DESCRIPTORS // PAGE)) * PAGE
GROWTH = 16 << 20
F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2
PUNCH_HOLE_KEEP_SIZE = 3
UNLINK = 87
libc = ctypes.CDLL(None, use_errno=True)


class Peer:
    """A client of a memif link that has completed the greeting."""

    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.s.settimeout(WITHIN)
        # Repeat until the switch listens.
        until(lambda: self.s.connect_ex(path) == 0)
        self.bell = libc.eventfd(0, os.O_NONBLOCK)
        assert self.s.recv(MESSAGE)[0] == HELLO
        self.say(struct.pack('<HHIB', INIT, 2 << 8, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()
        os.close(self.bell)

    def say(self, text, *fds):
        """Sends a message; returns the type of the switch's reply, or None if it has hung up."""
        try:
            socket.send_fds(self.s, [text.ljust(MESSAGE, b'\0')], fds)
            said = self.s.recv(MESSAGE)
            return said[0] if said else None
        except (BrokenPipeError, ConnectionResetError):
            return None

    def region(self, fd, size, index=0):
        return self.say(struct.pack('<HHQ', REGION, index, size), fd)

    def ring(self, from_client, offset):
        return self.say(struct.pack('<HHHHIB', RING, from_client, 0, 0, offset, LOG2), self.bell)


def memory(size, flags=0):
    fd = os.memfd_create('region', os.MFD_ALLOW_SEALING | flags)
    os.ftruncate(fd, size)
    fcntl.fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)
    return fd


def memory_used(p, which):
    """Returns bytes: VmRSS is the memory in use now, VmHWM the maximum so far."""
    with open(f'/proc/{p.pid}/status', encoding='ascii') as f:
        return int(f.read().split(which + ':')[1].split()[0]) << 10


def descriptors(p):
    return len(os.listdir(f'/proc/{p.pid}/fd'))


def lies_about_sizes(path):
    """The file is long, but its rings lie outside the memory that the message reports."""
    for size, said, at in ((MOST, PAGE, MOST // 2), (1 << 30, PAGE, 1 << 29), (MOST - PAGE, MOST, 0),
                           (1 << 30, 1 << 30, 0), (PAGE, 1 << 63, 0), (MOST + PAGE, MOST + PAGE, 0)):
        fd = memory(size)
        for ring in (at, at + RING_OCTETS):
            if ring < size:
                os.pwrite(fd, COOKIE, ring)
        with Peer(path) as peer:
            if peer.region(fd, said) == ACK and peer.ring(1, at) == ACK and peer.ring(0, at + RING_OCTETS) == ACK:
                assert peer.say(struct.pack('<H', CONNECT)) != CONNECTED, f'{size} octets pass for {said}'
        os.close(fd)


@contextlib.contextmanager
def joined(path, full=False):
    """Connects a link with the maximum of memory, and lends buffers for all packets to come.

    full: its doorbell is full, and writes to it block."""
    fd = memory(MOST)
    with mmap.mmap(fd, MOST) as m, Peer(path) as peer:
        m[0:4] = m[RING_OCTETS:RING_OCTETS + 4] = COOKIE
        for i in range(DESCRIPTORS):
            struct.pack_into('<HHIII', m, 128 + 16 * i, 0, 0, PAGE, min(BUFFERS + i * PAGE, MOST - PAGE), 0)
            struct.pack_into('<HHIII', m, RING_OCTETS + 128 + 16 * i, 0, 0, 2048, BUFFERS, 0)
        struct.pack_into('<H', m, RING_OCTETS + 6, DESCRIPTORS - 1)
        assert peer.region(fd, MOST) == ACK
        assert peer.ring(1, 0) == ACK and peer.ring(0, RING_OCTETS) == ACK
        if full:
            fcntl.fcntl(peer.bell, fcntl.F_SETFL, 0)
            assert libc.eventfd_write(peer.bell, ctypes.c_uint64(2**64 - 2)) == 0
        assert peer.say(struct.pack('<H', CONNECT)) == CONNECTED
        yield m, peer, fd
    os.close(fd)


def takes(m, peer, head):
    """Sends descriptors up to this one; returns the seconds until the switch has taken them."""
    begun = time.monotonic()
    struct.pack_into('<H', m, 6, head)
    os.write(peer.bell, struct.pack('<Q', 1))
    until(lambda: struct.unpack_from('<H', m, 64)[0], good=lambda tail: tail == head)
    return time.monotonic() - begun


@contextlib.contextmanager
def takes_pages_out(path, rounds):
    """Removes the pages of all packets before each round of packets. The last ones stay."""
    with joined(path) as (m, peer, fd):
        for n in range(1, rounds + 1):
            assert libc.fallocate(fd, PUNCH_HOLE_KEEP_SIZE, ctypes.c_long(BUFFERS), ctypes.c_long(MOST - BUFFERS)) == 0
            takes(m, peer, n * DESCRIPTORS & 0xffff)
        yield


def ends_half_way(path):
    """Offers many regions on channels, and closes the channels before the link is connected."""
    fd = memory(PAGE)
    for _ in range(20):
        with Peer(path) as peer:
            for index in range(10):
                assert peer.region(fd, PAGE, index) == ACK
    os.close(fd)


def two_hostile_peers():
    with World() as w:
        p = w.start(UPLINKS.format(dir=w.dir))
        u0, u1 = (str(w.dir / f'drb-s1-0-{port}.memif') for port in ('u0', 'u1'))
        with takes_pages_out(u0, 0), takes_pages_out(u1, 0):
            w.notified('READY=1')
        before, fds = memory_used(p, 'VmRSS'), descriptors(p)
        for path in u0, u1:
            lies_about_sizes(path)
            ends_half_way(path)
        with takes_pages_out(u0, 50), takes_pages_out(u1, 50):
            pass
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['ready'] == 1
        grown = memory_used(p, 'VmHWM') - before
        print(f'# grown by {grown >> 10} KiB')
        assert grown < GROWTH, f'{grown >> 20} MiB'
        until(lambda: descriptors(p), good=lambda now: now <= fds)
        said = stop(p)
        for port in 'u0', 'u1':
            assert f'port {port}: the other end of the memif link is refused: ' in said, said


def a_bell_that_waits():
    """A peer fills its doorbell, makes writes to it block, hangs up and connects again.

    Packets of other peers must be taken at once: nothing would interrupt a worker that blocks."""
    with World() as w:
        p = w.start(UPLINKS.format(dir=w.dir).replace('off', '100ms'))
        u0, u1 = (str(w.dir / f'drb-s1-0-{port}.memif') for port in ('u0', 'u1'))
        waited = []
        with joined(u1) as (other, bystander, _):
            for n in range(1, 11):
                with joined(u0, full=True) as (m, _, _):
                    if n == 1:
                        w.notified('READY=1')
                    # A hello has come, so the switch rings the doorbell.
                    until(lambda at=m: struct.unpack_from('<H', at, RING_OCTETS + 64)[0])
                    waited.append(takes(other, bystander, n))
        print('# ms:', ' '.join(f'{1000 * s:.1f}' for s in waited))
        assert statistics.median(waited) < 0.05, waited
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['stuck'] == 0
        assert 'is stuck' not in stop(p)


def takes_no_socket_of_others():
    """Injected code in a confined switch cannot remove sockets of other switches.

    The sockets of all switches are in one folder and belong to one user. A switch's own sockets
    disappear when it has ended, even if it is killed."""
    needs_x86()
    with World() as w, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as another:
        folder = w.dir / 'memif'
        p = w.start(UPLINKS.format(dir=folder))
        with joined(str(folder / 'drb-s1-0-u0.memif')), joined(str(folder / 'drb-s1-0-u1.memif')):
            w.notified('READY=1')
        if filters(p.pid) == {'0'}:
            raise tap.Skip('this kernel has no seccomp filters, or this build a sanitizer')
        path, own = folder / 'drb-s1-3-u0.memif', w.dir / 'run/dpdk/drb-s1-0/mine'
        another.bind(str(path))
        own.touch()
        os.chown(folder, int(status(p.pid, 'Uid').pop()), -1)
        for file in path, folder / 'drb-s1-0-u0.memif', own:
            call(p.pid, UNLINK, bytes(file) + b'\0')
        until(lambda: not own.exists())
        assert path.exists() and len(list(folder.iterdir())) == 3
        p.kill()
        until(lambda: list(folder.iterdir()), good=lambda left: left == [path])
        if 'no Landlock' in p.stderr.read().decode():
            raise tap.Skip('this kernel has no Landlock')


def needs_asynchronous_io():
    """Without asynchronous I/O, as in some containers, a switch reports what to change."""
    needs_x86()
    # Load the number of the system call; io_setup() fails with ENOSYS, all others are allowed.
    code = b''.join(struct.pack('<HBBI', *i) for i in (
        (0x20, 0, 0, 0), (0x15, 0, 1, 206), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7fff0000)))
    rules = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack('@HP', len(code) // 8, ctypes.addressof(rules)))

    def confine():
        assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program) == 0
    with World() as w:
        done = subprocess.run([SWITCH, '-c', w.config(UPLINKS.format(dir=w.dir))], env=w.environment(),
                              preexec_fn=confine, capture_output=True, text=True, timeout=WITHIN, check=False)
        assert done.returncode == 1 and done.stderr.count('\n') == 1, done
        assert 'port u0: memif needs asynchronous I/O to wake its peer: Function not implemented: ' in done.stderr, done
        assert w.left() == [], w.left()


def a_server_that_hangs_up():
    """A server hangs up after each greeting without a message: the switch reports it only once."""
    with World() as w, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door:
        door.bind(str(w.dir / 'link'))
        door.listen()
        p = w.start(DOWNLINK.format(dir=w.dir))
        for _ in range(5):
            with door.accept()[0] as s:
                s.settimeout(WITHIN)
                s.send(struct.pack('<H32xHHHHHB', HELLO, 2 << 8, 2 << 8, 255, 255, 255, LOG2).ljust(MESSAGE, b'\0'))
                assert s.recv(MESSAGE)[0] == INIT
        said = stop(p)
        assert said.count('port d0: the other end of the memif link hangs up: does it take 1 rings') == 1, said


tap.run((two_hostile_peers, a_bell_that_waits, takes_no_socket_of_others, needs_asynchronous_io,
         a_server_that_hangs_up))
