# SPDX-License-Identifier: BSD-3-Clause
"""Shows whether DRB helps: compares some schemes on one fabric with rated links.

Each scheme runs under fresh permutations and under a persistent one, live and in the simulator. The
result is a table, a verdict in sentences and a picture."""

import argparse
import dataclasses
import os
import time

from drbfabric import usage
from drbfabric.common import schemes
from drbfabric.common.cli import a_load, a_time, need_root, not_negative, positive, some_schemes
from drbfabric.common.output import add_format_options, print_rows
from drbfabric.common.progress import RunProgress
from drbfabric.experiment import live, single_run
from drbfabric.experiment.experiment import (
    LONGER, Experiment, Setup, check_setup, default_slot, need_small, simulate, taken_down)
from drbfabric.experiment.summary import summarise
from drbfabric.experiment.verdict import TRAFFIC, queues, verdict
from drbfabric.fabric import keeper
from drbfabric.report import write_picture
from drbfabric.report.figure import Axis, Figure, Panel, Point

# Time for the whole demo. A disturbed run is repeated only if the remaining runs still fit.
SECONDS = 50
# Default schemes: the paper's, the two that it improves on, and the one that this project adds.
SCHEMES = 'drb', 'dmodk', 'micro', 'walk'
# Egress queue limit in packets. A persistent permutation fills queues for the whole run, and no
# queue may overflow.
QUEUE = 4096
# Time of a run in addition to its slots: the generator starts, and waits for the last packets.
RUN_EXTRA_SECONDS = 1.0


def add_options(p):
    p.add_argument('-l', '--layers', type=positive, default=3, help='layers (default 3)')
    p.add_argument('-d', '--arity', type=positive, default=2, help='arity (default 2)')
    p.add_argument('--scheme', type=some_schemes, metavar='LIST',
                   help=f'routing schemes (default {",".join(SCHEMES)}; with --one drb)')
    p.add_argument('--threshold', metavar='T',
                   help='threshold of schemes that have one (default 1 - ln(1 - load), as in the paper)')
    p.add_argument('--load', type=a_load, default=0.95, metavar='LOAD',
                   help='packets per host and slot (default 0.95)')
    p.add_argument('--slot', type=a_time, metavar='TIME',
                   help='time of a packet on a link (default: what the CPUs sustain, 2ms for F(3,2))')
    p.add_argument('--slots', type=positive, metavar='COUNT',
                   help='slots of a run (default 800; with --one 2000)')
    p.add_argument('--seed', type=not_negative, default=1, help='seed of the traffic (default 1)')
    p.add_argument('-o', '--out', default='drb-demo.svg', metavar='FILE',
                   help='file of the figure (default drb-demo.svg)')
    p.add_argument('--one', action='store_true',
                   help='run only one scheme, and print the counters of every port')
    # demo.sh uses this to check the options before it builds.
    p.add_argument('--options-only', action='store_true', help=argparse.SUPPRESS)
    p.add_argument('--traffic', metavar='NAME',
                   help='traffic of --one: permutation (default), fixed, ...: see drbgen write --help')
    add_format_options(p)


def setup_of(args):
    slots = args.slots or 800
    return Setup(layers=args.layers, arity=args.arity,
                 schemes=schemes.named(args.scheme or SCHEMES),
                 loads=[args.load], traffic='permutation', threshold=args.threshold or 'paper',
                 slot_ns=args.slot or default_slot(2 * args.arity ** args.layers, args.layers),
                 slots=slots, warmup=slots // 8, runs=1, repeats=3, queue=QUEUE, seed=args.seed,
                 links='veth', name=args.name, load=args.load)


def title(setup):
    """Describes the setup in one sentence."""
    with_t = [s for s in setup.schemes if schemes.has_threshold(s)]
    t = f"; T = {float(setup.threshold_at(setup.load)):.3g} ({', '.join(with_t)})" if with_t else ''
    return (f'F({setup.layers},{setup.arity}), {setup.hosts} hosts; load {setup.load:g} of links that '
            f'carry {1e9 / setup.slot_ns:.4g} packets/s, one per slot of {setup.slot * 1e3:g} ms{t}; '
            f'{setup.slots} slots, seed {setup.seed}')


# Measuring

class Demo:
    """Runs all schemes, one after the other. Switches start once for each scheme."""

    def __init__(self, setup, folder):
        self.setup, self.began = setup, time.monotonic()
        self.parts = [Experiment(dataclasses.replace(setup, traffic=pattern), f'{folder}/{pattern}')
                      for pattern, _, _ in TRAFFIC]
        each = (setup.slots + live.TAIL_SLOTS) * setup.slot + RUN_EXTRA_SECONDS
        progress = RunProgress(len(self.parts) * len(setup.schemes), each)
        for part in self.parts:
            os.mkdir(part.folder)
            part.progress = progress
            part.may_repeat = lambda: self.seconds_left() > (progress.total - progress.done) * each

    def seconds_left(self):
        return SECONDS - (time.monotonic() - self.began)

    def run(self):
        setup, first = self.setup, self.parts[0]
        # The simulator also refuses wrong patterns, loads and thresholds before switches start.
        for part in self.parts:
            part.simulated[setup.seed] = simulate(part.setup, setup.seed)
        with taken_down(first):
            for scheme in setup.schemes:
                plan = first.set_fabric(scheme, setup.load, setup.seed)
                for part in self.parts:
                    part.measure(plan, scheme, setup.load, setup.seed)

    def rows(self):
        result = []
        for part, (_, name, _) in zip(self.parts, TRAFFIC):
            # Disturbed figures do not count, whether the machine or the fabric was the cause.
            result += [{'traffic': name, **row, 'disturbed': row['disturbed'] + row['unexplained']}
                       for row in summarise(part)]
        return result


