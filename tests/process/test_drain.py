#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbswitch as a process: ports are drained and undrained, taken down and up.

test_drain.py DRBSWITCH CONFIG_DIR    TAP on standard output. See world.py."""
import sys
import time

sys.dont_write_bytecode = True

import tap  # noqa: E402
from world import WITHIN, World, ask, stop, until_port  # noqa: E402


def drains():
    """A core is drained: the switch below knows, and does not give its other uplink. It stays so over
    a reload until it is undrained."""
    with World() as w:
        text = (f'fabric: {{layers: 2, arity: 2}}\nlink: {{driver: none, hello: 100ms}}\n'
                f'process: {{memif_dir: {w.dir}/memif}}\nswitch: {{layer: M, label: N}}\nports:\n')
        low, core, other = (w.start(text.replace('M', m).replace('N', n) + ''.join(
            f'  - {{name: {port}, driver: memif}}\n' for port in ports), name=f's{m}-{n}')
            for m, n, ports in (('1', '0', ('u0', 'u1')), ('2', '0', ('d0',)), ('2', '1', ('d0',))))
        for _ in range(3):
            w.notified('READY=1')
        below, above, beside = (w.socket_of(f'drb-s{name}') for name in ('1-0', '2-0', '2-1'))
        for path, port in ((below, 'u0'), (below, 'u1'), (above, 'd0'), (beside, 'd0')):
            until_port(path, port, 'up')
        assert ask(above, '/drb/drain')[0] == 'ok: drb-s2-0: drained now: d0'
        until_port(above, 'd0', 'drained')
        until_port(below, 'u0', 'drained by neighbour')
        assert ask(below, '/drb/info')[0]['trouble'] == 'd0 none; d1 none; u0 drained by neighbour'
        for path, order, why in (
                (below, '/drb/drain', 'not drained: its hosts have no other path'),
                (below, '/drb/drain,d0', 'd0 not drained: h0 has no other path'),
                (below, '/drb/drain,u1', 'u1 not drained: no other uplink is in use'),
                (below, '/drb/undrain,u9', "no port 'u9'"),
                (below, '/drb/undrain,\udc80', 'no such port: they are d0, u0 and so on')):
            assert ask(path, order)[0] == f'error: {why}', order
        end = time.monotonic() + WITHIN  # until s2-1 has heard of it
        while (said := ask(beside, '/drb/drain')[0]).startswith('ok: ') and time.monotonic() < end:
            ask(beside, '/drb/undrain')
        assert said == 'error: d0 not drained: s1-0 has no other uplink in use', said
        until_port(below, 'u1', 'up')
        assert ask(above, '/drb/reload')[0].startswith('ok: ')
        until_port(above, 'd0', 'drained')
        assert ask(above, '/drb/undrain')[0] == 'ok: drb-s2-0: nothing is drained now'
        until_port(above, 'd0', 'up')
        until_port(below, 'u0', 'up')
        goes_down(above, below)
        err = stop(low)
        assert 'port u0: drained by s2-0.d0, no new traffic to it\n' in err, err
        assert 'port u0: down, no hello from s2-0.d0\n' in err, err
        for p in (core, other):
            stop(p)


def goes_down(above, below):
    """One end of a link is taken down: the other finds out by silence, and what it sends is dropped by name."""
    assert ask(above, '/drb/down,u9')[0] == "error: no port 'u9'"
    began = time.monotonic_ns()
    assert ask(above, '/drb/down,d0')[0] == 'ok: drb-s2-0: down by order now: d0'
    until_port(below, 'u0', 'down')
    assert 200e6 < ask(below, '/drb/port,u0')[0]['since_ns'] - began < WITHIN * 1e9
    until_port(above, 'd0', 'down')
    assert ask(above, '/drb/reload')[0].startswith('ok: ')
    end = time.monotonic() + WITHIN
    while ask(above, '/drb/drops')[0]['port_down'] < 3 and time.monotonic() < end:
        time.sleep(0.05)
    port, info = ask(above, '/drb/port,d0', '/drb/info')
    assert ask(above, '/drb/drops')[0]['port_down'] >= 3 and port['in_discards'] >= 3, port
    assert not port['usable'] and 'd0 down by order' in info['trouble'], info
    assert ask(above, '/drb/up')[0] == 'ok: drb-s2-0: nothing is down by order now'
    until_port(above, 'd0', 'up')
    until_port(below, 'u0', 'up')


tap.run((drains,))
