# SPDX-License-Identifier: BSD-3-Clause
"""whether DRB helps: schemes on a live fabric and in the simulator, and a verdict

Each scheme runs under fresh permutations and under a persistent one. The result is a table, a
verdict in sentences and a picture. Takes less than a minute. Needs root.

Exit status: 0 done; 1 packets were lost; 2 bad usage or input.

examples:
  drblab demo
  drblab demo --load 0.9 --out picture.svg
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from drblab import live, table
from drblab.common import schemes
from drblab.point import PointError
from drblab.studies import options
from drblab.studies.demo.winner import TRAFFIC, queues, verdict

if TYPE_CHECKING:
    from drblab.report.figure import Figure
    from drblab.studies.experiment.pairs import Result, Setup

# Time for the live runs. A disturbed run is repeated only if the remaining runs still fit.
SECONDS = 45
# Default schemes: the paper's, the two that it improves on, and the one that this project adds.
SCHEMES = 'drb', 'dmodk', 'micro', 'walk'
# Egress queue limit in packets. A persistent permutation fills queues for the whole run, and no
# queue may overflow.
QUEUE = 4096


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    options.add_size_options(parser)
    add = parser.add_argument
    add('--scheme', type=options.some_schemes, default=','.join(SCHEMES), metavar='LIST',
        help='routing schemes')
    add('--threshold', metavar='T', default='paper',
        help='threshold of schemes that have one; paper: 1 - ln(1 - load)')
    add('--load', type=options.a_load, default='0.95', metavar='LOAD',
        help='packets per host and slot')
    add('--slot', type=options.a_time, metavar='TIME',
        help='time of a packet on a link (default: what the CPUs sustain, 2ms for F(3,2))')
    add('--slots', type=options.count, default=800, metavar='COUNT', help='slots of a run')
    add('--seed', type=options.natural, default=1, help='seed of the traffic')
    add('--fabric', metavar='NAME', default='demo', help='name of the fabric')
    add('-o', '--out', default='drb-demo.svg', metavar='FILE', help='file of the figure')
    # demo.sh uses this to check the options before it builds.
    add('--options-only', action='store_true', help=argparse.SUPPRESS)
    table.add_options(parser)


def setups_of(args: argparse.Namespace) -> list[Setup]:
    """The setup of each traffic."""
    from drblab.studies.experiment.pairs import Setup
    return [Setup(layers=args.layers, arity=args.arity, schemes=schemes.named(args.scheme),
                  loads=[args.load], traffic=traffic, threshold=args.threshold, slots=args.slots,
                  warmup=args.slots // 8, seed=args.seed) for traffic, _, _ in TRAFFIC]


def title(setup: Setup) -> str:
    """Describes the setup in one sentence."""
    return (f'{setup.name}, {setup.hosts} hosts; load {setup.loads[0]:g}; {setup.slots} slots, '
            f'seed {setup.seed}')


# A narrow terminal leaves out columns on the right.
COLUMNS = {
    'traffic': 'traffic', 'scheme': 'scheme', 'latency': 'latency', 'sim_latency': 'simulated',
    'latency_off_percent': 'off %', 'queues': 'queues', 'remarks': 'remarks',
    'redirected_percent': 'redirected %', 'sim_redirected_percent': 'simulated', 'tail': 'tail',
    'sim_tail': 'simulated'}


def line_of(row: dict[str, Any]) -> dict[str, Any]:
    """A row of the table."""
    remarks = ([f"{row['lost']} lost"] if row['lost'] else []) + \
        (['disturbed'] if row['disturbed'] else [])
    line: dict[str, Any] = {**row, 'remarks': ', '.join(remarks), 'queues': queues(row)}
    for key in 'redirected', 'sim_redirected', 'latency_off':
        line[f'{key}_percent'] = 100 * row[key]
    # Without a steady state, there is no mean to deviate from.
    if line['queues'] == 'grow':
        line['latency_off_percent'] = None
    return {key: line[key] for key in COLUMNS}


def figure_of(rows: Sequence[dict[str, Any]], setup: Setup) -> Figure:
    """Draws mean latencies, live beside simulated, with a panel for each traffic."""
    from drblab.report.figure import Axis, Figure, Panel, Point
    f = Figure('demo', 'bars', f'Mean latency, {setup.name}, load {setup.loads[0]:g}', '',
               Axis(''), Axis('slots', low=0))
    for _, name, meaning in TRAFFIC:
        mine = [row for row in rows if row['traffic'] == name]
        grow = [queues(row) == 'grow' for row in mine]
        latencies = [row[key] for row in mine for key in ('latency', 'sim_latency')]
        # Latencies in growing queues exceed any linear scale.
        log = Axis('slots', log=True, low=min(4, min(latencies) / 2))
        f.panels.append(Panel(meaning.split(' (')[0], y=log if any(grow) else None))
        for label, key in (('live', 'latency'), ('simulated', 'sim_latency')):
            f.add(label, '1', [Point(row['scheme'], row[key], grows=grows)
                               for row, grows in zip(mine, grow)], dashed=label == 'simulated')
    return f


def legend(rows: Sequence[dict[str, Any]], setup: Setup) -> str:
    """Explains the words that the table contains."""
    from drblab.studies.experiment.pairs import LONGER
    lines = ['Latency: mean, in slots since the packet was generated; '
             f'{2 * setup.layers} is a path without queueing. Tail: mean over slots of the slowest '
             'packet of the slot.',
             'Off: live above simulated. Redirected: of the decisions on the way up, those that left '
             'the default uplink.']
    words = set(map(queues, rows))
    if 'grow' in words:
        lines.append('grow: queues get longer for as long as the traffic lasts, in this run or in '
                     f'the simulator over {LONGER} times its slots, so there is no mean to compare '
                     '(off -).')
    if 'cannot be told' in words:
        lines.append(f'cannot be told: whether queues grow shows in more than {LONGER} times these '
                     'slots; take more --slots.')
    if any(row['disturbed'] for row in rows):
        lines.append('disturbed: other work kept the CPUs from some slots; the live figures are '
                     'shown, but those of the simulator decide.')
    return '\n'.join(lines)


def links_are(result: Result) -> str:
    """The speed of links, and the threshold of schemes that have one."""
    slot = result.runs[0]['slot_ms']
    named = {row['name']: row['threshold'] for row in result.simulated.values()
             if schemes.row_of(row['name'])['threshold']}
    told = f"; T = {float(next(iter(named.values()))):.3g} ({', '.join(named)})" if named else ''
    return f'Links carry {1e3 / slot:.4g} packets/s, one per slot of {slot:g} ms{told}.'


def check_options(args: argparse.Namespace) -> None:
    """Checks everything that needs no privileges, no fabric and no other program."""
    live.need_small(args.layers, args.arity)
    folder = os.path.dirname(os.path.abspath(args.out))
    if os.path.isdir(args.out) or not os.path.isdir(folder):
        raise PointError(f'--out {args.out}: must be the name of a file in a directory that is there')


def check_may_write(path: str) -> None:
    """Refuses a file that cannot be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise PointError(f'--out {path}: may not be written')


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    check_options(args)
    if args.options_only:
        return 0
    live.need_root()
    check_may_write(args.out)
    from drblab.report import write_picture
    from drblab.studies.experiment import pairs
    from drblab.studies.experiment.summary import summarise
    setups = setups_of(args)
    # The title comes first, because the next output may take a minute.
    out = sys.stdout if args.format == 'table' else sys.stderr
    print(title(setups[0]), file=out, flush=True)
    engine = live.Live(slot=args.slot, queue=QUEUE, stretch=0, limit=SECONDS, fabric=args.fabric)
    results = pairs.measure(setups, engine)
    # Disturbed figures do not count, whether the machine or the fabric was the cause.
    rows = [{'traffic': name, **row, 'disturbed': row['disturbed'] + row['unexplained']}
            for result, (_, name, _) in zip(results, TRAFFIC) for row in summarise(result)]
    if args.format == 'table':
        print()
    table.show([line_of(row) for row in rows], args, COLUMNS)
    if args.format == 'table':
        print(f'\n{links_are(results[0])}\n{legend(rows, setups[0])}\n')
    for line in verdict(rows):
        print(line, file=out)
    if write_picture(figure_of(rows, setups[0]), args.out):
        options.say(f'{args.out} has the picture')
    return 1 if any(row['lost'] for row in rows) else 0
