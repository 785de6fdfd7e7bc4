#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Gives the checks of chaos.sh wrong observations: each check reports exactly what is wrong.

test_chaos.py TESTS_DIR    TAP on standard output."""
import os
import sys

sys.dont_write_bytecode = True
sys.path[:0] = [f'{sys.argv[1]}/{folder}' for folder in ('live', 'live/faults')]

import chaos_checks as checks  # noqa: E402
import tap  # noqa: E402
from chaos_streams import Ledger  # noqa: E402
from chaos_world import UNITS, World, schemes, settings, with_routing  # noqa: E402

NAMES = ['h0', 'h1', 'h2']


def losses_of_connected_pairs():
    assert checks.losses({(0, 1): 2, (1, 2): 1}, {(0, 1)}, NAMES, 'late') == ['h0 -> h1: 2 packets lost late']
    assert not checks.losses({(1, 2): 1}, {(0, 1)}, NAMES, 'late')


def arrivals():
    assert not checks.wrong_arrivals(0, 0)
    assert 'came twice' in checks.wrong_arrivals(1, 0)[0] and 'another host' in checks.wrong_arrivals(0, 1)[0]


def pings_without_answer():
    times = {(0, 1): 0.5, (1, 0): None}
    assert checks.pings(times, {(0, 1), (1, 0), (2, 0)}, NAMES, 6) == [
        'h1 -> h0: no answer by IPv6', 'h2 -> h0: no answer by IPv6']
    assert not checks.pings(times, {(0, 1)}, NAMES, 6)


def ports_out_of_use():
    good = {('s1-0', 'u0'): 'up', ('s1-0', 'd0'): 'unknown', ('s1-0', 'u1'): 'flapping', ('s2-0', 'd0'): 'lossy'}
    assert not checks.states(good)
    for state in 'down', 'gone', 'miswired', 'drained', 'drained by neighbour', None:
        assert checks.states({**good, ('s2-0', 'd0'): state}) == [f's2-0.d0 is {state}']


def processes_that_died():
    assert not checks.processes({'s1-0': 7, 's1-1': None}, {'s1-0': 7, 's1-1': None})
    assert checks.processes({'s1-0': 7}, {'s1-0': None}) == ['s1-0 died: process 7 is gone']
    assert checks.processes({'s1-0': 7}, {'s1-0': 8}) == ['s1-0 died: process 7 is 8 now']


def sanitizers_in_logs():
    for line in ('==12==ERROR: AddressSanitizer: heap-use-after-free', 'ERROR: LeakSanitizer: detected memory leaks',
                 'src/x.c:3:5: runtime error: signed integer overflow', 'drbswitch: error: out of memory'):
        assert checks.said({'s1-0': ['drbswitch: port u0: up again', line]}) == [f's1-0 said: {line}']
    assert not checks.said({'s1-0': ['drbswitch: warning: port u0: down, no hello from s2-0.d0']})


def levels():
    before = checks.Level(40, 4000, 3208)
    assert not checks.level('s1-0', before, checks.Level(40, 4100, 3200))
    for after, word in ((checks.Level(41, 4000, 3208), 'files'), (checks.Level(40, 4000, 3000), 'buffers'),
                        (checks.Level(40, 4001 + checks.GROWTH_KB, 3208), 'kB')):
        found = checks.level('s1-0', before, after)
        assert len(found) == 1 and word in found[0], found
    assert not checks.level('s1-0', checks.Level(40, None, 3208), checks.Level(40, None, 3208))


def level_of_this_process():
    mine = checks.Level.of(os.getpid(), 5, 1234)
    assert mine.files > 2 and mine.free == 5 and mine.memory in (None, 1234)
    with open('/dev/null', encoding='ascii'):
        assert checks.Level.of(os.getpid(), 5, 1234).files == mine.files + 1


def view(sent, got):
    return {'name': ['d0', 'u0'], 'out_packets': [0, sent], 'in_packets': [got, 0], 'started_ns': 1}


def balance_of_links():
    link = {'lower': 's1-0', 'lower_port': 'u0', 'upper': 's2-0', 'upper_port': 'd0'}
    # The link lost 10 packets before. They must not be counted again.
    before = {'s1-0': view(100, 0), 's2-0': view(0, 90)}
    assert not checks.balance([link], before, {'s1-0': view(150, 0), 's2-0': view(0, 140)})
    found = checks.balance([link], before, {'s1-0': view(150, 0), 's2-0': view(0, 139)})
    assert found == ['s1-0.u0 sent 50 packets, s2-0.d0 received 49'], found


def ledger_of_packets():
    ledger = Ledger()
    first = [ledger.sent(at, 0, 1) for at in (1.0, 2.0, 3.0)]
    for number in first[0], first[2], first[2]:
        ledger.came(number, 1, 1)
    ledger.came(first[1], 1, 2)  # arrives at the wrong host
    assert ledger.span(0, 2.5) == (2, {}, 1, 1), ledger.span(0, 2.5)
    number = ledger.sent(4.0, 2, 0)
    assert ledger.span(3.5, 5) == (1, {(2, 0): 1}, 1, 1)
    ledger.forget()
    ledger.came(number, 0, 0)  # too late to count
    assert ledger.span(0, 9) == (0, {}, 0, 0)


def line(*names):
    """Returns a world whose hosts and switches are connected in a row, without processes."""
    world = World.__new__(World)
    world.switches = {n: {} for n in names if n[0] == 's'}
    world.hosts = [{'name': n} for n in names if n[0] == 'h']
    world.links = [{'lower': a, 'lower_port': 'a', 'upper': b, 'upper_port': 'b'} for a, b in zip(names, names[1:])]
    world.dead_links, world.dead_switches, world.touched_links, world.touched_switches = set(), set(), set(), set()
    return world


def who_is_connected():
    world = line('h0', 's1-0', 's2-0', 's1-1', 'h1')
    assert world.connected() == {(0, 1), (1, 0)}
    assert not world.connected(['s1-0.a - s2-0.b'])
    world.touch(world.links[1], dead=False)
    assert world.connected() and world.free_links(world.links) == world.links[:1] + world.links[2:]
    world.touch(world.links[1], dead=True)
    assert not world.connected()
    world = line('h0', 's1-0', 's2-0', 's1-1', 'h1')
    world.touch_switch('s2-0', dead=True)
    assert not world.connected() and world.free_links(world.links) == [world.links[0], world.links[3]]


def settings_and_configs():
    assert settings(3) == settings(3)
    assert {(s.get('driver') or s['links'], s['workers']) for s in map(settings, range(1, 6))} == {
        ('af_xdp', 1), *((kind, workers) for kind in ('af_packet', 'memif') for workers in (1, 2))}
    assert all(settings(n)['scheme'] in schemes.table() and settings(n)['unit'] in UNITS for n in range(50))
    for old in 'routing: {}\n', 'routing:\n  scheme: drb\n  unit: flow\n':
        text = with_routing(f'fabric:\n  layers: 3\n{old}link:\n  rate: 1Mbit\n', 'vlb', 'packet')
        assert text == ('fabric:\n  layers: 3\nrouting: {scheme: vlb, unit: packet, flow_max: 1000}\n'
                        'link:\n  rate: 1Mbit\n'), text


tap.run([losses_of_connected_pairs, arrivals, pings_without_answer, ports_out_of_use, processes_that_died,
         sanitizers_in_logs, levels, level_of_this_process, balance_of_links, ledger_of_packets, who_is_connected,
         settings_and_configs])
