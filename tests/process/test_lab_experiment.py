#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""drblab experiment and drblab tcp without a fabric: results that are too far off, and reports.

test_lab_experiment.py LAB_DIR BUILD_DIR    TAP on standard output."""
import csv
import io
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any
from unittest import mock
from xml.etree import ElementTree

LAB, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, LAB)
os.environ['DRB_BUILD'] = BUILD

import tap  # noqa: E402
from drblab import live  # noqa: E402
from drblab.studies import experiment  # noqa: E402
from drblab.studies.experiment import link_tree, pairs, report, summary  # noqa: E402
from drblab.studies.experiment.summary import deviations, summarise  # noqa: E402
from drblab.studies.tcp import report as tcp_report  # noqa: E402
from drblab.studies.tcp import runs as tcp_runs  # noqa: E402
from drblab.studies.tcp.summary import verdict as tcp_verdict  # noqa: E402
from drblab.studies.tcp.summary import summarise as tcp_summarise  # noqa: E402

LINKS: list[dict[str, Any]] = [
    {'layer': layer, 'switch': f's{layer}-0', 'port': port, 'peer': 'h0.eth0', 'use': use, 'queue_mean': queue,
     'queue_max': f'{int(float(queue) * 9)}', 'dropped': '0', 'rate_part': '1', 'growing': 'no'}
    for layer, port, use, queue in (('1', 'u0', '0.5', '1'), ('1', 'u1', '0.7', '2'), ('1', 'd0', '0.9', '4'),
                                    ('2', 'd1', '0.1', '0.25'))]
MADE_UP = {'disturbed': '', 'unexplained': False, 'control_late': 0.0, 'sent': 100, 'lost': 0, 'wrong': 0,
           'slot_ms': 2.0, 'attempts': 1, 'discarded': [], 'links': LINKS, 'cdf': [(6.0, 0.5), (7.0, 0.9), (12.0, 1.0)],
           'switch_late_us': 9, 'late_max_us': 6, 'machine_late_us': 2, 'machine_lost': 0, 'slowest_link': 1}


def setup(**changes):
    values: dict[str, Any] = {'layers': 3, 'arity': 2, 'schemes': {'drb': 'drb', 'dmodk': 'dmodk'}, 'loads': [0.6, 0.9],
                              'slots': 400, 'warmup': 100, 'runs': 2, 'seed': 5}
    return pairs.Setup(**{**values, **changes})


def made_up(s, factor):
    """Returns a result whose live figures are the simulator's, times a factor."""
    simulated = pairs.simulate(s)
    result = pairs.Result(s, [], simulated)
    for row in simulated.values():
        scaled = {k: v * factor if isinstance(v, float) and k != 'load' else v for k, v in row.items()}
        result.runs.append({**scaled, 'growing': row['grows'], **MADE_UP})
    return result


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
    for scheme, traffic, growing in (('dmodk', 'fixed', 'yes'), ('micro', 'fixed', 'no')):
        s = setup(schemes={scheme: scheme}, loads=[0.95], traffic=traffic, slots=200, warmup=20)
        row = pairs.simulate(s)[scheme, 0.95, 5]
        assert row['grows'] == growing, row
    result = made_up(s, 1)
    assert summarise(result)[0]['growth_differs'] == 0
    for run, sim in zip(result.runs, result.simulated.values()):
        run['growing'], sim['growing'] = 'yes', 'no'
    row = summarise(result)[0]
    assert row['growth_differs'] == 2 and deviations(row), row
    # Most of the runs decide.
    result = made_up(setup(runs=3, loads=[0.6]), 1)
    for run, (word, grows) in zip(result.runs, (('yes', False), ('yes', True), ('yes', True))):
        run['growing'] = word
        assert summarise(result)[0]['growing'] == grows, grows


def disturbed_and_lost_are_marked():
    result = made_up(setup(), 1)
    result.runs[0].update(disturbed='7 packets sent late', lost=3, attempts=2, discarded=['9 packets sent late'])
    rows = summarise(result)
    assert not rows[0]['within'] and rows[1]['within']
    said = ', '.join(summary.remarks(rows[0]))
    for part in '3 packets lost', '1 of 2 runs disturbed', '1 runs repeated':
        assert part in said, said
    assert 'links ran at' not in said, said  # they kept their rate
    slow = summary.remarks({**rows[0], 'slowest_link': 0.97})
    assert '1 of 2 runs disturbed by the machine: links ran at 97% to 100 % of their rate' in slow, slow
    assert 'The machine disturbed runs: 1 were repeated, 1 stayed disturbed.' in summary.verdict(rows)


