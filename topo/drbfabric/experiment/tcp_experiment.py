# SPDX-License-Identifier: BSD-3-Clause
"""Runs the transfers that drbsim draws, live by TCP and simulated.

Every combination of workload, unit and scheme gets the same lists of transfers. Live and simulated
results are compared run by run."""

import csv
import io
import math
import os
import statistics
import time
from dataclasses import dataclass

from drbfabric.common import children, files, schemes
from drbfabric.common.places import harness, program
from drbfabric.common.progress import RunProgress
from drbfabric.experiment import live, priority, tcp_player
from drbfabric.experiment.control import Control
from drbfabric.experiment.experiment import CONTROL_SHARE, PAUSE_SECONDS, disturbance, shape_of
from drbfabric.fabric.fabrics import Fabric
from drbfabric.report.sample import Sample

# Largest accepted deviation of live mean completion times from simulated ones.
TOLERANCE = 0.15
FLOWLET_GAP = 20  # slots, as in drbsim
# Pauses, in slots, after which a flow has ended for switches: FLOW_GRACE after a FIN, else
# FLOW_IDLE. The simulator knows the exact end. An acknowledgement that comes later than FLOW_GRACE
# after a FIN counts as a new flow for FLOW_IDLE.
FLOW_GRACE, FLOW_IDLE = 30, 120
# Time limit of a run: LONGEST times the simulated makespan, plus LONGEST_SECONDS.
LONGEST, LONGEST_SECONDS = 10, 10


@dataclass
class Setup:
    """Options of an experiment. workloads: {name: arguments of drbsim that draw it}."""
    layers: int
    arity: int
    schemes: list
    units: list
    workloads: dict
    slot_ns: int
    runs: int
    repeats: int
    queue: int
    seed: int
    congestion: str
    links: str
    name: str
    uplinks: int = 0  # of a switch of layer 1; 0: arity

    @property
    def slot(self):
        return self.slot_ns / 1e9

    @property
    def rate(self):
        """Rate of links in bit/s: a full frame takes a slot."""
        return tcp_player.WIRE_BYTES * 8 / self.slot

    @property
    def size(self):
        return shape_of(self)

    def combinations(self):
        """Returns [(workload, unit, scheme)]. Schemes that cannot route flows occur only with the
        unit packet."""
        return [(workload, unit, scheme) for unit in self.units for scheme in self.schemes
                for workload in self.workloads if unit == 'packet' or schemes.row(scheme)['flows']]


def source_of(unit, scheme):
    """Returns the simulator's source that is nearest to TCP. Linux takes overtaken packets for
    lost, but only until it has seen such packets arrive late. With one path for each flow, no
    packet overtakes another."""
    return 'spray' if unit == 'packet' and scheme not in ('ecmp', 'dmodk') else 'window'


def draw(setup, workload, seed):
    return children.run([program('drbsim', 'sim'), *setup.workloads[workload], *setup.size, '--seed', str(seed),
                         '--list'])


def simulate(setup, path, unit, scheme, options):
    """Returns the rows of drbsim replay, with their times as numbers, and the threshold."""
    text = children.run([program('drbsim', 'sim'), 'replay', path, *setup.size, '--scheme', schemes.text(scheme),
                         '--unit', unit, '--queue', str(setup.queue), '--gap', str(FLOWLET_GAP), '--mark', '100000000',
                         *options, '--csv'])
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        for key in ('start', 'handshake', 'time'):
            row[key] = float(row[key]) if row[key] else None
        row['alone'] = float(row['alone'])
    return rows, rows[0]['threshold']


def makespan(rows):
    """Returns the end of the last transfer in slots, or NaN if a transfer did not arrive."""
    ends = [row['start'] + row['time'] for row in rows if row['time'] is not None]
    return max(ends) if len(ends) == len(rows) else math.nan


def mean_of(rows, value):
    values = [value(row) for row in rows if row['time'] is not None]
    return statistics.fmean(values) if values else math.nan


def verdict(off, half):
    """Returns 'within' or 'outside' if the whole interval is within or outside TOLERANCE, else
    'undecided'. off: deviation of live from simulated; half: half the width of the interval."""
    if math.isnan(off) or math.isnan(half):
        return 'undecided'
    if abs(off) + half <= TOLERANCE:
        return 'within'
    return 'outside' if abs(off) - half > TOLERANCE else 'undecided'


