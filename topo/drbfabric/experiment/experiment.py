# SPDX-License-Identifier: BSD-3-Clause
"""Every combination of scheme and load, live and simulated, on the same traffic.

drbgen and drbsim draw the same traffic from the same seed, so a live run and the simulator's differ
by what the fabric does and not by chance of the traffic: what is compared is run by run."""

import contextlib
import csv
import io
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
from drbfabric.experiment import live, priority, slow_links
from drbfabric.experiment.control import Control
from drbfabric.fabric.fabrics import Fabric

# A run that the machine disturbed more than that does not count: share of packets sent more than
# half a slot late, and of departures that came a slot or more late, or for which link time was lost,
# because a switch woke too late.
DISTURBED_SHARE = 0.003
# A disturbed run says something about the fabric, too, where a control beside it was late for a smaller
# share of its slots than that.
CONTROL_SHARE = 0.001
# What disturbs is often over after a while.
PAUSE_SECONDS = 1
# How far live figures may be from simulated ones, (key, share): what --check checks.
TOLERANCES = ('latency', 0.05), ('tail', 0.10), ('redirected', 0.10)
# What is told beside that, in the words of drbgen and drbsim: (key, whether of several runs the largest
# counts, and not the mean). With the use of links of each kind.
DETAILS = (('latency_p50', False), ('latency_p99', False), ('latency_p999', False), ('latency_max', True),
           ('reordered_share', False), ('reorder_extent', True), ('reorder_buffer', True))
HOSTS_MAX = 1024
# A hop costs this much CPU time or less, and every hop of a slot falls into its beginning.
HOP_NS = 16000
SLOT_MIN_NS = 2000000
# Whether queues grow holds for any length of the traffic; the simulator tells it over so many times the slots.
LONGER = 20
SLOTS_MAX = 1000000  # of drbsim


def threshold_at(load, threshold):
    """T as given, or that of the paper for this load of uplinks."""
    return f'{1 - math.log(1 - load):.6g}' if threshold == 'paper' else threshold


def shape_of(setup):
    """Options that say which fabric it is."""
    size = ['-l', str(setup.layers), '-d', str(setup.arity)]
    return [*size, '--uplinks', str(setup.uplinks)] if setup.uplinks else size


def name_of(setup):
    fewer = f', {setup.uplinks} of {setup.arity} uplinks in layer 1' if setup.uplinks else ''
    return f'F({setup.layers},{setup.arity}){fewer}'


@dataclass
class Setup:
    """What is asked for, and what follows from it."""
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
    slow: str = ''  # link:N:K, as drbsim has it
    delay: int = 0  # slots that links between switches add
    stretches: int = 0  # how often slots may be doubled
    uplinks: int = 0  # of a switch of layer 1; 0: arity
    load: float = 0.0  # of the combination that runs
    stretched: int = 0  # how often slots were doubled so far

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

    @property
    def size(self):
        return ['-l', str(self.layers), '-d', str(self.arity)]

    @property
    def shape(self):
        """Of the fabric; to drbgen its size is enough."""
        return shape_of(self)

    @property
    def queues(self):
        """Links of the switches in the order in which a packet meets them."""
        return [f'up{m}' for m in range(1, self.layers)] + \
               [f'down{m}' for m in range(self.layers, 0, -1)]

    @property
    def figures(self):
        """DETAILS, and what is told of every kind of link."""
        return [*DETAILS, *((f'{figure}_{queue}_{kind}', kind == 'max') for queue in self.queues
                            for figure in ('queue', 'use') for kind in ('mean', 'max'))]


