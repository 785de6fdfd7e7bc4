#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""topo/experiment without a fabric: the runs that count, and the results that are too far off.

Also tests refusals, and that the report needs no other files.

test_experiment.py TOPO_DIR BUILD_DIR    TAP on standard output."""
import csv
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from typing import Any
from unittest import mock
from xml.etree import ElementTree

TOPO, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path[:0] = [TOPO, f'{TOPO}/../lab']
os.environ['DRB_BUILD'] = BUILD

import drblab.live  # noqa: E402
import tap  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.experiment import impaired_links, link_tree, live, points, report, timed_faults  # noqa: E402
from drbfabric.experiment.control import COUNTS, Control  # noqa: E402
from drbfabric.experiment.experiment import (  # noqa: E402
    Experiment, Setup, check_faults, disturbance, failed, simulate)
from drbfabric.experiment.summary import deviations, summarise  # noqa: E402
from until import until  # noqa: E402


def setup(**changes):
    values: dict[str, Any] = {
        'layers': 3, 'arity': 2, 'schemes': ['drb', 'dmodk'], 'loads': [0.6, 0.9],
        'traffic': 'permutation', 'threshold': 'paper', 'slot_ns': 2000000, 'slots': 400,
        'warmup': 100, 'runs': 2, 'repeats': 1, 'queue': 512, 'seed': 5,
        'links': 'veth', 'name': 'x'}
    return Setup(**{**values, **changes})


SAID: dict[str, Any] = {
    'latency_mean_slots': 7.5, 'tail_slots': 11, 'latency_p50_slots': 7, 'latency_p99_slots': 10,
    'latency_p999_slots': 12, 'latency_max_slots': 13, 'reordered_share': 0.01, 'reorder_extent': 2,
    'reorder_buffer': 3, 'sent': 100, 'lost': 1, 'duplicated': 2, 'misdelivered': 3, 'receiver_dropped': 4,
    'late_packets': 5, 'late_max_us': 6, 'late_slots': 7, 'lost_credit_events': 8, 'switch_late_us': 9,
    'forwarded': 60, 'redirected': 0.1, 'growing': 'no', 'growing_links': 0, 'slowest_link': 1, 'machine_lost': 0,
    'machine_late_us': 2}
# Rows for links in the form that drbgen writes.
LINKS: list[dict[str, Any]] = [
    {'layer': layer, 'switch': f's{layer}-0', 'port': port, 'peer': 'h0.eth0', 'use': use, 'queue_mean': queue,
     'queue_max': f'{int(float(queue) * 9)}', 'dropped': '0', 'rate_part': '1', 'growing': 'no'}
    for layer, port, use, queue in (('1', 'u0', '0.5', '1'), ('1', 'u1', '0.7', '2'), ('1', 'd0', '0.9', '4'),
                                    ('2', 'd1', '0.1', '0.25'))]


def what_drbgen_says_becomes_figures():
    queues = ['up1', 'down2', 'down1']
    run = live.result_of(SAID, LINKS, queues)
    assert run['latency'] == 7.5 and run['wrong'] == 9 and run['redirected'] == 0.1, run
    assert (run['lost_credit_events'], run['late_departures'], run['forwarded']) == (8, 7, 60), run
    assert (run['queue_up1_mean'], run['queue_up1_max'], run['queue_down1_mean']) == (1.5, 18, 4), run
    assert abs(run['use_up1_mean'] - 0.6) < 1e-12 and run['use_up1_max'] == 0.7 and run['use_down2_max'] == 0.1, run
    assert (run['latency_p99'], run['latency_p999'], run['reorder_buffer']) == (10, 12, 3), run
    for word, told in (('no', (False, False)), ('unclear', (False, True)), ('yes', (True, False))):
        run = live.result_of({**SAID, 'growing': word}, LINKS, queues)
        assert (run['growing'], run['unclear']) == told, run
    try:
        live.result_of(SAID, [link for link in LINKS if link['layer'] == '1'], queues)
        raise AssertionError('links of layer 2 are not missed')
    except Failure as e:
        assert 'layer 2' in str(e), e


def disturbed_runs_do_not_count():
    quiet = {'sent': 10000, 'forwarded': 40000, 'late_packets': 30, 'late_departures': 120,
             'lost_credit_events': 120}
    assert disturbance(quiet) == ''
    assert 'sent late' in disturbance({**quiet, 'late_packets': 31})
    assert 'departures' in disturbance({**quiet, 'late_departures': 121})
    assert 'lost' in disturbance({**quiet, 'lost_credit_events': 121})
    assert disturbance({**quiet, 'fault_late_slots': 20}) == ''
    assert disturbance({**quiet, 'fault_late_slots': 25.6}) == 'a fault came 26 slots late'


def made_up(s, factor):
    """Returns an experiment whose live figures are the simulator's, times a factor."""
    e = Experiment(s, '/nowhere')
    for seed in e.seeds:
        e.simulated[seed] = simulate(s, seed)
        for (scheme, load), figures in e.simulated[seed].items():
            scaled = {k: v if isinstance(v, (bool, str)) else v * factor for k, v in figures.items()}
            e.runs.append({**scaled, 'scheme': scheme, 'load': load, 'seed': seed, 'attempt': 1,
                           'cdf': [(6.0, 0.5), (7.0, 0.9), (12.0, 1.0)],
                           'counts': True, 'disturbed': '', 'control_late': 0.0, 'lost': 0, 'wrong': 0,
                           'links': LINKS, **{key: SAID[key] for key in (
                               'switch_late_us', 'late_max_us', 'machine_late_us', 'machine_lost', 'slowest_link')}})
    return e


