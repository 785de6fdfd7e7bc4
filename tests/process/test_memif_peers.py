#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two hostile neighbours on memif links of one switch: sizes that are lies, memory that is sparse and full of holes,
links that end half-way. The switch lives, does not grow, and names the link.

test_memif_peers.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import contextlib
import ctypes
import fcntl
import mmap
import os
import socket
import struct
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import WITHIN, until  # noqa: E402
from world import World, ask, stop  # noqa: E402

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
BUFFERS = -(-2 * RING_OCTETS // PAGE) * PAGE  # where they may be
# What the rings of a link with one worker need, and the switch takes: in whole pages.
MOST = 2 * (-(-RING_OCTETS // PAGE) + -(-2048 * DESCRIPTORS // PAGE)) * PAGE
GROWTH = 16 << 20
F_ADD_SEALS, F_SEAL_SHRINK = 1033, 2
PUNCH_HOLE_KEEP_SIZE = 3
libc = ctypes.CDLL(None, use_errno=True)


class Peer:
    """A client of a memif link, up to its greeting."""

    def __init__(self, path):
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.s.settimeout(WITHIN)
        until(lambda: self.s.connect_ex(path) == 0)  # once the switch listens
        self.bell = libc.eventfd(0, os.O_NONBLOCK)
        assert self.s.recv(MESSAGE)[0] == HELLO
        self.say(struct.pack('<HHIB', INIT, 2 << 8, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()
        os.close(self.bell)

    def say(self, text, *fds):
        """What the switch says then: a type, or None if it has hung up."""
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
    """VmRSS: now; VmHWM: the most so far."""
    with open(f'/proc/{p.pid}/status', encoding='ascii') as f:
        return int(f.read().split(which + ':')[1].split()[0]) << 10


def descriptors(p):
    return len(os.listdir(f'/proc/{p.pid}/fd'))


def lies_about_sizes(path):
    """The file is long, and its rings are where the message says that there is no memory."""
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
def takes_pages_out(path, rounds):
    """All that a link may have, sparse: each packet is at a page of its own, which is taken out before the next round.
    The last ones stay."""
    fd = memory(MOST)
    with mmap.mmap(fd, MOST) as m, Peer(path) as peer:
        m[0:4] = m[RING_OCTETS:RING_OCTETS + 4] = COOKIE
        for i in range(DESCRIPTORS):
            struct.pack_into('<HHIII', m, 128 + 16 * i, 0, 0, PAGE, min(BUFFERS + i * PAGE, MOST - PAGE), 0)
        assert peer.region(fd, MOST) == ACK
        assert peer.ring(1, 0) == ACK and peer.ring(0, RING_OCTETS) == ACK
        assert peer.say(struct.pack('<H', CONNECT)) == CONNECTED
        for n in range(1, rounds + 1):
            assert libc.fallocate(fd, PUNCH_HOLE_KEEP_SIZE, ctypes.c_long(BUFFERS), ctypes.c_long(MOST - BUFFERS)) == 0
            head = n * DESCRIPTORS & 0xffff
            struct.pack_into('<H', m, 6, head)
            os.write(peer.bell, struct.pack('<Q', 1))
            until(lambda: struct.unpack_from('<H', m, 64)[0], good=lambda tail, taken=head: tail == taken)
        yield
    os.close(fd)


def ends_half_way(path):
    """Many regions on channels that end before there is a link."""
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
    """A peer makes its doorbell one whose writers wait, once the switch has it, and fills it: no worker is kept."""
    with World() as w:
        p = w.start(UPLINKS.format(dir=w.dir).replace('off', '100ms'))
        u0, u1 = (str(w.dir / f'drb-s1-0-{port}.memif') for port in ('u0', 'u1'))
        fd = memory(MOST)
        with mmap.mmap(fd, MOST) as m, Peer(u0) as peer, takes_pages_out(u1, 0):
            m[0:4] = m[RING_OCTETS:RING_OCTETS + 4] = COOKIE
            for i in range(DESCRIPTORS):
                struct.pack_into('<HHIII', m, RING_OCTETS + 128 + 16 * i, 0, 0, 2048, BUFFERS, 0)
            struct.pack_into('<H', m, RING_OCTETS + 6, DESCRIPTORS - 1)
            assert peer.region(fd, MOST) == ACK
            assert peer.ring(1, 0) == ACK and peer.ring(0, RING_OCTETS) == ACK
            assert libc.eventfd_write(peer.bell, ctypes.c_uint64(2**64 - 2)) == 0
            fcntl.fcntl(peer.bell, fcntl.F_SETFL, 0)
            assert peer.say(struct.pack('<H', CONNECT)) == CONNECTED
            w.notified('READY=1')

            def hellos():
                struct.pack_into('<H', m, RING_OCTETS + 4, 0)  # so that the next one rings
                return struct.unpack_from('<H', m, RING_OCTETS + 64)[0]
            until(hellos, good=lambda count: count > 5)
        assert ask(w.socket_of('drb-s1-0'), '/drb/info')[0]['stuck'] == 0
        os.close(fd)
        assert 'is stuck' not in stop(p)


def a_server_that_hangs_up():
    """Each time that it is found, after the greeting, without a word: the switch says so once."""
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


tap.run((two_hostile_peers, a_bell_that_waits, a_server_that_hangs_up))
