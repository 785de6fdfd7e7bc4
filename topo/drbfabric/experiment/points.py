# SPDX-License-Identifier: BSD-3-Clause
"""Runs points in a live fabric, as `drbsim run` does in the simulator.

Points are read as JSON objects, one per line. A row is written as soon as its point is measured.
The engine `Live` of the laboratory calls this.

A point belongs to the model packet and has options of drbsim by their names. A row has the point's
id, columns of drbsim, and these columns that only a fabric has: why the run was disturbed; true if
it was disturbed although the machine had time; share of slots that a control process was late for;
packets sent and lost; length of a slot in ms; runs until one counted."""

import contextlib
import hashlib
import json
import os
import sys
from dataclasses import replace

from drbfabric import Failure, usage
from drbfabric.common import schemes
from drbfabric.common.progress import RunProgress
from drbfabric.experiment.experiment import (
    Experiment, check_setup, default_slot, failed, need_small, queue_for, taken_down, unexplained)

# Options that a fabric can follow. A point must not have others.
OPTIONS = ('layers', 'arity', 'uplinks', 'scheme', 'load', 'traffic', 'threshold', 'slow', 'fail', 'faults', 'detect',
           'delay', 'slots', 'stats', 'seed')
RUN_SECONDS = 10  # first estimate
# Figures of a run that have the names of drbsim's columns.
SAME = ('latency', 'tail', 'redirected', 'latency_p50', 'latency_p99', 'latency_p999', 'latency_max',
        'reordered_share', 'reorder_extent', 'reorder_buffer', 'growing_links')


def read(lines):
    """Returns [(line number, id, options)]. An error names the number of the first wrong line."""
    points = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            point = json.loads(line)
            if not isinstance(point, dict):
                raise ValueError
        except ValueError:
            raise usage(f'standard input:{number}: must be a JSON object, such as {{"scheme": "drb"}}') from None
        key, model = point.pop('id', number), point.pop('model', 'packet')
        if model != 'packet':
            raise usage(f'standard input:{number}: model {model}: a fabric runs the model packet')
        for name in point:
            if name not in OPTIONS:
                raise usage(f'standard input:{number}: {name}: a fabric takes {", ".join(OPTIONS)}')
        points.append((number, key, point))
    return points


def _delay(text, layers):
    """Returns the slots that links between switches add. text: a list as for drbsim, the hosts'
    links first."""
    first, *others = str(text).split(',')
    if not all(word.isdigit() for word in (first, *others)) or int(first) or len(set(others)) > 1 or \
       len(others) not in (0, layers - 1):
        raise usage(f'delay {text}: must be 0, or 0 and then one number for each other layer, such as 0,3,3')
    return int(others[0]) if others else 0


def setup_of(base, point):
    """Returns the setup of a point. base: the setup of the command line, for options that the point
    leaves out."""
    wanted = {name: type(getattr(base, name))(value) for name, value in point.items()
              if name not in ('scheme', 'load', 'stats', 'delay')}
    setup = replace(base, **wanted)
    need_small(setup.layers, setup.arity)
    if setup.faults and not point.get('detect'):
        raise usage('detect: must be given with faults: the slots until switches notice a cut')
    stats = int(point.get('stats', setup.slots // 2))
    if not 0 < stats <= setup.slots:
        raise usage(f'stats {stats}: must be from 1 to the {setup.slots} slots of the run')
    return replace(setup, runs=1, warmup=setup.slots - stats,
                   schemes=schemes.named([str(point['scheme'])]) if 'scheme' in point else setup.schemes[:1],
                   loads=[float(point.get('load', setup.loads[0]))],
                   delay=_delay(point['delay'], setup.layers) if 'delay' in point else setup.delay,
                   slot_ns=base.slot_ns or default_slot(setup.hosts, setup.layers),
                   queue=base.queue or queue_for(setup.traffic))


def row_of(run, attempts):
    """Makes a row of the run that counts."""
    row = {key: run[key] for key in SAME if key in run}
    row['growing'] = 'yes' if run['growing'] else 'unclear' if run['unclear'] else 'no'
    return {**row, 'disturbed': run['disturbed'], 'unexplained': unexplained(run), 'control_late': run['control_late'],
            'sent': run['sent'], 'lost': run['lost'] + run['wrong'], 'slot_ms': run['slot_ms'], 'attempts': attempts}


class Points:
    """Measures points one after the other. The fabric stays up until the shape changes."""

    def __init__(self, base, folder, count):
        self.base, self.folder = base, folder
        self.experiment, self.shape = None, None
        self.failed = False  # a point was not measured, or its packets were lost without faults
        self.progress = RunProgress(count, RUN_SECONDS)
        self.ended = contextlib.ExitStack()  # takes the fabric down

    def _experiment(self, setup):
        """Returns the experiment for this setup. Replaces the fabric if it has another shape."""
        shape = setup.layers, setup.arity, setup.uplinks, setup.queue
        if self.experiment is None or shape != self.shape:
            self.ended.close()
            self.experiment, self.shape = Experiment(setup, self.folder), shape
            self.experiment.progress = self.progress
            self.ended.enter_context(taken_down(self.experiment))
        # Each kind of traffic has its own folder.
        traffic = hashlib.sha256(repr((setup.traffic, shape, setup.slots, setup.slot_ns)).encode()).hexdigest()[:8]
        self.experiment.folder = f'{self.folder}/{traffic}'
        os.makedirs(self.experiment.folder, exist_ok=True)
        self.experiment.setup = replace(setup, stretched=self.experiment.setup.stretched, load=setup.loads[0])
        return self.experiment

    def measure(self, point):
        """Measures a point and returns its row."""
        setup = setup_of(self.base, point)
        experiment = self._experiment(setup)
        experiment.seeds = [setup.seed]
        scheme, load = setup.schemes[0], setup.loads[0]
        before = len(experiment.runs)
        experiment.measure(experiment.set_fabric(scheme, load, setup.seed), scheme, load, setup.seed)
        runs = experiment.runs[before:]
        counts = next(run for run in runs if run['counts'])
        self.failed |= failed([counts], setup.faults)
        return row_of(counts, len(runs))

    def run(self, points):
        """Writes a row per point. Returns 1 if any point failed, else 0."""
        with self.ended:
            for _, key, point in points:
                try:
                    row = self.measure(point)
                except Failure as e:
                    if e.code == 2:
                        raise
                    row, self.failed = {'error': str(e)}, True
                print(json.dumps({'id': key, **row}), flush=True)
        return int(self.failed)


def run(base, folder):
    """Measures the points of standard input and returns the exit status. All points are checked
    before the first one runs."""
    points = read(sys.stdin)
    for number, _, point in points:
        try:
            check_setup(setup_of(base, point))
        except (Failure, TypeError, ValueError) as e:
            raise usage(f'standard input:{number}: {e}') from None
    return Points(base, folder, len(points)).run(points)
