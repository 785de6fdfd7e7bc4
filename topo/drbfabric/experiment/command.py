# SPDX-License-Identifier: BSD-3-Clause
"""The command `drbexperiment`."""

import os

from drbfabric import usage
from drbfabric.common import schemes
from drbfabric.common.cli import (
    Parser, Version, a_time, help_first, need_root, not_negative, positive, run_program, say, some_loads,
    some_schemes)
from drbfabric.common.output import add_format_options, print_rows
from drbfabric.common.places import called
from drbfabric.experiment import points, report, tcp_command
from drbfabric.experiment.experiment import (
    Experiment, Setup, check_setup, default_slot, failed, need_small, queue_for, taken_down)
from drbfabric.experiment.summary import summarise
from drbfabric.fabric import keeper

ABOUT = "Measures latencies and queues of a live fabric and compares them with the simulator's."
MORE = """For every scheme, switches start with links that send one packet in each slot of a common clock. For
every load, traffic is replayed and counters are read. The simulator gets the same traffic. DIR gets
runs.csv, summary.csv, figures and report.html, which needs no other file. Exit status: 0 done; 1 packets
were lost, or with --check a value deviates too far from the simulator or could not be measured
undisturbed; 2 bad usage or input."""


def parser():
    experiment = called('experiment')
    p = Parser(prog=experiment, description=ABOUT, epilog=MORE,
               examples=(f'{experiment} --runs 2 --out report',
                         f'{experiment} -d 4 --load 0.9 --out report',
                         f'{experiment} --traffic fixed --scheme drb,walk --load 0.9 --out report',
                         f'{experiment} --tcp fixed:50,all-to-all --scheme drb,ecmp --load 0.4 --out report'))
    p.add_argument('--version', nargs=0, action=Version, help='show the version and exit')
    p.add_argument('-l', '--layers', type=positive, default=3, help='layers (default 3)')
    p.add_argument('-d', '--arity', type=positive, default=2, help='arity (default 2)')
    p.add_argument('--uplinks', type=positive, default=0, metavar='U',
                   help='uplinks of a switch of layer 1 (default: the arity)')
    p.add_argument('--scheme', type=some_schemes, default=some_schemes('drb,micro,dmodk,vlb'),
                   metavar='LIST', help='routing schemes (default drb,micro,dmodk,vlb)')
    p.add_argument('--load', type=some_loads, default=some_loads('0.6,0.8,0.9,0.95'), metavar='LIST',
                   help='packets per host and slot (default 0.6,0.8,0.9,0.95)')
    p.add_argument('--traffic', default='permutation', metavar='NAME',
                   help='permutation (default: a fresh one every slot), fixed, ...: see drbgen write '
                   '--help')
    p.add_argument('--slow', default='', metavar='link:N:K',
                   help='a packet takes K slots on N random links between switches, in both directions, as with '
                   'drbsim packet --slow')
    p.add_argument('--fail', default='', metavar='LINKS',
                   help='dead links: link:N at random, or names such as s1-0.u1,s2-3.u0')
    p.add_argument('--faults', default='', metavar='FILE', help='lines SLOT cut|mend|kill NAME..., as for '
                   'drbsim packet --faults; switches notice after 300 ms')
    p.add_argument('--delay', type=not_negative, default=0, metavar='SLOTS',
                   help='links between switches take so many slots longer (default 0)')
    p.add_argument('--threshold', default='paper', metavar='T',
                   help="threshold of schemes that have one (default paper: 1 - ln(1 - load))")
    p.add_argument('--slot', type=a_time, metavar='TIME',
                   help='length of a slot (default: what two CPUs sustain, 2ms for F(3,2), 10ms for '
                   'F(3,4))')
    p.add_argument('--slots', type=positive, default=1000, help='slots of a run (default 1000)')
    p.add_argument('--warmup', type=positive, metavar='SLOTS', help='slots to leave out at the start (default a tenth)')
    p.add_argument('--runs', type=positive, default=3, help='runs of each point, with different seeds (default 3)')
    p.add_argument('--repeat', type=not_negative, default=3, metavar='COUNT',
                   help='how often to repeat a run that the machine disturbed (default 3)')
    p.add_argument('--stretch', type=not_negative, default=3, metavar='COUNT',
                   help='how often to double the slots if all repetitions were disturbed (default 3)')
    p.add_argument('--queue', type=positive, metavar='PACKETS',
                   help='limit of every egress queue (default 512, 4096 for persistent traffic)')
    p.add_argument('--links', choices=('veth', 'memif'), default='veth', help='links between switches (default veth)')
    p.add_argument('--seed', type=not_negative, default=1, help='seed of the first run (default 1)')
    p.add_argument('--fabric', dest='name', metavar='NAME', default='experiment',
                   help='name of the fabric (default experiment)')
    p.add_argument('--check', action='store_true',
                   help='fail if a mean latency deviates by more than 5 %%, or a cohort tail or redirected '
                   'share by more than 10 %%, and by more than two standard errors; with --tcp, if any '
                   'part of the 95 %% interval of a mean completion time deviates by more than 15 %%')
    tcp_command.add_options(p)
    p.add_argument('--points', action='store_true',
                   help='measure points of standard input, as drbsim run simulates them: JSON lines in and out')
    p.add_argument('-o', '--out', metavar='DIR', help='folder of the report')
    add_format_options(p)
    return p


