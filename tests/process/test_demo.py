#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests drblab demo without a fabric: its verdict on given figures, and what it refuses.

test_demo.py TOPO_DIR BUILD_DIR    TAP on standard output."""
import argparse
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

TOPO, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
LAB = f'{TOPO}/../lab'
sys.path[:0] = [TOPO, LAB]
os.environ['DRB_BUILD'] = BUILD

import tap  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.common import children, schemes  # noqa: E402
from drblab import PointError, table  # noqa: E402
from drblab.report import pictures  # noqa: E402
from drblab.studies import demo, options  # noqa: E402
from drblab.studies.demo import winner as verdict  # noqa: E402
from drblab.studies.experiment import pairs  # noqa: E402

FRESH = 'Under fresh permutations (new destinations each slot): '
KEPT = 'Under a persistent permutation (hosts keep destinations): '


def rows(fresh, persistent):
    """Makes rows from {scheme: latency}; None stands for growing queues. The simulator agrees."""
    result = []
    for name, figures in (('fresh', fresh), ('persistent', persistent)):
        for scheme, value in figures.items():
            latency = 90.0 if value is None else value
            result.append({'traffic': name, 'scheme': scheme, 'latency': latency, 'tail': latency,
                           'sim_latency': latency, 'sim_tail': latency, 'redirected': 0.1,
                           'sim_redirected': 0.1, 'latency_off': 0.0, 'growing': value is None,
                           'sim_growing': value is None, 'unclear': False, 'sim_unclear': False,
                           'disturbed': 0, 'lost': 0})
    return result


USUAL = ({'drb': 8.6, 'dmodk': 9.2, 'micro': 9.5, 'walk': 8.0},
         {'drb': None, 'dmodk': None, 'micro': 9.5, 'walk': 6.3})


def the_winner_is_said():
    assert verdict.verdict(rows(*USUAL)) == [
        'Does DRB help?',
        f'  {FRESH}yes, drb is faster than dmodk and micro.',
        f'  {KEPT}no, queues of drb grow without end.',
        'Winner: walk, at or near the lowest latency under both.']


def words_of_the_table_are_explained():
    setup = demo.setups_of(demo_arguments())[0]
    fine = rows({'drb': 8.0, 'walk': 8.0}, {'drb': 8.0, 'walk': 8.0})
    assert '6 is a path without queueing' in demo.legend(fine, setup)
    assert 'Redirected: ' in demo.legend(fine, setup)
    assert 'grow:' not in demo.legend(fine, setup) and 'disturbed:' not in demo.legend(fine, setup)
    assert 'grow:' in demo.legend(rows(*USUAL), setup)
    fine[0]['sim_unclear'] = True
    assert 'cannot be told:' in demo.legend(fine, setup)
    fine[0]['disturbed'] = 1
    assert 'disturbed:' in demo.legend(fine, setup)


def a_narrow_terminal_has_the_results():
    class Terminal(io.StringIO):
        def isatty(self):
            return True
    row = {**rows(*USUAL)[4], 'scheme': 'bouncing', 'lost': 12, 'disturbed': 1}
    os.environ['COLUMNS'] = '80'
    with contextlib.redirect_stdout(Terminal()) as shown:
        table.show([demo.line_of(row)], demo_arguments(), demo.COLUMNS)
    assert shown.getvalue().splitlines()[1].endswith('  grow    12 lost, disturbed'), shown.getvalue()


def noise_changes_nothing():
    plain = verdict.verdict(rows(*USUAL))
    for factor in 0.97, 1.03:
        fresh = {s: v * (factor if i % 2 else 1) for i, (s, v) in enumerate(USUAL[0].items())}
        assert verdict.verdict(rows(fresh, USUAL[1])) == plain, fresh


def equal_schemes_are_not_faster():
    said = verdict.verdict(rows({'drb': 8.05, 'dmodk': 9.2, 'walk': 8.0},
                                {'drb': 7.0, 'dmodk': 6.0, 'walk': 6.1}))
    assert said[1] == f'  {FRESH}yes, drb is faster than dmodk.', said
    assert said[2] == f'  {KEPT}no, drb is faster than none of the others.', said
    assert said[3] == 'Winner: walk, at or near the lowest latency under both.', said


def nobody_wins_everything():
    said = verdict.verdict(rows({'drb': 8.0, 'micro': 9.5}, {'drb': None, 'micro': 9.0}))
    assert said[3].startswith('Winner: micro, whose queues stay bounded'), said
    said = verdict.verdict(rows({'drb': 8.0}, {'drb': None}))
    assert said[3].startswith('Winner: none'), said


def disturbed_runs_leave_the_word_to_the_simulator():
    disturbed = rows(*USUAL)
    for row in disturbed:
        row.update(disturbed=1, latency=row['latency'] * 3, growing=False)
    assert verdict.verdict(disturbed) == verdict.verdict(rows(*USUAL))
    line = demo.line_of(disturbed[0])
    assert line['remarks'] == 'disturbed' and line['queues'] == 'bounded', line


def queues_grow_where_it_holds():
    cases: tuple[tuple[str, dict[str, int]], ...] = (
        ('bounded', {}), ('grow', {'growing': 1}), ('bounded', {'growing': 1, 'disturbed': 1}),
        ('grow', {'sim_growing': 1}), ('grow', {'sim_growing': 1, 'disturbed': 1}), ('bounded', {'unclear': 1}),
        ('cannot be told', {'sim_unclear': 1}), ('grow', {'growing': 1, 'sim_unclear': 1}))
    for word, changes in cases:
        row = {'growing': 0, 'unclear': 0, 'sim_growing': 0, 'sim_unclear': 0, 'disturbed': 0, **changes}
        assert verdict.queues(row) == word, (changes, word)


def the_picture_shows_both():
    figure = demo.figure_of(rows(*USUAL), demo.setups_of(demo_arguments())[0])
    with tempfile.TemporaryDirectory() as folder:
        picture = pictures.draw_alone(figure, f'{folder}/demo.svg')
    for text in 'fresh permutations', 'a persistent permutation', 'walk', 'queues grow', 'simulated', '0.95':
        assert text in picture, text
    fine = demo.figure_of(rows({'drb': 8.0}, {'drb': 7.0}), demo.setups_of(demo_arguments())[0])
    assert [bool(panel.y) for panel in [*figure.panels, *fine.panels]] == [False, True, False, False]


def demo_arguments():
    parser = argparse.ArgumentParser()
    demo.add_options(parser)
    return parser.parse_args([])


def what_was_measured_is_said():
    setup = demo.setups_of(demo_arguments())[0]
    result = pairs.Result(setup, [{'name': 'drb', 'slot_ms': 2.0}], pairs.simulate(setup))
    said = f'{demo.title(setup)} {demo.links_are(result)}'
    for text in 'F(3,2)', 'load 0.95', '500 packets/s', 'T = 4', '(drb, walk)', 'seed 1', 'slot of 2 ms':
        assert text in said, said


def mistakes_are_one_line():
    with tempfile.TemporaryDirectory() as folder:
        for words, pattern in (
                ('-d 17', 'F(3,17): more than 1024 hosts, each a namespace'),
                ('--load 90', 'must be one load above 0'),
                ('--load 0.5,0.6', 'one load'), ('--slot 2', "'2': must be a time from 100us to 1s, such as 2ms"),
                ('--slots 0', 'must be a whole number from 1 on, not 0'), ('--seed x', 'must be a whole number, not x'),
                ('--scheme drb,drb', "'drb,drb': must be different schemes, such as drb,dmodk"),
                (f'--out {folder}/no/x.svg', 'directory'),
                (f'--out {folder}', 'must be the name of a file in a directory that is there'),
                ('--nonsense', 'nonsense'), ('-l 0', '0')) + ((('--threshold x', 'paper'), ('--scheme foo', 'dmodk'))
                                                              if os.geteuid() == 0 else (('', 'needs root'),)):
            done = subprocess.run([f'{LAB}/run', 'demo', *words.split()], text=True, cwd=folder,
                                  capture_output=True, check=False)
            assert done.returncode == 2, (words, done)
            assert len(done.stderr.splitlines()) == 1 and pattern in done.stderr, (words, done)
            assert not os.listdir(folder), words


def folders_and_programs_that_cannot_be_used():
    for wrong, want in ((lambda: demo.check_may_write('/proc/1/no/x.svg'), 'may not be written'),
                        (lambda: children.run(['/nonexistent']), 'cannot start program /nonexistent: No such file')):
        try:
            wrong()
        except (Failure, PointError) as e:
            assert want in str(e), e
        else:
            raise AssertionError(want)
    try:
        options.some_loads('0.5,0.5')
    except argparse.ArgumentTypeError as e:
        assert "'0.5,0.5': must be different loads, such as 0.6,0.9" in str(e), e
    else:
        raise AssertionError('a load twice')


def a_mistake_costs_no_build():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, 'DRB_BUILD': f'{folder}/build'}
        environment.pop('DRB_DEMO_WORLD', None)
        for words, pattern in (('--laod 0.9', 'unrecognized arguments: --laod 0.9'),
                               ('--load 90', 'one load above 0'), ('-d 17', 'hosts'), (f'--out {folder}', 'file')):
            done = subprocess.run([f'{TOPO}/demo.sh', *words.split()], text=True, cwd=folder, env=environment,
                                  capture_output=True, check=False)
            assert done.returncode == 2 and not done.stdout, (words, done)
            assert len(done.stderr.splitlines()) == 1 and re.search(pattern, done.stderr), (words, done)
            assert not os.listdir(folder), words
    done = subprocess.run([f'{TOPO}/demo.sh'], text=True, capture_output=True, check=False,
                          env={**environment, 'DRB_BUILD': '/proc/none/build'})
    assert done.returncode == 2 and done.stderr == (
        'demo: cannot build in /proc/none/build: may not write into /proc/none; make a clone of your own, '
        'or point DRB_BUILD at a folder of yours\n'), done


def what_is_not_built_is_said_with_the_cure():
    with tempfile.TemporaryDirectory() as folder:
        for command in (['fabric', 'up'], ['fabric', '--version']):
            done = subprocess.run([f'{TOPO}/{command[0]}', *command[1:]], text=True, capture_output=True, check=False,
                                  env={**os.environ, 'DRB_BUILD': folder, 'PATH': '/usr/bin:/bin'})
            if 'needs root' in done.stderr:
                continue
            assert done.returncode == 2 and len(done.stderr.splitlines()) == 1, (command, done)
            want = 'nor installed: build it (topo/demo.sh does, or meson setup build && ninja -C build)'
            assert want in done.stderr, done


def programs_are_not_named_twice():
    """The harness reports a mistake that one of its programs found as its own single line."""
    for command, want in (([f'{LAB}/run', 'demo', '--scheme', 'foo'],
                           "drblab: --scheme foo: no scheme 'foo': must be "),
                          ([f'{TOPO}/fabric', 'up', '--scheme', 'foo', '--fabric', 'nobody-has-this'],
                           'drbfabric: --scheme foo: "foo" is none of ')):
        done = subprocess.run(command, text=True, capture_output=True, check=False)
        said = done.stderr
        assert done.returncode == 2 and ('needs root' in said or said.startswith(want)), (command, said)


def schemes_are_those_of_the_table():
    assert set(demo.SCHEMES) < set(schemes.table()), schemes.table()
    assert [s for s in demo.SCHEMES if schemes.has_threshold(s)] == ['drb', 'walk']
    assert schemes.compares_queues('least') and not schemes.compares_queues('ecmp')
    try:
        schemes.has_threshold('foo')
    except Failure as e:
        assert "'foo'" in str(e) and 'dmodk' in str(e) and e.code == 2, e
    else:
        raise AssertionError('a scheme that is none')


TESTS = (the_winner_is_said, words_of_the_table_are_explained, a_narrow_terminal_has_the_results, noise_changes_nothing,
         equal_schemes_are_not_faster, nobody_wins_everything, disturbed_runs_leave_the_word_to_the_simulator,
         queues_grow_where_it_holds, the_picture_shows_both, what_was_measured_is_said,
         schemes_are_those_of_the_table, mistakes_are_one_line,
         a_mistake_costs_no_build, folders_and_programs_that_cannot_be_used,
         what_is_not_built_is_said_with_the_cure, programs_are_not_named_twice)


tap.run(TESTS)