def deviations_are_found():
    for factor, within in ((1, True), (1.04, True), (0.96, True), (1.06, False), (0.94, False)):
        rows = summarise(made_up(setup(), factor))
        assert len(rows) == 4
        for row in rows:
            assert row['within'] == within, (factor, row)
            assert abs(row['latency_off'] - (factor - 1)) < 1e-9, row
    row = summarise(made_up(setup(), 1))[0]
    assert deviations({**row, 'tail_off': 0.11, 'tail_off_se': math.nan})
    assert not deviations({**row, 'tail_off': 0.11, 'tail_off_se': 0.01})  # may be chance
    assert deviations({**row, 'growing': True, 'growth_differs': 2})
    assert not deviations({**row, 'growing': True, 'growth_differs': 1, 'latency_off': 0.5})


def growth_is_what_many_times_the_slots_say():
    # Queues may grow in a run of 200 slots without growing in a longer one.
    for scheme, traffic, growing in (('dmodk', 'fixed', True), ('micro', 'fixed', False)):
        s = setup(schemes=[scheme], loads=[0.95], traffic=traffic, slots=200, warmup=20)
        figures = simulate(s, 1)[scheme, 0.95]
        assert (figures['growing'], figures['unclear']) == (growing, False), figures
    e = made_up(s, 1)
    assert summarise(e)[0]['growth_differs'] == 0
    for run, sim in zip(e.runs, e.simulated.values()):
        run['growing'], sim['micro', 0.95]['growing_in_run'] = True, 'no'
    row = summarise(e)[0]
    assert row['growth_differs'] == 2 and deviations(row), row


def disturbed_and_lost_are_marked():
    e = made_up(setup(), 1)
    e.runs[0].update(disturbed='7 packets sent late', control_late=0.002, lost=3)
    e.runs.append({**e.runs[0], 'counts': False, 'latency': 1000.0})
    rows = summarise(e)
    assert not rows[0]['within'] and rows[1]['within']
    assert rows[0]['latency'] < 100, 'a run that does not count is in the mean'
    said = ', '.join(report.remarks(rows[0]))
    for part in '3 packets lost', '1 of 2 runs disturbed', '1 runs repeated':
        assert part in said, said


def late_without_cause_is_a_deviation():
    e = made_up(setup(), 1)
    e.runs[0].update(disturbed='7 packets sent late', control_late=0.0)
    row = summarise(e)[0]
    assert not row['within'] and not row['disturbed'] and row['unexplained'] == 1
    assert '1 runs late while the machine had time' in deviations(row)


