#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""topo/fabric demo without a fabric: what the verdict says of which figures, and what it refuses.

test_demo.py TOPO_DIR BUILD_DIR    TAP on standard output."""
import os
import subprocess
import sys
import tempfile

TOPO, BUILD = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, TOPO)
os.environ['DRB_BUILD'] = BUILD

import tap  # noqa: E402
from drbfabric import Failure, demo, schemes, verdict  # noqa: E402

FRESH = 'Under fresh permutations (new destinations in every slot): '
KEPT = 'Under a persistent permutation (hosts keep their destinations): '


def rows(fresh, persistent):
    """{scheme: latency}; None: queues grow. The simulator says the same."""
    result = []
    for name, figures in (('fresh', fresh), ('persistent', persistent)):
        for scheme, value in figures.items():
            latency = 90.0 if value is None else value
            result.append({'traffic': name, 'scheme': scheme, 'latency': latency, 'tail': latency,
                           'sim_latency': latency, 'sim_tail': latency, 'redirected': 0.1,
                           'sim_redirected': 0.1, 'latency_off': 0.0, 'growing': value is None,
                           'sim_growing': value is None, 'disturbed': 0, 'lost': 0})
    return result


USUAL = ({'drb': 8.6, 'dmodk': 9.2, 'micro': 9.5, 'walk': 8.0},
         {'drb': None, 'dmodk': None, 'micro': 9.5, 'walk': 6.3})


def the_winner_is_said():
    assert verdict.verdict(rows(*USUAL)) == [
        'Does DRB help?',
        f'  {FRESH}yes, drb is faster than dmodk and micro.',
        f'  {KEPT}no, queues of drb grow for as long as it lasts.',
        'Winner: walk, at or near the lowest latency under both.']


def words_of_the_table_are_explained():
    class Setup:
        layers = 3
    fine = rows({'drb': 8.0, 'walk': 8.0}, {'drb': 8.0, 'walk': 8.0})
    assert '6 is a path without queueing' in demo.legend(fine, Setup)
    assert 'Redirected: ' in demo.legend(fine, Setup)
    assert 'grow:' not in demo.legend(fine, Setup) and 'disturbed:' not in demo.legend(fine, Setup)
    assert 'grow:' in demo.legend(rows(*USUAL), Setup)
    fine[0]['disturbed'] = 1
    assert 'disturbed:' in demo.legend(fine, Setup)


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
    assert 'simulator counts' in line['remarks'] and line['queues'] == 'bounded', line


def the_picture_shows_both():
    args = demo_arguments()
    picture = demo.draw(rows(*USUAL), demo.setup_of(args))
    if picture is None:
        return  # without gnuplot
    for text in 'fresh permutations', 'a persistent permutation', 'walk', '(grows)', 'simulated', '0.95':
        assert text in picture, text


def demo_arguments():
    import argparse
    parser = argparse.ArgumentParser()
    demo.add_options(parser)
    parser.set_defaults(name='demo')
    return parser.parse_args([])


def what_was_measured_is_said():
    said = demo.title(demo.setup_of(demo_arguments()))
    for text in 'F(3,2)', 'load 0.95', '500 packets/s', 'T = 4', 'drb', 'seed 1':
        assert text in said, said


def mistakes_are_one_line():
    with tempfile.TemporaryDirectory() as folder:
        for words, pattern in (
                ('-d 17', 'hosts'), ('--scheme foo', 'dmodk'), ('--load 90', 'must be one load above 0'),
                ('--load 0.5,0.6', 'one load'), ('--slot 2', '2ms'), ('--slots 0', '0'),
                ('--threshold x', 'paper'), ('--pattern fixed', '--one'),
                ('--one --pattern rush', 'rush'), ('--one --threshold x', 'x'),
                ('--one --scheme drb,micro', 'one scheme'), ('--one --scheme foo', 'dmodk'),
                (f'--out {folder}/no/x.svg', 'directory'), (f'--out {folder}', 'file'),
                ('--nonsense', 'nonsense'), ('-l 0', '0')):
            done = subprocess.run([f'{TOPO}/fabric', 'demo', *words.split()], text=True, cwd=folder,
                                  capture_output=True, check=False)
            assert done.returncode == 2, (words, done)
            assert len(done.stderr.splitlines()) == 1 and pattern in done.stderr, (words, done)
            assert not os.listdir(folder), words


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


TESTS = (the_winner_is_said, words_of_the_table_are_explained, noise_changes_nothing, equal_schemes_are_not_faster,
         nobody_wins_everything, disturbed_runs_leave_the_word_to_the_simulator,
         the_picture_shows_both, what_was_measured_is_said, schemes_are_those_of_the_table, mistakes_are_one_line)


tap.run(TESTS)