def late_without_cause_is_a_deviation():
    result = made_up(setup(), 1)
    result.runs[0].update(disturbed='7 packets sent late', unexplained=True)
    row = summarise(result)[0]
    assert not row['within'] and not row['disturbed'] and row['unexplained'] == 1
    assert '1 runs late while the machine had time' in deviations(row)


def losses_by_faults_are_no_failure():
    fine = {'lost': 0, 'wrong': 0}
    assert not summary.failed(fine) and not summary.failed({**fine, 'lost': 9, 'faults': 'faults'})
    assert summary.failed({**fine, 'lost': 1}) and summary.failed({**fine, 'wrong': 1, 'faults': 'faults'})


def the_report_begins_with_who_is_fastest():
    rows = summarise(made_up(setup(), 1))
    assert summary.verdict(rows) == ['Lowest mean latency at load 0.6, 0.9: drb.',
                                     'Fabric and simulator agree at 4 of 4 points.'], summary.verdict(rows)
    rows[1].update(growing=True, growth_differs=2)
    rows[3]['growing'] = True
    assert summary.verdict(rows) == [
        'Lowest mean latency at load 0.6: drb.', 'Lowest mean latency at load 0.9: none: queues of every scheme grow.',
        'Fabric and simulator agree at 3 of 4 points: not drb at 0.9.'], summary.verdict(rows)


def simulator_sees_the_same_load():
    s = setup(schemes={'dmodk': 'dmodk'}, loads=[0.9], slots=4000, warmup=400)
    figures = pairs.simulate(s)['dmodk', 0.9, 5]
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
        os.mkdir(f'{folder}/out')
        e = made_up(setup(), 1.06)
        rows = summarise(e)
        path = report.write(f'{folder}/out', e, rows)
        assert path
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
            summed = list(csv.DictReader(f))
        assert [(x['scheme'], x['load']) for x in summed] == \
            [('drb', '0.6'), ('drb', '0.9'), ('dmodk', '0.6'), ('dmodk', '0.9')]
        assert all(x['within'] == 'no' for x in summed)
        with open(f'{folder}/out/runs.csv', encoding='utf-8') as f:
            assert len(list(csv.DictReader(f))) == 8
        with open(f'{folder}/out/links.csv', encoding='utf-8') as f:
            assert len(list(csv.DictReader(f))) == 8 * len(LINKS)
        # The page has a tree for each scheme, too.
        assert page.count('<img') == len(pictures_in(f'{folder}/out')) + 2 == 8
        os.mkdir(f'{folder}/one')
        one_load = made_up(setup(loads=[0.9], runs=1), 1)
        with open(str(report.write(f'{folder}/one', one_load, summarise(one_load))), encoding='utf-8') as f:
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


def points_of(words):
    """Returns the live points of a command line, and the engine that measures them."""
    measured = []

    def rows(engine, points):
        measured.append(engine)
        for i, point in enumerate(points):
            assert dict(engine.setup(point))['scheme'] == point.get('scheme')
            detail = {key: 1.0 for key, _ in setup(layers=point.get('layers')).figures}
            yield i, {**detail, 'latency': 6.0, 'tail': 7.0, 'redirected': 0.1, 'growing': 'no', **MADE_UP}

    with tempfile.TemporaryDirectory() as folder, mock.patch.object(live.Live, 'rows', rows), \
            mock.patch.object(live, 'need_root'), mock.patch('sys.stdout', io.StringIO()) as shown:
        parser = experiment.argparse.ArgumentParser()
        experiment.add_options(parser)
        status = experiment.main(parser.parse_args([*words.split(), '--out', folder]))
        with open(f'{folder}/rows.jsonl', encoding='utf-8') as f:
            entries = [json.loads(line) for line in f]
    return status, shown.getvalue(), [e['options'] for e in entries if e['engine'] == 'live'], measured[0]


