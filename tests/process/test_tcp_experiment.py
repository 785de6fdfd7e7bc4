#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests topo/experiment --tcp without a fabric: lists, dependencies, verdicts, refusals.

test_tcp_experiment.py TOPO_DIR BUILD_DIR    TAP on standard output."""
import csv
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from typing import Any

TOPO, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, TOPO)
os.environ['DRB_BUILD'] = BUILD

import tap  # noqa: E402
from drbfabric.experiment import tcp_report  # noqa: E402
from drbfabric.experiment.tcp_experiment import (  # noqa: E402
    Experiment, Setup, draw, makespan, simulate, source_of, summarise, verdict)
from drbfabric.experiment.tcp_player import PAYLOAD, Player, transfers_of  # noqa: E402
from drbfabric.fabric import netns  # noqa: E402


def setup(**changes):
    drawn = ['transfer', '--sizes', 'fixed:20', '--load', '0.3', '--slots', '200', '--warmup', '0']
    values: dict[str, Any] = {
        'layers': 3, 'arity': 2, 'schemes': ['drb', 'walk'], 'units': ['flow', 'packet'],
        'workloads': {'one': drawn, 'ring': ['job', '--job', 'all-reduce-ring', '--data', '64']},
        'slot_ns': 2000000, 'runs': 3, 'repeats': 0, 'queue': 512, 'seed': 4, 'congestion': 'reno',
        'links': 'veth', 'name': 'x'}
    return Setup(**{**values, **changes})


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def lists_say_who_waits():
    s = setup()
    transfers = transfers_of(rows_of(draw(s, 'ring', 4)))
    assert len(transfers) == 16 * 30 and all(t.left == t.packets * PAYLOAD for t in transfers)
    # The first step has no dependencies. Later steps wait for one sent and one received transfer.
    assert [t.waits for t in transfers[:16]] == [0] * 16 and {t.waits for t in transfers[16:]} == {2}
    for event, end in (('sent', 'source'), ('arrived', 'dest')):
        for t in transfers[:-16]:
            assert [transfers[i].source for i in t.then[event]] == [getattr(t, end)], t
    assert all(t.waits == 0 for t in transfers_of(rows_of(draw(s, 'one', 4))))
    assert draw(s, 'one', 4) == draw(s, 'one', 4) != draw(s, 'one', 5)


def verdicts_come_from_intervals():
    assert verdict(0.1, 0.04) == verdict(-0.1, 0.04) == 'within'
    assert verdict(0.1, 0.06) == verdict(0.2, 0.06) == 'undecided'
    assert verdict(0.2, 0.04) == verdict(-0.2, 0.04) == 'outside'
    assert verdict(0.0, math.nan) == verdict(math.nan, 0.0) == 'undecided'


def schemes_and_units_that_go_together():
    found = setup().combinations()
    assert len(found) == 2 * 3 and ('one', 'flow', 'walk') not in found, found
    assert [source_of('packet', 'drb'), source_of('packet', 'ecmp'), source_of('flow', 'drb')] == \
        ['spray', 'window', 'window']


def made_up(factor, **changes):
    """Returns an experiment whose live times are the simulator's times multiplied by a factor."""
    s = setup(workloads={'one': setup().workloads['one']}, units=['flow'], schemes=['drb'])
    e = Experiment(s, '/nowhere')
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(s.seed, s.seed + s.runs):
            path = f'{folder}/list'
            with open(path, 'w', encoding='utf-8') as f:
                f.write(draw(s, 'one', seed))
            rows, threshold = simulate(s, path, 'flow', 'drb', ['--source', 'window', '--seed', str(seed)])
            assert float(threshold) >= 0 and all(row['time'] >= row['alone'] for row in rows)
            time = sum(row['time'] for row in rows) / len(rows)
            run = {'workload': 'one', 'unit': 'flow', 'scheme': 'drb', 'seed': seed, 'source': 'window',
                   'transfers': len(rows), 'unfinished': 0, 'disturbed': '', 'control_late': 0.0}
            for key, value in (('time', time), ('slowdown', 2.0), ('makespan', makespan(rows))):
                run.update({key: value * factor, f'sim_{key}': value})
            run.update(dict.fromkeys(('handshake', 'sim_handshake', 'connected_off', 'min_rtt', 'resent', 'acks',
                                      'sim_open', 'sim_other', 'sim_no_room', 'sim_no_handshake', 'queue_max',
                                      'stolen_s'), 1.0))
            e.runs.append({**run, **changes})
    return e


