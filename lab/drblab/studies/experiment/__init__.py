# SPDX-License-Identifier: BSD-3-Clause
"""latencies and queues of a live fabric next to the simulator's

For every scheme and load, switches start with links that send one packet in each slot of a common
clock, and traffic is replayed. The simulator gets the same traffic. DIR gets rows.jsonl, runs.csv,
summary.csv, figures and report.html, which needs no other file. Called again with the same DIR, it
measures only what is missing. Needs root.

Exit status: 0 done; 1 packets were lost, or with --check a value deviates too far from the
simulator or could not be measured undisturbed; 2 bad usage or input.

examples:
  drblab experiment --runs 2 --out report
  drblab experiment -d 4 --load 0.9 --out report
  drblab experiment --traffic fixed --scheme drb,walk --load 0.9 --out report
"""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

from drblab import live, table
from drblab.common import schemes
from drblab.point import PointError, Value
from drblab.studies import options

COLUMNS = {
    'scheme': 'scheme', 'load': 'load', 'latency': 'latency', 'sim_latency': 'simulated',
    'latency_off_percent': 'off %', 'tail': 'tail', 'sim_tail': 'simulated',
    'tail_off_percent': 'off %', 'remarks': 'remarks', 'redirected_percent': 'redirected %',
    'sim_redirected_percent': 'simulated'}


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    options.add_size_options(parser)
    add = parser.add_argument
    add('--uplinks', type=options.count, default=0, metavar='U',
        help='uplinks of a switch of layer 1 (default: the arity)')
    add('--scheme', type=options.some_schemes, default='drb,micro,dmodk,vlb', metavar='LIST',
        help='routing schemes')
    add('--load', type=options.some_loads, default='0.6,0.8,0.9,0.95', metavar='LIST',
        help='packets per host and slot')
    add('--traffic', default='permutation', metavar='NAME',
        help='permutation (a fresh one every slot), fixed, ...: see drbgen write --help')
    add('--slow', metavar='link:N:K', help='a packet takes K slots on N random links between '
        'switches, in both directions')
    add('--fail', metavar='LINKS',
        help='dead links: link:N at random, or names such as s1-0.u1,s2-3.u0')
    add('--faults', metavar='FILE', help='lines SLOT cut|mend|kill NAME..., as for drbsim packet')
    add('--detect', type=options.count, default=75, metavar='SLOTS',
        help='slots until switches notice a fault of --faults')
    add('--delay', type=options.natural, default=0, metavar='SLOTS',
        help='links between switches take so many slots longer')
    add('--threshold', default='paper', metavar='T',
        help='threshold of schemes that have one; paper: 1 - ln(1 - load)')
    add('--slots', type=options.count, default=1000, help='slots of a run')
    add('--warmup', type=options.count, metavar='SLOTS',
        help='slots to leave out at the start (default: a tenth)')
    add('--runs', type=options.count, default=3, metavar='COUNT',
        help='runs of each point, with different seeds')
    add('--seed', type=options.natural, default=1, help='seed of the first run')
    add('--check', action='store_true',
        help='fail if a mean latency deviates by more than 5 %%, or a cohort tail or redirected '
        'share by more than 10 %%, and by more than two standard errors')
    options.add_live_options(parser, 'experiment')
    options.add_out_option(parser)
    table.add_options(parser)


def _more(args: argparse.Namespace) -> dict[str, Value]:
    """The options of points that only some experiments have."""
    more: dict[str, Value] = {name: getattr(args, name) for name in ('slow', 'fail')
                              if getattr(args, name)}
    if args.faults:
        more.update(faults=os.path.abspath(args.faults), detect=args.detect)
    if args.delay:
        more['delay'] = ','.join(['0'] + [str(args.delay)] * (args.layers - 1))
    return more


def _check(args: argparse.Namespace, warmup: int) -> None:
    live.need_small(args.layers, args.arity)
    if warmup > args.slots // 2:
        raise PointError(f'--warmup {warmup}: more than half of the {args.slots} slots')
    if args.threshold != 'paper' and not re.fullmatch(r'[0-9]+(\.[0-9]+)?', args.threshold):
        raise PointError(f"--threshold {args.threshold}: must be a number from 0, or 'paper'")
    if args.threshold == 'paper' and max(args.load) * args.arity >= (args.uplinks or args.arity):
        raise PointError(f'--load {max(args.load):g}: more than {args.uplinks} uplinks for '
                         f'{args.arity} hosts carry, for which the paper has no T: take a '
                         '--threshold')
    live.need_root()


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    warmup = args.warmup if args.warmup is not None else args.slots // 10
    _check(args, warmup)
    from drblab.studies.experiment import pairs, report, summary
    setup = pairs.Setup(
        layers=args.layers, arity=args.arity, uplinks=args.uplinks,
        schemes=schemes.named(args.scheme), loads=args.load, traffic=args.traffic,
        threshold=args.threshold, slots=args.slots, warmup=warmup, runs=args.runs, seed=args.seed,
        more=_more(args))
    folder = options.folder_of(args)
    result, = pairs.measure([setup], options.live_of(args), f'{folder}/rows.jsonl')
    rows = summary.summarise(result)
    page = report.write(folder, result, rows)
    if args.format == 'table':
        print('\n'.join(summary.verdict(rows)), end='\n\n')
        table.show([_shown(row) for row in rows], args, COLUMNS)
        print('\nLive, simulated:')
        head, lines = report.detail(rows, setup.queues)
        table.lines([head, *lines], args.wide)
    else:
        table.show(rows, args)
    if page:
        options.say(f'{page} has the report')
    lost = any(summary.failed(run) for run in result.runs)
    return 1 if lost or args.check and not all(row['within'] for row in rows) else 0


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    from drblab.studies.experiment import summary
    percent = {f'{key}_percent': 100 * row[key]
               for key in ('redirected', 'sim_redirected', 'latency_off', 'tail_off')}
    return {**row, **percent, 'remarks': ', '.join(summary.remarks(row))}