def options_reach_the_fabric():
    status, said, points, engine = points_of(
        '-l 2 --scheme drb,drb:choices=3 --load 0.3:0.5:0.2 --runs 2 --seed 4 --slots 50 --delay 2 --fail link:1 '
        '--slot 4ms --repeat 0 --queue 9 --links memif --fabric mine --threshold 2.5')
    assert status == 0 and len(points) == 8 and 'Lowest mean latency' in said, said
    assert {(p['scheme'], p['load'], p['seed']) for p in points} == {
        (scheme, load, seed) for scheme in ('drb', 'drb:choices=3') for load in (0.3, 0.5) for seed in (4, 5)}
    for p in points:
        assert (p['layers'], p['slots'], p['stats'], p['delay'], p['fail'], p['threshold'], p['detail']) == \
            (2, 50, 45, '0,2', 'link:1', '2.5', True), p
    assert (engine.slot, engine.repeat, engine.queue, engine.links, engine.fabric) == ('4ms', 0, 9, 'memif', 'mine')
    assert points_of('-l 2 --scheme drb --load 0.3 --runs 1 --slots 50 --check')[0] == 1, 'far off the simulator'
    status, said, _, _ = points_of('-l 2 --scheme drb --load 0.3 --runs 1 --slots 50 --json')
    assert status == 0 and json.loads(said)['scheme'] == 'drb', said


def tcp_setup(**changes):
    drawn = ['transfer', '--sizes', 'fixed:20', '--load', '0.3', '--slots', '200', '--warmup', '0']
    values: dict[str, Any] = {
        'layers': 3, 'arity': 2, 'schemes': {'drb': 'drb', 'walk': 'walk'}, 'units': ['flow', 'packet'],
        'workloads': {'one': drawn, 'ring': ['job', '--job', 'all-reduce-ring', '--data', '64']}, 'runs': 3, 'seed': 4}
    return tcp_runs.Setup(**{**values, **changes})


def lists_depend_on_the_seed():
    s = tcp_setup()
    assert tcp_runs.draw(s, 'one', 4) == tcp_runs.draw(s, 'one', 4) != tcp_runs.draw(s, 'one', 5)


def verdicts_come_from_intervals():
    assert tcp_verdict(0.1, 0.04) == tcp_verdict(-0.1, 0.04) == 'within'
    assert tcp_verdict(0.1, 0.06) == tcp_verdict(0.2, 0.06) == 'undecided'
    assert tcp_verdict(0.2, 0.04) == tcp_verdict(-0.2, 0.04) == 'outside'
    assert tcp_verdict(0.0, math.nan) == tcp_verdict(math.nan, 0.0) == 'undecided'


def schemes_and_units_that_go_together():
    found = tcp_setup().combinations()
    assert len(found) == 2 * 3 and ('one', 'flow', 'walk') not in found, found
    sources = [tcp_runs.source_of(*pair) for pair in (('packet', 'drb'), ('packet', 'ecmp'), ('flow', 'drb'))]
    assert sources == ['spray', 'window', 'window'], sources


def played(factor, **changes: Any):
    """Returns a setup, and a result whose live times are the simulated ones times a factor."""
    s = tcp_setup(workloads={'one': tcp_setup().workloads['one']}, units=['flow'], schemes={'drb': 'drb'})

    def rows(_engine, points):
        for i, point in enumerate(points):
            with open(str(point.get('list')), encoding='utf-8') as f:
                listed = list(csv.DictReader(f))
            share = tcp_runs.ACK_BYTES / tcp_runs.WIRE_BYTES
            simulated, threshold = tcp_runs.simulate(s, point.get('list'), 'flow', 'drb', [
                '--source', 'window', '--seed', str(point.get('seed')), '--ack', f'{share:.4f}', '--ack-room',
                f'{share * tcp_runs.ACKS_PER_PACKET:.4f}', '--handshake'])
            assert threshold == point.get('threshold') and len(simulated) == len(listed)
            assert all(row['time'] >= row['alone'] for row in simulated)
            yield i, {
                'disturbed': '', 'unexplained': False, 'control_late': 0.0, 'stolen_s': 0.0, 'queue_max': 3,
                'slot_ms': 2.0, 'unfinished': 0, 'attempts': 1, 'late_packets': 0, 'late_departures': 0,
                'lost_credit_events': 0, 'forwarded': 9, 'sent': len(listed), **changes,
                'transfers': [{'transfer': k, 'from': row['from'], 'to': row['to'], 'packets': row['packets'],
                               'start': row['start'], 'time': row['time'] * factor, 'handshake': 1.0, 'min_rtt': 2.0,
                               'resent': 1, 'acks': 9, 'sent': 10} for k, row in enumerate(simulated)]}

    with tempfile.TemporaryDirectory() as folder, mock.patch.object(live.Live, 'rows', rows):
        return s, tcp_runs.measure(s, live.Live(), folder)


