#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests what tables of the harness emphasise."""

import contextlib
import io
import os
import re
import sys
from unittest import mock

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
sys.path.insert(0, f'{ROOT}/topo')

from drbfabric.common import output  # noqa: E402

import tap  # noqa: E402

COLUMNS = [('node', 'node'), ('state', 'state'), ('failed', 'failed')]
ROWS = [{'node': 's1-0', 'state': 'dead', 'failed': 0}, {'node': 's1-1', 'state': 'drained', 'failed': 12},
        {'node': 'dead', 'state': None, 'failed': None}]
PLAIN = ['node  state    failed', 's1-0  dead          0', 's1-1  drained      12', 'dead  -             -']
EMPHASISED = ['node  state    failed', 's1-0  \033[1;31mdead\033[0m          0',
              's1-1  drained      \033[1;31m12\033[0m', 'dead  -             -']


class Terminal(io.StringIO):
    def isatty(self):
        return True


def printed(to, colour, kind='table', **environment):
    with contextlib.redirect_stdout(to), mock.patch.dict(os.environ, {'TERM': 'xterm', **environment}), \
            mock.patch.object(output, '_colour', colour):
        if 'NO_COLOR' not in environment:
            os.environ.pop('NO_COLOR', None)
        output.print_rows(COLUMNS, ROWS, kind)
    return to.getvalue().splitlines()


def what_is_wrong_stands_out():
    """On terminals, unless NO_COLOR is set; elsewhere only if it is asked for."""
    cases: list[tuple[type[io.StringIO], str, dict[str, str], list[str]]] = [
        (Terminal, 'auto', {}, EMPHASISED), (Terminal, 'auto', {'NO_COLOR': ''}, EMPHASISED),
        (Terminal, 'auto', {'NO_COLOR': '1'}, PLAIN), (Terminal, 'auto', {'TERM': 'dumb'}, PLAIN),
        (Terminal, 'never', {}, PLAIN), (Terminal, 'always', {'NO_COLOR': '1'}, EMPHASISED),
        (io.StringIO, 'auto', {}, PLAIN), (io.StringIO, 'always', {}, EMPHASISED)]
    for to, colour, environment, wanted in cases:
        assert printed(to(), colour, **environment) == wanted, (to, colour, environment)
    for kind in ('csv', 'json'):
        assert not any('\033' in line for line in printed(Terminal(), 'always', kind)), kind


def states_are_those_of_drbctl():
    with open(f'{ROOT}/src/ctl/metrics/states.h', encoding='utf-8') as f:
        states = re.findall(r'\bX\((\w+), (FINE|SHORT|BAD), "', f.read())
    assert len(states) > 8, states
    assert [word for word, severity in states if severity != 'FINE'] + ['gone'] == list(output.BAD_STATES)


tap.run((what_is_wrong_stands_out, states_are_those_of_drbctl))