def percentiles_become_a_distribution():
    written = ['       Value     Percentile TotalCount 1/(1-Percentile)\n', '\n',
               '   10000.000 0.000000000000          3           1.00\n',
               '   12000.000 0.750000000000          4           4.00\n',
               '   12000.000 1.000000000000          4 \n', '#[Mean    =    10500.000, ...]\n']
    assert live.cdf_of(written, 2000000) == [(6.0, 0.75), (7.0, 1.0), (7.0, 1.0)]
    assert live.cdf_of(written[:2], 2000000) == []


def control_notes_what_is_late():
    def slots():
        return [count for count, _ in COUNTS.iter_unpack(control.counts[:])]

    with Control(0.002) as control:
        until(lambda: min(slots()) > 20)
    assert len(slots()) == len(os.sched_getaffinity(0))
    assert 0 <= control.late_share() <= 1
    with Control(0.002) as control:
        until(lambda: min(slots()) > 0)  # a child that has not begun has no slot to be late for
        for child in control.children:
            os.kill(child, signal.SIGSTOP)
        time.sleep(0.5)
        for child in control.children:
            os.kill(child, signal.SIGCONT)
        end = time.monotonic() + 10
        while control.late_share() <= 0.3 and time.monotonic() < end:
            time.sleep(0.01)
    assert control.late_share() > 0.3, control.late_share()


def simulator_sees_the_same_load():
    s = setup(schemes=['dmodk'], loads=[0.9], slots=4000, warmup=400)
    figures = simulate(s, 1)['dmodk', 0.9]
    assert 7.5 < figures['latency'] < 9 and figures['redirected'] == 0, figures
    assert {key for key, _ in s.figures} <= set(figures)
    # Each pair of hosts has one path. The use of links to hosts equals the load.
    assert figures['reordered_share'] == 0 and figures['reorder_buffer'] == 0, figures
    assert 6 <= figures['latency_p50'] <= figures['latency_p99'] <= figures['latency_max'], figures
    assert abs(figures['use_down1_mean'] - 0.9) < 0.01, figures
    assert figures['use_down1_mean'] <= figures['use_down1_max'] <= 1, figures


def pictures_in(folder):
    """Returns plots as {name: SVG}. Each plot must exist as PDF, too."""
    names = [name[:-len('.svg')] for name in os.listdir(folder)
             if name.endswith('.svg') and not name.startswith('links-')]
    assert all(os.path.getsize(f'{folder}/{name}.pdf') > 1000 for name in names)
    return {name: pathlib.Path(f'{folder}/{name}.svg').read_text(encoding='utf-8') for name in names}


def report_is_one_file():
    with tempfile.TemporaryDirectory() as folder:
        e = made_up(setup(), 1.06)
        rows = summarise(e)
        path = report.write(f'{folder}/out', e, rows)
        with open(path, encoding='utf-8') as f:
            page = f.read()
        assert not re.findall(r'(?:src|href)="(?!data:)', page)
        assert 'latency +6.0%' in page and 'F(3,2)' in page
        head, lines = report.detail(rows, e.setup.queues)
        assert len(lines) == 4 and all(len(line) == len(head) for line in lines)
        assert all(f'<td>{line[4]}</td>' in page for line in lines), lines
        live_share, sim_share = (float(x.rstrip('%')) for x in lines[1][head.index('reordered')].split(', '))
        assert live_share > sim_share > 0, lines
        with open(f'{folder}/out/summary.csv', encoding='utf-8') as f:
            lines = list(csv.DictReader(f))
        assert [(x['scheme'], x['load']) for x in lines] == \
            [('drb', '0.6'), ('drb', '0.9'), ('dmodk', '0.6'), ('dmodk', '0.9')]
        assert all(x['within'] == 'no' for x in lines)
        with open(f'{folder}/out/runs.csv', encoding='utf-8') as f:
            assert len(list(csv.DictReader(f))) == 8
        with open(f'{folder}/out/links.csv', encoding='utf-8') as f:
            assert len(list(csv.DictReader(f))) == 8 * len(LINKS)
        # The page has a tree for each scheme, too.
        assert page.count('<img') == len(pictures_in(f'{folder}/out')) + 2 == 8
        one_load = made_up(setup(loads=[0.9], runs=1), 1)
        with open(report.write(f'{folder}/one', one_load, summarise(one_load)), encoding='utf-8') as f:
            assert 'one run of each, with seed 5.' in f.read()
        bars = pictures_in(f'{folder}/one')
        assert set(bars) == {'latency', 'tail', 'cdf-0.9', 'queue-0.9'}
        pictures = {**pictures_in(f'{folder}/out'), **{f'one {k}': v for k, v in bars.items()}}
        assert 'with seeds 5 to 6' in page and ' %</td>' in page
        with open(f'{folder}/out/cdf.csv', encoding='utf-8') as f:
            assert len(list(csv.DictReader(f))) == 8 * 3
        assert all(f.caption in page for f in report.figures_of(rows, e.setup, e.runs))
        for name, picture in pictures.items():
            assert picture.lstrip().startswith('<?xml') and '</svg>' in picture
            assert 'prefers-color-scheme:dark' in picture
            # This is the colour of drb in all reports.
            assert '#0072b2' in picture or name in ('one latency', 'one tail'), name


