#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbctl gives orders to switches as processes, and follows a flow through them.

test_orders.py DRBSWITCH CONFIG_DIR DRBCTL    TAP on standard output. See world.py."""
import json
import re
import subprocess
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402
from until import WITHIN  # noqa: E402
from world import World, ask  # noqa: E402

DRBCTL = sys.argv[3]
CONFIG = 'fabric: {{layers: 2, arity: 2}}\nswitch: {{layer: 1, label: {}}}\nlink: {{driver: vdev}}\nports:\n' + ''.join(
    f'  - {{{{name: {name}, device: net_null{i}}}}}\n' for i, name in enumerate(('d0', 'd1', 'u0', 'u1')))
NO_FLOW = 'is not a flow: want PROTOCOL:FROM-PORT:TO-PORT'
NONE = ': nothing is down by order now'


class Racks(World):
    """The two edge switches of F(2,2), without links."""

    def __enter__(self):
        super().__enter__()
        for label in 0, 1:
            self.ready(CONFIG.format(label), name=f's1-{label}.yaml')
        return self

    def run(self, line):
        """Returns exit status, standard output, and standard error of drbctl without its name."""
        p = subprocess.run([DRBCTL, *line.split(), '--runtime', self.dir / 'run'], capture_output=True, text=True,
                           timeout=WITHIN, check=False)
        return p.returncode, p.stdout, re.sub('^drbctl: ', '', p.stderr, flags=re.M)

    def says(self, line, status, *said):
        assert self.run(line) == (status, '', ''.join(f'{text}\n' for text in said)), (line, self.run(line))

    def path(self, line):
        """Returns the rows of drbctl path, and what it says besides."""
        _, out, err = self.run(f'path --json {line}')
        return [json.loads(row) for row in out.splitlines()], err


def orders_reach_the_named_switches():
    with Racks() as w:
        changed = ': scheme drb -> ecmp, threshold 2 -> 3'
        w.says('set s1-0 s1-1 threshold=3 scheme=ecmp', 0, f'drb-s1-0{changed}', f'drb-s1-1{changed}')
        w.says('down s1-1.u0 s1-0.d1', 0, 'drb-s1-1: down by order now: u0', 'drb-s1-0: down by order now: d1')
        w.says('down s1-0', 0, 'drb-s1-0: down by order now: d0 d1 u0 u1')
        w.says('up s1-1.u0', 0, f'drb-s1-1{NONE}')
        w.says('up --all', 0, f'drb-s1-0{NONE}', f'drb-s1-1{NONE}')
        w.says('reload s1-1', 0, 'drb-s1-1 reloaded: scheme drb, unit packet, T 2')
        # A reload forgets what was set before; without one, settings add up.
        w.says('set s1-0 s1-1 threshold=5', 0, 'drb-s1-0: threshold 3 -> 5', 'drb-s1-1: threshold 2 -> 5')
        for name, scheme in ('s1-0', 'ecmp'), ('s1-1', 'drb'):
            routing, = ask(w.socket_of(f'drb-{name}'), '/drb/routing')
            assert (routing['scheme'], routing['threshold']) == (scheme, '5'), (name, routing)


def refusals_for_one_reason_are_one_line():
    with Racks() as w:
        no_key = 'set: walk is no key of routing, such as scheme or threshold'
        w.says('set --all walk=1', 1, f's1-0 and 1 more switch: {no_key}')
        w.says('set s1-1 walk=1', 1, f's1-1: {no_key}')
        w.says('drain s1-0.d0 s1-1.u0', 1, 's1-0: d0 not drained: h0 has no other path',
               's1-1: u0 not drained: hello is off, s2-0 would not know')
        w.says('down s1-0.u0 s1-1.u7', 1, 'drb-s1-0: down by order now: u0', "s1-1: no port 'u7'")
        w.says('set s1-0', 2, 'nothing to set: want KEY=VALUE, such as threshold=3')
        # Nothing is sent if a name is wrong.
        w.says('up s1-0.u0 s1-1.x0', 2, "'s1-1.x0' is not a switch: must be s<layer>-<label>, like s2-5")
        w.says('down s1-0.u1', 0, 'drb-s1-0: down by order now: u0 u1')


def a_path_is_certain_if_the_flow_decides():
    with Racks() as w:
        (row,), said = w.path('h0 h1 udp:1:2')
        assert (row['port'], row['to'], row['certain']) == ('d1', 'h1.eth0', True), (row, said)
        (row,), said = w.path('h0 h3 tcp:1:2')
        assert not row['certain'] and 'not certain from s1-0: ' in said, (row, said)
        w.run('set s1-0 scheme=ecmp')
        (row,), said = w.path('h0 h3')
        assert not row['certain'] and 'it depends on the flow: name one' in said, (row, said)
        taken = [w.path(f'h0 h3 {flow}')[0][0] for flow in ['icmp', '132:7:7', *(f'tcp:{i}:5201' for i in range(16))]]
        assert all(row['certain'] for row in taken) and {row['port'] for row in taken} == {'u0', 'u1'}, taken
        for flow in 'tcp', 'icmp:1:2', '300', 'tcp:1:70000', 'tcp:1', 'tcp:1:2:3':
            status, _, said = w.run(f'path h0 h3 {flow}')
            assert status == 2 and said.startswith(f"'{flow}' {NO_FLOW}"), (flow, said)


def as_many_events_as_wanted():
    """One poll may find more events than are left to print."""
    with Racks() as w:
        words = 'events', '--json', '--count', '2', '--interval', '1s', '--runtime', w.dir / 'run'
        p = subprocess.Popen([DRBCTL, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        w.processes.append(p)
        assert p.stderr and 'waiting for events of ' in p.stderr.readline()
        w.run('set --all scheme=ecmp threshold=7')
        rows = p.communicate(timeout=WITHIN)[0].splitlines()
        assert p.returncode == 0 and len(rows) == 2 and all(json.loads(row)['fabric'] == 'drb' for row in rows), rows


def a_time_limit_is_checked():
    with Racks() as w:
        for time in '0s', '2h', '5000s':
            w.says(f'list --timeout {time}', 2, f"--timeout '{time}': must be a time from 1ms to 3600s")
        assert len(w.run('list --json --timeout 10s')[1].splitlines()) == 2


tap.run((orders_reach_the_named_switches, refusals_for_one_reason_are_one_line, a_path_is_certain_if_the_flow_decides,
         as_many_events_as_wanted, a_time_limit_is_checked))
