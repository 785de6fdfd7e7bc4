# SPDX-License-Identifier: BSD-3-Clause
"""Measures points of the model tcp: transfers of a list, by TCP between the hosts of a fabric."""

import csv
import os
import time
from dataclasses import dataclass, fields

from drbfabric import usage
from drbfabric.common import children, schemes
from drbfabric.common.places import program
from drbfabric.fabric.plan_types import Plan
from drbfabric.live import priority, replay, tcp_player
from drbfabric.live.control import Control
from drbfabric.live.runner import CONTROL_SHARE, PAUSE_SECONDS, disturbance
from drbfabric.live.setup import default_slot, made_of, need_small, shape_of

FLOWLET_GAP = 20  # slots, as in drbsim
# Pauses, in slots, after which a flow has ended for switches: FLOW_GRACE after a FIN, else
# FLOW_IDLE. The simulator knows the exact end. An acknowledgement that comes later than FLOW_GRACE
# after a FIN counts as a new flow for FLOW_IDLE.
FLOW_GRACE, FLOW_IDLE = 30, 120
SECONDS = 10  # a run may take this long in addition to the slots of its point
CONGESTION = '/proc/sys/net/ipv4/tcp_available_congestion_control'


@dataclass(frozen=True)
class Setup:
    """Options of a point of the model tcp. list: a file as `drbsim transfer --list` prints it.
    slots: a run may take this many, plus SECONDS. A threshold of '' is that of the scheme."""
    layers: int = 3
    arity: int = 2
    uplinks: int = 0
    scheme: str = 'drb'
    unit: str = 'flow'
    threshold: str = ''
    list: str = ''
    slots: int = 10000
    congestion: str = 'reno'
    seed: int = 1  # distinguishes points
    slot_ns: int = 0
    queue: int = 512

    @property
    def slot(self):
        return self.slot_ns / 1e9

    @property
    def rate(self):
        """Rate of links in bit/s: a full frame takes a slot."""
        return tcp_player.WIRE_BYTES * 8 / self.slot


OPTIONS = tuple(field.name for field in fields(Setup) if field.name not in ('slot_ns', 'queue'))


def setup_of(machine, point):
    """Returns the setup of a point. machine: a Machine."""
    given = made_of(Setup, point)
    need_small(given.layers, given.arity)
    return Setup(**{**{name: getattr(given, name) for name in OPTIONS},
                    'slot_ns': machine.slot_ns or default_slot(2 * given.arity ** given.layers, given.layers),
                    'queue': machine.queue or 512})


def read_list(path):
    """Returns the rows of a list of transfers."""
    try:
        with open(path, encoding='utf-8') as f:
            return list(csv.DictReader(f))
    except OSError as e:
        raise usage(f'list {path}: {os.strerror(e.errno)}') from e


def check_setup(setup, machine):
    """Refuses what would be refused only after switches have started."""
    if setup.unit != 'packet' and not schemes.row(setup.scheme)['flows']:
        raise usage(f'scheme {setup.scheme}: routes packets, not flows: take unit packet')
    with open(CONGESTION, encoding='ascii') as f:
        there = f.read().split()
    if setup.congestion not in there:
        raise usage(f"congestion {setup.congestion}: must be {', '.join(there)}")
    children.run([program('drbtopo', 'plan'), 'plan', *shape_of(setup), '--fabric', machine.name, '--links',
                  machine.links, '--unit', setup.unit])
    read_list(setup.list)


def stolen_seconds():
    """Returns the CPU seconds that the host of this virtual machine has taken away so far."""
    with open('/proc/stat', encoding='ascii') as f:
        words = f.readline().split()
    return int(words[8]) / os.sysconf('SC_CLK_TCK') if len(words) > 8 else 0.0


def set_fabric(running, machine, s):
    """Sets the fabric up for a point. Returns the plan."""
    first = [*shape_of(s), '--links', machine.links, '--offloads', 'off', '--queue', str(s.queue)]
    options = ['--scheme', s.scheme, '--unit', s.unit, '--rate', f'{s.rate:.0f}bit', '--catchup', f'{s.slot_ns}ns',
               '--flowlet-gap', f'{FLOWLET_GAP * s.slot_ns // 1000}us',
               '--flow-grace', f'{FLOW_GRACE * s.slot_ns // 1000}us',
               '--flow-idle', f'{FLOW_IDLE * s.slot_ns // 1000}us',
               *(['--threshold', s.threshold] if s.threshold else [])]
    begins = not running.up.held or first != running.first
    plan = running.set(first, options)
    if begins:
        tcp_player.set_host_links(plan, s.rate)
    priority.take(running.fabric)
    return plan


def play_once(plan: Plan, s):
    """Plays the list once. Returns the transfers, and the figures of the run with the reasons why
    it was disturbed."""
    rows = read_list(s.list)
    player = tcp_player.Player(plan, tcp_player.transfers_of(rows), s.slot, s.congestion)
    with Control(s.slot) as control:
        replay.forget(plan['fabric'])
        before, stolen = replay.counted(plan['fabric']), stolen_seconds()
        played = player.play(SECONDS + s.slots * s.slot)
        after, stolen = replay.counted(plan['fabric']), stolen_seconds() - stolen
    change = {key: after[key] - before[key] for key in before}
    run = {'late_packets': player.late, 'sent': len(rows), 'late_departures': change['late_slots'],
           'lost_credit_events': change['lost_credit_events'], 'forwarded': change['forwarded'],
           'queue_max': after['queue_max'], 'control_late': control.late_share(), 'stolen_s': stolen,
           'slot_ms': s.slot * 1e3}
    run['disturbed'] = disturbance(run)
    return played, run


def measure(running, machine, s):
    """Plays until a run is undisturbed or repetitions are used up. Returns the row of the least
    disturbed run."""
    plan, runs = set_fabric(running, machine, s), []
    while True:
        runs.append(play_once(plan, s))
        if not runs[-1][1]['disturbed'] or len(runs) > machine.repeats:
            break
        time.sleep(PAUSE_SECONDS)
    played, run = min(runs, key=lambda one: (bool(one[1]['disturbed']), one[1]['control_late']))
    return {**run, 'transfers': played, 'attempts': len(runs),
            'unfinished': sum(row['time'] is None for row in played),
            'unexplained': bool(run['disturbed']) and run['control_late'] < CONTROL_SHARE}
