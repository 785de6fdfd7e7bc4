# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of this folder have in common on their command lines."""

import argparse
import os
import re
import shutil
import subprocess
import sys

from . import usage

NS = {'ns': 1, 'us': 1000, 'ms': 1000000, 's': 1000000000}
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))


def program(name, folder):
    """Path of a program of this project: in the build folder, else installed."""
    build = os.environ.get('DRB_BUILD', f'{REPOSITORY}/build')
    built = f'{build}/src/{folder}/{name}'
    found = built if os.access(built, os.X_OK) else shutil.which(name)
    if not found:
        raise usage(f'{name} is neither at {built} nor installed: build it, or point DRB_BUILD at '
                    'the build folder')
    return found


def need_root():
    if os.geteuid() != 0:
        raise usage('needs root; without, run it through topo/rootless')


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line; --help has the rest."""

    def error(self, message):
        raise usage(f'{message} (see topo/{self.prog} --help)')


def positive(text):
    value = int(text) if text.isdigit() else 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"'{text}': must be a whole number of at least 1")
    return value


def a_time(text):
    match = re.fullmatch(r'([0-9]+(?:\.[0-9]+)?)(ns|us|ms|s)', text)
    ns = round(float(match[1]) * NS[match[2]]) if match else 0
    if not 100000 <= ns <= 1000000000:
        raise argparse.ArgumentTypeError(f"'{text}': must be a time from 100us to 1s, such as 2ms")
    return ns


def some_loads(text):
    """0.9, 0.6,0.8 or 0.6:0.9:0.1, the end included."""
    loads = []
    try:
        for part in text.split(','):
            ends = [float(word) for word in part.split(':')]
            if len(ends) == 3 and ends[2] > 0:
                count = int((ends[1] - ends[0]) / ends[2] + 1e-9) + 1
                loads += [round(ends[0] + i * ends[2], 9) for i in range(count)]
            elif len(ends) == 1:
                loads += ends
            else:
                raise ValueError
    except ValueError:
        loads = []
    if not loads or not all(0 < load < 1 for load in loads) or len(set(loads)) < len(loads):
        raise argparse.ArgumentTypeError(f"'{text}': must be different loads above 0 and below 1, such "
                                         'as 0.6,0.9 or 0.6:0.9:0.1')
    return sorted(loads)


def a_load(text):
    loads = some_loads(text)
    if len(loads) > 1:
        raise argparse.ArgumentTypeError(f"'{text}': must be one load")
    return loads[0]


def some_schemes(text):
    schemes = text.split(',')
    if not all(schemes) or len(set(schemes)) < len(schemes):
        raise argparse.ArgumentTypeError(f"'{text}': must be different schemes, such as drb,dmodk")
    return schemes


def not_negative(text):
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}': must be a whole number")
    return int(text)


class Version(argparse.Action):
    """The version of this project, as its programs know it."""

    def __call__(self, parser, *_):
        text = subprocess.run([program('drbtopo', 'topo'), '--version'], check=True,
                              capture_output=True, text=True).stdout
        print(text.replace('drbtopo', parser.prog).strip())
        sys.exit(0)
