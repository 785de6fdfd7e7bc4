#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The laboratory: points, journals, interruptions, statistics.

test_lab.py LAB_DIR    TAP on standard output; DRB_BUILD is the build folder."""
import concurrent.futures
import errno
import itertools
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import numpy  # noqa: E402
import pandas  # noqa: E402
import drblab  # noqa: E402
import drblab.plots  # noqa: E402
from drblab.report import growing  # noqa: E402
import tap  # noqa: E402
from drblab.journal import Journal, key_of  # noqa: E402
from drblab.studies import compare, faults, persistent  # noqa: E402

SWEEP = """
import sys
sys.path.insert(0, sys.argv[1])
import drblab
points = drblab.sweep('packet', arity=2, load=[0.8, 0.9], scheme=['drb', 'dmodk'],
                      slots=int(sys.argv[3]), stats=500, seed=range(1, 6))
drblab.run(points, drblab.Sim(threads=1), journal=sys.argv[2]).to_csv(sys.argv[2] + '.csv')
"""


class Square:
    """An engine as a user may write it: it yields rows in another order and counts its runs."""

    name = 'square'

    def __init__(self, version='1', limit=math.inf):
        self.version, self.limit, self.ran = version, limit, []

    def setup(self, point):
        return {'offset': 0, **dict(point.options)}

    def rows(self, points):
        for i in reversed(range(len(points))):
            if len(self.ran) >= self.limit:
                raise KeyboardInterrupt
            x = points[i].get('x')
            self.ran.append(x)
            yield i, {'y': x * x, **({'error': 'odd'} if x == 99 else {})}


def raised(what, kind=Exception):
    try:
        what()
    except kind as e:
        return str(e)
    raise AssertionError('nothing was raised')


def every_public_name_is_found():
    """Public names are imported when they are first used."""
    assert all(getattr(drblab, name).__name__.endswith(name) for name in drblab.__all__), drblab.__all__
    raised(lambda: getattr(drblab, 'no_such_name'), AttributeError)


def a_sweep_is_a_product():
    points = drblab.sweep('packet', {'study': 'mine'}, arity=4, load=numpy.array([0.5, 0.75]),
                          scheme=['drb', 'walk'], seed=range(2))
    assert len(points) == len(set(points)) == 8
    assert points[1] == drblab.Point.of('packet', {'study': 'mine'}, arity=4, load=0.5,
                                        scheme='drb', seed=1)
    assert [p.get('load') for p in points] == [0.5] * 4 + [0.75] * 4
    assert 'not [' in raised(lambda: drblab.Point.of('packet', load=[1]), drblab.PointError)


def a_wrong_point_is_named_before_anything_runs():
    wrong: list[tuple[dict[str, Any], str]] = [
        ({'shceme': 'drb'}, 'no option shceme (is it scheme?)'),
        ({'arity': 0}, 'arity: must be from 1'),
        ({'arity': 'four'}, 'arity: must be a whole number'),
        ({'scheme': 'nosuch'}, 'scheme'),
        ({'traffic': 'file:/nosuch.csv'}, '/nosuch.csv: No such file'),
        ({'load': 1.5}, 'load')]
    for options, words in wrong:
        said = raised(lambda: drblab.run([drblab.Point.of('packet', **options)]), drblab.PointError)
        assert words in said, said
    said = raised(lambda: drblab.run([drblab.Point('packett')]), drblab.PointError)
    assert 'no model packett (is it packet?)' in said, said


def rows_stand_in_the_order_of_points():
    points = drblab.sweep('square', {'kind': 'test'}, x=[3, 1, 2, 3])
    engine = Square()
    frame = drblab.run(points, engine)
    assert list(frame.columns) == ['engine', 'model', 'x', 'kind', 'y'], frame.columns
    assert list(frame['y']) == [9, 1, 4, 9] and sorted(engine.ran) == [1, 2, 3]


def a_journal_cut_anywhere_gives_the_same_rows():
    """A journal that a crash or a full disk cut at any byte yields the same rows in the end.

    The bytes that follow the cut do not matter."""
    points = drblab.sweep('square', x=range(8))
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/rows.jsonl'
        whole = drblab.run(points, Square(), journal=path)
        with open(path, 'rb') as f:
            text = f.read()
        for _ in range(200):
            at = chance.randrange(len(text) + 1)
            with open(path, 'wb') as f:
                f.write(text[:at] + chance.choice((b'', b'', b'\n', b'\0\xff', b'{"key": 1}\n')))
            engine = Square()
            assert drblab.run(points, engine, journal=path).equals(whole)
            kept = sum(1 for line in text[:at].split(b'\n') if line.endswith(b'}}'))
            assert len(engine.ran) in (8 - kept, 9 - kept), (at, kept, engine.ran)
            again = Square()
            assert drblab.run(points, again, journal=path).equals(whole) and not again.ran


def rows_of_other_setups_never_mix():
    points = drblab.sweep('square', x=[5])
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/rows.jsonl'
        for number, (engine, options) in enumerate(itertools.product(
                (Square('1'), Square('2')), ({'x': 5}, {'x': 5, 'offset': 1}))):
            before = len(engine.ran)
            drblab.run([drblab.Point.of('square', **options)], engine, journal=path)
            assert len(engine.ran) == before + 1, number
        default = Square('1')
        drblab.run([drblab.Point.of('square', x=5.0, offset=0)], default, journal=path)
        assert not default.ran
        traffic = f'{folder}/traffic.csv'
        keys = set()
        for rate in ('0.5', '0.25'):
            with open(traffic, 'w', encoding='ascii') as f:
                f.write(f'0,0,1,{rate}\n')
            keys.add(key_of(drblab.Sim(), drblab.Point.of('packet', traffic=f'file:{traffic}')))
        assert len(keys) == 2 and points


def what_fails_runs_again():
    points = drblab.sweep('square', x=[1, 99])
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            engine = Square()
            with warnings.catch_warnings(record=True) as given:
                warnings.simplefilter('always')
                frame = drblab.run(points, engine, journal=f'{folder}/rows.jsonl')
            assert '1 of 2 points could not be run: odd' in str(given[-1].message)
            assert list(frame['error'].isna()) == [True, False]
        assert engine.ran == [99]


def a_full_disk_is_named():
    """A limit on file sizes accepts only part of a row, as a full disk does."""
    points = drblab.sweep('square', x=range(8))
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/rows.jsonl'
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
        try:
            said = raised(lambda: drblab.run(points, Square(), journal=path), OSError)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert os.strerror(errno.EFBIG) in said and path in said, said
        assert os.path.getsize(path) == 500
        engine = Square()
        drblab.run(points, engine, journal=path)
        assert 0 < len(engine.ran) < 8


def an_interrupted_engine_leaves_what_is_done():
    points = drblab.sweep('square', x=range(8))
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/rows.jsonl'
        first = Square(limit=3)
        raised(lambda: drblab.run(points, first, journal=path), KeyboardInterrupt)
        second = Square()
        drblab.run(points, second, journal=path)
        assert sorted(first.ran + second.ran) == list(range(8))


def a_journal_has_one_writer():
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/rows.jsonl'
        points = drblab.sweep('square', x=[1])
        with Journal(path):
            said = raised(lambda: drblab.run(points, Square(), journal=path), OSError)
        assert 'another run has it open' in said and path in said, said
        with Journal(path):
            child = os.fork()  # as an executor does
            if not child:
                signal.pause()
        try:
            Journal(path).close()
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        drblab.run(points, Square(), journal=path)


def interrupt_and_go_on(number, slots):
    """Sends a signal to a sweep after its first row, then runs the sweep again."""
    with tempfile.TemporaryDirectory() as folder:
        script, path = f'{folder}/sweep.py', f'{folder}/rows.jsonl'
        with open(script, 'w', encoding='utf-8') as f:
            f.write(SWEEP)
        command = [sys.executable, '-B', script, sys.argv[1]]
        first = subprocess.Popen([*command, path, slots], stderr=subprocess.PIPE, text=True,
                                 start_new_session=True)
        while not os.path.exists(path) or not os.path.getsize(path):  # it imports pandas first
            assert first.poll() is None, first.communicate()
            time.sleep(0.01)
        os.killpg(first.pid, number)
        said = first.communicate()[1]
        with Journal(path) as kept, open(path, 'rb') as f:
            done = sum(1 for line in f if line.endswith(b'}}\n'))
            assert not kept.rows
        assert 0 < done < 20, done
        if number == signal.SIGINT:
            assert f'{done} of 20 points are done, kept in {path}: run it again' in said, said
        for out in (path, f'{folder}/whole.jsonl'):
            subprocess.run([*command, out, slots], check=True)
        with open(f'{path}.csv', encoding='utf-8') as a, \
                open(f'{folder}/whole.jsonl.csv', encoding='utf-8') as b:
            assert a.read() == b.read()
        with open(path, encoding='utf-8') as f:
            assert len({json.loads(line)['key'] for line in f if line.endswith('}}\n')}) == 20


def an_interrupted_sweep_goes_on():
    interrupt_and_go_on(signal.SIGINT, '12000')


def a_killed_sweep_goes_on():
    interrupt_and_go_on(signal.SIGKILL, '12000')


def an_executor_gives_the_same_rows():
    points = drblab.sweep('packet', arity=2, load=[0.5, 0.9], slots=300, stats=100, seed=range(3))
    whole = drblab.run(points)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for chunk in (1, 4):
            assert drblab.run(points, drblab.Sim(threads=1), executor=pool, chunk=chunk).equals(whole)


def statistics_are_those_of_the_book():
    """Student's interval and Holm's correction equal those computed by hand, on random figures."""
    chance = random.Random(2)
    rows: list[dict[str, Any]] = [
        {'scheme': scheme, 'load': load, 'seed': seed, 'latency': chance.gauss(mean, 1)}
        for scheme, mean in (('a', 10), ('b', 12)) for load in (0.5, 0.9) for seed in range(5)]
    frame = pandas.DataFrame(rows)
    means = drblab.mean(frame, by=['scheme', 'load'], of='latency')
    for at, row in means.iterrows():
        of = [r['latency'] for r in rows if (r['scheme'], r['load']) == (row['scheme'], row['load'])]
        mean = sum(of) / 5
        sd = math.sqrt(sum((x - mean) ** 2 for x in of) / 4)
        assert math.isclose(row['latency'], mean) and row['runs'] == 5
        assert math.isclose(row['latency_half'], 2.776445105 * sd / math.sqrt(5)), at
    pairs = drblab.paired(frame, 'scheme', 'a', 'latency', by='load')
    for _, row in pairs.iterrows():
        pair = {s: [r['latency'] for r in rows if (r['scheme'], r['load']) == (s, row['load'])]
                for s in 'ab'}
        assert math.isclose(row['difference'], sum(b - a for a, b in zip(pair['a'], pair['b'])) / 5)
    for _ in range(100):
        p = [chance.random() ** 4 for _ in range(chance.randrange(1, 9))]
        for i, corrected in enumerate(drblab.holm(p)):
            naive = max(min(1, (len(p) - sorted(p).index(q)) * q) for q in p if q <= p[i])
            assert math.isclose(corrected, naive), (p, i)
    assert math.isnan(drblab.holm([0.01, math.nan])[1]) and drblab.holm([0.01, math.nan])[0] == 0.01


def a_matrix_becomes_traffic_of_the_same_shares():
    chance = numpy.random.default_rng(3)
    for hosts in (2, 8, 16):
        rates = chance.random((hosts, hosts)) * (chance.random((hosts, hosts)) < 0.5)
        rates[0, 1] = 7
        numpy.fill_diagonal(rates, 0)
        with tempfile.TemporaryDirectory() as folder:
            numpy.savetxt(f'{folder}/m.csv', rates, delimiter=',')
            sources: list[Any] = [rates, f'{folder}/m.csv']
            for source in sources:
                one = drblab.traffic.matrix(source, f'{folder}/t.csv')
                read = numpy.zeros((hosts, hosts))
                for row in pandas.read_csv(f'{folder}/t.csv').itertuples(index=False):
                    read[row[1], row[2]] += row[3] * one
                assert numpy.allclose(read, rates, rtol=1e-12)
            if hosts == 16:
                frame = drblab.run([drblab.Point.of('packet', traffic=f'file:{folder}/t.csv',
                                                    load=0.9, slots=300, stats=200)])
                sent = 0.9 * rates.sum() / one / hosts
                assert abs(frame['throughput'][0] - sent) < 0.1 * sent, (frame['throughput'], sent)
    wrong: list[tuple[Any, str]] = [
        ([[0, 1]], 'must be square'), ([[0, -1], [0, 0]], 'row 0, column 1 (from 0): -1'),
        ([[1, 0], [0, 0]], 'to itself'), ([[0, 0], [0, 0]], 'no host sends'),
        ([[0, math.nan], [0, 0]], 'is no number')]
    for cells, words in wrong:
        said = raised(lambda: drblab.traffic.matrix(cells, '/dev/null'), drblab.traffic.TrafficError)
        assert words in said, said


def flows_become_a_list_that_runs():
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/flows.csv', 'w', encoding='ascii') as f:
            f.write('start_us,src,dst,bytes\n10.5,3,9,1000000\n0,0,15,1\n2,1,2,8192\n')
        slot_ns = drblab.traffic.flows(f'{folder}/flows.csv', f'{folder}/list', gbps=400)
        assert slot_ns == 81.92
        with open(f'{folder}/list', encoding='ascii') as f:
            assert f.read() == ('transfer,slot,from,to,packets,after_sent,after_arrived\n'
                                '0,0,0,15,1,,\n1,24,1,2,2,,\n2,128,3,9,245,,\n')
        row = drblab.run([drblab.Point.of('list', list=f'{folder}/list')]).iloc[0]
        assert row['unfinished'] == 0 and row['makespan'] >= 128 + 245, row
        for text, words in (('start_us,src,dst\n', 'no column bytes'),
                            ('start_us,src,dst,bytes\n1,2,2,5\n', 'row 1: dst: must be another'),
                            ('start_us,src,dst,bytes\n1,2,3,5\n1,x,2,5\n', 'row 2: src: must be a number'),
                            ('start_us,src,dst,bytes\n1,2.5,3,5\n', 'src: must be a whole'),
                            ('start_us,src,dst,bytes\n-1,2,3,5\n', 'start_us: must not be below')):
            with open(f'{folder}/bad.csv', 'w', encoding='ascii') as f:
                f.write(text)
            said = raised(lambda: drblab.traffic.flows(f'{folder}/bad.csv', '/dev/null', gbps=1),
                          drblab.traffic.TrafficError)
            assert words in said and 'bad.csv' in said, said


def a_picture_shows_what_grows():
    """Each scheme has its colour and mark. Growing runs have no mean, and no line passes them."""
    frame = pandas.DataFrame([
        {'load': load, 'scheme': scheme, 'tail': 10 * load, 'tail_half': 0.5,
         'growing': 'yes' if scheme == 'drb' and load == 0.9 else 'no'}
        for load in (0.5, 0.7, 0.9) for scheme in ('drb', 'mine')])
    axes = drblab.plots.lines(frame, 'load', 'tail', 'scheme', unit='slots', log=True).axes[0]
    drawn = {(line.get_color(), line.get_linestyle()): list(line.get_xdata()) for line in axes.lines
             if line.get_marker() not in ('_', '|')}
    drb, mark = drblab.plots.styles(['drb'])['drb']
    lower_bound = {line.get_marker() for line in axes.lines if line.get_linestyle() == 'None'} - {'_', '|'}
    assert {mark, growing.UPWARDS} <= lower_bound, lower_bound
    assert drawn[drb, '-'] == [0.5, 0.7] and drawn[drb, 'None'] == [0.9], drawn
    assert axes.get_ylabel() == 'tail (slots)'


def the_study_of_persistent_traffic_averages_what_has_a_mean():
    """Runs with growing or possibly growing queues have no mean.

    Their latency depends on the length of the run."""
    with tempfile.TemporaryDirectory() as folder:
        points = persistent.points('quick', [(3, 8)], 1, folder)
        assert len(points) == 138 + 5 * 9 - 3 and len(os.listdir(folder)) == 2
        assert {p.get('load') for p in points if p.get('fail')} == {0.5, 0.7}
    assert len(faults.points(True, 1)) == 36 and len({p.get('fail') for p in faults.points(False, 1)}) == 15
    for load, full, length in ((0.5, True, (6000, 3000)), (0.5, False, (3600, 600)),
                               (0.99, False, (6000, 3000))):
        assert persistent.lengths(6000, load, full) == length
    rows = []
    growing: dict[str, tuple[str, ...]] = {
        'drb': ('yes', 'no'), 'micro': ('no', 'no'), 'walk': ('no', 'no'), 'dmodk': ('unclear', 'no')}
    for scheme, words in growing.items():
        for seed, word in enumerate(words, 1):
            rows.append({'layers': 3, 'arity': 8, 'pattern': 'tornado', 'load': 0.9, 'scheme': scheme,
                         'seed': seed, 'slots': 100 // seed, 'full': 100, 'growing': word,
                         'latency': (9.0 if scheme == 'walk' else 10.0) * seed, 'tail': 20.0})
    study = persistent.places(pandas.DataFrame(rows)).set_index('scheme')
    assert list(study.index) == list(growing) and list(study['growing']) == [1, 0, 0, 0]
    assert study['latency']['drb'] == 10 and study['latency']['micro'] == 15
    assert math.isnan(study['latency']['dmodk']) and study['unclear']['dmodk'] == 1
    assert math.isclose(study['of_best']['walk'], 0.9) and study['of_best'].count() == 1
    assert persistent.costs(study.reset_index()).splitlines() == [
        '| traffic | F(3,8) |', '|---|---|', '| tornado | -10 % at 0.9 |']
    study.loc['walk', ['growing', 'of_best']] = 1, math.nan
    assert '| tornado | grows from 0.9 on |' in persistent.costs(study.reset_index())


def the_command_names_what_is_wrong():
    for arguments, words in ((['--out', '/proc/x/y'], '--out /proc/x/y: cannot make it'),
                             (['--out', '/tmp', '--load', '1.5'], 'load: must be from 0 to 1'),
                             (['--out', '/dev/null'], 'is no folder')):
        said = subprocess.run([f'{sys.argv[1]}/run', 'schemes', *arguments], capture_output=True,
                              text=True)
        assert said.returncode == 2 and said.stderr.startswith('drblab: '), said
        assert words in said.stderr and said.stderr.count('\n') == 1, said


def a_study_of_one_run_needs_no_streams():
    """One run has no interval, and a runner's job no standard streams."""
    with tempfile.TemporaryDirectory() as folder:
        said = subprocess.run(['sh', '-c', '"$@" <&- 2>&-', 'sh', f'{sys.argv[1]}/run', 'schemes', '-l', '2', '-d', '2',
                               '--load', '0.5', '--runs', '1', '--slots', '100', '--scheme', 'drb,dmodk', '-o', folder],
                              capture_output=True, text=True)
        assert said.returncode == 0 and 'dmodk' in said.stdout, said
        assert os.path.exists(f'{folder}/latency.svg'), os.listdir(folder)


