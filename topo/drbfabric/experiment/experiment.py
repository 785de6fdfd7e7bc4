# SPDX-License-Identifier: BSD-3-Clause
"""Runs every combination of scheme and load, live and simulated, on the same traffic.

drbgen and drbsim draw the same traffic from the same seed. A live run and its simulated run
therefore differ by the fabric and not by chance, and are compared pair by pair."""

import contextlib
import csv
import functools
import io
import json
import math
import os
import re
import time
from dataclasses import dataclass

from drbfabric import usage
from drbfabric.common import children, interrupts, schemes
from drbfabric.common.cli import NS
from drbfabric.common.places import harness, program
from drbfabric.common.progress import RunProgress
from drbfabric.experiment import impaired_links, live, priority, timed_faults
from drbfabric.experiment.control import Control
from drbfabric.fabric.fabrics import Fabric

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
# Largest deviations of live figures from simulated ones that --check accepts: (key, share).
TOLERANCES = ('latency', 0.05), ('tail', 0.10), ('redirected', 0.10)
# Further figures, under the names that drbgen and drbsim use: (key, flag). The flag is true if the
# result of several runs is the largest value, and false if it is the mean. Setup.figures adds the
# queues and the use of each kind of link.
DETAILS = (('latency_p50', False), ('latency_p99', False), ('latency_p999', False), ('latency_max', True),
           ('reordered_share', False), ('reorder_extent', True), ('reorder_buffer', True))
HOSTS_MAX = 1024
HELLO_MS = 100  # default period of hellos
HELLO_MIN_MS, HELLO_MAX_MS = 10, 4000
# Upper bound of the CPU time of a hop. All hops of a slot come at its beginning.
HOP_NS = 16000
SLOT_MIN_NS = 2000000
# Queues that grow do so for traffic of any length. The simulator detects growth in a run of this
# many times the slots.
LONGER = 20
SLOTS_MAX = 1000000  # drbsim's limit


@functools.cache
def threshold_at(load, threshold):
    """Returns the threshold T as text: the given one, or the paper's for this load of uplinks.
    drbsim computes the latter (include/drb/threshold.h)."""
    if threshold != 'paper':
        return threshold
    said = children.run([program('drbsim', 'sim'), 'packet', '-l', '2', '-d', '2', '--scheme', 'drb', '--slots', '2',
                         '--stats', '1', '--load', str(load), '--threshold', 'paper', '--json'])
    return f"{json.loads(said)['threshold']:.6g}"


def shape_of(setup):
    """Returns the options that select layers, arity and uplinks of the fabric."""
    size = ['-l', str(setup.layers), '-d', str(setup.arity)]
    return [*size, '--uplinks', str(setup.uplinks)] if setup.uplinks else size


def name_of(setup):
    fewer = f', {setup.uplinks} of {setup.arity} uplinks in layer 1' if setup.uplinks else ''
    return f'F({setup.layers},{setup.arity}){fewer}'