def transfers_are_judged():
    for factor, said in ((1.0, 'within'), (1.14, 'within'), (0.86, 'within'), (1.16, 'outside'), (0.84, 'outside')):
        s, result = played(factor)
        row, = tcp_summarise(s, result.runs)
        assert row['verdict'] == said and abs(row['time_off'] - (factor - 1)) < 1e-9, (factor, row)
        assert abs(row['acks'] - 0.9) + abs(row['resent'] - 0.1) < 1e-9 and row['handshake'] == 1, row
    # A disturbed run does not prove a difference, unless its control run was on time.
    cases: tuple[tuple[float, dict[str, Any], str], ...] = (
        (1.3, {'disturbed': 'x'}, 'undecided'), (1.0, {'unfinished': 1}, 'undecided'),
        (1.3, {'disturbed': 'x', 'unexplained': True}, 'outside'))
    for factor, changes, said in cases:
        s, result = played(factor, **changes)
        assert tcp_summarise(s, result.runs)[0]['verdict'] == said, changes


def report_of_transfers_has_every_format():
    with tempfile.TemporaryDirectory() as folder:
        s, result = played(1.2)
        rows = tcp_summarise(s, result.runs)
        os.mkdir(f'{folder}/out')
        with open(str(tcp_report.write(f'{folder}/out', s, result, rows)), encoding='utf-8') as f:
            page = f.read()
        assert '>outside<' in page and '>20 % ± ' in page
        assert not re.search('(src|href)="(?!data:)', page)
        assert [tcp_report._off(*off) for off in ((2.1, 2.47), (0.02, 0.05), (0.4, 0.2))] == [
            'too few to tell', '2 % ± 5 %', '40 % ± 20 %']
        with open(f'{folder}/out/summary.json', encoding='utf-8') as f:
            assert json.load(f)[0]['verdict'] == 'outside'
        with open(f'{folder}/out/summary.csv', encoding='utf-8') as f:
            assert next(csv.DictReader(f))['verdict'] == 'outside'


def mistakes_are_one_line():
    with tempfile.TemporaryDirectory() as folder:
        for words, pattern in (
                ('experiment --load 1', 'loads'), ('experiment --load 0.5,0.5', 'different loads'),
                ('experiment --load 0.5:x:1', 'loads'), ('experiment --slot 2', '2ms'),
                ('experiment --slot 0ms', '2ms'),
                ('compare x --scheme drb,drb', 'schemes'), ('schemes --scheme drb,', 'schemes'),
                ('tcp fixed:5,', 'sizes and jobs'), ('experiment --scheme drb,drb', 'schemes'),
                ('experiment -l 0', '0'), ('experiment --runs 0', '0'),
                ('experiment --slots 10 --warmup 6', 'half'), ('experiment -l 9 -d 9', 'hosts'),
                ('experiment --nonsense', 'nonsense'), ('experiment --repeat -1', 'repeat'),
                ('experiment -l 2 -d 4 --uplinks 2 --load 0.6', 'take a --threshold'),
                ('experiment --threshold x', "or 'paper'"), ('tcp fixed:5 --unit bit', 'packet,flowlet,flow'),
                ('tcp fixed:5 -d 40', 'hosts')) + ((
                    ('experiment --slow link:3', 'N:K'), ('experiment --slow link:33:2', '32 links'),
                    ('experiment --fail s1-9.u0', 's1-9'), ('experiment --scheme foo', 'dmodk'),
                    ('tcp fixed:0', 'fixed'),
                    ('tcp ring', "no job 'ring'"), ('tcp fixed:5 --scheme walk', '--unit packet'),
                    ('tcp fixed:900000 --slots 1', 'no transfer'), (f'tcp file:{folder}/none', 'No such file'))
                    if os.geteuid() == 0 else (('experiment', 'needs root'), ('tcp fixed:5', 'needs root'))):
            done = subprocess.run([f'{LAB}/run', *words.split(), '--out', f'{folder}/x'], text=True,
                                  capture_output=True, check=False)
            assert done.returncode == 2, (words, done)
            assert len(done.stderr.splitlines()) == 1 and pattern in done.stderr, (words, done)
            assert not done.stdout, (words, done)


TESTS = (deviations_are_found, growth_is_what_many_times_the_slots_say, disturbed_and_lost_are_marked,
         late_without_cause_is_a_deviation, losses_by_faults_are_no_failure, the_report_begins_with_who_is_fastest,
         simulator_sees_the_same_load, report_is_one_file, links_are_drawn_on_the_tree, options_reach_the_fabric,
         lists_depend_on_the_seed, verdicts_come_from_intervals, schemes_and_units_that_go_together,
         transfers_are_judged, report_of_transfers_has_every_format, mistakes_are_one_line)


tap.run(TESTS)