def links_are_drawn_on_the_tree():
    done = subprocess.run([f'{BUILD}/src/sim/drbsim', 'packet', '--load', '0.9', '--traffic', 'fixed',
                           '--scheme', 'dmodk', '--links', '--csv'], text=True, capture_output=True, check=True)
    links = list(csv.DictReader(done.stdout.splitlines()))
    tree = ElementTree.fromstring(link_tree.draw(links, 'a < b'))
    strokes = [e for e in tree if e.tag.endswith('line')]
    assert len(strokes) == len(links) == 80
    red = [e for e in strokes if e.get('stroke') == '#d00']
    assert 0 < len(red) == sum(link['growing'] == 'yes' for link in links) < 40, red
    assert all('growing yes' in (e[0].text or '') for e in red)
    # The widest links are drawn last, so that no other link covers them.
    widths = [float(e.get('stroke-width', '0')) for e in strokes]
    assert widths == sorted(widths) and widths[-1] > 2 * widths[0] > 0, widths


def slow_links_are_those_of_drbsim():
    fast, slow = setup(schemes=['dmodk'], loads=[0.3]), setup(schemes=['dmodk'], loads=[0.3], slow='link:4:3')
    for seed in 1, 2:
        links = impaired_links.slow(slow, seed)
        assert len(links) == 4 and set(links.values()) == {3}, links
        assert impaired_links.slow(slow, seed) == links and not impaired_links.slow(fast, seed)
        assert simulate(slow, seed)['dmodk', 0.3]['latency'] > simulate(fast, seed)['dmodk', 0.3]['latency'] + 0.2
    assert impaired_links.slow(slow, 1) != impaired_links.slow(slow, 2)
    plan = {'fabric': 'x', 'links': [{'kind': 'veth', 'lower': 's1-0', 'lower_port': f'u{i}', 'upper': f's2-{i}',
                                      'upper_port': 'd0'} for i in range(2)]}
    assert impaired_links.ends(plan, {'s1-0.u1': 3}) == {('s1-0', 'u1'): 3, ('s2-1', 'd0'): 3}


def dead_links_are_those_of_drbsim():
    drawn, named = setup(fail='link:3'), setup(fail='s1-0.u1,s2-3.u0', schemes=['dmodk'], loads=[0.3])
    assert impaired_links.dead(drawn, 1) != impaired_links.dead(drawn, 2)
    assert len(impaired_links.dead(drawn, 1)) == 3 and not impaired_links.dead(setup(), 1)
    assert impaired_links.dead(named, 1) == impaired_links.dead(named, 2) == ['s1-0.u1', 's2-3.u0']
    assert simulate(named, 1)['dmodk', 0.3] != simulate(setup(schemes=['dmodk'], loads=[0.3]), 1)['dmodk', 0.3]
    fewer = setup(layers=2, arity=4, uplinks=2, fail='link:8')
    assert {name[-2:] for name in impaired_links.dead(fewer, 1)} == {'u0', 'u1'}
    try:
        impaired_links.dead(setup(fail='s2-1'), 1)
    except Failure as e:
        assert e.code == 2 and 's2-1 is a switch: name links' in str(e), e
    else:
        raise AssertionError('a switch is no link')


