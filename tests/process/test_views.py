#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the figures of drbctl against replies that are known.

test_views.py DRBSWITCH CONFIG_DIR DRBCTL    TAP on standard output. See world.py."""
import copy
import json
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402
from stored_switch import StoredSwitch, stored  # noqa: E402

SECONDS = 2
WATCH = 'watch', '--count', '1', '--interval', '10ms'


def two_readings():
    """Returns stored replies with two readings. Each counter grows by another amount."""
    told = copy.deepcopy(stored()[-1][1])
    before = told['replies']['/drb/all']
    after = copy.deepcopy(before)
    after['time_ns'] += SECONDS * 10**9
    growth = iter(range(1000, 9000, 37))
    for port in after['ports']:
        for key in ('in_packets', 'in_discards', 'in_missed', 'out_packets', 'out_discards', 'in_octets', 'out_octets'):
            port[key] += next(growth)
    for key in ('up_default', 'up_redirected', 'down'):
        after['routing'][key] += next(growth)
    after['drops']['multicast'] += 11
    for port, queued in zip(after['ports'], (3, 9, 8, 2)):
        port['queue_packets'] = queued
    after['ports'][2]['lost_credit_ns'] += 30_000_000
    after['ports'][3]['lost_credit_ns'] += 50_000_000
    told['replies']['/drb/all'] = [before, after]
    return told, before, after


def grown(before, after, *keys, ports=None):
    """Returns the growth of these counters of ports in a second."""
    return sum(b[key] - a[key] for a, b in zip(before['ports'], after['ports']) for key in keys
               if ports is None or b['name'] in ports) / SECONDS


def watch_has_the_rates():
    told, before, after = two_readings()
    with StoredSwitch(told) as w:
        row, = w.rows(*WATCH)
    drops = 'in_missed', 'in_discards', 'out_discards'
    kept, redirected = (after['routing'][key] - before['routing'][key] for key in ('up_default', 'up_redirected'))
    want = {
        'switch': 's1-0', 'state': 'running', 'in_pps': grown(before, after, 'in_packets'),
        'out_pps': grown(before, after, 'out_packets'), 'queue_deepest': 9, 'queue_port': 'd1',
        'redirected_percent': 100 * redirected / (kept + redirected),
        'drops_pps': grown(before, after, *drops) - 11 / SECONDS,
        'drops': sum(p[key] for p in after['ports'] for key in drops) - after['drops']['multicast'],
        'out_mbit': grown(before, after, 'out_octets') * 8e-6, 'slowed_percent': 2.5}
    for key, value in want.items():
        assert row[key] == value if isinstance(value, str) else abs(row[key] - value) <= 0.51 * 10**(
            -3 if key == 'out_mbit' else -1 if 'percent' in key else 0), (key, row[key], value)
    told, before, after = two_readings()
    with StoredSwitch(told) as w:
        last = w.ask(*WATCH).strip().splitlines()[-1]
    to_hosts = grown(before, after, 'out_packets', ports=('d0', 'd1'))
    assert last == f'1 switch: 1 running; {to_hosts:.0f} pkt/s to hosts, {want["redirected_percent"]:.1f} % ' \
        f'redirected, {want["drops_pps"]:.0f} drops/s', last


def one_that_wakes_late_is_slow():
    for share, state in ((0.099, 'running'), (0.1, 'slow')):
        told, before, after = two_readings()
        after['ports'][3]['lost_credit_ns'] = before['ports'][3]['lost_credit_ns'] + round(share * SECONDS * 1e9)
        with StoredSwitch(told) as w:
            row, = w.rows(*WATCH)
        assert row['state'] == state and abs(row['slowed_percent'] - 100 * share) < 0.051, row


def readings_that_do_not_follow_have_no_rate():
    """The second reading is of another process, of the same time, or has fewer packets."""
    def fewer(key):
        def change(before, after):
            before['ports'][0][key] += 10**6
        return change
    for change in (lambda before, after: after['info'].update(pid=before['info']['pid'] + 1),
                   lambda before, after: after.update(time_ns=before['time_ns']),
                   fewer('in_packets'), fewer('out_packets')):
        told, before, after = two_readings()
        change(before, after)
        with StoredSwitch(told) as w:
            row, = w.rows(*WATCH)
        rates = [row[key] for key in ('in_pps', 'out_pps', 'redirected_percent', 'drops_pps', 'out_mbit')]
        assert rates == [None] * 5 and row['queue_deepest'] == 9, row


def each_figure_has_its_own_place():
    told = copy.deepcopy(stored()[-1][1])
    reply = told['replies']['/drb/all']
    numbers = iter(range(100_001, 200_000, 7))
    small = 'usable', 'slotted', 'workers', 'choices'
    for group in (reply['routing'], reply['worker'], reply['drops'], *reply['ports']):
        group.update({key: next(numbers) for key, value in group.items() if type(value) is int and key not in small})
    with StoredSwitch(told) as w:
        rows = {view: w.rows('show', 's1-0', view) for view in ('ports', 'routing', 'worker', 'drops', 'links')}
    seen = 0  # figures that are compared
    for view in rows:
        told_of = reply['ports' if view == 'links' else view]
        for row, group in zip(rows[view], told_of if isinstance(told_of, list) else [told_of]):
            for key in row.keys() & group.keys():
                seen += type(group[key]) is int
                assert row[key] == group[key] or type(group[key]) is not int, (view, key, row[key], group[key])
    assert seen > 100, seen


def a_check_weighs_each_packet():
    """One packet more in any of the counters that it compares is noticed."""
    terms = ((('ports', 1, 'in_packets'), 1, True), (('routing', 'too_big_replies'), 1, True),
             (('ports', 2, 'out_packets'), -1, True), (('ports', 0, 'in_discards'), -1, False),
             (('ports', 3, 'out_discards'), -1, False), (('ports', 1, 'queue_packets'), -1, True),
             (('drops', 'no_route'), 0, False))
    for (*at, key), missing, explained in terms:
        told = copy.deepcopy(stored()[-1][1])
        group = told['replies']['/drb/all']
        for step in at:
            group = group[step]
        group[key] += 1
        with StoredSwitch(told) as w:
            done = w.run('check', '--json')
        said = done.stderr.splitlines()
        assert done.returncode == 1 and f'"missing_packets": {missing}' in done.stdout.replace('":', '": '), done
        assert '"conserved":false' in done.stdout.replace(' ', ''), done
        wants = [' are gone without a reason'] * (missing > 0) + [' came from nowhere'] * (missing < 0) + \
            [' dropped packets'] * (not explained)
        assert len(said) == len(wants) and all(want in line for want, line in zip(wants, said)), (at, key, said)


def switch_of_four_racks(layer, label, **routing):
    """Returns replies of a switch of F(2,2), whose queues differ.

    F(2,2) has 4 racks of 2 hosts, and 2 core switches."""
    told = copy.deepcopy(stored()[-1][1])
    for reply in (told['replies']['/drb/info'], told['replies']['/drb/all']['info']):
        reply.update(name=f's{layer}-{label}', layer=layer, label=label, code=[label], ports=4)
    reply = told['replies']['/drb/all']
    reply['routing'].update(routing)
    names = ('d0', 'd1', 'u0', 'u1') if layer == 1 else ('d0', 'd1', 'd2', 'd3')
    for i, (port, name) in enumerate(zip(reply['ports'], names)):
        host, other = f'h{2 * label + i}.eth0', f's2-{i - 2}.d{label}' if layer == 1 else f's1-{i}.u{label}'
        port.update(name=name, peer=host if layer == 1 and i < 2 else other, queue_packets=10 * label + i,
                    ring_packets=50 + i, state='up', usable=1)
    return told


def path_of(host, change=None, flow=(), **routing):
    """Returns the path from h0 to a host: rows, messages, exit status.

    change(replies): changes the replies of all switches before. flow: further words."""
    all_of = {f's{layer}_{label}': switch_of_four_racks(layer, label, **routing)
              for layer, label in ((1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 1))}
    if change:
        change({name: told['replies']['/drb/all'] for name, told in all_of.items()})
    with StoredSwitch(all_of.pop('s1_0'), **all_of) as w:
        done = w.run('path', 'h0', f'h{host}', *flow, '--json')
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr, done.returncode


def a_path_has_the_ports_of_its_switches():
    """D-mod-k: the last digit of the destination is the uplink, the others are racks."""
    for host in range(2, 8):
        rows, said, status = path_of(host, scheme='dmodk')
        up, rack = host % 2, host // 2
        assert [(r['switch'], r['port'], r['to']) for r in rows] == [
            ('s1-0', f'u{up}', f's2-{up}.d0'), (f's2-{up}', f'd{rack}', f's1-{rack}.u{up}'),
            (f's1-{rack}', f'd{host % 2}', f'h{host}.eth0')], rows
        assert [r['queue_packets'] for r in rows] == [2 + up, 10 * up + rack, 10 * rack + host % 2], rows
        assert [r['ring_packets'] for r in rows] == [52 + up, 50 + rack, 50 + host % 2], rows
        assert [r['others'] for r in rows] == [f'u{1 - up}:{3 - up}', '', ''] and status == 0, rows
        assert [r['scheme'] for r in rows] == ['dmodk', '', ''] and all(r['certain'] for r in rows), rows
        assert 'not certain' not in said and f'IPv4 10.0.0.1 to 10.0.0.{host + 1}; ' in said, said


def a_path_says_why_it_is_not_certain():
    rows, said, _ = path_of(7, scheme='drb')
    assert [r['certain'] for r in rows] == [False, True, True] and 'not certain from s1-0: ' in said, (rows, said)
    rows, said, _ = path_of(7, scheme='dmodk', unit='flow')
    assert not rows[0]['certain'] and 'flows keep the uplink they got' in said, (rows, said)

    def kill(name, port):
        return lambda reply: reply[name]['ports'][port].update(state='down', usable=0)
    rows, said, status = path_of(7, kill('s1_0', 3), scheme='dmodk')
    assert [r['port'] for r in rows] == ['u0', 'd3', 'd1'] and status == 0, rows
    assert 'the default uplink leads nowhere or further: packets take any other' in said, said
    rows, said, status = path_of(7, kill('s1_3', 1), scheme='dmodk')
    assert len(rows) == 2 and status == 1 and 's1-3: the port of the host is not usable' in said, (rows, said)


def a_path_of_a_flow_is_certain():
    rows, said, _ = path_of(7, scheme='ecmp')
    assert not rows[0]['certain'] and 'it depends on the flow: name one, such as tcp:40000:5201' in said, (rows, said)
    for seed in 1, 2:
        ports = [path_of(7, flow=[f'udp:{port}:9'], scheme='ecmp', seed=seed)[0] for port in range(40000, 40012)]
        assert all(r['certain'] for rows in ports for r in rows), ports
        assert {rows[0]['port'] for rows in ports} == {'u0', 'u1'}, ports
        assert ports[3] == path_of(7, flow=['udp:40003:9'], scheme='ecmp', seed=seed)[0]
    assert path_of(7, flow=['17:65535:0'], scheme='ecmp') == path_of(7, flow=['udp:65535:0'], scheme='ecmp')
    assert path_of(7, flow=['icmp'], scheme='ecmp')[2] == 0
    for wrong in 'tcp', 'tcp:1', 'tcp:65536:1', 'tcp:1:65536', 'tcp:1:2:3', 'icmp:1:2', '256', 'carrier-pigeon':
        rows, said, status = path_of(7, flow=[wrong], scheme='ecmp')
        assert (rows, status) == ([], 2) and f"'{wrong}' is not a flow: want " in said, (wrong, rows, said)


tap.run((watch_has_the_rates, one_that_wakes_late_is_slow, readings_that_do_not_follow_have_no_rate,
         each_figure_has_its_own_place, a_check_weighs_each_packet, a_path_has_the_ports_of_its_switches,
         a_path_says_why_it_is_not_certain, a_path_of_a_flow_is_certain))
