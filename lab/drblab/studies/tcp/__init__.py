# SPDX-License-Identifier: BSD-3-Clause
"""transfers and jobs by TCP in a live fabric next to the simulator's

LIST names sizes of drbsim transfer (fixed:50, websearch, ...), which are drawn at each load, and
jobs of drbsim job (all-to-all, ...). DIR gets rows.jsonl, transfers.csv, runs.csv, summary.csv,
summary.json, figures and report.html. Called again with the same DIR, it measures only what is
missing. Needs root.

Exit status: 0 done; 1 transfers did not end, or with --check a verdict is not "within"; 2 bad
usage or input.

examples:
  drblab tcp fixed:50 --scheme drb,ecmp --load 0.2,0.4 --out report
  drblab tcp fixed:50,all-to-all --unit flow,packet --load 0.4 --out report
"""

from __future__ import annotations

import argparse

from drblab import live, table
from drblab.common import schemes
from drblab.point import PointError
from drblab.studies import options

UNITS = 'packet', 'flowlet', 'flow'
SIZES = 'websearch', 'datamining', 'fixed', 'file'


def some_units(text: str) -> list[str]:
    """Different units of decisions, with commas."""
    units = text.split(',')
    if not set(units) <= set(UNITS) or len(set(units)) < len(units):
        raise argparse.ArgumentTypeError(f"'{text}': must be different ones of {','.join(UNITS)}")
    return units


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    add = parser.add_argument
    add('workload', type=options.some_workloads, metavar='LIST', help='sizes and jobs')
    options.add_size_options(parser)
    add('--uplinks', type=options.count, default=0, metavar='U',
        help='uplinks of a switch of layer 1 (default: the arity)')
    add('--scheme', type=options.some_schemes, default='drb,micro,dmodk,vlb', metavar='LIST',
        help='routing schemes')
    add('--unit', type=some_units, default='flow', metavar='LIST',
        help='units of decisions: packet, flowlet, flow')
    add('--load', type=options.some_loads, default='0.4', metavar='LIST', help='load of sizes')
    add('--slots', type=options.count, default=1000, help='slots in which transfers begin')
    add('--data', type=options.count, default=256, metavar='PACKETS',
        help='data of each host in jobs')
    add('--congestion', default='reno', metavar='NAME', help="TCP's congestion control")
    add('--runs', type=options.count, default=3, metavar='COUNT',
        help='runs of each point, with different seeds')
    add('--seed', type=options.natural, default=1, help='seed of the first run')
    add('--check', action='store_true', help='fail if any part of the 95 %% interval of a mean '
        'completion time deviates by more than 15 %%')
    options.add_live_options(parser, 'experiment')
    options.add_out_option(parser)
    table.add_options(parser)


def workloads_of(args: argparse.Namespace) -> dict[str, list[str]]:
    """Returns {name: arguments of drbsim}: an entry for each load of sizes, and for each job."""
    found = {}
    for word in args.workload:
        if word.split(':')[0] in SIZES:
            for load in args.load:
                found[f'{word.replace("/", "_")}-{load:g}'] = [
                    'transfer', '--sizes', word, '--load', f'{load:g}', '--slots', str(args.slots),
                    '--warmup', '0']
        else:
            found[word] = ['job', '--job', word, '--data', str(args.data), '--place', 'random']
    return found


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    live.need_small(args.layers, args.arity)
    live.need_root()
    from drblab.studies.tcp import report, runs, summary
    setup = runs.Setup(layers=args.layers, arity=args.arity, uplinks=args.uplinks,
                       schemes=schemes.named(args.scheme), units=args.unit,
                       workloads=workloads_of(args), runs=args.runs, seed=args.seed,
                       queue=args.queue or runs.QUEUE, congestion=args.congestion)
    if not setup.combinations():
        raise PointError(f"--scheme {','.join(args.scheme)}: route packets, not flows: take "
                         '--unit packet')
    folder = options.folder_of(args)
    result = runs.measure(setup, options.live_of(args), folder)
    rows = summary.summarise(setup, result.runs)
    page = report.write(folder, setup, result, rows)
    if args.format == 'table':
        for head, lines in report.table(rows), report.why(rows):
            table.lines([head, *lines], args.wide)
            print()
    else:
        table.show(rows, args)
    if page:
        options.say(f'{page} has the report')
    outside = any(row['verdict'] != 'within' for row in rows)
    return 1 if any(row['unfinished'] for row in rows) or args.check and outside else 0
