#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A memif link between two switches is restored after its server failed.

The server is stopped, killed, or starts during reloads. Its client goes on meanwhile.

test_memif_links.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import re
import signal
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import HEAD, WITHIN, World, ask, broker_of, open_files, stop, until_port  # noqa: E402

ANSWERS_S = 2  # a switch that waited for its peer would not answer at all
COMES_AGAIN = 8


class Link:
    """The two switches of F(2,1) and their link: the leaf is its server, the core its client."""

    def __init__(self, w, hello='100ms'):
        self.w = w
        tail = f'link: {{driver: memif, hello: {hello}}}\nprocess: {{memif_dir: {w.dir}/memif}}\n'
        self.low = HEAD + 'ports: [{name: d0, driver: none}]\n' + tail
        self.top = HEAD.replace('layer: 1', 'layer: 2') + 'ports: [{name: d1, driver: none}]\n' + tail
        self.leaf, self.core = self.start_leaf(), self.start_core()
        for _ in range(2):
            w.notified('READY=1')
        self.is_up()

    def start_leaf(self):
        return self.w.start(self.low, name='low')

    def start_core(self):
        return self.w.start(self.top, name='top')

    def is_up(self):
        until_port(self.w.socket_of('drb-s1-0'), 'u0', 'up')
        until_port(self.w.socket_of('drb-s2-0'), 'd0', 'up')

    def core_answers(self):
        begun = time.monotonic()
        assert ask(self.w.socket_of('drb-s2-0'), '/drb/info')[0]['ports'] == 2
        took = time.monotonic() - begun
        assert took < ANSWERS_S, f'{took:.1f} s'

    def end(self):
        for p in self.leaf, self.core:
            stop(p)
        assert self.w.left() == [] and not list((self.w.dir / 'memif').iterdir())


def stopped_servers_keep_nobody():
    """While its server is stopped, a client goes on, and a client that starts becomes ready."""
    with World() as w:
        link = Link(w)
        link.leaf.send_signal(signal.SIGSTOP)
        until_port(w.socket_of('drb-s2-0'), 'd0', 'down')
        link.core_answers()
        link.core.kill()
        link.core.wait(WITHIN)
        link.core = link.start_core()
        w.notified('READY=1')  # its wait for the link has ended
        link.core_answers()
        link.leaf.send_signal(signal.SIGCONT)
        link.is_up()
        link.end()


def descriptors(p):
    """Returns the numbers of descriptors of a switch and its broker, once they are constant.

    The last connection with a request is closed a moment after the link is up."""
    before = None
    while before != (before := (open_files(p.pid), open_files(broker_of(p)))):
        time.sleep(0.5)
    return before


def servers_come_again():
    """A link is up again soon after each start of its server, and no descriptor leaks."""
    with World() as w:
        link, healed = Link(w, 'off'), []  # a port that goes this often would be flapping
        files = descriptors(link.core)
        for _ in range(COMES_AGAIN):
            link.leaf.kill()
            link.leaf.wait(WITHIN)
            link.leaf = link.start_leaf()
            w.notified('READY=1')
            begun = time.monotonic()
            link.is_up()
            healed.append(time.monotonic() - begun)
        print(f'# up {max(healed) * 1000:.0f} ms after the server is ready, at the longest')
        assert descriptors(link.core) == files
        link.end()


def reloads_go_on():
    """Every reload of the client's config succeeds while its server is killed and started again."""
    with World() as w:
        link, reloads = Link(w, 'off'), 0
        for _ in range(COMES_AGAIN):
            link.leaf.kill()
            link.leaf.wait(WITHIN)
            link.leaf = link.start_leaf()
            end = time.monotonic() + 1
            while time.monotonic() < end:
                w.config(link.top + f'routing: {{threshold: {reloads % 7}}}\n', 'top')
                said = ask(w.socket_of('drb-s2-0'), '/drb/reload')[0]
                assert re.match('ok: ', said), said
                reloads += 1
                w.drain()
        print(f'# {reloads} reloads')
        until_port(w.socket_of('drb-s2-0'), 'd0', 'up')  # the server may still be starting
        link.end()


tap.run((stopped_servers_keep_nobody, servers_come_again, reloads_go_on))