def default_slot(hosts, layers):
    """A slot in which the CPUs do all its hops, and a whole number of ms."""
    cpus = len(os.sched_getaffinity(0))
    ns = hosts * (2 * layers - 1) * HOP_NS * 2 // max(2, cpus)
    return max(SLOT_MIN_NS, ns // NS['ms'] * NS['ms'])


def need_small(layers, arity):
    """Refuses fabrics with more hosts than this machine can have namespaces for."""
    if layers > 16 or arity > 32 or 2 * arity ** layers > HOSTS_MAX:
        raise usage(f'F({layers},{arity}): more than {HOSTS_MAX} hosts, each a namespace')


def check_setup(setup):
    """What the other programs would refuse only once something runs."""
    if setup.threshold != 'paper' and not re.fullmatch(r'[0-9]+(\.[0-9]+)?', setup.threshold):
        raise usage(f"--threshold {setup.threshold}: must be a number from 0, or 'paper'")
    Fabric(setup.name).need_free('take another --fabric')
    slow_links.drawn(setup, setup.seed)
    for scheme in setup.schemes:
        children.run([program('drbtopo', 'topo'), 'plan', *setup.shape, '--fabric', setup.name,
                      '--scheme', schemes.text(scheme), '--links', setup.links, '--queue', str(setup.queue)])


def _packets(setup, seed, times, more):
    """Rows of drbsim over so many times the slots, for each scheme and load."""
    text = children.run([program('drbsim', 'sim'), 'packet', *setup.shape,
                         '--scheme', ','.join(map(schemes.text, setup.schemes)),
                         '--load', ','.join(f'{load:g}' for load in setup.loads),
                         '--traffic', setup.traffic, '--threshold', setup.threshold,
                         *(['--slow', setup.slow] if setup.slow else []),
                         '--delay', ','.join(['0'] + [str(setup.delay)] * (setup.layers - 1)),
                         '--slots', str(min(times * setup.slots, SLOTS_MAX)),
                         '--stats', str(setup.slots - setup.warmup),
                         '--seed', str(seed), *more, '--csv'])
    return csv.DictReader(io.StringIO(text))


def simulate(setup, seed):
    """{(scheme, load): figures} of drbsim; whether queues grow of a longer run, and in_run of this one."""
    wanted = {key for key, _ in (*TOLERANCES, *setup.figures)}
    points = [(scheme, load) for scheme in setup.schemes for load in setup.loads]
    rows = zip(points, _packets(setup, seed, 1, ['--detail']), _packets(setup, seed, LONGER, []))
    return {point: {**{key: float(row[key] or 'nan') for key in row if key in wanted},
                    'growing_in_run': row['growing'], 'growing': longer['growing'] == 'yes',
                    'unclear': longer['growing'] == 'unclear'} for point, row, longer in rows}


def disturbance(run):
    """Why a run does not count, '' if it does."""
    reasons = []
    if run['late_packets'] > DISTURBED_SHARE * run['sent']:
        reasons.append(f"{run['late_packets']} packets sent late")
    if run['late_departures'] > DISTURBED_SHARE * run['forwarded']:
        reasons.append(f"{run['late_departures']} departures a slot late")
    if run['lost_credit_events'] > DISTURBED_SHARE * run['forwarded']:
        reasons.append(f"link time lost {run['lost_credit_events']} times")
    return ', '.join(reasons)


def unexplained(run):
    """Whether it was disturbed while the machine had time: by the fabric itself."""
    return bool(run['disturbed']) and run['control_late'] < CONTROL_SHARE


def disturbed_share(run):
    return max(run['late_packets'] / max(1, run['sent']),
               run['late_departures'] / max(1, run['forwarded']),
               run['lost_credit_events'] / max(1, run['forwarded']))


@contextlib.contextmanager
def taken_down(experiment):
    """Ends its progress and takes its fabric down, however what is inside ends."""
    try:
        yield
    finally:
        experiment.progress.end()
        with interrupts.ignored():
            experiment.down()


class Experiment:
    """Runs everything. `runs` has all live runs, those that do not count as well; `simulated` the
    figures of drbsim by seed."""

    def __init__(self, setup, folder):
        self.setup, self.folder = setup, folder
        self.fabric = harness('fabric')
        self.up, self.runs, self.simulated = children.Held(), [], {}
        self.seeds = [setup.seed + i for i in range(setup.runs)]
        # Whether a disturbed run may be repeated now.
        self.may_repeat = lambda: True
        self.progress = RunProgress(setup.runs * len(setup.schemes) * len(setup.loads),
                                    (setup.slots + live.TAIL_SLOTS) * setup.slot + 2)

    def write_traffic(self, load, seed):
        """The folder with this traffic, which all schemes share."""
        folder = f'{self.folder}/{load:g}-{seed}'
        if not os.path.isdir(folder):
            s = self.setup
            children.run([program('drbgen', 'gen'), 'write', *s.size, '--traffic', s.traffic,
                          '--load', f'{load:g}', '--slot', f'{s.slot_ns}ns',
                          '--slots', str(s.slots + live.TAIL_SLOTS), '--seed', str(seed),
                          '--out', folder])
        return folder

    def set_fabric(self, scheme, load, seed):
        """The fabric with this scheme and the slow links of the seed, its counters at zero."""
        s = self.setup
        options = ['--fabric', s.name, '--scheme', schemes.text(scheme), '--rate', f'{1e9 / s.stretched_ns:.15g}pps',
                   '--catchup', f'{s.stretched_ns}ns', '--delay', f'{s.delay * s.stretched_ns}ns']
        if schemes.has_threshold(scheme):
            options += ['--threshold', s.threshold_at(load)]
        fabric = Fabric(s.name)
        if self.up.held:
            priority.lay_down(fabric)
            # One that fails has taken the fabric down.
            self.up.get([self.fabric, 'replan', *options])
        else:
            self.up.get([self.fabric, 'up', *s.shape, *options, '--links', s.links, '--slotted',
                         '--queue', str(s.queue)])
        plan = fabric.need_plan()
        slow_links.slow_down(fabric, plan, slow_links.ends(plan, slow_links.drawn(s, seed)), s.stretched_ns)
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
        """One live run that the machine did not disturb, or the least disturbed of some. Where all of
        one length of slots are disturbed, slots get longer, of this run and of all later ones. Returns
        the plan of the fabric that is up then."""
        attempts = []
        while True:
            again = f', again ({attempts[-1]["disturbed"]})' if attempts else ''
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
        min(attempts, key=disturbed_share)['counts'] = True
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
                    if self.setup.slow and seed != self.seeds[0]:
                        plan = self.set_fabric(scheme, load, seed)
                    plan = self.measure(plan, scheme, load, seed)
        self.progress.end()
