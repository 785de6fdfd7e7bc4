# SPDX-License-Identifier: BSD-3-Clause
"""The fabric that chaos.py breaks: dead parts, parts touched in this round, connected hosts."""

import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
sys.path[:0] = [f'{ROOT}/topo', f'{ROOT}/tests/live']

import chaos_checks as checks  # noqa: E402
from drbfabric.common import schemes  # noqa: E402
from drbfabric.fabric import check, fabrics, processes  # noqa: E402
from drbfabric.fabric.telemetry import Telemetry  # noqa: E402

BUILD = os.environ.get('DRB_BUILD', f'{ROOT}/build')
UNITS = 'packet', 'flow', 'flowlet'
# (kind of links between switches, workers of a switch); successive seeds use successive rows. A
# veth has one channel, so af_xdp has one worker.
KINDS = ('af_packet', 1), ('memif', 2), ('af_xdp', 1), ('af_packet', 2), ('memif', 1)
RATES = 'none', '2000pps'


def routing(rng):
    """Draws a scheme and a unit."""
    scheme = rng.choice(list(schemes.table()))
    return scheme, rng.choice(UNITS) if schemes.row(scheme)['flows'] else 'packet'


def settings(seed):
    """Returns the settings of the fabric for this seed."""
    rng = random.Random(seed)
    kind, workers = KINDS[(seed - 1) % len(KINDS)]
    scheme, unit = routing(rng)
    return {'links' if kind == 'memif' else 'driver': kind, 'workers': workers, 'scheme': scheme, 'unit': unit,
            'rate': rng.choice(RATES)}


def with_routing(config, scheme, unit):
    """Returns a config's text with another scheme and unit, and a small flow table, made fast."""
    new = f'routing: {{scheme: {scheme}, unit: {unit}, flow_max: 1000}}\n'
    return re.sub(r'^routing:.*\n(?:[ \t].*\n)*', new, config, count=1, flags=re.M)


def ends(link):
    return (link['lower'], link['lower_port']), (link['upper'], link['upper_port'])


def name_of(link):
    return ' - '.join('.'.join(end) for end in ends(link))


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class World:
    def __init__(self, name, settings, programs):
        self.fabric = fabrics.Fabric(name)
        self.plan = self.fabric.need_plan()
        self.settings, self.programs = settings, programs
        self.loads_programs = os.path.exists(f'{programs}/one-way.o')
        self.switches = {s['name']: s for s in self.plan['switches']}
        self.hosts = self.plan['hosts']
        self.namespaces = {n['name']: n['namespace'] for n in [*self.plan['switches'], *self.hosts]}
        self.links = self.plan['links']
        self.between = [k for k in self.links if k['lower'] in self.switches]
        # {switch: process ID}, or None if chaos.py ended it
        self.expected = {name: self.pid(name) for name in self.switches}
        self.log_at = {}         # bytes of each log that were read so far
        self.said = {}           # {switch: [line]} of this round
        self.new_round()

    def new_round(self):
        self.dead_links, self.dead_switches = set(), set()  # names
        self.touched_links, self.touched_switches = set(), set()
        self.mends = []        # functions that undo the faults
        self.settled = 2.0     # s after the last fault until connected pairs lose nothing
        self.lossy = False     # whether a link loses a share of its frames
        self.read_logs()
        self.said = {}

    # Connected hosts

    def free_links(self, links):
        """Returns the links that no fault has touched in this round, nor their switches."""
        return [k for k in links if self.is_untouched(k)]

    def is_untouched(self, link):
        return name_of(link) not in self.touched_links and not {link['lower'], link['upper']} & self.touched_switches

    def touch(self, link, dead):
        self.touched_links.add(name_of(link))
        if dead:
            self.dead_links.add(name_of(link))

    def touch_switch(self, name, dead):
        self.touched_switches.add(name)
        if dead:
            self.dead_switches.add(name)

    def connected(self, without=()):
        """Returns the pairs of hosts with a path over parts neither dead nor in "without"."""
        joined, dead = {}, self.dead_links | set(without)
        for link in self.links:
            if name_of(link) in dead or {link['lower'], link['upper']} & self.dead_switches:
                continue
            joined.setdefault(link['lower'], []).append(link['upper'])
            joined.setdefault(link['upper'], []).append(link['lower'])
        part = {}
        for start in joined:
            waiting = [start]
            while waiting:
                node = waiting.pop()
                if node not in part:
                    part[node] = start
                    waiting += joined[node]
        parts = [part.get(host['name'], host['name']) for host in self.hosts]
        return {(a, b) for a, x in enumerate(parts) for b, y in enumerate(parts) if a != b and x == y}

    def mended(self):
        """All faults are undone."""
        self.dead_links, self.dead_switches = set(), set()

    def pings(self, connected, names):
        """Returns complaints about connected pairs that do not answer."""
        return [text for family in (4, 6) for text in
                checks.pings(check.ping_pairs(self.plan, family, sorted(connected)), connected, names, family)]

    def conserved(self):
        return check.counters(self.plan, f'{BUILD}/src/ctl/drbctl')[1]

    # Replies of switches

    def ask(self, switch, command, timeout=5.0):
        """Returns a switch's reply, or None if it does not reply."""
        try:
            with Telemetry(self.namespaces[switch], timeout) as t:
                return t.ask(command)
        except OSError:
            return None

    def state(self, end):
        """Returns the state of a port, given as (switch, port)."""
        return (self.ask(end[0], f'/drb/port,{end[1]}', 1.0) or {}).get('state')

    def states(self):
        """Returns {(switch, port): state} of all running switches; no reply gives None."""
        found = {}
        for link in self.links:
            for end in ends(link):
                if end[0] in self.switches and end[0] not in self.dead_switches:
                    found[end] = self.state(end)
        return found

    def counters(self):
        """Returns the counters of all ports: {switch: {key: [value per port]}}."""
        return check.snapshots(self.plan)

    def memory(self, switch):
        """Returns free packet buffers, and the kB that the switch has beside packet buffers."""
        return ((self.ask(switch, '/drb/worker') or {}).get('buffers_free', 0),
                (self.ask(switch, '/drb/memory') or {}).get('memory_own', 0) // 1024)

    def pid(self, switch):
        """Returns the process ID of a switch, or None if it does not run."""
        process = self.fabric.processes().get(switch)
        return process[0] if process and processes.is_alive(*process) else None

    def pids(self):
        return {name: self.pid(name) for name in self.switches}

    def start(self, switch):
        """Starts a switch that was killed."""
        self.read_logs()
        done = run(f'{ROOT}/topo/fabric', 'start', switch, '--fabric', self.fabric.name)
        if done.returncode != 0:
            raise AssertionError(f'{switch} does not start: {done.stderr.strip()}')
        self.expected[switch] = self.pid(switch)

    def ctl(self, *words):
        """Runs drbctl, with a long timeout because faults may keep the machine busy."""
        return run(f'{BUILD}/src/ctl/drbctl', *words, '--timeout', '10s')

    def read_logs(self):
        for name in self.switches:
            with open(self.fabric.log(name), 'rb') as f:
                at = self.log_at.get(name, 0)
                if os.fstat(f.fileno()).st_size < at:
                    at = 0  # the switch was restarted, and with it its log
                f.seek(at)
                text = f.read()
            whole = text[:text.rfind(b'\n') + 1]
            self.log_at[name] = at + len(whole)
            self.said.setdefault(name, []).extend(
                re.sub(r'^\S+Z ', '', line) for line in whole.decode(errors='replace').splitlines())