class FakeLink:
    """Records when links are set instead of setting them."""
    seen: list[tuple[str, str, float]] = []

    def __init__(self, _plan, name):
        self.name = name

    def set(self, state):
        FakeLink.seen.append((self.name, state, time.time()))


class FakeChild:
    """A program that ends once this many links were set."""

    def __init__(self, most):
        self.most = most

    def runs(self):
        return len(FakeLink.seen) < self.most


def a_list(folder, text):
    path = f'{folder}/faults'
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    return path


def refusal(work):
    try:
        work()
    except Failure as e:
        assert e.code == 2, e
        return str(e)
    raise AssertionError('not refused')


def faults_come_at_their_slots():
    s = setup(slot_ns=20000000, slots=10)
    with tempfile.TemporaryDirectory() as folder:
        faults = timed_faults.read(a_list(folder, '\ufeff9 mend s1-0.u1 # again\r\n\n3 cut s1-0.u1 s2-3.u0\n'
                                          '10 cut s1-0.u0\n'))
    assert [fault.slot for fault in faults] == [3, 9, 10] and not timed_faults.read('')
    for most, names in ((9, ['s1-0.u1', 's2-3.u0', 's1-0.u1']), (2, ['s1-0.u1', 's2-3.u0'])):
        FakeLink.seen.clear()
        begin = timed_faults.begin_of(s.slot, s.hosts)
        since = begin - time.time() + time.monotonic()
        assert 0 <= since % s.slot < 0.001 and begin > time.time() + 3, since
        begin = time.time()
        with mock.patch.object(timed_faults, 'Link', FakeLink):
            late = timed_faults.cause({}, faults, begin, s, FakeChild(most))
        assert [name for name, _, _ in FakeLink.seen] == names, FakeLink.seen
        assert all(at - begin >= slot * s.slot for (_, _, at), slot in zip(FakeLink.seen, (3, 3, 9)))
        assert (late == math.inf) == (most == 2), 'the program ended before a fault was due'
    FakeLink.seen.clear()
    with mock.patch.object(timed_faults, 'Link', FakeLink):
        timed_faults.mend({}, faults)
    assert sorted(link[:2] for link in FakeLink.seen) == [('s1-0.u0', 'up'), ('s1-0.u1', 'up'), ('s2-3.u0', 'up')]
    assert disturbance({'sent': 1, 'forwarded': 1, 'late_packets': 0, 'late_departures': 0, 'lost_credit_events': 0,
                        'fault_late_slots': math.inf})


def a_switch_is_killed_at_its_slot():
    s, killed = setup(slot_ns=20000000, slots=10), []
    with tempfile.TemporaryDirectory() as folder:
        faults = timed_faults.read(a_list(folder, '2 kill s2-1 s2-0\n'))
    timed_faults.check(faults, [])
    begin = time.time()

    def kill(fabric, names):
        killed.append((fabric.name, names, time.time()))
        return iter(())
    with mock.patch.object(timed_faults, 'kill', kill):
        timed_faults.cause({'fabric': 'experiment'}, faults, begin, s, FakeChild(9))
    assert killed[0][:2] == ('experiment', ['s2-1', 's2-0']) and killed[0][2] - begin >= 2 * s.slot and len(killed) == 1
    timed_faults.mend({}, faults)  # no link is to be mended


