# SPDX-License-Identifier: BSD-3-Clause
"""An experiment on a fabric over several machines: replays the same traffic under each scheme at
each load, and compares with the simulator. Links have their own clocks and no common slots, so
every hop adds the machine's own delay."""

import csv
import json
import subprocess
import time

from drbfabric import Failure, usage
from drbfabric.common.output import print_rows
from drbfabric.common.places import program
from drbfabric.fabric.plan_types import Plan
from drbfabric.live.setup import threshold_at
from drbfabric.machines import combined
from drbfabric.machines.all_machines import Machines

COLUMNS = [('scheme', 'scheme'), ('load', 'load'), ('sent', 'sent'), ('lost', 'lost'), ('reordered', 'reordered'),
           ('mean_us', 'one-way mean us'), ('error_us', 'not known, +- us'), ('mean_slots', 'slots'),
           ('simulated_slots', 'simulated slots')]


def _ask(machines, words):
    """Runs a command on all machines. Fails if a machine does not answer or fails."""
    answers = machines.ask({name: words for name in machines.names})
    if machines.gone:
        raise Failure('', 1)  # ask() has reported them
    if any(answer['rc'] for answer in answers.values()) and not all(answer['stdout'] for answer in answers.values()):
        machines.say_complaints(answers)
        raise Failure('', 1)
    return answers


def _simulated(plan: Plan, args, scheme, load):
    done = subprocess.run([program('drbsim', 'sim'), 'packet', '-l', str(plan['layers']), '-d', str(plan['arity']),
                           '--uplinks', str(plan['uplinks']),
                           '--scheme', scheme, '--load', str(load), '--traffic', args.traffic, '--slots',
                           str(args.slots), '--stats', str(args.slots), '--seed', str(args.seed), '--csv'],
                          stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise Failure('', done.returncode)
    return float(next(csv.DictReader(done.stdout.splitlines()))['latency'])


def _one(machines, args, scheme, load):
    plan = machines.plan
    fabric = ['--fabric', plan['fabric']]
    slot_us = 1e6 / plan['rate_value']
    # Simulate before the replay, which needs the CPUs.
    simulated = _simulated(plan, args, scheme, load)
    threshold = threshold_at(load * plan['arity'] / plan['uplinks'], 'paper')
    _ask(machines, ['ctl', *fabric, 'set', '--all', f'scheme={scheme}', f'threshold={threshold}'])
    answers = _ask(machines, [
        'replay', *fabric, '--begin', str(int(time.time()) + args.lead), '--traffic', args.traffic, '--load', str(load),
        '--slots', str(args.slots), '--slot', f'{round(1000 * slot_us)}ns', '--seed', str(args.seed)])
    reports = {name: json.loads(answer['stdout']) for name, answer in answers.items()}
    row = {'scheme': scheme, 'load': load, **combined.total(reports)}
    ways = combined.one_way(reports)
    combined.say_unknown(ways)
    # If one pair of machines has no mean, the experiment has none. A mean over the other pairs
    # would be over other paths through the fabric.
    packets = sum(way['packets'] for way in ways) if all('mean_us' in way for way in ways) else 0
    for key in ('mean_us', 'error_us') if packets else ():
        row[key] = sum(way[key] * way['packets'] for way in ways) / packets
    # Add the slot on the host's own link, which records of packets leave out.
    return {**row, 'mean_slots': 1 + row['mean_us'] / slot_us if packets else None, 'simulated_slots': simulated}


def run(args):
    machines = Machines(args.machines)
    if not machines.plan['rate_value'] or not machines.plan['rate_per_packet']:
        raise usage('the plan has no rate in packets/s, so there are no queues to compare: plan with --rate 500pps')
    rows = []
    try:
        for load in args.load:
            rows += [_one(machines, args, scheme, load) for scheme in args.scheme]
    finally:
        # Restore the settings of the configs.
        machines.ask({name: ['ctl', '--fabric', machines.plan['fabric'], 'reload', '--all']
                      for name in machines.names if name not in machines.gone})
    print_rows(COLUMNS, rows, args.format)
    return int(any(row[key] for row in rows for key in combined.CLEAN))
