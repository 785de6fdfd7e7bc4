# SPDX-License-Identifier: BSD-3-Clause
"""Options that studies share."""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import TYPE_CHECKING

from drblab.live import Live
from drblab.point import PointError
from drblab.sim import Sim

if TYPE_CHECKING:
    import pandas  # the import takes a second, which would delay mistakes in options


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'must be a whole number from 1 on, not {text}')
    return int(text)


def natural(text: str) -> int:
    """A whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f'must be a whole number, not {text}')
    return int(text)


def a_time(text: str) -> str:
    """A time such as 2ms."""
    found = re.fullmatch(r'([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s)', text)
    unit = {'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, 's': 1.0}
    if not found or not 1e-4 <= float(found[1]) * unit[found[2]] <= 1:
        raise argparse.ArgumentTypeError(f"'{text}': must be a time from 100us to 1s, such as 2ms")
    return text


def _different(text: str, form: str) -> list[str]:
    words = text.split(',')
    if not all(words) or len(set(words)) < len(words):
        raise argparse.ArgumentTypeError(f"'{text}': must be different {form}")
    return words


def some_schemes(text: str) -> list[str]:
    """Different schemes, with commas."""
    return _different(text, 'schemes, such as drb,dmodk')


def some_workloads(text: str) -> list[str]:
    """Different sizes and jobs, with commas."""
    return _different(text, 'sizes and jobs, such as fixed:50,all-to-all')


def some_loads(text: str) -> list[float]:
    """Different loads of hosts, as numbers or FIRST:LAST:STEP, the lowest first."""
    try:
        loads = [load for word in text.split(',') for load in some_reals(word)]
    except (ValueError, ZeroDivisionError):
        loads = []
    if not loads or not all(0 < load < 1 for load in loads):
        raise argparse.ArgumentTypeError(
            f"'{text}': must be loads above 0 and below 1, such as 0.6,0.9 or 0.6:0.9:0.1")
    if len(set(loads)) < len(loads):
        raise argparse.ArgumentTypeError(f"'{text}': must be different loads, such as 0.6,0.9")
    return sorted(loads)


def a_load(text: str) -> float:
    """One load of hosts."""
    try:
        loads = some_loads(text)
    except argparse.ArgumentTypeError:
        loads = []
    if len(loads) != 1:
        raise argparse.ArgumentTypeError(
            f"'{text}': must be one load above 0 and below 1, such as 0.9")
    return loads[0]


def some_reals(text: str) -> list[float]:
    """Numbers with commas, or a range FIRST:LAST:STEP."""
    if ':' not in text:
        return [float(word) for word in text.split(',')]
    first, last, step = (float(word) for word in text.split(':'))
    return [round(first + i * step, 9) for i in range(int((last - first) / step + 1.5))]


def add_out_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option that sets the folder of rows."""
    parser.add_argument('-o', '--out', metavar='DIR', required=True,
                        help='folder of the results; called again with it, the study goes on')


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options that set the folder of rows and the number of points that run at once."""
    add_out_option(parser)
    parser.add_argument('-j', '--threads', type=count, metavar='COUNT',
                        help='runs at once (default: one per CPU); does not change the figures')
    parser.add_argument('--memory', type=float, metavar='GIB',
                        help='memory for all runs (default: 3/4 of the free memory)')


def add_live_options(parser: argparse.ArgumentParser, fabric: str) -> None:
    """Adds the options of the engine Live. fabric: the default name of the fabric."""
    parser.add_argument('--slot', type=a_time, metavar='TIME',
                        help='length of a slot (default: what two CPUs sustain, 2ms for F(3,2), '
                        '10ms for F(3,4))')
    parser.add_argument('--repeat', type=natural, default=3, metavar='COUNT',
                        help='how often to repeat a run that the machine disturbed')
    parser.add_argument('--stretch', type=natural, default=3, metavar='COUNT',
                        help='how often to double the slots if all repetitions were disturbed')
    parser.add_argument('--queue', type=count, metavar='PACKETS',
                        help='limit of every egress queue (default 512, 4096 for persistent '
                        'traffic)')
    parser.add_argument('--links', choices=('veth', 'memif'), default='veth',
                        help='links between switches')
    parser.add_argument('--fabric', metavar='NAME', default=fabric, help='name of the fabric')


def live_of(args: argparse.Namespace) -> Live:
    """The engine Live with the options of the command line."""
    return Live(slot=args.slot, links=args.links, queue=args.queue, repeat=args.repeat,
                stretch=args.stretch, fabric=args.fabric)


def add_size_options(parser: argparse.ArgumentParser) -> None:
    """The size of the fabric."""
    parser.add_argument('-l', '--layers', type=int, default=3, help='layers of the fat-tree')
    parser.add_argument('-d', '--arity', type=int, default=2, help='arity of the fat-tree')


def add_fabric_options(parser: argparse.ArgumentParser, load: str) -> None:
    """The fabric, loads and runs of a study."""
    add_size_options(parser)
    parser.add_argument('--load', type=some_reals, default=load, metavar='LIST',
                        help='packets per host and slot: numbers, or FIRST:LAST:STEP')
    parser.add_argument('--runs', type=count, default=5, metavar='COUNT',
                        help='runs of each point, with seeds 1, 2, ...')
    parser.add_argument('--slots', type=count, default=4000, metavar='COUNT',
                        help='slots of a run; the later half is measured')


def folder_of(args: argparse.Namespace) -> str:
    """The folder of the results, made if it is missing."""
    if os.path.exists(args.out) and not os.path.isdir(args.out):
        raise PointError(f'--out {args.out}: is no folder')
    try:
        os.makedirs(args.out, exist_ok=True)
    except OSError as e:
        raise PointError(f'--out {args.out}: cannot make it: {e.strerror}') from e
    return str(args.out)


def engine_of(args: argparse.Namespace) -> Sim:
    """The simulator with the threads and memory of the command line."""
    return Sim(threads=args.threads, memory=args.memory)


def say(text: str) -> None:
    """Prints a remark that is no result."""
    print(f'drblab: {text}', file=sys.stderr)


def show(frame: pandas.DataFrame) -> None:
    """Prints a frame, all of it."""
    print(frame.to_string(index=False, na_rep='', float_format=lambda value: f'{value:.4g}'))
