# SPDX-License-Identifier: BSD-3-Clause
"""Shared parts of command lines: parsers, types of arguments, messages, and the main function."""

import argparse
import os
import re
import signal
import subprocess
import sys
import textwrap

from drbfabric import Failure, usage
from drbfabric.common import refusals
from drbfabric.common.interrupts import on_signals, stop_on_signal
from drbfabric.common.places import called, program

NS = {'ns': 1, 'us': 1000, 'ms': 1000000, 's': 1000000000}
# The name with which messages of this process begin.
_speaker = 'drbfabric'


def say(text):
    print(f'{_speaker}: {text}', file=sys.stderr)


def need_root():
    if os.geteuid() != 0:
        raise usage(f"needs root; without, run it through {called('rootless')}")


class Parser(argparse.ArgumentParser):
    """Reports errors in one line. --help ends with examples."""

    verbs: dict = {}

    def __init__(self, *, prog, description, examples=(), epilog=''):
        lines = [textwrap.fill(epilog, 78), ''] if epilog else []
        lines += ['examples:'] + [f'  {example}' for example in examples]
        super().__init__(prog=prog, description=textwrap.fill(description, 78), allow_abbrev=False,
                         epilog='\n'.join(lines), formatter_class=argparse.RawDescriptionHelpFormatter)

    def error(self, message):
        raise usage(f'{message} (see {self.prog} --help)')


def help_first(arguments):
    """Replaces `help` and `help VERB`, which all programs of this project take, by --help."""
    if arguments[:1] == ['help']:
        return [*arguments[1:2], '--help']
    return arguments


def verb_first(arguments, verbs):
    """Moves options before the verb behind it. Refuses them if several words could be the verb."""
    found = [word for word in arguments if word in verbs]
    if not found or not arguments[0].startswith('-'):
        return arguments
    if len(found) > 1:
        raise usage(f"options must follow the verb: {called('fabric')} {found[0]} {arguments[0]} ...")
    at = arguments.index(found[0])
    return [found[0], *arguments[:at], *arguments[at + 1:]]


def run_program(name, run):
    """Runs a program. Returns its exit status, and prints an error as one line."""
    global _speaker
    _speaker = name
    try:
        on_signals(stop_on_signal)
        code = run()
        sys.stdout.flush()
        # The work is done and will not be undone, so a signal must no longer have an effect. At
        # exit, Python resets its own handlers, but not SIG_IGN.
        on_signals(signal.SIG_IGN)
        return code
    except Failure as e:
        if str(e):
            say(e)
        return e.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except OSError as e:
        say(refusals.of_error(e))
        return 1


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
    """Parses 0.9, 0.6,0.8 or 0.6:0.9:0.1 (including the end)."""
    loads = _loads(text)
    if not loads:
        raise argparse.ArgumentTypeError(f"'{text}': must be loads above 0 and below 1, such as 0.6,0.9 or 0.6:0.9:0.1")
    if len(set(loads)) < len(loads):
        raise argparse.ArgumentTypeError(f"'{text}': must be different loads, such as 0.6,0.9")
    return sorted(loads)


def _loads(text):
    """The loads in this text; [] if it is invalid."""
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
        return []
    return loads if all(0 < load < 1 for load in loads) else []


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
    """Prints the version of this project, which drbtopo knows."""

    def __call__(self, parser, *_):
        text = subprocess.run([program('drbtopo', 'plan'), '--version'], check=True,
                              capture_output=True, text=True).stdout
        print(text.replace('drbtopo', _speaker).strip())
        sys.exit(0)