@dataclass
class Setup:
    """Options of an experiment, and values derived from them."""
    layers: int
    arity: int
    schemes: list
    loads: list
    traffic: str
    threshold: str  # a number, or 'paper'
    slot_ns: int
    slots: int
    warmup: int
    runs: int
    repeats: int
    queue: int
    seed: int
    links: str
    name: str
    slow: str = ''  # link:N:K, as for drbsim
    fail: str = ''  # link:N, or links by name
    faults: str = ''  # file of timed_faults.py
    detect: int = 0  # slots until switches notice a cut; 0: as with hellos every HELLO_MS
    delay: int = 0  # slots that a link between switches adds
    stretches: int = 0  # times that slots may be doubled
    uplinks: int = 0  # of a switch of layer 1; 0: arity
    load: float = 0.0  # load of the combination that runs now
    stretched: int = 0  # times that slots were doubled so far

    @property
    def hosts(self):
        return 2 * self.arity ** self.layers

    @property
    def stretched_ns(self):
        return self.slot_ns << self.stretched

    @property
    def slot(self):
        return self.stretched_ns / 1e9

    def threshold_at(self, load):
        return threshold_at(load * self.arity / (self.uplinks or self.arity), self.threshold)

    def __post_init__(self):
        if self.faults and not self.detect and self.slot_ns:
            self.detect = math.ceil(3e6 * HELLO_MS / self.slot_ns)

    @property
    def hello_ms(self):
        """Period of hellos. Switches notice a cut link after three."""
        return round(self.detect * self.stretched_ns / 3e6) if self.faults else HELLO_MS

    @property
    def size(self):
        return ['-l', str(self.layers), '-d', str(self.arity)]

    @property
    def shape(self):
        """Options for the shape of the fabric. drbgen needs only the size."""
        return shape_of(self)

    @property
    def queues(self):
        """Kinds of switch links, in the order in which a packet crosses them."""
        return [f'up{m}' for m in range(1, self.layers)] + \
               [f'down{m}' for m in range(self.layers, 0, -1)]

    @property
    def figures(self):
        """DETAILS, and the queues and the use of every kind of link, in the same form."""
        return [*DETAILS, *((f'{figure}_{queue}_{kind}', kind == 'max') for queue in self.queues
                            for figure in ('queue', 'use') for kind in ('mean', 'max'))]


