# SPDX-License-Identifier: BSD-3-Clause
"""The command `drblab`: a verb for each study."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from drblab.engine import EngineError
from drblab.models import program
from drblab.point import PointError

# Modules of drblab.studies; the first line of the text of each is its help.
STUDIES = ('demo', 'experiment', 'tcp', 'paper', 'schemes', 'persistent', 'faults', 'hosts', 'search', 'compare',
           'links')


class _Help(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of texts, and adds the defaults of options."""

    def _get_help_string(self, action: argparse.Action) -> str:
        told = action.help or ''
        if action.default in (None, False, argparse.SUPPRESS) or '(default' in told:
            return told
        return f'{told} (default %(default)s)'


class _Parser(argparse.ArgumentParser):
    """Reports a mistake in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f'drblab: {message} (see {self.prog} --help)\n')


class _Version(argparse.Action):
    """Prints the version of drbsim, which is that of the laboratory."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        said = subprocess.run([program('drbsim'), '--version'], capture_output=True, text=True, check=True)
        print(said.stdout.replace('drbsim', 'drblab').strip())
        parser.exit()


def _text(name: str) -> str:
    """Returns the docstring of a study.

    The module is parsed, because an import would load pandas and matplotlib for a second or two."""
    spec = importlib.util.find_spec(f'drblab.studies.{name}')
    assert spec and spec.origin
    return ast.get_docstring(ast.parse(Path(spec.origin).read_text(encoding='utf-8'))) or ''


def parser(chosen: str | None) -> argparse.ArgumentParser:
    """Returns the parser of all verbs. Only the chosen verb has its options."""
    top = _Parser(
        prog='drblab', formatter_class=_Help, allow_abbrev=False,
        description='Studies of load-balanced routing in fat-trees.\n\n'
                    'Exit status: 0 done; 1 a check failed; 2 bad usage or input.',
        epilog='examples:\n  drblab paper --quick -o paper\n  drblab schemes --help')
    top.add_argument('-V', '--version', nargs=0, action=_Version, help='print the version and exit')
    verbs = top.add_subparsers(dest='verb', metavar='VERB', required=True)
    for name in STUDIES:
        text, _, examples = _text(name).partition('\n\nexamples:\n')
        verb = verbs.add_parser(name, help=text.splitlines()[0], description=text,
                                epilog=f'examples:\n{examples}', formatter_class=_Help,
                                allow_abbrev=False)
        if name == chosen:
            module = importlib.import_module(f'drblab.studies.{name}')
            module.add_options(verb)
            verb.set_defaults(main=module.main)
    return top


def _interrupt(number: int, _frame: FrameType | None) -> None:
    """Ends the run as Ctrl-C does: finished rows stay in the journal."""
    raise KeyboardInterrupt(number)


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit status."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    if arguments[:1] == ['help']:
        arguments = [*arguments[1:2], '--help']
    top = parser(next((word for word in arguments if word in STUDIES), None))
    try:
        args = top.parse_args(arguments)
        status: int = args.main(args)
        return status
    except KeyboardInterrupt as e:
        return 128 + int(e.args[0] if e.args else signal.SIGINT)
    except (PointError, EngineError) as e:
        print(f'drblab: {e}', file=sys.stderr)
        return 2
    except OSError as e:
        print(f'drblab: {e.filename}: {e.strerror}', file=sys.stderr)
        return 1


def entry() -> None:
    """Runs the command line of this process, and ends the process."""
    sys.exit(main(sys.argv[1:]))
