#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""drbfabric run without a fabric: options of points, faults at their slots, and runs that count.

test_live.py TOPO_DIR BUILD_DIR    TAP on standard output."""
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import types
from dataclasses import replace
from typing import Any
from unittest import mock

TOPO, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path[:0] = [TOPO, f'{TOPO}/../lab']
os.environ['DRB_BUILD'] = BUILD

from drblab import live  # noqa: E402
import tap  # noqa: E402
from drblab.studies.tcp import runs as tcp_runs  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.common.interrupts import Interrupted  # noqa: E402
from drbfabric.fabric import netns  # noqa: E402
from drbfabric.faults import faults as handles  # noqa: E402
from drbfabric.live import command, impaired_links, points, replay, tcp, tcp_player, timed_faults  # noqa: E402
from drbfabric.live.control import COUNTS, Control  # noqa: E402
from drbfabric.live.runner import Runner, disturbance  # noqa: E402
from drbfabric.live.setup import HOSTS_MAX, Machine, Setup, check_faults, setup_of  # noqa: E402
from until import until  # noqa: E402

MACHINE = Machine(name='x', links='veth', slot_ns=0, queue=0, repeats=1, stretches=0)
PLAN: Any = {'fabric': 'experiment'}  # for code that looks for nothing else in a plan


def setup(**changes):
    values: dict[str, Any] = {'slots': 400, 'stats': 300, 'seed': 5}
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
    run = replay.result_of(SAID, LINKS, queues)
    assert run['latency'] == 7.5 and run['wrong'] == 9 and run['redirected'] == 0.1, run
    assert (run['lost_credit_events'], run['late_departures'], run['forwarded']) == (8, 7, 60), run
    assert (run['queue_up1_mean'], run['queue_up1_max'], run['queue_down1_mean']) == (1.5, 18, 4), run
    assert abs(run['use_up1_mean'] - 0.6) < 1e-12 and run['use_up1_max'] == 0.7 and run['use_down2_max'] == 0.1, run
    assert (run['latency_p99'], run['latency_p999'], run['reorder_buffer']) == (10, 12, 3), run
    for word, *told in (('no', False, False), ('unclear', False, True), ('yes', True, False)):
        run = replay.result_of({**SAID, 'growing': word}, LINKS, queues)
        assert [run['growing'], run['unclear']] == told, run
    try:
        replay.result_of(SAID, [link for link in LINKS if link['layer'] == '1'], queues)
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


def percentiles_become_a_distribution():
    written = ['       Value     Percentile TotalCount 1/(1-Percentile)\n', '\n',
               '   10000.000 0.000000000000          3           1.00\n',
               '   12000.000 0.750000000000          4           4.00\n',
               '   12000.000 1.000000000000          4 \n', '#[Mean    =    10500.000, ...]\n']
    assert replay.cdf_of(written, 2000000) == [(6.0, 0.75), (7.0, 1.0), (7.0, 1.0)]
    assert replay.cdf_of(written[:2], 2000000) == []


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


def slow_links_are_those_of_drbsim():
    found = [impaired_links.slow(setup(slow='link:4:3', seed=seed)) for seed in (1, 1, 2)]
    assert all(len(links) == 4 and set(links.values()) == {3} for links in found), found
    assert found[0] == found[1] != found[2] and not impaired_links.slow(setup()), found
    plan: Any = {'fabric': 'x', 'links': [{'kind': 'veth', 'lower': 's1-0', 'lower_port': f'u{i}', 'upper': f's2-{i}',
                                           'upper_port': 'd0'} for i in range(2)]}
    with mock.patch.object(impaired_links, 'set_rates') as rates:
        impaired_links.slow_down('fabric', plan, {'s1-0.u1': 4}, 20000000)
    assert rates.mock_calls == [mock.call('fabric', {('s1-0', 'u1'): '12.5pps', ('s2-1', 'd0'): '12.5pps'})]


def dead_links_are_those_of_drbsim():
    drawn = [impaired_links.dead(setup(fail='link:3', seed=seed)) for seed in (1, 2)]
    assert drawn[0] != drawn[1] and len(drawn[0]) == 3 and not impaired_links.dead(setup()), drawn
    for seed in 1, 2:
        assert impaired_links.dead(setup(fail='s1-0.u1,s2-3.u0', seed=seed)) == ['s1-0.u1', 's2-3.u0']
    fewer = setup(layers=2, arity=4, uplinks=2, fail='link:8')
    assert {name[-2:] for name in impaired_links.dead(fewer)} == {'u0', 'u1'}
    assert 's2-1 is a switch: name links' in refusal(lambda: impaired_links.dead(setup(fail='s2-1')))


class FakeLink:
    """Records when links are set instead of setting them."""
    seen: list[tuple[str, str, float]] = []

    def __init__(self, _plan, name):
        self.name = name

    def set(self, state='gray'):
        FakeLink.seen.append((self.name, state, time.time()))
    lose_data = set


class FakeChild:
    """A program that ends once this many links were set."""

    def __init__(self, most):
        self.most = most

    def runs(self):
        return len(FakeLink.seen) < self.most


def a_list(folder, text, name='faults'):
    path = f'{folder}/{name}'
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
    s = setup(slot_ns=20000000, slots=10, stats=5)
    with tempfile.TemporaryDirectory() as folder:
        faults = timed_faults.read(a_list(folder, '\ufeff9 mend s1-0.u1 # again\r\n\n3 cut s1-0.u1 s2-3.u0\n'
                                          '10 cut s1-0.u0\n3 gray s2-2.u0'))
    assert [fault.slot for fault in faults] == [3, 3, 9, 10] and not timed_faults.read('')
    for most, names in ((9, ['s1-0.u1', 's2-3.u0', 's2-2.u0', 's1-0.u1']), (3, ['s1-0.u1', 's2-3.u0', 's2-2.u0'])):
        FakeLink.seen.clear()
        since = (begin := timed_faults.begin_of(s.slot, s.hosts)) - time.time() + time.monotonic()
        assert 0 <= since % s.slot < 0.001 and begin > time.time() + 3, since
        begin = time.time()
        with mock.patch.object(timed_faults, 'Link', FakeLink):
            late = timed_faults.cause(PLAN, faults, begin, s, FakeChild(most))
        assert [name for name, _, _ in FakeLink.seen] == names, FakeLink.seen
        assert all(at - begin >= slot * s.slot for (_, _, at), slot in zip(FakeLink.seen, (3, 3, 3, 9)))
        assert FakeLink.seen[1][1] == 'down' and FakeLink.seen[2][1] == 'gray'
        assert (late == math.inf) == (most == 3), 'the program ended before a fault was due'
    FakeLink.seen.clear()
    with mock.patch.object(timed_faults, 'Link', FakeLink):
        timed_faults.mend(PLAN, faults)
    assert sorted(link[0] for link in FakeLink.seen if link[1] == 'up') == ['s1-0.u0', 's1-0.u1', 's2-2.u0', 's2-3.u0']
    assert disturbance({'sent': 1, 'forwarded': 1, 'late_packets': 0, 'late_departures': 0, 'lost_credit_events': 0,
                        'fault_late_slots': math.inf})


def a_switch_is_killed_at_its_slot():
    s, killed = setup(slot_ns=20000000, slots=10, stats=5), []
    with tempfile.TemporaryDirectory() as folder:
        timed_faults.check(faults := timed_faults.read(a_list(folder, '2 kill s2-1 s2-0\n')), [])
    begin = time.time()

    def kill(fabric, names):
        killed.append((fabric.name, names, time.time()))
        return iter(())
    with mock.patch.object(timed_faults, 'kill', kill):
        timed_faults.cause(PLAN, faults, begin, s, FakeChild(9))
    assert killed[0][:2] == ('experiment', ['s2-1', 's2-0']) and killed[0][2] - begin >= 2 * s.slot and len(killed) == 1
    timed_faults.mend(PLAN, faults)  # no link is to be mended


def a_link_becomes_slow_at_its_slot():
    """Both ends get the rate, once, but not that at a killed switch."""
    s, rates = setup(slot_ns=20000000, slots=10, stats=5), []
    with tempfile.TemporaryDirectory() as folder:
        faults = timed_faults.read(a_list(folder, '1 kill s2-1\n2 slow s1-0.u1 4\n'))
    timed_faults.check(faults, [])
    link, begin = types.SimpleNamespace(ends=(('s1-0', 'u1'), ('s2-1', 'd0'))), time.time()

    def set_rates(fabric, new):
        rates.append((fabric.name, new, time.time()))
    with mock.patch.object(impaired_links, 'set_rates', set_rates), \
         mock.patch.object(timed_faults, 'kill', return_value=()), \
         mock.patch.object(impaired_links, 'Link', lambda plan, name: link if name == 's1-0.u1' else None):
        timed_faults.cause(PLAN, faults, begin, s, FakeChild(9))
    assert [(name, new) for name, new, _ in rates] == [('experiment', {('s1-0', 'u1'): '12.5pps'})], rates
    assert rates[0][2] - begin >= 2 * s.slot


def a_rate_that_is_refused_changes_no_config():
    """Not that of the other end either."""
    with tempfile.TemporaryDirectory() as folder:
        fabric: Any = types.SimpleNamespace(name='x', path=lambda name: f'{folder}/{name}', need_plan=lambda: {
            'switches': [{'name': name, 'config': name} for name in ('s1-0', 's2-1')]})
        rates = {('s1-0', 'u1'): '7pps', ('s2-1', 'd0'): '7pps', ('h0', 'eth0'): '7pps'}

        def configs():
            return [pathlib.Path(folder, name).read_text(encoding='utf-8') for name in ('s1-0', 's2-1')]
        for name in ('s1-0', 's2-1'):
            a_list(folder, 'fabric: {}\n', name)
        with mock.patch.object(handles.children, 'run', side_effect=Failure('refused')) as run:
            try:
                handles.set_rates(fabric, rates)
                raise AssertionError('accepted')
            except Failure:
                assert configs() == ['fabric: {}\n'] * 2 and run.call_count == 1
        with mock.patch.object(handles.children, 'run') as run:
            handles.set_rates(fabric, rates)
        assert run.mock_calls[0].args[0][1:] == ['reload', 's1-0', 's2-1', '--fabric', 'x'], run.mock_calls
        assert [text.count('rate: 7pps') for text in configs()] == [1, 1], configs()


def wrong_faults_are_named():
    with tempfile.TemporaryDirectory() as folder:
        for line in ('5us cut s1-0.u1', '3 start s2-1', '3 cut', '3 slow s1-0.u1', '3 slow s1-0.u1 0',
                     '3 slow s1-0.u1 s1-1.u1 2', '\u0663 cut s1-0.u1'):
            path = a_list(folder, f'# first\n{line}\n')
            said = refusal(lambda p=path: timed_faults.read(p))
            assert f"{path}:2: '{line}': a fabric takes SLOT cut LINK..." in said, said
        with open(path, 'wb') as f:
            f.write(b'# caf\xe9\n1 cut s1-0.u1\n')
        assert len(timed_faults.read(path)) == 1
        cases: tuple[tuple[str, str, dict[str, Any]], ...] = (
                ('', 'has no fault', {}), ('1 cut s1-9.u0', 's1-9.u0', {}), ('1 cut h4', 'h4', {}),
                ('1 cut s2-1.d0', 'lower end', {}), ('1 slow s2-1.d0 2', 'lower end', {}),
                ('1 slow s1-0.u1 2', 'dead for the whole run', {'fail': 's1-0.u1'}),
                ('1 mend s1-0.u1', 'dead for the whole run', {'fail': 's1-0.u1'}),
                ('1 cut s1-0.u1\n' * 4, 'cut more than 3 times', {}),
                ('1 kill s2-1\n5 kill s2-1', 's2-1: killed twice', {}),
                ('1 cut s1-0.u1', 'detect 2: must be from 15 to 6000 slots', {'detect': 2}))
        for text, want, more in cases:
            s = setup(**{'faults': a_list(folder, text), 'detect': 75, **more})
            said = refusal(lambda wrong=s: check_faults(wrong, MACHINE))
            assert want in said, said
        right = setup(faults=a_list(folder, '1 gray s1-0.u1\n' + '1 cut s1-0.u1\n5 mend s1-0.u1\n' * 3), detect=75)
        check_faults(right, MACHINE)
        assert 'take --links veth' in refusal(lambda: check_faults(right, replace(MACHINE, links='memif')))


def links_are_mended_whatever_happens():
    """Ctrl-C between a cut and its mending: drbgen ends, the link is mended. Schemes forget."""
    def interrupted(*_):
        raise KeyboardInterrupt

    done: list[str] = []
    child = mock.MagicMock()
    child.__enter__.return_value = child
    child.stop.side_effect = lambda: done.append('stop')
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(timed_faults, 'cause', interrupted), \
            mock.patch.object(replay.children, 'run', lambda words: done.append(' '.join(words[1:4]))), \
            mock.patch.object(replay.children, 'Child', return_value=child), \
            mock.patch.object(timed_faults, 'mend', lambda *_: done.append('mend')):
        s = setup(faults=a_list(folder, '1 cut s1-0.u1'))
        with contextlib.suppress(KeyboardInterrupt):
            replay.replay('traffic', PLAN, s)
    assert done == ['set --all scheme=ecmp', 'reload --all --fabric', 'stop', 'mend'], done


def hellos_follow_the_slots():
    s = setup(slot_ns=4000000, faults='x', detect=24)
    assert s.hello_ms == 32 and replace(s, stretched=1).hello_ms == 64
    assert setup(slot_ns=4000000, detect=24).hello_ms == 100, 'of no use without faults'


LATE: dict[str, Any] = {**{key: 0 for key in (*points.SAME, *points.LIVE)}, 'sent': 10, 'forwarded': 10, 'slot_ms': 2.0,
                        'disturbed': '3 packets sent late', 'late_packets': 3, 'control_late': 0.5,
                        'growing': False, 'unclear': True, 'links': LINKS, 'cdf': [(6.0, 1.0)]}


class FakeRunning:
    """A fabric that records how it is set up."""

    def __init__(self):
        self.fabric, self.first, self.options, self.calls = None, None, None, []
        self.up = mock.MagicMock(held=True)

    def set(self, first, options):
        self.first, self.options = first, options
        self.calls.append((first, options))
        return {'fabric': 'x', 'switches': []}


def measured(runs, *points_, **changes):
    """Measures points whose runs are these, in turns. Returns the rows and the fabric."""
    running, left = FakeRunning(), iter(runs)
    runner = Runner(replace(MACHINE, **changes), running, '/nowhere', lambda: True)
    with mock.patch.object(runner, 'measure_once', lambda s: {**next(left), 'slot_ms': s.slot * 1e3}), \
            mock.patch('drbfabric.live.runner.PAUSE_SECONDS', 0), mock.patch('drbfabric.live.runner.priority'), \
            mock.patch('drbfabric.live.impaired_links.cut'), mock.patch('drbfabric.live.impaired_links.slow_down'):
        return [runner.measure(point) for point in points_], running


def the_least_disturbed_run_counts():
    calm, worse = {**LATE, 'disturbed': '', 'late_packets': 0}, {**LATE, 'late_packets': 9, 'control_late': 0}
    for runs, counted, unexplained in (([LATE, calm], 0, False), ([worse, LATE], 3, False), ([worse, worse], 9, True)):
        (made,), _ = measured(runs, setup())
        row = points.row_of(made, ['up1'], False)
        assert (row['late_packets'], row['unexplained'], row['attempts']) == (counted, unexplained, len(runs)), row
        assert len(row['discarded']) == 1 and row['discarded'][0] == 'slots of 2 ms: 3 packets sent late', row
        assert row['growing'] == 'unclear' and 'links' not in row and 'queue_up1_mean' not in row, row
    assert points.failed({'wrong': 0, 'lost': 1}, '') and not points.failed({'wrong': 0, 'lost': 1}, 'faults')
    assert points.failed({'wrong': 1, 'lost': 0}, 'faults') and not points.failed({'wrong': 0, 'lost': 0}, '')


def slots_get_longer_and_stay():
    (first, second), running = measured([LATE] * 4 + [{**LATE, 'disturbed': ''}], setup(), setup(seed=6), stretches=1)
    assert [run['slot_ms'] for run in first] == [2, 2, 4, 4] and [run['slot_ms'] for run in second] == [4]
    rates = [options[options.index('--rate') + 1] for _, options in running.calls]
    assert rates == ['500pps', '250pps'], running.calls


def the_fabric_is_set_up_only_for_what_differs():
    calm = {**LATE, 'disturbed': ''}
    one, other, broken = setup(), setup(scheme='dmodk'), setup(fail='s1-0.u1')
    _, running = measured([calm] * 9, one, setup(seed=6), setup(traffic='fixed'), other, other, broken, broken, one)
    schemes = [options[1] for _, options in running.calls]
    assert schemes == ['drb', 'dmodk', 'drb', 'drb', 'drb'], schemes
    # Switches hold back a link that is cut in run after run.
    with tempfile.TemporaryDirectory() as folder:
        cut = setup(faults=a_list(folder, '1 cut s1-0.u1\n'), detect=75)
        _, running = measured([LATE, calm], cut)
    assert len(running.calls) == 2, running.calls


def a_run_has_details_if_asked():
    run = {**LATE, **{f'{figure}_up1_{kind}': 1.0 for figure in ('queue', 'use') for kind in ('mean', 'max')}}
    row = points.row_of([run], ['up1'], True)
    assert row['queue_up1_max'] == row['use_up1_mean'] == 1 and row['links'] == LINKS and row['cdf'] == [(6.0, 1.0)]


def points_become_setups():
    one = setup_of(MACHINE, {'layers': 2.0, 'arity': 4, 'scheme': 'walk', 'load': 0.7, 'threshold': 3.5, 'slots': 50,
                             'stats': 20, 'seed': 9, 'delay': '0,3', 'traffic': 'fixed', 'fail': 'link:1'})
    assert (one.layers, one.arity, one.scheme, one.load, one.threshold) == (2, 4, 'walk', 0.7, '3.5')
    assert (one.slots, one.warmup, one.seed, one.added_slots, one.queue, one.t) == (50, 30, 9, 3, 4096, '3.5')
    assert one.slot_ns >= 2000000 and one.fail == 'link:1'
    other = setup_of(replace(MACHINE, slot_ns=5000000, queue=9), {})
    assert (other.scheme, other.queue, other.warmup, other.slot_ns) == ('drb', 9, 500, 5000000)
    for wrong, want in (({'delay': '3'}, 'delay 3: must be 0'), ({'delay': '0,1,2'}, 'must be 0'),
                        ({'stats': 1001}, 'stats 1001: must be from 1 to the 1000 slots'), ({'arity': 40}, 'namespace'),
                        ({'faults': 'x'}, 'detect: must be given')):
        said = refusal(lambda wrong=wrong: setup_of(MACHINE, wrong))
        assert want in said, said
    assert {model: set(names) for model, names in points.OPTIONS.items()} == \
        {model: set(names) for model, names in live.OPTIONS.items()}
    assert HOSTS_MAX == live.HOSTS_MAX


def a_signal_ends_all_points():
    """A point that cannot be measured has an error in its row; a signal is no such error."""
    args = command.argparse.Namespace(name='x', owner=None, links='veth', slot=None, queue=None, repeat=0, stretch=0,
                                      limit=None)
    for raised, want in ((Failure('no'), 1), (Interrupted('ended by SIGTERM'), None)):
        with mock.patch.object(command, 'need_root'), mock.patch.object(command, 'Fabric'), \
                mock.patch.object(command, 'RunningFabric', mock.MagicMock()), \
                mock.patch.object(command.setup, 'check_setup'), \
                mock.patch.object(Runner, 'measure', side_effect=raised) as measure, \
                mock.patch('sys.stdin', ['{}', '{}']), mock.patch('sys.stdout', io.StringIO()) as shown:
            try:
                assert command.run(args) == want
            except Interrupted:
                assert want is None
        assert (measure.call_count, shown.getvalue().count('"error": "no"')) == ((2, 2) if want else (1, 0)), raised


def lines_become_points():
    assert points.read(['{"id": 7, "load": 1}\n', '\n', '{"model": "tcp"}']) == [
        (1, 7, 'packet', {'load': 1}), (3, 3, 'tcp', {})]
    for line, want in (('[]', 'must be a JSON object'), ('{', 'must be a JSON object'), ('{"model": "flow"}', 'flow'),
                       ('{"stale": 1}', 'stale: a fabric takes layers, ')):
        said = refusal(lambda line=line: points.read(['{}', line]))
        assert said.startswith('standard input:2: ') and want in said, said


JOB = ['job', '--job', 'all-reduce-ring', '--data', '64', '--seed', '4', '--list']


def lists_say_who_waits():
    text = subprocess.run([f'{BUILD}/src/sim/drbsim', *JOB], capture_output=True, text=True, check=True).stdout
    transfers = tcp_player.transfers_of(list(csv.DictReader(io.StringIO(text))))
    assert len(transfers) == 16 * 30 and all(t.left == t.packets * tcp_player.PAYLOAD for t in transfers)
    # The first step has no dependencies. Later steps wait for one sent and one received transfer.
    assert [t.waits for t in transfers[:16]] == [0] * 16 and {t.waits for t in transfers[16:]} == {2}
    for event, end in (('sent', 'source'), ('arrived', 'dest')):
        for t in transfers[:-16]:
            assert [transfers[i].source for i in t.then[event]] == [getattr(t, end)], t
    # The simulator gets frames of the same sizes.
    assert (tcp_player.PAYLOAD, tcp_player.WIRE_BYTES, tcp.FLOWLET_GAP) == \
        (tcp_runs.PAYLOAD, tcp_runs.WIRE_BYTES, tcp_runs.FLOWLET_GAP)


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
        plan: Any = {'hosts': [{'name': f'h{i}', 'namespace': name, 'ipv4': f'127.0.0.{i + 1}'} for i in range(4)]}
        played = tcp_player.Player(plan, tcp_player.transfers_of(rows), 0.01, 'reno').play(20)
        assert len(played) == 12 and all(row['time'] is not None for row in played), played
    finally:
        subprocess.run(['ip', 'netns', 'del', name], check=True)


def mistakes_are_one_line():
    for words, point, want in (
            ('--slot 2', {}, '2ms'), ('--slot 0ms', {}, '2ms'), ('--repeat x', {}, "'x': must be a whole number"),
            ('--nonsense', {}, 'nonsense'), ('', {'layers': 9, 'arity': 9}, 'hosts'), ('', {'scheme': 'best'}, 'best'),
            ('', {'slow': 'link:3'}, 'N:K'), ('', {'slow': 'link:33:2'}, '32 links'), ('', {'fail': 's1-9.u0'}, 's1-9'),
            ('', {'fail': 's1-0'}, 'name links'), ('', {'load': 'x'}, 'load x: must be a number'),
            ('', {'threshold': 'x'}, "or 'paper'"),
            ('', {'model': 'tcp', 'list': '/nowhere'}, 'No such file'),
            ('', {'model': 'tcp', 'unit': 'bit'}, 'unit'), ('', {'model': 'tcp', 'scheme': 'walk'}, 'take unit packet'),
            ('', {'model': 'tcp', 'congestion': 'none'}, 'congestion none: must be ')):
        if os.geteuid() != 0 and not words:
            continue
        done = subprocess.run([f'{TOPO}/fabric', 'run', *words.split()], text=True, capture_output=True, check=False,
                              input=f'{{}}\n{json.dumps(point)}\n')
        assert done.returncode == 2 and not done.stdout, (words, point, done)
        assert len(done.stderr.splitlines()) == 1 and want in done.stderr, (words, point, done)
        assert words or done.stderr.startswith('drbfabric: standard input:2: '), (point, done)


def old_names_say_the_new_ones():
    for words, want in (([f'{TOPO}/fabric', 'demo'],
                         'drbfabric: demo is now: drblab demo (lab/run demo in a checkout)\n'),
                        ([f'{TOPO}/experiment', '--runs', '2'], 'drbexperiment: is now drblab experiment, and with '
                         '--tcp drblab tcp (lab/run in a checkout)\n')):
        done = subprocess.run(words, text=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (2, want), done


TESTS = (what_drbgen_says_becomes_figures, disturbed_runs_do_not_count, percentiles_become_a_distribution,
         control_notes_what_is_late, slow_links_are_those_of_drbsim, dead_links_are_those_of_drbsim,
         faults_come_at_their_slots, a_switch_is_killed_at_its_slot, a_link_becomes_slow_at_its_slot,
         a_rate_that_is_refused_changes_no_config, wrong_faults_are_named, links_are_mended_whatever_happens,
         hellos_follow_the_slots, the_least_disturbed_run_counts, slots_get_longer_and_stay,
         the_fabric_is_set_up_only_for_what_differs, a_run_has_details_if_asked, points_become_setups,
         a_signal_ends_all_points, lines_become_points, lists_say_who_waits, connections_of_a_host_may_share_a_port,
         mistakes_are_one_line, old_names_say_the_new_ones)


tap.run(TESTS)
