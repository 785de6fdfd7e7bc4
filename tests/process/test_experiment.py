#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""topo/experiment without a fabric: which runs count, what is too far off, what it refuses, and that
the report needs nothing else.

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
from typing import Any
from xml.etree import ElementTree

TOPO, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, TOPO)
os.environ['DRB_BUILD'] = BUILD

import tap  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.experiment import link_tree, live, report, slow_links  # noqa: E402
from drbfabric.experiment.control import COUNTS, Control  # noqa: E402
from drbfabric.experiment.experiment import (  # noqa: E402
    Experiment, Setup, disturbance, simulate)
from drbfabric.experiment.summary import deviations, summarise  # noqa: E402


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
# As drbgen writes them.
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


def made_up(s, factor):
    """An experiment whose live runs are the simulator's, times a factor."""
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
    # Whether it shows in a run of 200 slots is one thing, whether it goes on another.
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
    with Control(0.002) as control:
        time.sleep(0.5)
    slots = [count for count, _ in COUNTS.iter_unpack(control.counts[:])]
    assert len(slots) == len(os.sched_getaffinity(0)) and min(slots) > 20, slots
    assert 0 <= control.late_share() <= 1
    with Control(0.002) as control:
        while any(count == 0 for count, _ in COUNTS.iter_unpack(control.counts[:])):
            time.sleep(0.002)  # one that has not begun has no slot to be late for
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
    # One path for each pair; links to hosts are used as the load is.
    assert figures['reordered_share'] == 0 and figures['reorder_buffer'] == 0, figures
    assert 6 <= figures['latency_p50'] <= figures['latency_p99'] <= figures['latency_max'], figures
    assert abs(figures['use_down1_mean'] - 0.9) < 0.01, figures
    assert figures['use_down1_mean'] <= figures['use_down1_max'] <= 1, figures


def pictures_in(folder):
    """{name: SVG} of plots, each of which is there as PDF, too."""
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
        # And a tree for each scheme.
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
            # The colour of drb in all reports.
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
    # The widest are drawn last, where they are seen.
    widths = [float(e.get('stroke-width', '0')) for e in strokes]
    assert widths == sorted(widths) and widths[-1] > 2 * widths[0] > 0, widths


def slow_links_are_those_of_drbsim():
    fast, slow = setup(schemes=['dmodk'], loads=[0.3]), setup(schemes=['dmodk'], loads=[0.3], slow='link:4:3')
    for seed in 1, 2:
        links = slow_links.drawn(slow, seed)
        assert len(links) == 4 and set(links.values()) == {3}, links
        assert slow_links.drawn(slow, seed) == links and not slow_links.drawn(fast, seed)
        assert simulate(slow, seed)['dmodk', 0.3]['latency'] > simulate(fast, seed)['dmodk', 0.3]['latency'] + 0.2
    assert slow_links.drawn(slow, 1) != slow_links.drawn(slow, 2)
    plan = {'fabric': 'x', 'links': [{'kind': 'veth', 'lower': 's1-0', 'lower_port': f'u{i}', 'upper': f's2-{i}',
                                      'upper_port': 'd0'} for i in range(2)]}
    assert slow_links.ends(plan, {'s1-0.u1': 3}) == {('s1-0', 'u1'): 3, ('s2-1', 'd0'): 3}


def mistakes_are_one_line():
    with tempfile.TemporaryDirectory() as folder:
        for words, pattern in (
                ('', 'out'), ('--load 1', 'loads'), ('--load 0.5,0.5', 'loads'),
                ('--load 0.5:x:1', 'loads'), ('--slot 2', '2ms'), ('--slot 0ms', '2ms'),
                ('--scheme drb,drb', 'schemes'), ('-l 0', '0'), ('--slots 10 --warmup 6', 'half'),
                ('-l 9 -d 9', 'hosts'), ('--runs 0', '0'), ('--nonsense', 'nonsense'),
                ('--repeat -1', 'repeat')) + ((('--slow link:3', 'N:K'), ('--slow link:33:2', '32 links'),
                                               ('--slow link:1:2 --tcp fixed:9', 'not of --tcp'))
                                              if os.geteuid() == 0 else ()):
            out = ['--out', f'{folder}/x'] if words else []
            done = subprocess.run([f'{TOPO}/experiment', *out, *words.split()], text=True,
                                  capture_output=True, check=False)
            assert done.returncode == 2, (words, done)
            assert len(done.stderr.splitlines()) == 1 and pattern in done.stderr, (words, done)
            assert not os.listdir(folder), words


TESTS = (what_drbgen_says_becomes_figures, disturbed_runs_do_not_count, deviations_are_found,
         growth_is_what_many_times_the_slots_say,
         disturbed_and_lost_are_marked, late_without_cause_is_a_deviation,
         percentiles_become_a_distribution, control_notes_what_is_late, simulator_sees_the_same_load,
         report_is_one_file, links_are_drawn_on_the_tree, slow_links_are_those_of_drbsim, mistakes_are_one_line)


tap.run(TESTS)
