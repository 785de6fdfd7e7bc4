#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in a Mininet network are named before anything starts.

test_mininet.py TOPO_DIR    TAP on standard output."""
import sys
import types

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.mininet.fabric import MininetFabric  # noqa: E402


def other_options_are_named():
    switches = [types.SimpleNamespace(name=name, wanted={'fabric': 'mn', 'scheme': scheme})
                for name, scheme in (('s1', 'drb'), ('s2', 'drb'), ('s3', 'ecmp'))]
    try:
        MininetFabric(switches)
    except Failure as e:
        assert str(e).startswith('s3: ') and 'those of s1 are others' in str(e), e
    else:
        raise AssertionError('accepted')


def unknown_options_are_refused():
    """Also those that drbtopo would complete."""
    words = (('schem', 'scheme'), ('sched', 'scheme'), ('thres', 'threshold'), ('rat', 'rate'), ('colour', ''))
    for wrong, near in words:
        switch = types.SimpleNamespace(name='s1', wanted={'fabric': 'mn', 'options': {'queue': '16', wrong: '1'}})
        try:
            MininetFabric([switch])
        except Failure as e:
            assert str(e).startswith(f'--switch drb,{wrong}=: no option of drbtopo plan') and near in str(e), e
        else:
            raise AssertionError(wrong)
    MininetFabric([types.SimpleNamespace(name='s1', wanted={
        'fabric': 'mn', 'options': {'flow_max': '8', 'scheme': 'walk', 'host_burst': '2'}})])


tap.run((other_options_are_named, unknown_options_are_refused))
