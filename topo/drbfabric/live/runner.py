# SPDX-License-Identifier: BSD-3-Clause
"""Measures points in a live fabric, which stays up between points of one shape.

drbgen and drbsim draw the same traffic from the same seed. A live run and its simulated run
therefore differ by the fabric and not by chance, and are compared pair by pair."""

import hashlib
import os
import time
from dataclasses import replace

from drbfabric.common import children, interrupts, schemes
from drbfabric.common.places import harness, program
from drbfabric.fabric.fabrics import Fabric
from drbfabric.fabric.plan_types import Plan
from drbfabric.live import impaired_links, priority, replay
from drbfabric.live.control import Control

# A run that is disturbed more than this does not count. The limit holds for three shares: packets
# sent more than half a slot late; departures a slot or more late; departures for which link time
# was lost because a switch woke too late.
DISTURBED_SHARE = 0.003
# A run with timed faults does not count if one of them came later than this.
FAULT_LATE_SLOTS = 20
LATE_FAULT = 'a fault came'
# If a control process was late for a smaller share of its slots than this, the machine had time. A
# disturbance of the run then comes from the fabric.
CONTROL_SHARE = 0.001
# Pause before a repetition: most disturbances are short.
PAUSE_SECONDS = 1


def disturbance(run):
    """Returns the reasons why a run does not count, or '' if it counts."""
    reasons = []
    if run['late_packets'] > DISTURBED_SHARE * run['sent']:
        reasons.append(f"{run['late_packets']} packets sent late")
    if run['late_departures'] > DISTURBED_SHARE * run['forwarded']:
        reasons.append(f"{run['late_departures']} departures a slot late")
    if run['lost_credit_events'] > DISTURBED_SHARE * run['forwarded']:
        reasons.append(f"link time lost {run['lost_credit_events']} times")
    if run.get('fault_late_slots', 0) > FAULT_LATE_SLOTS:
        reasons.append(f"{LATE_FAULT} {run['fault_late_slots']:.0f} slots late")
    return ', '.join(reasons)


def unexplained(run):
    """True if a run was disturbed although the machine had time: the fabric is the cause, unless
    this program was late itself."""
    return bool(run['disturbed']) and not run['disturbed'].startswith(LATE_FAULT) and \
        run['control_late'] < CONTROL_SHARE


def disturbed_share(run):
    return max(run['late_packets'] / max(1, run['sent']),
               run['late_departures'] / max(1, run['forwarded']),
               run['lost_credit_events'] / max(1, run['forwarded']))


def least_disturbed(runs):
    """Returns the run that counts: an undisturbed one, or else the least disturbed."""
    return min(runs, key=lambda run: (bool(run['disturbed']), disturbed_share(run)))


class RunningFabric:
    """A fabric that starts once, and is set up again for each point."""

    def __init__(self, name):
        self.fabric, self.up = Fabric(name), children.Held()
        self.first, self.options = None, None

    def set(self, first, options):
        """Starts the fabric, or changes the settings of the running one. Counters restart at zero.

        first: options of `fabric up` alone. If they differ from those of the running fabric, it is
        taken down. options: those that `fabric replan` changes. Returns the plan."""
        if self.up.held and first != self.first:
            self.down()
        if self.up.held:
            priority.lay_down(self.fabric)
            # A replan that fails has taken the fabric down.
            self.up.get([harness('fabric'), 'replan', '--fabric', self.fabric.name, *options])
        else:
            self.up.get([harness('fabric'), 'up', '--fabric', self.fabric.name, '--owner', str(os.getpid()), *first,
                         *options])
        self.first, self.options = first, options
        return self.fabric.need_plan()

    def down(self):
        if self.up.held:
            priority.lay_down(self.fabric)
            self.up.held = False
            children.run([harness('fabric'), 'down', '--fabric', self.fabric.name])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with interrupts.ignored():
            self.down()


class Runner:
    """Measures points of the model packet, one after the other."""

    def __init__(self, machine, running, folder, may_repeat):
        """running: a RunningFabric. may_repeat: a function that returns true if a disturbed run may
        be repeated now."""
        self.machine, self.running, self.folder, self.may_repeat = machine, running, folder, may_repeat
        self.stretched = 0  # times that slots were doubled, for all later points
        self.plan: Plan  # of the fabric that runs
        self.dead, self.impaired = [], True

    def traffic(self, s):
        """Writes the traffic if it is missing, and returns its folder. Points that differ only in
        their scheme share it."""
        words = [*s.size, '--traffic', s.traffic, '--load', f'{s.load:g}', '--slot', f'{s.slot_ns}ns',
                 '--slots', str(s.slots + replay.TAIL_SLOTS), '--seed', str(s.seed)]
        folder = f'{self.folder}/{hashlib.sha256(repr(words).encode()).hexdigest()[:16]}'
        if not os.path.isdir(folder):
            children.run([program('drbgen', 'gen'), 'write', *words, '--out', folder])
        return folder

    def set_fabric(self, s):
        """Sets the fabric up for a point, with its slow and dead links."""
        first = [*s.shape, '--links', self.machine.links, '--slotted', '--queue', str(s.queue)]
        options = ['--scheme', s.scheme, '--rate', f'{1e9 / s.stretched_ns:.15g}pps', '--catchup',
                   f'{s.stretched_ns}ns', '--delay', f'{s.added_slots * s.stretched_ns}ns',
                   '--hello', f'{s.hello_ms}ms', '--loss-limit', 'off',  # as in the simulator
                   *(['--threshold', s.t] if schemes.has_threshold(s.scheme) else [])]
        impaired = bool(s.slow or s.fail or s.faults)
        if self.running.up.held and not impaired and not self.impaired and \
           (first, options) == (self.running.first, self.running.options):
            return
        if first != self.running.first:
            self.dead = []
        self.plan = self.running.set(first, options)
        impaired_links.slow_down(self.running.fabric, self.plan, impaired_links.slow(s), s.stretched_ns)
        before, self.dead, self.impaired = self.dead, impaired_links.dead(s), impaired
        impaired_links.cut(self.plan, self.dead, before)
        priority.take(self.running.fabric)

    def measure_once(self, s):
        with Control(s.slot) as control:
            run = replay.replay(self.traffic(s), self.plan, s)
        run.update(slot_ms=s.slot * 1e3, disturbed=disturbance(run), control_late=control.late_share())
        return run

    def measure(self, setup):
        """Measures until a run is undisturbed. If all repetitions at one slot length are disturbed,
        slots get longer for this point and all later ones. Returns all runs."""
        runs = []
        while True:
            s = replace(setup, stretched=self.stretched)
            # Switches that were not restarted would hold back a link that is cut often.
            if not runs or s.faults or runs[-1]['slot_ms'] != s.slot * 1e3:
                self.set_fabric(s)
            runs.append(self.measure_once(s))
            if not runs[-1]['disturbed']:
                return runs
            of_this_length = sum(run['slot_ms'] == runs[-1]['slot_ms'] for run in runs)
            if of_this_length > self.machine.repeats:
                if self.stretched == self.machine.stretches:
                    return runs
                self.stretched += 1
            if not self.may_repeat():
                return runs
            time.sleep(PAUSE_SECONDS)