def default_slot(hosts, layers):
    """Returns a slot in ns, in whole ms, that is long enough for the CPUs to process its hops."""
    cpus = len(os.sched_getaffinity(0))
    ns = hosts * (2 * layers - 1) * HOP_NS * 2 // max(2, cpus)
    return max(SLOT_MIN_NS, ns // NS['ms'] * NS['ms'])


def queue_for(traffic):
    """Returns the limit of egress queues in packets. Traffic with lasting destinations needs longer
    ones."""
    return 512 if traffic == 'permutation' else 4096


def need_small(layers, arity):
    """Refuses fabrics with more than HOSTS_MAX hosts, because each host is a network namespace."""
    if layers > 16 or arity > 32 or 2 * arity ** layers > HOSTS_MAX:
        raise usage(f'F({layers},{arity}): more than {HOSTS_MAX} hosts, each a namespace')


def check_faults(setup):
    faults = timed_faults.read(setup.faults)
    least, most = (3e6 * ms / setup.stretched_ns for ms in (HELLO_MIN_MS, HELLO_MAX_MS >> setup.stretches))
    if not least <= setup.detect <= most:
        raise usage(f'detect {setup.detect}: must be from {math.ceil(least)} to {int(most)} slots, three hellos')
    # drbsim knows the links of the fat-tree.
    children.run([program('drbsim', 'sim'), 'packet', *setup.shape, '--faults', setup.faults, '--slots', '2', '--stats',
                  '1', '--load', '0.1'])
    timed_faults.check(faults, impaired_links.dead(setup, setup.seed))


def check_setup(setup):
    """Refuses what other programs would refuse only after switches have started."""
    if setup.threshold != 'paper' and not re.fullmatch(r'[0-9]+(\.[0-9]+)?', setup.threshold):
        raise usage(f"--threshold {setup.threshold}: must be a number from 0, or 'paper'")
    Fabric(setup.name).need_free('take another --fabric')
    impaired_links.slow(setup, setup.seed)
    impaired_links.dead(setup, setup.seed)
    if setup.faults:
        check_faults(setup)
    for scheme in setup.schemes:
        children.run([program('drbtopo', 'topo'), 'plan', *setup.shape, '--fabric', setup.name,
                      '--scheme', schemes.text(scheme), '--links', setup.links, '--queue', str(setup.queue)])


def _packets(setup, seed, times, more):
    """Returns a row of drbsim for each scheme and load, from runs of `times` times the slots."""
    text = children.run([program('drbsim', 'sim'), 'packet', *setup.shape,
                         '--scheme', ','.join(map(schemes.text, setup.schemes)),
                         '--load', ','.join(f'{load:g}' for load in setup.loads),
                         '--traffic', setup.traffic, '--threshold', setup.threshold,
                         *(['--slow', setup.slow] if setup.slow else []),
                         *(['--fail', setup.fail] if setup.fail else []),
                         *(['--faults', setup.faults, '--detect', str(setup.detect)] if setup.faults else []),
                         '--delay', ','.join(['0'] + [str(setup.delay)] * (setup.layers - 1)),
                         '--slots', str(min(times * setup.slots, SLOTS_MAX)),
                         '--stats', str(setup.slots - setup.warmup),
                         '--seed', str(seed), *more, '--csv'])
    return csv.DictReader(io.StringIO(text))


def simulate(setup, seed):
    """Returns {(scheme, load): figures} of drbsim. `growing` and `unclear` come from a run of
    LONGER times the slots, `growing_in_run` and all others from a run of the same slots."""
    wanted = {key for key, _ in (*TOLERANCES, *setup.figures)}
    points = [(scheme, load) for scheme in setup.schemes for load in setup.loads]
    rows = zip(points, _packets(setup, seed, 1, ['--detail']), _packets(setup, seed, LONGER, []))
    return {point: {**{key: float(row[key] or 'nan') for key in row if key in wanted},
                    'growing_in_run': row['growing'], 'growing': longer['growing'] == 'yes',
                    'unclear': longer['growing'] == 'unclear'} for point, row, longer in rows}


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


def failed(runs, faults):
    """True if any of these runs lost a packet, or received one twice or at the wrong host. Packets
    that are sent into a link that faults cut are lost until switches notice."""
    return any(run['wrong'] or (run['lost'] and not faults) for run in runs)


def unexplained(run):
    """True if a run was disturbed although the machine had time: the fabric is the cause, unless
    this program was late itself."""
    return bool(run['disturbed']) and not run['disturbed'].startswith(LATE_FAULT) and \
        run['control_late'] < CONTROL_SHARE


def disturbed_share(run):
    return max(run['late_packets'] / max(1, run['sent']),
               run['late_departures'] / max(1, run['forwarded']),
               run['lost_credit_events'] / max(1, run['forwarded']))


@contextlib.contextmanager
def taken_down(experiment):
    """Ends the progress and takes the fabric down on exit, also after an exception."""
    try:
        yield
    finally:
        experiment.progress.end()
        with interrupts.ignored():
            experiment.down()


class Experiment:
    """Runs all combinations. `runs` has all live runs, including those that do not count;
    `simulated` has the figures of drbsim by seed."""

    def __init__(self, setup, folder):
        self.setup, self.folder = setup, folder
        self.fabric = harness('fabric')
        self.up, self.runs, self.simulated = children.Held(), [], {}
        self.dead = []  # dead links of the running fabric
        self.seeds = [setup.seed + i for i in range(setup.runs)]
        # A function that returns true if a disturbed run may be repeated now.
        self.may_repeat = lambda: True
        self.progress = RunProgress(setup.runs * len(setup.schemes) * len(setup.loads),
                                    (setup.slots + live.TAIL_SLOTS) * setup.slot + 2)

    def write_traffic(self, load, seed):
        """Writes the traffic if it is missing, and returns its folder. All schemes share it."""
        folder = f'{self.folder}/{load:g}-{seed}'
        if not os.path.isdir(folder):
            s = self.setup
            children.run([program('drbgen', 'gen'), 'write', *s.size, '--traffic', s.traffic,
                          '--load', f'{load:g}', '--slot', f'{s.slot_ns}ns',
                          '--slots', str(s.slots + live.TAIL_SLOTS), '--seed', str(seed),
                          '--out', folder])
        return folder

    def set_fabric(self, scheme, load, seed):
        """Starts the fabric, or sets up the running one again, with this scheme and the slow and
        dead links of the seed. Counters restart at zero. Returns the plan."""
        s = self.setup
        options = ['--fabric', s.name, '--scheme', schemes.text(scheme), '--rate', f'{1e9 / s.stretched_ns:.15g}pps',
                   '--catchup', f'{s.stretched_ns}ns', '--delay', f'{s.delay * s.stretched_ns}ns',
                   '--hello', f'{s.hello_ms}ms']
        if schemes.has_threshold(scheme):
            options += ['--threshold', s.threshold_at(load)]
        fabric = Fabric(s.name)
        if self.up.held:
            priority.lay_down(fabric)
            # A replan that fails has taken the fabric down.
            self.up.get([self.fabric, 'replan', *options])
        else:
            self.up.get([self.fabric, 'up', '--owner', str(os.getpid()), *s.shape, *options, '--links', s.links,
                         '--slotted', '--queue', str(s.queue)])
        plan = fabric.need_plan()
        impaired_links.slow_down(fabric, plan, impaired_links.ends(plan, impaired_links.slow(s, seed)), s.stretched_ns)
        before, self.dead = self.dead, impaired_links.dead(s, seed)
        impaired_links.cut(plan, self.dead, before)
        priority.take(fabric)
        return plan

    def down(self):
        if self.up.held:
            priority.lay_down(Fabric(self.setup.name))
            self.up.held = False
            children.run([self.fabric, 'down', '--fabric', self.setup.name])

    def measure_once(self, plan, scheme, load, seed):
        with Control(self.setup.slot) as control:
            run = live.replay(self.write_traffic(load, seed), plan, self.setup)
        run.update(scheme=scheme, load=load, seed=seed, slot_ms=self.setup.slot * 1e3, counts=False,
                   disturbed=disturbance(run), control_late=control.late_share())
        self.runs.append(run)
        return run

    def measure(self, plan, scheme, load, seed):
        """Measures until a live run is undisturbed, or else lets the least disturbed attempt count.
        If all attempts at one slot length are disturbed, slots get longer for this and all later
        runs. Returns the plan of the fabric that runs afterwards."""
        attempts = []
        while True:
            again = f', again ({attempts[-1]["disturbed"]})' if attempts else ''
            if attempts and self.setup.faults:
                # Switches that were not restarted would hold back a link that is cut often.
                plan = self.set_fabric(scheme, load, seed)
            self.progress.say(f'{scheme}, load {load:g}, seed {seed}{again}')
            attempts.append(self.measure_once(plan, scheme, load, seed))
            attempts[-1]['attempt'] = len(attempts)
            if not attempts[-1]['disturbed']:
                break
            of_this_length = sum(a['slot_ms'] == attempts[-1]['slot_ms'] for a in attempts)
            if of_this_length > self.setup.repeats:
                if self.setup.stretched == self.setup.stretches:
                    break
                self.setup.stretched += 1
                plan = self.set_fabric(scheme, load, seed)
            if not self.may_repeat():
                break
            time.sleep(PAUSE_SECONDS)
        min(attempts, key=lambda run: (bool(run['disturbed']), disturbed_share(run)))['counts'] = True
        self.progress.done += 1
        return plan

    def run(self):
        self.progress.say('simulating')
        for seed in self.seeds:
            self.simulated[seed] = simulate(self.setup, seed)
        for scheme in self.setup.schemes:
            for load in self.setup.loads:
                self.progress.say(f'{scheme}, load {load:g}: switches start')
                plan = self.set_fabric(scheme, load, self.seeds[0])
                self.setup.load = load
                for seed in self.seeds:
                    if (self.setup.slow or self.setup.fail or self.setup.faults) and seed != self.seeds[0]:
                        plan = self.set_fabric(scheme, load, seed)
                    plan = self.measure(plan, scheme, load, seed)
        self.progress.end()
