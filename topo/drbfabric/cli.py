# SPDX-License-Identifier: BSD-3-Clause
"""What the commands of this folder have in common on their command lines."""

import argparse
import os
import shutil
import subprocess
import sys

from . import usage

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


class Version(argparse.Action):
    """The version of this project, as its programs know it."""

    def __call__(self, parser, *_):
        text = subprocess.run([program('drbtopo', 'topo'), '--version'], check=True,
                              capture_output=True, text=True).stdout
        print(text.replace('drbtopo', parser.prog).strip())
        sys.exit(0)
