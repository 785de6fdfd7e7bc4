# SPDX-License-Identifier: BSD-3-Clause
"""`topo/experiment --tcp WORKLOAD`: its options, and the run from starting the fabric to the
report."""

import argparse

from drbfabric import usage
from drbfabric.common import children, schemes
from drbfabric.common.cli import positive, say
from drbfabric.common.output import print_rows
from drbfabric.common.places import program
from drbfabric.experiment import tcp_report
from drbfabric.experiment.experiment import default_slot, taken_down
from drbfabric.experiment.tcp_experiment import Experiment, Setup, draw, summarise
from drbfabric.fabric import keeper
from drbfabric.fabric.fabrics import Fabric

UNITS = ('packet', 'flowlet', 'flow')
SLOTS = 1000


def some_units(text):
    units = text.split(',')
    if not set(units) <= set(UNITS) or len(set(units)) < len(units):
        raise argparse.ArgumentTypeError(f"'{text}': must be different ones of {','.join(UNITS)}")
    return units


def add_options(p):
    group = p.add_argument_group('transfers by TCP')
    group.add_argument('--tcp', metavar='LIST', help='transfers or jobs by TCP instead of packets: sizes of drbsim '
                       'transfer (fixed:50, websearch, ...), jobs of drbsim job (all-to-all, ...)')
    group.add_argument('--unit', type=some_units, default=['flow'], metavar='LIST',
                       help='units of decisions: packet, flowlet, flow (default flow)')
    group.add_argument('--data', type=positive, default=256, metavar='PACKETS',
                       help='data of each host in jobs (default 256)')
    group.add_argument('--congestion', default='reno', metavar='NAME',
                       help="TCP's congestion control (default reno)")


def workloads_of(args):
    """Returns {name: arguments of drbsim}: an entry for each load of sizes, and for each job."""
    found = {}
    for word in args.tcp.split(','):
        if word.split(':')[0] in ('websearch', 'datamining', 'fixed', 'file'):
            for load in args.load:
                found[f'{word.replace("/", "_")}-{load:g}'] = [
                    'transfer', '--sizes', word, '--load', f'{load:g}', '--slots', str(args.slots), '--warmup', '0']
        else:
            found[word] = ['job', '--job', word, '--data', str(args.data), '--place', 'random']
    return found


def setup_of(args):
    slot_ns = args.slot or default_slot(2 * args.arity ** args.layers, args.layers)
    return Setup(layers=args.layers, arity=args.arity, schemes=schemes.named(args.scheme), units=args.unit,
                 workloads=workloads_of(args), slot_ns=slot_ns, runs=args.runs, repeats=args.repeat,
                 queue=args.queue or 512, seed=args.seed, congestion=args.congestion, links=args.links,
                 name=args.name, uplinks=args.uplinks)


def check(setup):
    """Refuses what would be refused only after switches have started."""
    Fabric(setup.name).need_free('take another --fabric')
    if not setup.combinations():
        raise usage(f"--scheme {','.join(setup.schemes)}: route packets, not flows: take --unit packet")
    with open('/proc/sys/net/ipv4/tcp_available_congestion_control', encoding='ascii') as f:
        there = f.read().split()
    if setup.congestion not in there:
        raise usage(f"--congestion {setup.congestion}: must be {', '.join(there)}")
    for workload in setup.workloads:
        if draw(setup, workload, setup.seed).count('\n') < 2:
            raise usage(f'--tcp {workload}: no transfer begins in these --slots')
    children.run([program('drbtopo', 'topo'), 'plan', *setup.size, '--fabric', setup.name, '--links', setup.links])


def print_summary(rows, kind):
    if kind != 'table':
        print_rows([(key, key) for key in rows[0]],
                   [{k: None if v != v else v for k, v in row.items()} for row in rows], kind)
        return
    for head, lines in (tcp_report.table(rows), tcp_report.why(rows)):
        # Keys are numbers, because some titles occur twice.
        print_rows(list(enumerate(head)), [dict(enumerate(line)) for line in lines], 'table')
        print()


def run(args):
    """Runs the experiment. The caller has checked the options that all experiments share."""
    setup = setup_of(args)
    check(setup)
    with keeper.kept('drb-experiment-') as folder:
        experiment = Experiment(setup, folder)
        with taken_down(experiment):
            experiment.run()
        rows = summarise(experiment)
        page = tcp_report.write(args.out, experiment, rows)
    print_summary(rows, args.format)
    if page:
        say(f'{page} has the report')
    outside = any(row['verdict'] != 'within' for row in rows)
    return 1 if any(row['unfinished'] for row in rows) or args.check and outside else 0