def wrong_faults_are_named():
    with tempfile.TemporaryDirectory() as folder:
        for line in ('5us cut s1-0.u1', '3 start s2-1', '3 cut', '\u0663 cut s1-0.u1'):
            path = a_list(folder, f'# first\n{line}\n')
            said = refusal(lambda p=path: timed_faults.read(p))
            assert f"{path}:2: '{line}': a fabric takes SLOT cut LINK..." in said, said
        with open(path, 'wb') as f:
            f.write(b'# caf\xe9\n1 cut s1-0.u1\n')
        assert len(timed_faults.read(path)) == 1
        cases: tuple[tuple[str, str, dict[str, Any]], ...] = (
                ('', 'has no fault', {}), ('1 cut s1-9.u0', 's1-9.u0', {}), ('1 cut h4', 'h4', {}),
                ('1 cut s2-1.d0', 'lower end', {}), ('1 mend s1-0.u1', 'dead for the whole run', {'fail': 's1-0.u1'}),
                ('1 cut s1-0.u1\n' * 4, 'cut more than 3 times', {}),
                ('1 kill s2-1\n5 kill s2-1', 's2-1: killed twice', {}),
                ('1 cut s1-0.u1', 'detect 2: must be from 15 to 6000 slots', {'detect': 2}))
        for text, want, more in cases:
            s = setup(faults=a_list(folder, text), **more)
            said = refusal(lambda wrong=s: check_faults(wrong))
            assert want in said, said
        check_faults(setup(faults=a_list(folder, '1 cut s1-0.u1\n5 mend s1-0.u1\n')))


def links_are_mended_whatever_happens():
    """Ctrl-C between a cut and its mending: drbgen ends, then the link is mended."""
    def interrupted(*_):
        raise KeyboardInterrupt

    done: list[str] = []
    child = mock.MagicMock()
    child.__enter__.return_value = child
    child.stop.side_effect = lambda: done.append('stop')
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(live, 'forget'), \
            mock.patch.object(live.children, 'Child', return_value=child), \
            mock.patch.object(timed_faults, 'cause', interrupted), \
            mock.patch.object(timed_faults, 'mend', lambda *_: done.append('mend')):
        s = setup(faults=a_list(folder, '1 cut s1-0.u1'))
        try:
            live.replay('traffic', {'fabric': 'x'}, s)
        except KeyboardInterrupt:
            pass
    assert done == ['stop', 'mend'], done


def hellos_follow_the_slots():
    s = setup(slot_ns=4000000, faults='x', detect=24)
    assert s.hello_ms == 32 and replace(s, stretched=1).hello_ms == 64
    s = setup(slot_ns=4000000, faults='x')
    assert (s.hello_ms, s.detect) == (100, 75)
    assert setup(slot_ns=4000000, detect=24).hello_ms == 100, 'of no use without faults'


def losses_by_faults_are_no_failure():
    assert not failed([{'lost': 0, 'wrong': 0}], '') and not failed([{'lost': 9, 'wrong': 0}], 'faults')
    assert failed([{'lost': 0, 'wrong': 0}, {'lost': 1, 'wrong': 0}], '')
    assert failed([{'lost': 0, 'wrong': 1}], '') and failed([{'lost': 9, 'wrong': 1}], 'faults')


def the_least_disturbed_attempt_counts():
    e = Experiment(setup(repeats=1, stretches=0, slots=10, faults='x'), '/nowhere')
    late = {**dict.fromkeys(('late_packets', 'late_departures', 'lost_credit_events'), 0), 'sent': 1, 'forwarded': 1}
    runs = [{**late, 'slot_ms': 1, 'disturbed': 'a fault came 100 slots late'}, {**late, 'slot_ms': 1, 'disturbed': ''}]
    attempts = iter(runs)
    with mock.patch.object(e, 'measure_once', lambda *_: next(attempts)), \
            mock.patch.object(e, 'set_fabric') as restarted, \
            mock.patch('drbfabric.experiment.experiment.PAUSE_SECONDS', 0):
        e.measure({}, 'drb', 0.5, 1)
    restarted.assert_called_once()  # switches hold back a link that is cut in run after run
    assert not runs[0].get('counts') and runs[1]['counts']