# Output

# A narrow terminal leaves out columns on the right.
COLUMNS = [('traffic', 'traffic'), ('scheme', 'scheme'), ('latency', 'latency'),
           ('sim_latency', 'simulated'), ('latency_off_percent', 'off %'), ('queues', 'queues'),
           ('remarks', 'remarks'), ('redirected_percent', 'redirected %'),
           ('sim_redirected_percent', 'simulated'), ('tail', 'tail'), ('sim_tail', 'simulated')]


def remarks(row):
    """Remarks on a row of the table: packets lost, runs disturbed."""
    found = [f"{row['lost']} lost"] if row['lost'] else []
    if row['disturbed']:
        found.append('disturbed')
    return ', '.join(found)


def line_of(row):
    line = {**row, 'remarks': remarks(row)}
    line['queues'] = queues(row)
    for key in 'redirected', 'sim_redirected', 'latency_off':
        line[f'{key}_percent'] = 100 * row[key]
    # Without a steady state, there is no mean to deviate from.
    if line['queues'] == 'grow':
        line['latency_off_percent'] = None
    return {k: None if v != v else v for k, v in line.items()}


def figure_of(rows, setup):
    """Draws mean latencies, live beside simulated, with a panel for each traffic."""
    f = Figure('demo', 'bars', f'Mean latency, F({setup.layers},{setup.arity}), load {setup.load:g}', '',
               Axis(''), Axis('slots', low=0))
    for _, name, meaning in TRAFFIC:
        mine = [row for row in rows if row['traffic'] == name]
        grow = [queues(row) == 'grow' for row in mine]
        latencies = [row[key] for row in mine for key in ('latency', 'sim_latency')]
        # Latencies in growing queues exceed any linear scale.
        log = Axis('slots', log=True, low=min(4, min(latencies) / 2))
        f.panels.append(Panel(meaning.split(' (')[0], y=log if any(grow) else None))
        for label, key in (('live', 'latency'), ('simulated', 'sim_latency')):
            f.add(label, '1', [Point(row['scheme'], row[key], grows=grows) for row, grows in zip(mine, grow)],
                  dashed=label == 'simulated')
    return f


def legend(rows, setup):
    """Explains the words that the table contains."""
    lines = ['Latency: mean, in slots since the packet was generated; '
             f'{2 * setup.layers} is a path without queueing. Tail: mean over slots of the slowest '
             'packet of the slot.',
             'Off: live above simulated. Redirected: of the decisions on the way up, those that left '
             'the default uplink.']
    words = set(map(queues, rows))
    if 'grow' in words:
        lines.append('grow: queues get longer for as long as the traffic lasts, in this run or in the simulator over '
                     f'{LONGER} times its slots, so there is no mean to compare (off -).')
    if 'cannot be told' in words:
        lines.append(f'cannot be told: whether queues grow shows in more than {LONGER} times these slots; take more '
                     '--slots.')
    if any(row['disturbed'] for row in rows):
        lines.append('disturbed: other work kept the CPUs from some slots; the live figures are shown, '
                     'but those of the simulator decide.')
    return '\n'.join(lines)


def show(rows, setup, args, say):
    print_rows(COLUMNS, [line_of(row) for row in rows], args.format)
    say_verdict = print if args.format == 'table' else say
    if args.format == 'table':
        print(f'\n{legend(rows, setup)}\n')
    for line in verdict(rows):
        say_verdict(line)
    if write_picture(figure_of(rows, setup), args.out):
        say(f'{args.out} has the picture')


def check_out(path):
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder):
        raise usage(f'--out {path}: must be the name of a file in a directory that is there')


def check_may_write(path):
    folder = os.path.dirname(os.path.abspath(path))
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise usage(f'--out {path}: may not be written')


def check_options(args):
    """Checks everything that needs no privileges, no fabric and no other program."""
    need_small(args.layers, args.arity)
    if args.one:
        single_run.check_options(args)
    elif args.traffic:
        raise usage('--traffic: only with --one; the demo shows permutation and fixed')
    else:
        check_out(args.out)


def compare(args, say):
    setup = setup_of(args)
    check_setup(setup)
    need_root()
    check_may_write(args.out)
    # The title comes first, because the next output may take a minute.
    if args.format == 'table':
        print(title(setup), end='\n\n', flush=True)
    else:
        say(title(setup))
    with keeper.kept('drb-demo-') as folder:
        demo = Demo(setup, folder)
        demo.run()
        rows = demo.rows()
    show(rows, setup, args, say)
    return 1 if any(row['lost'] for row in rows) else 0


def run(args, say):
    check_options(args)
    if args.options_only:
        return 0
    return single_run.run(args, say) if args.one else compare(args, say)
