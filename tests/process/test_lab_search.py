#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the laboratory's search: its traffic is admissible, and it finds an unstable scheme.

test_lab_search.py LAB_DIR    TAP on standard output; DRB_BUILD is the build folder."""
import contextlib
import io
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
from drblab import command, models  # noqa: E402
from drblab.random import Random  # noqa: E402
from drblab.studies.genes import Case, Traffic  # noqa: E402

LOADS = 2
SEARCH = ['search', '-d', '2', '--scheme', 'dmodk,micro', '--cases', '20', '--climbs', '2', '--steps',
          '3', '--slots', '800', '--out']


def hosts_of(text):
    """Yields the hosts in a list such as 0-2+4."""
    for part in text.split('+'):
        first, _, last = part.partition('-')
        yield from range(int(first), int(last or first) + 1)


def rates_at_each_slot(traffic):
    """Yields all rates at each slot that changes them, computed as simply as possible."""
    singles, groups = {}, []
    lines = [line.split(',') for line in traffic.lines]
    assert [int(line[0]) for line in lines] == sorted(int(line[0]) for line in lines)
    for _, changes in itertools.groupby(lines, key=lambda line: line[0]):
        for _, source, to, rate in changes:
            if '-' in source + to or '+' in source + to:
                groups.append((list(hosts_of(source)), list(hosts_of(to)), float(rate)))
            else:
                singles[int(source), int(to)] = float(rate)
        yield singles, groups


def no_host_sends_or_receives_more_than_a_packet_a_slot():
    random, some = Random(5), 0
    for _ in range(150):
        traffic = Traffic(Case.any(random, LOADS), *((3, 2), (2, 4), (3, 3))[some % 3], 300)
        for singles, groups in rates_at_each_slot(traffic):
            sent, got = [0.0] * traffic.hosts, [0.0] * traffic.hosts
            for (source, to), rate in singles.items():
                assert source != to
                sent[source] += rate
                got[to] += rate
            for sources, to, rate in groups:
                for source in sources:
                    others = [host for host in to if host != source]
                    sent[source] += rate
                    for host in others:
                        got[host] += rate / len(others)
            assert max(sent) <= 1 + 1e-6 and max(got) <= 1 + 1e-6, traffic.case
        some += bool(traffic.lines)
    assert some > 100


def a_step_changes_one_gene():
    random = Random(6)
    for _ in range(200):
        case = Case.any(random, LOADS)
        like = case.like(random, LOADS)
        changed = sum(a != b for a, b in zip((*case.genes, case.load, case.seed),
                                             (*like.genes, like.load, like.seed)))
        assert changed <= 1


def genes_of_hosts_do_what_they_say():
    few = Traffic(Case.of(keep=4, each=1, how=2, same=True), 3, 4, 100)
    kept = [tuple(map(int, line.split(',')[1:3])) for line in few.lines if line.endswith(',1')]
    assert len(kept) == len({source // 4 for source, _ in kept}) == 16
    assert len({to // 16 for _, to in kept}) == 1
    trains = Traffic(Case.of(keep=8, trains=4), 3, 4, 2000)
    changes = sum(line.endswith(',0') for line in trains.lines)
    assert 0.9 < changes / (128 * 2000 / 4) < 1.02
    alone = Traffic(Case.of(alone=2), 3, 4, 100)
    to = {host for line in alone.lines for host in hosts_of(line.split(',')[2])}
    assert len(to) == 120 and all(len({h for h in to if h // 4 == r}) in (0, 4) for r in range(32))
    half = Case.of(links=('fail', 0.02), uplinks=2).options(3, 4, 0.9)
    assert re.fullmatch(r'(s[12]-\d+\.u[0-3],?){3}', half.pop('fail'))
    assert half == {'layers': 3, 'arity': 4, 'uplinks': 2, 'load': 0.225}
    assert Case.of(links=('slow', 0)).options(3, 4, 0.8)['slow'] == 'link:1:2'


def cases_are_those_of_earlier_versions():
    """Seed 1 draws the same cases as the earlier search in C: published witnesses can be remade."""
    assert re.fullmatch('1,4,3,6,3,0,0,2,1,.*,2526851696', str(Case.any(Random(1, 0), 3)))
    assert Random(1, 7).permutation(8) == [4, 7, 5, 0, 2, 6, 3, 1]


def search(folder):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert command.main([*SEARCH, folder]) == 1
    return out.getvalue()


def it_finds_what_is_not_stable_and_goes_on():
    with tempfile.TemporaryDirectory() as folder:
        first = search(f'{folder}/found')
        # This is the worst case for dmodk in 20 cases and 2 climbs.
        assert '2,1,2,6,3,2,2,0,0,5,2,5,1,4,2,0,0,3088290669    103.9 194.6            7.595' in first, first
        rows = f'{folder}/found/rows.jsonl'
        with open(rows, encoding='utf-8') as f:
            count = len(f.readlines())
        assert search(f'{folder}/found') == first
        with open(rows, encoding='utf-8') as f:
            assert len(f.readlines()) == count
        witness = f'{folder}/found/witness-1.csv'
        with open(witness, encoding='utf-8') as f:
            told = f.readline().split()
        assert told[:2] == ['#', 'drbsim']
        told[told.index('--scheme') + 1] = 'dmodk'
        seen = subprocess.run([models.program('drbsim'), *told[2:], '--json'], check=True,
                              capture_output=True, text=True).stdout
        assert json.loads(seen)['growing'] == 'yes' and os.path.exists(witness)


if __name__ == '__main__':
    tap.run([no_host_sends_or_receives_more_than_a_packet_a_slot, a_step_changes_one_gene,
             genes_of_hosts_do_what_they_say,
             cases_are_those_of_earlier_versions, it_finds_what_is_not_stable_and_goes_on])