def a_fabric_takes_what_it_can_follow():
    """Without root: what a point means to it."""
    engine, point = drblab.Live(slot='2ms'), drblab.Point.of('packet', arity=4, load=0.5)
    told = engine.setup(point)
    simulated = drblab.Sim().setup(point)
    assert all(told[name] == simulated[name] for name in ('layers', 'arity', 'load', 'slots', 'seed')), told
    assert told['slot'] == '2ms' and key_of(engine, point) != key_of(drblab.Live(), point)
    assert key_of(engine, point) == key_of(drblab.Live(slot='2ms', fabric='other'), point)
    for wrong, want in ((point.but(stale=3), 'packet: stale: a fabric takes layers, '), (point.but(load='x'), 'load'),
                        (drblab.Point.of('flow'), 'flow: a fabric runs the models packet and tcp')):
        said = raised(lambda at=wrong: engine.setup(at), drblab.PointError)
        assert want in str(said), said
    assert engine.setup(point.but(stale=0)) == told  # its default


def a_comparison_adds_up():
    link = {'switch': 's1-0', 'port': 'u0', 'peer': 's2-0.d0', 'packets': 10, 'use': 0.5, 'queue_mean': 1,
            'queue_max': 3, 'dropped': 1}
    rows = [{'scheme': scheme, 'seed': seed, 'latency_p99_us': 1000 * (seed + 1) * share, 'late': seed == 2,
             'links': json.dumps([{**link, 'use': use}, {**link, 'port': 'u1', 'use': 0.6, 'queue_max': 5 * seed}])}
            for scheme, share, use in (('ecmp', 1, 0.9), ('drb', 0.5, 0.2), ('walk', 1, 0.2)) for seed in (1, 2, 3)]
    frame = pandas.DataFrame(rows)
    links = compare.links_of(frame)
    assert [f'{scheme} {port}' for scheme, port in zip(links['scheme'], links['port'])] == [
        'ecmp u0', 'ecmp u1', 'drb u1', 'drb u0', 'walk u1', 'walk u0'], links
    assert list(links['queue_max'])[:2] == [3, 15] and list(links['dropped']) == [3] * 6, links
    assert math.isclose(links['use'].iloc[2], 0.6) and math.isclose(links['packets'].iloc[0], 10)
    said = compare.verdict(frame, 'ecmp')
    assert said[0].startswith('drb: 99 % of the latencies -50.0% next to ecmp') and said[0].endswith(': lower'), said
    assert said[1].startswith('walk: ') and said[1].endswith('not clearly different'), said
    assert said[2].startswith('3 of 9 runs were disturbed'), said