def points_become_setups():
    base = setup(slot_ns=0, queue=0, loads=[0.5])
    one = points.setup_of(base, {'layers': 2.0, 'arity': 4, 'scheme': 'walk', 'load': 0.7, 'threshold': 3.5,
                                 'slots': 50, 'stats': 20, 'seed': 9, 'delay': '0,3', 'traffic': 'fixed',
                                 'fail': 'link:1'})
    assert (one.layers, one.arity, one.schemes, one.loads, one.threshold) == (2, 4, ['walk'], [0.7], '3.5')
    assert (one.slots, one.warmup, one.seed, one.delay, one.queue, one.runs) == (50, 30, 9, 3, 4096, 1)
    assert one.slot_ns >= 2000000 and one.fail == 'link:1'
    other = points.setup_of(base, {})
    assert (other.schemes, other.loads, other.queue, other.warmup) == (['drb'], [0.5], 512, 200)
    for wrong, want in (({'delay': '3'}, 'delay 3: must be 0'), ({'delay': '0,1,2'}, 'must be 0'),
                        ({'stats': 401}, 'stats 401: must be from 1 to the 400 slots'), ({'arity': 40}, 'namespace'),
                        ({'scheme': 'no'}, 'no scheme')):
        try:
            points.setup_of(base, wrong)
        except Failure as e:
            assert want in str(e) and e.code == 2, e
        else:
            raise AssertionError(wrong)
    assert set(points.OPTIONS) == set(drblab.live.OPTIONS)
    assert points.read(['{"id": 7, "load": 1}\n', '\n', '{}']) == [(1, 7, {'load': 1}), (3, 3, {})]
    for line, want in (('[]', 'must be a JSON object'), ('{', 'must be a JSON object'), ('{"model": "flow"}', 'flow'),
                       ('{"stale": 1}', 'stale: a fabric takes layers, ')):
        try:
            points.read(['{}', line])
        except Failure as e:
            assert str(e).startswith('standard input:2: ') and want in str(e), e
        else:
            raise AssertionError(line)


def mistakes_are_one_line():
    with tempfile.TemporaryDirectory() as folder:
        for words, pattern in (
                ('', 'out'), ('--load 1', 'loads'), ('--load 0.5,0.5', 'loads'),
                ('--load 0.5:x:1', 'loads'), ('--slot 2', '2ms'), ('--slot 0ms', '2ms'),
                ('--scheme drb,drb', 'schemes'), ('-l 0', '0'), ('--slots 10 --warmup 6', 'half'),
                ('-l 9 -d 9', 'hosts'), ('--points', '--out: of a report'),
                ('--runs 0', '0'), ('--nonsense', 'nonsense'),
                ('--repeat -1', 'repeat')) + ((('--slow link:3', 'N:K'), ('--slow link:33:2', '32 links'),
                                               ('--slow link:1:2 --tcp fixed:9', 'not of --tcp'),
                                               ('--fail s1-9.u0', 's1-9'), ('--fail s1-0', 'name links'))
                                              if os.geteuid() == 0 else ()):
            out = ['--out', f'{folder}/x'] if words else []
            done = subprocess.run([f'{TOPO}/experiment', *out, *words.split()], text=True,
                                  capture_output=True, check=False)
            assert done.returncode == 2, (words, done)
            assert len(done.stderr.splitlines()) == 1 and pattern in done.stderr, (words, done)
            assert not os.listdir(folder), words


TESTS = (what_drbgen_says_becomes_figures, disturbed_runs_do_not_count, deviations_are_found,
         growth_is_what_many_times_the_slots_say, disturbed_and_lost_are_marked, late_without_cause_is_a_deviation,
         percentiles_become_a_distribution, control_notes_what_is_late, simulator_sees_the_same_load,
         report_is_one_file, links_are_drawn_on_the_tree, slow_links_are_those_of_drbsim,
         dead_links_are_those_of_drbsim, faults_come_at_their_slots, a_switch_is_killed_at_its_slot,
         wrong_faults_are_named, links_are_mended_whatever_happens, hellos_follow_the_slots,
         losses_by_faults_are_no_failure, the_least_disturbed_attempt_counts, points_become_setups,
         mistakes_are_one_line)


tap.run(TESTS)
