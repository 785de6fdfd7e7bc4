#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the figures of drbctl against replies that are known.

test_views.py DRBSWITCH CONFIG_DIR DRBCTL    TAP on standard output. See world.py."""
import copy
import sys

sys.dont_write_bytecode = True

import tap  # noqa: E402
from fake_switch import FakeSwitch, stored  # noqa: E402

SECONDS = 2
WATCH = 'watch', '--count', '1', '--interval', '10ms'


def two_readings():
    """Returns the stored replies, of which /drb/all has two readings: each counter grows by another amount."""
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
    with FakeSwitch(told) as w:
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
    with FakeSwitch(told) as w:
        last = w.ask(*WATCH).strip().splitlines()[-1]
    to_hosts = grown(before, after, 'out_packets', ports=('d0', 'd1'))
    assert last == f'1 switch: 1 running; {to_hosts:.0f} pkt/s to hosts, {want["redirected_percent"]:.1f} % ' \
        f'redirected, {want["drops_pps"]:.0f} drops/s', last


def one_that_wakes_late_is_slow():
    for share, state in ((0.099, 'running'), (0.1, 'slow')):
        told, before, after = two_readings()
        after['ports'][3]['lost_credit_ns'] = before['ports'][3]['lost_credit_ns'] + round(share * SECONDS * 1e9)
        with FakeSwitch(told) as w:
            row, = w.rows(*WATCH)
        assert row['state'] == state and abs(row['slowed_percent'] - 100 * share) < 0.051, row


def readings_that_do_not_follow_have_no_rate():
    """Of another process, of the same time, or with fewer packets than before."""
    def fewer(key):
        def change(before, after):
            before['ports'][0][key] += 10**6
        return change
    for change in (lambda before, after: after['info'].update(pid=before['info']['pid'] + 1),
                   lambda before, after: after.update(time_ns=before['time_ns']),
                   fewer('in_packets'), fewer('out_packets')):
        told, before, after = two_readings()
        change(before, after)
        with FakeSwitch(told) as w:
            row, = w.rows(*WATCH)
        rates = [row[key] for key in ('in_pps', 'out_pps', 'redirected_percent', 'drops_pps', 'out_mbit')]
        assert rates == [None] * 5 and row['queue_deepest'] == 9, row


def each_figure_has_its_own_place():
    told = copy.deepcopy(stored()[-1][1])
    reply = told['replies']['/drb/all']
    numbers = iter(range(100_001, 200_000, 7))
    groups = [('routing', reply['routing']), ('worker', reply['worker']), ('drops', reply['drops']),
              *(('ports', port) for port in reply['ports'])]
    texts = 'usable', 'slotted', 'workers', 'choices'
    for _, group in groups:
        group.update({key: next(numbers) for key, value in group.items() if type(value) is int and key not in texts})
    with FakeSwitch(told) as w:
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
        with FakeSwitch(told) as w:
            done = w.run('check', '--json')
        said = done.stderr.splitlines()
        assert done.returncode == 1 and f'"missing_packets": {missing}' in done.stdout.replace('":', '": '), done
        assert '"conserved":false' in done.stdout.replace(' ', ''), done
        wants = [' are gone without a reason'] * (missing > 0) + [' came from nowhere'] * (missing < 0) + \
            [' dropped packets'] * (not explained)
        assert len(said) == len(wants) and all(want in line for want, line in zip(wants, said)), (at, key, said)


tap.run((watch_has_the_rates, one_that_wakes_late_is_slow, readings_that_do_not_follow_have_no_rate,
         each_figure_has_its_own_place, a_check_weighs_each_packet))