def a_replay_takes_captures_alone():
    """Without root: what a point means to it."""
    engine = drblab.Replay()
    with tempfile.NamedTemporaryFile('w') as f:
        point = drblab.Point.of('capture', capture=f.name, scheme='drb')
        empty = key_of(engine, point)
        f.write('x')
        f.flush()
        assert key_of(engine, point) != empty
        said = raised(lambda: engine.setup(point.but(slots=3)), drblab.PointError)
        assert 'slots: no option of a replay' in str(said), said
    assert 'No such file' in str(raised(lambda: engine.setup(point), drblab.PointError))
    assert 'needs a capture' in str(raised(lambda: engine.setup(drblab.Point('capture')), drblab.PointError))


if __name__ == '__main__':
    tap.run([every_public_name_is_found, a_sweep_is_a_product, a_wrong_point_is_named_before_anything_runs,
             rows_stand_in_the_order_of_points, a_journal_cut_anywhere_gives_the_same_rows,
             rows_of_other_setups_never_mix, what_fails_runs_again, a_full_disk_is_named,
             a_journal_has_one_writer,
             an_interrupted_engine_leaves_what_is_done, an_interrupted_sweep_goes_on,
             a_killed_sweep_goes_on, an_executor_gives_the_same_rows,
             statistics_are_those_of_the_book, a_matrix_becomes_traffic_of_the_same_shares,
             flows_become_a_list_that_runs, a_picture_shows_what_grows,
             the_study_of_persistent_traffic_averages_what_has_a_mean,
             the_command_names_what_is_wrong, a_study_of_one_run_needs_no_streams, a_fabric_takes_what_it_can_follow,
             a_comparison_adds_up, a_replay_takes_captures_alone])
