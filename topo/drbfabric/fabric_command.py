# SPDX-License-Identifier: BSD-3-Clause
"""The command `drbfabric`: a verb for each thing to do with a fabric."""

import argparse
import os
import re
from typing import Any

from drbfabric import usage
from drbfabric.common.cli import (
    NS, Parser, Version, help_first, verb_first, need_root, positive, run_program, say, some_loads, some_schemes)
from drbfabric.common.output import add_format_options, print_rows
from drbfabric.common.places import called, called_program, program
from drbfabric.fabric import check, fabrics, netns, nodes
from drbfabric.fabric.up_down import down, replan, up
from drbfabric.faults import faults, scenario
from drbfabric.live import command as live_command
from drbfabric.machines import all_machines, combined, experiment as experiment_machines, export, part

COMPLAINTS_SHOWN = 20


def execute(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan = fabric.need_plan()
    command = args.command[1:] if args.command[:1] == ['--'] else args.command
    if not command:
        raise usage(f"a command is missing: {called('fabric')} exec h4 -- ping h10")
    netns.enter(nodes.find(plan, args.node)['namespace'])
    netns.own_files(fabric.path('hosts'))
    try:
        os.execvp(command[0], command)
    except OSError as e:
        raise usage(f'{command[0]}: {os.strerror(e.errno)}') from e


CHECKS = {
    'wiring': lambda plan, args: [check.wiring(plan)],
    'ping': lambda plan, args: [check.ping(plan, family, args.seed, args.sample)
                                for family in (4, 6)],
    'counters': lambda plan, args: [check.counters(plan, program('drbctl', 'ctl'))],
    'links': lambda plan, args: [check.links(plan, args.up_ns)],
}


def control(args):
    """Runs drbctl here for the switches of this fabric, or on all machines of a fabric."""
    if args.machines:
        return all_machines.control(args)
    drbctl = program('drbctl', 'ctl')
    try:
        os.execv(drbctl, [drbctl, *args.words[:1], *(['--fabric', args.name] if args.words else []), *args.words[1:]])
    except OSError as e:
        raise usage(f'{drbctl}: {os.strerror(e.errno)}') from e


def run_checks(args):
    for name in args.what:
        if name not in CHECKS:
            raise usage(f"cannot check '{name}': must be {', '.join(CHECKS)}")
    if args.machines:
        return all_machines.check(args)
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan, args.up_ns = fabric.need_plan(), fabric.state()['up_ns']
    rows, complaints = [], []
    for name in args.what or ['wiring', 'ping']:
        for row, found in CHECKS[name](plan, args):
            rows.append(row)
            complaints += found
    print_rows([('check', 'check'), ('checked', 'checked'), ('failed', 'failed'),
                ('rtt_mean_ms', 'rtt mean ms'), ('rtt_max_ms', 'rtt max ms')], rows, args.format)
    for text in (note for row in rows for note in row.get('notes', [])):
        say(text)
    for text in complaints[:COMPLAINTS_SHOWN]:
        say(text)
    if len(complaints) > COMPLAINTS_SHOWN:
        say(f'and {len(complaints) - COMPLAINTS_SHOWN} more')
    return 1 if complaints else 0


PLAN_HELP = f"Every other option is one of drbtopo plan: see {called_program('drbtopo', 'plan')} plan --help."


def add_whole(verb):
    """Adds the verbs about whole fabrics."""
    for name, run, text, examples in (
            ('up', up, 'bring a fabric up', ('-l 3 -d 2 --rate 100Mbit', '-d 4 --fabric big')),
            ('replan', replan, 'restart the switches of a fabric with changed settings',
             ('--scheme dmodk',))):
        p = verb(name, run, text, examples, epilog=PLAN_HELP)
        p.add_argument('--timeout', type=positive, default=60, metavar='S',
                       help='seconds until all switches must be ready (default 60)')
        if name == 'up':
            p.add_argument('--replace', action='store_true',
                           help='first take down a running fabric of this name')
            # The process with which the fabric ends: see keeper.py.
            p.add_argument('--owner', type=positive, help=argparse.SUPPRESS)
            p.add_argument('--plan', metavar='PLAN', help="carry out one machine's plan of drbtopo plan --machines, a "
                           'folder or its archive; given again, start what does not run')
            p.add_argument('--offloads', choices=('on', 'off'), default='on',
                           help='offloads of hosts and ports; off: every link and capture has the frames '
                           'of a wire (default on)')
        add_format_options(p)
    p = verb('export', export.run, 'write a plan as files of an engine that carries it out',
             ('ansible plan', 'compose plan'))
    p.add_argument('export_to', choices=list(export.FORMATS), metavar='FORMAT', help=', '.join(export.FORMATS))
    p.add_argument('plan', metavar='DIR', help='output of drbtopo plan --out DIR; all formats but compose need '
                   '--machines FILE')
    p.add_argument('-o', '--out', metavar='DIR', help='output folder (default: beside the plan)')
    add_format_options(verb('down', down, 'take a fabric down, running, broken or half up',
                            ('', '--fabric big')))
    add_format_options(verb('status', nodes.status, 'list nodes with process, state and uptime',
                            ('', '--json')))
    p = verb('run', live_command.run, 'measure points of standard input in a fabric of its own, as drbsim run does in '
             'the simulator', ('<points >rows',), fabric='experiment', epilog=live_command.EPILOG)
    live_command.add_options(p)


ALL_MACHINES = 'on all machines of a fabric: DIR is the output of export ansible'


def add_parts(verb):
    """Adds the verbs about fabrics over several machines."""
    p = verb('ctl', control, 'run drbctl, here or on all machines of a fabric',
             ('--machines plan list', '--machines plan show --all links --json', '--machines plan metrics'))
    p.add_argument('--machines', metavar='DIR', help=f'{ALL_MACHINES}; print one table of their replies')
    p.add_argument('words', nargs=argparse.REMAINDER, metavar='WORD', help='verb and arguments of drbctl')
    verb('counts', part.counts, "print the counters of this machine's ends of links to other machines, as JSON",
         ('',))
    p = verb('answers', part.answers, "print the replies of this machine's switches to commands of their stats "
             'sockets, as JSON', ('/drb/info /drb/all',))
    p.add_argument('commands', nargs='+', metavar='COMMAND', help='/drb/info')
    p = verb('experiment', experiment_machines.run, 'replay the same traffic on all machines under each scheme at each '
             'load, and compare with the simulator', ('--machines plan --scheme drb,walk --load 0.5,0.8',))
    p.add_argument('--machines', metavar='DIR', required=True, help=ALL_MACHINES)
    p.add_argument('--scheme', type=some_schemes, default=some_schemes('drb,dmodk,walk'), metavar='LIST',
                   help='default drb,dmodk,walk')
    p.add_argument('--load', type=some_loads, default=some_loads('0.5,0.8'), metavar='LIST', help='default 0.5,0.8')
    p.add_argument('--traffic', default='permutation', metavar='NAME', help='permutation (default), fixed, ...')
    p.add_argument('--slots', type=positive, default=1000, help='slots of a run (default 1000)')
    p.add_argument('--seed', type=positive, default=1, help='seed of the traffic (default 1)')
    p.add_argument('--lead', type=positive, default=20, metavar='S',
                   help='seconds until all machines are ready to send (default 20)')
    add_format_options(p)
    p = verb('replay', part.replay, 'replay traffic together with the other machines of a fabric, and print what '
             'arrived here, as JSON', ('--begin 1800000000 --load 0.5 --slots 1000',),
             epilog='Every other option is one of drbgen write: see drbgen write --help.')
    p.add_argument('--begin', required=True, metavar='SECONDS', help='start on all machines, in seconds since 1970')
    p = verb('combine', combined.run, 'combine the outputs of the machines of a fabric: standard input is one '
             'JSON object {"a": "output of a"}', ('links plan <counts.json',))
    p.add_argument('kind', choices=list(combined.KINDS), metavar='KIND', help='links: output of counts; '
                   'replay: output of replay')
    p.add_argument('plan', metavar='DIR', help='output of drbtopo plan --machines FILE --out DIR')
    add_format_options(p)


def add_nodes(verb):
    """Adds the verbs about single nodes."""
    for name, run, text, examples in (
            ('restart', nodes.restart, 'start switches again, running or dead', ('s2-2',)),
            ('stop', nodes.stop, 'end switches; they stay down until they are restarted',
             ('s2-2', 's1-0 s1-1'))):
        p = verb(name, run, text, examples)
        p.add_argument('switches', nargs='+', metavar='SWITCH', help='s2-2')
        if name == 'restart':
            p.add_argument('--timeout', type=positive, default=60, metavar='S',
                           help='seconds until they must be ready (default 60)')
        add_format_options(p)
    p = verb('exec', execute, 'run a command on a host or switch; names of hosts resolve there',
             ('h4 -- ping -c 3 h10', 'h4 -- bash'))
    p.add_argument('node', help='h4, s2-5')
    p.add_argument('command', nargs=argparse.REMAINDER, help='the command and its arguments')
    p = verb('check', run_checks, "ping every pair of hosts, and compare what switches see with "
             'the wiring', ('', 'wiring counters --json'))
    p.add_argument('what', nargs='*', metavar='WHAT', help='wiring and ping (the default); '
                   'counters: packets are conserved at every switch; links: also between switches, '
                   'at rest')
    p.add_argument('--sample', type=positive, metavar='K',
                   help='ping from each host to K others (default: all, 8 above 64 hosts)')
    p.add_argument('--seed', type=int, default=1, help='seed of the sample (default 1)')
    p.add_argument('--machines', metavar='DIR', help=ALL_MACHINES)
    add_format_options(p)


def a_duration(text):
    found = re.fullmatch(r'([0-9]+(?:\.[0-9]+)?)(ms|s)', text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}': must be a time such as 100ms or 5s")
    return float(found[1]) * NS[found[2]] / 1e9


def add_faults(verb):
    """Adds the verbs that cause faults, and those that show their effects."""
    for name, (_, what, text, example) in faults.HANDLES.items():
        p = verb(name, faults.handle, text, (example,))
        p.add_argument('what', nargs='+', metavar=what, help='s2-1' if what == 'SWITCH' else
                       'an end of it, like s1-0.u0 or h4' + (', and the rate' if name == 'rate' else ''))
        add_format_options(p)
    p = verb('logs', faults.logs, 'print the logs of switches', ('', '-f s1-0 s2-0'))
    p.add_argument('switches', nargs='*', metavar='SWITCH', help='s2-1 (default: all)')
    p.add_argument('-f', '--follow', action='store_true', help='print new lines as they come')
    p.add_argument('-n', '--lines', type=positive, default=faults.LOG_LINES, metavar='COUNT',
                   help=f'last lines of each switch (default {faults.LOG_LINES})')
    p = verb('scenario', scenario.run, 'cause faults at given times, and show the reaction of the fabric on '
             'one time axis', ('faults.txt', 'faults.txt --replay traffic --interval 200ms --csv',
                               'faults.txt --replay capture.pcap --map map --load 0.5'))
    p.add_argument('file', metavar='FILE', help="lines such as '2s kill s2-1', '2500ms cut s1-0.u0', '# remark'")
    p.add_argument('--replay', nargs='+', metavar='TRAFFIC', help='traffic for drbgen replay meanwhile')
    p.add_argument('--interval', type=a_duration, default=0.5, metavar='TIME', help='time between rows (default 500ms)')
    p.add_argument('--duration', type=a_duration, metavar='TIME',
                   help='run at least so long (default: until the last event and the end of the replay)')
    add_format_options(p)
    group = p.add_argument_group('options of drbgen replay')
    for name, metavar in scenario.REPLAY_OPTIONS.items():
        group.add_argument(f'--{name}', **({'metavar': metavar} if metavar else {'action': 'store_true'}))


def parser():
    fabric = called('fabric')
    about = 'Starts and stops fat-trees of drbswitch processes in network namespaces.'
    top = Parser(prog=fabric, description=about, examples=(
        f'{fabric} up -l 3 -d 2 --rate 100Mbit', f'{fabric} exec h4 -- ping -c 3 h10',
        f'{fabric} check', f'{fabric} down'))
    top.add_argument('--version', nargs=0, action=Version, help='show the version and exit')
    # Any: add_parser() makes instances of Parser, which takes more arguments than the type says.
    verbs: Any = top.add_subparsers(dest='verb', required=True, metavar='VERB')
    top.verbs = verbs.choices

    def verb(name, run, text, examples, fabric='drb', **more):
        p = verbs.add_parser(name, help=text, description=text[0].upper() + text[1:] + '.',
                             examples=[f'{top.prog} {name} {example}'.strip() for example in examples],
                             **more)
        p.add_argument('--version', nargs=0, action=Version, help=argparse.SUPPRESS)
        p.add_argument('--fabric', dest='name', metavar='NAME', default=fabric,
                       help=f'name of the fabric (default {fabric})')
        p.set_defaults(run=run)
        return p

    add_whole(verb)
    add_nodes(verb)
    add_parts(verb)
    add_faults(verb)
    return top


def run(arguments):
    if arguments[:1] == ['demo']:
        raise usage('demo is now: drblab demo (lab/run demo in a checkout)')
    top = parser()
    args, rest = top.parse_known_args(verb_first(help_first(arguments), top.verbs))
    if args.verb in ('up', 'replan'):
        args.plan_options = rest
    elif args.verb == 'replay':
        args.write_options = rest
    elif rest:
        raise usage(f"unknown argument '{rest[0]}' (see {top.prog} {args.verb} --help)")
    return args.run(args)


def main(arguments):
    return run_program('drbfabric', lambda: run(arguments))