def stolen_seconds():
    """Returns the CPU seconds that the host of this virtual machine has taken away so far."""
    with open('/proc/stat', encoding='ascii') as f:
        words = f.readline().split()
    return int(words[8]) / os.sysconf('SC_CLK_TCK') if len(words) > 8 else 0.0


class Experiment:
    """Runs all combinations. `runs` has a row for each live run that counts, `transfers` a row for
    each transfer of these runs."""

    def __init__(self, setup, folder):
        self.setup, self.folder = setup, folder
        self.up, self.runs, self.transfers = children.Held(), [], []
        self.progress = RunProgress(setup.runs * len(setup.combinations()), 10)

    def set_fabric(self, unit, scheme, threshold):
        s = self.setup
        options = ['--fabric', s.name, '--scheme', schemes.text(scheme), '--unit', unit, '--rate', f'{s.rate:.0f}bit',
                   '--catchup', f'{s.slot_ns}ns', '--flowlet-gap', f'{FLOWLET_GAP * s.slot_ns // 1000}us',
                   '--flow-grace', f'{FLOW_GRACE * s.slot_ns // 1000}us',
                   '--flow-idle', f'{FLOW_IDLE * s.slot_ns // 1000}us',
                   '--queue', str(s.queue), *(['--threshold', threshold] if threshold else [])]
        fabric, first = Fabric(s.name), not self.up.held
        if not first:
            priority.lay_down(fabric)
        words = ['replan']
        if first:
            words = ['up', '--owner', str(os.getpid()), *s.size, '--links', s.links, '--offloads', 'off']
        self.up.get([harness('fabric'), *words, *options])
        plan = fabric.need_plan()
        if first:
            tcp_player.set_host_links(plan, s.rate)
        priority.take(fabric)
        return plan

    def down(self):
        if self.up.held:
            priority.lay_down(Fabric(self.setup.name))
            self.up.held = False
            children.run([harness('fabric'), 'down', '--fabric', self.setup.name])

    def play_once(self, plan, rows, longest):
        """Plays the list once. Returns the rows of the player, and the figures of the run with the
        reasons why it was disturbed."""
        s = self.setup
        player = tcp_player.Player(plan, tcp_player.transfers_of(rows), s.slot, s.congestion)
        with Control(s.slot) as control:
            live.forget(s.name)
            before, stolen = live.counted(s.name), stolen_seconds()
            played = player.play(longest)
            after, stolen = live.counted(s.name), stolen_seconds() - stolen
        change = {key: after[key] - before[key] for key in before}
        run = {'late_packets': player.late, 'sent': len(rows), 'late_departures': change['late_slots'],
               'lost_credit_events': change['lost_credit_events'], 'forwarded': change['forwarded'],
               'queue_max': after['queue_max'], 'control_late': control.late_share(), 'stolen_s': stolen}
        run['disturbed'] = disturbance(run)
        return played, run

    def play(self, plan, rows, longest):
        """Plays until a run is undisturbed or repetitions are used up. Returns (rows, run, number
        of plays), where rows and run belong to the least disturbed play."""
        plays = []
        while True:
            plays.append(self.play_once(plan, rows, longest))
            if not plays[-1][1]['disturbed'] or len(plays) > self.setup.repeats:
                break
            time.sleep(PAUSE_SECONDS)
        return (*min(plays, key=lambda play: (bool(play[1]['disturbed']), play[1]['control_late'])), len(plays))

    def measure(self, workload, unit, scheme, seed):
        s = self.setup
        path = f'{self.folder}/{workload}-{seed}.csv'
        text = draw(s, workload, seed)
        files.write(path, text)
        source = source_of(unit, scheme)
        share = tcp_player.ACK_BYTES / tcp_player.WIRE_BYTES
        no_room = ['--seed', str(seed), '--ack', f'{share:.4f}']
        quick_acks = [*no_room, '--ack-room', f'{share * tcp_player.ACKS_PER_PACKET:.4f}']
        like_live = [*quick_acks, '--handshake']
        simulated, threshold = simulate(s, path, unit, scheme, ['--source', source, *like_live])
        others = {f'sim_{name}': simulate(s, path, unit, scheme, options)[0] for name, options in (
            ('open', ['--source', 'open', *like_live]),
            ('other', ['--source', 'spray' if source == 'window' else 'window', *like_live]),
            ('no_room', ['--source', source, *no_room, '--handshake']),
            ('no_handshake', ['--source', source, *quick_acks]))}
        longest = LONGEST_SECONDS + LONGEST * makespan(simulated) * s.slot
        plan = self.set_fabric(unit, scheme, threshold)
        played, run, plays = self.play(plan, list(csv.DictReader(io.StringIO(text))), longest)
        run.update(workload=workload, unit=unit, scheme=scheme, seed=seed, source=source, threshold=threshold,
                   plays=plays, transfers=len(played), unfinished=sum(row['time'] is None for row in played))
        # Only transfers that arrived both live and simulated are compared.
        both = [(p, q) for p, q in zip(played, simulated) if p['time'] is not None and q['time'] is not None]
        run.update(_figures('', [p for p, _ in both], simulated), **_figures('sim_', [q for _, q in both], simulated))
        run.update({name: mean_of(rows, lambda row: row['time']) for name, rows in others.items()})
        run.update({key: mean_of(played, lambda row, key=key: row[key]) for key in ('handshake', 'min_rtt')})
        run['resent'] = sum(p['resent'] for p, _ in both) / max(1, sum(p['sent'] for p, _ in both))
        run['acks'] = sum(p['acks'] for p, _ in both) / max(1, sum(p['sent'] for p, _ in both))
        run['sim_handshake'] = mean_of([q for _, q in both], lambda row: row['handshake'])
        run['connected_off'] = (run['time'] - run['handshake']) / (run['sim_time'] - run['sim_handshake']) - 1
        run['makespan'], run['sim_makespan'] = makespan(played), makespan(simulated)
        self.runs.append(run)
        self.transfers += [{'workload': workload, 'unit': unit, 'scheme': scheme, 'seed': seed, **p,
                            'slowdown': p['time'] and p['time'] / q['alone'], 'sim_time': q['time'],
                            'sim_slowdown': q['time'] and q['time'] / q['alone']} for p, q in zip(played, simulated)]

    def run(self):
        for workload, unit, scheme in self.setup.combinations():
            for seed in range(self.setup.seed, self.setup.seed + self.setup.runs):
                self.progress.say(f'{workload}, unit {unit}, {scheme}, seed {seed}')
                self.measure(workload, unit, scheme, seed)
                self.progress.done += 1
        self.progress.end()