def live_is_judged():
    for factor, said in ((1.0, 'within'), (1.14, 'within'), (0.86, 'within'), (1.16, 'outside'), (0.84, 'outside')):
        row, = summarise(made_up(factor))
        assert row['verdict'] == said and abs(row['time_off'] - (factor - 1)) < 1e-9, (factor, row)
    # A disturbed run does not prove a difference, unless its control run was on time.
    assert summarise(made_up(1.3, disturbed='x', control_late=0.1))[0]['verdict'] == 'undecided'
    assert summarise(made_up(1.3, disturbed='x'))[0]['verdict'] == 'outside'
    assert summarise(made_up(1.0, unfinished=1))[0]['verdict'] == 'undecided'


def report_has_every_format():
    with tempfile.TemporaryDirectory() as folder:
        e = made_up(1.2)
        rows = summarise(e)
        with open(tcp_report.write(f'{folder}/out', e, rows), encoding='utf-8') as f:
            page = f.read()
        assert '>outside<' in page and '>20 % ± ' in page
        assert not re.search('(src|href)="(?!data:)', page)
        assert [tcp_report._off(*off) for off in ((2.1, 2.47), (0.02, 0.05), (0.4, 0.2))] == [
            'too few to tell', '2 % ± 5 %', '40 % ± 20 %']
        with open(f'{folder}/out/summary.json', encoding='utf-8') as f:
            assert json.load(f)[0]['verdict'] == 'outside'
        with open(f'{folder}/out/summary.csv', encoding='utf-8') as f:
            assert next(csv.DictReader(f))['verdict'] == 'outside'


def connections_of_a_host_may_share_a_port():
    name = f'drb-test-{os.getpid()}'
    if os.geteuid() != 0 or subprocess.run(['ip', 'netns', 'add', name], capture_output=True, check=False).returncode:
        raise tap.Skip('needs root')
    try:
        subprocess.run(['ip', '-n', name, 'link', 'set', 'lo', 'up'], check=True)
        with netns.inside(name):
            netns.sysctl({'ipv4/ip_local_port_range': '40000 40003'})
        # Each destination gets as many connections as there are ports.
        rows = [{'slot': 0, 'from': 0, 'to': to, 'packets': 200, 'after_sent': '', 'after_arrived': ''}
                for to in 4 * (1, 2, 3)]
        hosts = [{'name': f'h{i}', 'namespace': name, 'ipv4': f'127.0.0.{i + 1}'} for i in range(4)]
        played = Player({'hosts': hosts}, transfers_of(rows), 0.01, 'reno').play(20)
        assert len(played) == 12 and all(row['time'] is not None for row in played), played
    finally:
        subprocess.run(['ip', 'netns', 'del', name], check=True)


def mistakes_are_one_line():
    with tempfile.TemporaryDirectory() as folder:
        for words, pattern in (('--tcp fixed:0', 'fixed'), ('--tcp ring', "no job 'ring'"),
                               ('--tcp fixed:5 --unit bit', 'packet,flowlet,flow'),
                               ('--tcp fixed:5 --congestion none', 'congestion'),
                               ('--tcp fixed:5 --scheme walk', '--unit packet'),
                               ('--tcp fixed:900000 --slots 1', 'no transfer'),
                               (f'--tcp file:{folder}/none', 'No such file')):
            if os.geteuid() != 0:
                raise tap.Skip('needs root')
            done = subprocess.run([f'{TOPO}/experiment', '--out', f'{folder}/x', *words.split()], text=True,
                                  capture_output=True, check=False)
            assert done.returncode == 2, (words, done)
            assert len(done.stderr.splitlines()) == 1 and pattern in done.stderr, (words, done)
            assert not os.listdir(folder), words


TESTS = (lists_say_who_waits, verdicts_come_from_intervals, schemes_and_units_that_go_together, live_is_judged,
         report_has_every_format, connections_of_a_host_may_share_a_port, mistakes_are_one_line)

tap.run(TESTS)
