#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the harness reports if it cannot carry out a line of a node's batch file."""

import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'topo'))

from drbfabric import Failure  # noqa: E402
from drbfabric.fabric import interfaces  # noqa: E402

import tap  # noqa: E402


def said_of(line):
    with tempfile.NamedTemporaryFile('w', encoding='utf-8') as f:
        f.write(f'{line}\n')
        f.flush()
        try:
            interfaces.configure(f.name)
        except Failure as e:
            return str(e)
    raise AssertionError(f'{line}: carried out')


def no_interface():
    for line in ('link set dev drb-missing up', 'address add 10.0.0.1/8 dev drb-missing'):
        said = said_of(line)
        assert said.startswith(f'ip {line}: it is not there'), said


def prefixes_too_long():
    if not shutil.which('ip'):
        raise tap.Skip('no program ip')
    for address in ('10.0.0.1/33', '10.0.0.1/300', 'fd00::1/129'):
        said = said_of(f'address add {address} dev lo')
        assert address in said and 'refused' in said, said


tap.run([no_interface, prefixes_too_long])
