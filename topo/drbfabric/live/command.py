# SPDX-License-Identifier: BSD-3-Clause
"""`drbfabric run`: measures points in a live fabric, as `drbsim run` does in the simulator."""

import argparse
import ctypes
import json
import os
import signal
import sys
import time

from drbfabric import Failure, usage
from drbfabric.common.cli import a_time, need_root, not_negative, positive
from drbfabric.common.interrupts import Interrupted
from drbfabric.fabric import keeper
from drbfabric.fabric.fabrics import Fabric
from drbfabric.live import points, setup, tcp
from drbfabric.live.runner import Runner, RunningFabric

EPILOG = """A point is a JSON object, one per line, such as {"id": 1, "scheme": "drb", "load": 0.9}. A row is
printed as soon as its point is measured. Exit status: 0 done; 1 a point was not measured, or packets were lost;
2 bad usage or input."""


PR_SET_PDEATHSIG = 1  # from linux/prctl.h


def add_options(p):
    p.add_argument('--slot', type=a_time, metavar='TIME',
                   help='length of a slot (default: what two CPUs sustain, 2ms for F(3,2), 10ms for F(3,4))')
    p.add_argument('--repeat', type=not_negative, default=3, metavar='COUNT',
                   help='how often to repeat a run that the machine disturbed (default 3)')
    p.add_argument('--stretch', type=not_negative, default=3, metavar='COUNT',
                   help='how often to double the slots if all repetitions were disturbed (default 3)')
    p.add_argument('--limit', type=positive, metavar='S',
                   help='repeat runs only while all points can be measured within so many seconds')
    p.add_argument('--queue', type=positive, metavar='PACKETS',
                   help='limit of every egress queue (default 512, 4096 for persistent traffic)')
    p.add_argument('--links', choices=('veth', 'memif'), default='veth', help='links between switches (default veth)')
    # The parent process, with which this one ends.
    p.add_argument('--owner', type=positive, help=argparse.SUPPRESS)


def machine_of(args):
    return setup.Machine(name=args.name, links=args.links, slot_ns=args.slot or 0, queue=args.queue or 0,
                         repeats=args.repeat, stretches=args.stretch)


def _checked(machine, model, point):
    """Returns the setup of a point. Raises an error if the point is wrong."""
    module = setup if model == 'packet' else tcp
    made = module.setup_of(machine, point)
    module.check_setup(made, machine)
    return made


class Budget:
    """Time for all points. A run may be repeated while the points that are left still fit."""

    def __init__(self, seconds, count):
        self.seconds, self.left, self.began, self.longest = seconds, count, time.monotonic(), 0.0

    def may_repeat(self):
        return not self.seconds or \
            time.monotonic() - self.began + self.longest * (self.left + 1) < self.seconds


def _measure(runner, budget, model, made):
    began = time.monotonic()
    if model == 'tcp':
        row = tcp.measure(runner.running, runner.machine, made)
        return row, bool(row['unfinished'])
    runs = runner.measure(made)
    budget.longest = max(budget.longest, (time.monotonic() - began) / len(runs))
    row = points.row_of(runs, made.queues, made.detail)
    return row, points.failed(row, made.faults)


def _end_with(owner):
    """Makes the kernel send SIGTERM to this process when its parent ends or is killed."""
    if owner:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != owner:
            raise Failure('')


def run(args):
    """Measures the points of standard input and returns the exit status. All points are checked
    before the first one runs."""
    need_root()
    _end_with(args.owner)
    Fabric(args.name).need_free('take another --fabric')
    machine, made = machine_of(args), []
    for number, key, model, point in points.read(sys.stdin):
        try:
            made.append((key, model, _checked(machine, model, point)))
        except Failure as e:
            raise usage(f'standard input:{number}: {e}') from None
    budget, status = Budget(args.limit, len(made)), 0
    with keeper.kept('drb-points-') as folder, RunningFabric(machine.name) as running:
        runner = Runner(machine, running, folder, budget.may_repeat)
        for key, model, one in made:
            budget.left -= 1
            try:
                row, failed = _measure(runner, budget, model, one)
            except Failure as e:
                if e.code == 2 or isinstance(e, Interrupted):
                    raise
                row, failed = {'error': str(e)}, True
                runner.impaired = True  # the fabric may be set up in part
            status |= failed
            print(json.dumps({'id': key, **row}), flush=True)
    return int(status)