def _figures(prefix, rows, simulated):
    alone = {int(q['transfer']): q['alone'] for q in simulated}
    return {f'{prefix}time': mean_of(rows, lambda row: row['time']),
            f'{prefix}slowdown': mean_of(rows, lambda row: row['time'] / alone[int(row['transfer'])])}


def unexplained(run):
    """True if a run was disturbed although a control process had time."""
    return bool(run['disturbed']) and run['control_late'] < CONTROL_SHARE


def summarise(experiment):
    """Returns a row for each combination: means over its runs, and deviations of live from
    simulated, computed run by run."""
    rows = []
    for workload, unit, scheme in experiment.setup.combinations():
        runs = [r for r in experiment.runs if (r['workload'], r['unit'], r['scheme']) == (workload, unit, scheme)]
        row = {'workload': workload, 'unit': unit, 'scheme': scheme, 'source': runs[0]['source'], 'runs': len(runs),
               'transfers': sum(r['transfers'] for r in runs), 'unfinished': sum(r['unfinished'] for r in runs),
               'disturbed': sum(bool(r['disturbed']) for r in runs),
               'unexplained': sum(unexplained(r) for r in runs)}
        for key in ('time', 'slowdown', 'makespan'):
            offs = [r[key] / r[f'sim_{key}'] - 1 for r in runs]
            row.update({key: statistics.fmean(r[key] for r in runs),
                        f'{key}_se': Sample(r[key] for r in runs).half,
                        f'sim_{key}': statistics.fmean(r[f'sim_{key}'] for r in runs),
                        f'{key}_off': statistics.fmean(offs), f'{key}_off_interval': Sample(offs).half})
        row['verdict'] = verdict(row['time_off'], row['time_off_interval'])
        # Transfers that did not arrive would change the mean. A run that the machine disturbed does
        # not prove that live differs.
        if row['unfinished'] or row['verdict'] == 'outside' and row['disturbed'] > row['unexplained']:
            row['verdict'] = 'undecided'
        for key in ('handshake', 'sim_handshake', 'connected_off', 'min_rtt', 'resent', 'acks', 'sim_open', 'sim_other',
                    'sim_no_room', 'sim_no_handshake', 'queue_max', 'control_late', 'stolen_s'):
            row[key] = statistics.fmean(r[key] for r in runs)
        rows.append(row)
    return rows