def setup_of(args):
    need_small(args.layers, args.arity)
    hosts = 2 * args.arity ** args.layers
    warmup = args.warmup if args.warmup is not None else args.slots // 10
    if warmup > args.slots // 2:
        raise usage(f'--warmup {warmup}: more than half of the {args.slots} slots')
    if args.threshold == 'paper' and max(args.load) * args.arity >= (args.uplinks or args.arity):
        raise usage(f'--load {max(args.load):g}: more than {args.uplinks} uplinks for {args.arity} hosts '
                    'carry, for which the paper has no T: take a --threshold')
    return Setup(layers=args.layers, arity=args.arity, schemes=schemes.named(args.scheme), loads=args.load,
                 traffic=args.traffic, threshold=args.threshold, slow=args.slow, fail=args.fail, delay=args.delay,
                 faults=args.faults,
                 slot_ns=args.slot or (0 if args.points else default_slot(hosts, args.layers)), slots=args.slots,
                 warmup=warmup, runs=args.runs, repeats=args.repeat, stretches=args.stretch,
                 queue=args.queue or (0 if args.points else queue_for(args.traffic)),
                 seed=args.seed, links=args.links, name=args.name, uplinks=args.uplinks)


def check_out(out):
    if os.path.exists(out) and not os.path.isdir(out):
        raise usage(f'--out {out}: is no directory')
    folder = os.path.dirname(os.path.abspath(out))
    if not os.path.isdir(out) and not os.path.isdir(folder):
        raise usage(f'--out {out}: there is no directory {folder}')


def print_detail(rows, queues):
    head, lines = report.detail(rows, queues)
    print('\nLive, simulated:')
    print_rows([(key, key) for key in head], [dict(zip(head, line)) for line in lines], 'table')


def print_summary(rows, kind):
    if kind != 'table':
        print_rows([(key, key) for key in rows[0]],
                   [{k: None if v != v else v for k, v in row.items()} for row in rows], kind)
        return
    columns = [('scheme', 'scheme'), ('load', 'load'), ('latency', 'latency'),
               ('sim_latency', 'simulated'), ('latency_off_percent', 'off %'), ('tail', 'tail'),
               ('sim_tail', 'simulated'), ('tail_off_percent', 'off %'),
               ('redirected_percent', 'redirected %'), ('sim_redirected_percent', 'simulated'),
               ('remarks', 'remarks')]
    shown = []
    for row in rows:
        line = {**row, 'remarks': ', '.join(report.remarks(row))}
        for key in ('redirected', 'sim_redirected', 'latency_off', 'tail_off'):
            line[f'{key}_percent'] = 100 * row[key]
        shown.append({k: None if v != v else v for k, v in line.items()})
    print_rows(columns, shown, kind)


def run(args):
    setup = setup_of(args)
    for option in ('out', 'check', 'tcp') if args.points else ():
        if getattr(args, option):
            raise usage(f'--{option}: of a report, not of --points')
    if not args.points and not args.out:
        raise usage('--out DIR is missing: the folder of the report')
    need_root()
    if args.points:
        with keeper.kept('drb-points-') as folder:
            return points.run(setup, folder)
    check_out(args.out)
    for option in ('slow', 'fail', 'faults', 'delay') if args.tcp else ():
        if getattr(args, option):
            raise usage(f'--{option}: of packets, not of --tcp')
    if args.tcp:
        return tcp_command.run(args)
    # Refuses now what other programs would refuse only after switches have started.
    check_setup(setup)
    with keeper.kept('drb-experiment-') as folder:
        experiment = Experiment(setup, folder)
        with taken_down(experiment):
            experiment.run()
        rows = summarise(experiment)
        page = report.write(args.out, experiment, rows)
    print_summary(rows, args.format)
    if args.format == 'table':
        print_detail(rows, setup.queues)
    if page:
        say(f'{page} has the report')
    lost = failed((run for run in experiment.runs if run['counts']), setup.faults)
    return 1 if lost or args.check and not all(row['within'] for row in rows) else 0


def main(arguments):
    return run_program('drbexperiment', lambda: run(parser().parse_args(help_first(arguments))))
