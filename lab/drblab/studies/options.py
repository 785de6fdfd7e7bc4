# SPDX-License-Identifier: BSD-3-Clause
"""Options that studies share."""

from __future__ import annotations

import argparse
import os

import pandas

from drblab.point import PointError
from drblab.sim import Sim


def count(text: str) -> int:
    """A whole number from 1 on."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f'must be a whole number from 1 on, not {text}')
    return int(text)


def some_words(text: str) -> list[str]:
    """A list with commas."""
    return [word for word in text.split(',') if word]


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


def show(frame: pandas.DataFrame) -> None:
    """Prints a frame, all of it."""
    print(frame.to_string(index=False, na_rep='', float_format=lambda value: f'{value:.4g}'))
