#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests "switch or host" (`drblab hosts`): verdicts follow from the data, lists are complete.

test_lab_hosts.py LAB_DIR    TAP on standard output; DRB_BUILD is the build folder."""
import math
import sys
import tempfile
from typing import Any

import pandas

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
import drblab  # noqa: E402
from drblab.report import pictures  # noqa: E402
from drblab.studies import hosts  # noqa: E402
from drblab.studies.transfer_cases import CASES, FABRICS, Draw  # noqa: E402
from paper_rows import hosts_rows, named  # noqa: E402


NEVER = {'makespan': math.nan, 'slowdown': math.nan, 'unfinished': 2}


def compared(*without, **of):
    """Returns the row of permutation traffic, with other figures for some rules.

    A figure is one value, or a tuple with one value for each seed."""
    def figure(value, seed):
        return value[seed] if isinstance(value, tuple) else value * (1 + seed / 1e4)

    rows = [{**row, **{key: figure(value, row['seed']) for key, value in of.get(row['rule'], {}).items()}}
            for row in hosts_rows() if row['rule'] not in without]
    return hosts.places_of(named(rows))[0]


def who_wins_follows_from_the_results():
    """The winner needs less time until all data have arrived, by more than 1 % and than chance."""
    assert compared().winner == 'neither' and compared().used == 0.5
    fast, slow = {'makespan': 180, 'marked': 0.2}, {'makespan': 220}
    switch, host = compared(walk=fast), compared(drb=slow, walk=slow)
    assert (switch.winner, switch.switch, host.winner) == ('switch', 'walk', 'host')
    assert hosts.sentence(switch) == (
        'F(3,8), DCTCP, permutation: the switch wins. walk takes 0.900 ± 0.000 of the time of hosts spray: 20 % of '
        'its packets are marked, with hosts 1 %. dmodk, the best that keeps flows together, takes 1.000 ± 0.000: '
        '1 % of its packets are marked.'), hosts.sentence(switch)
    assert ', and 5 % are sent again.' in hosts.sentence(compared(dmodk={'makespan': 190, 'resent': 0.05}))
    assert 'the host wins. drb takes 1.100' in hosts.sentence(host), hosts.sentence(host)
    full = compared(**{label: {'bound': 198} for label in hosts.HOSTS})
    assert 'or the order of transfers, ask for 99 % of that time' in hosts.sentence(full), hosts.sentence(full)
    unsure = compared(walk={'makespan': (150, 200, 201)}, drb={'makespan': (150, 200, 201)})
    assert unsure.winner is None and 'no sure winner' in hosts.sentence(unsure)
    assert hosts.summary([switch, host, full, unsure]) == (
        'DCTCP: of 4 places the switch wins 1, the host 1; 1 are equal to 1 %, 1 have no sure winner.')


def the_winner_beats_each_rule_of_the_other_side_for_sure():
    """Three seeds with t = 7 decide one pair (4.3), but not the best of eight pairs (12.6)."""
    chosen = compared(walk={'makespan': (175.6, 180, 184.4)})
    ratio = chosen.ratio('walk', 'hosts reps')
    assert ratio.mean + ratio.half < 1 - hosts.SAME and chosen.winner is None, ratio.half
    fast = {'makespan': 180}
    assert compared(walk=fast).winner == 'switch'
    assert compared(walk=fast, **{'hosts reps': fast}).winner == 'neither'
    close = compared(walk=fast, **{'hosts reps': {'makespan': (182, 205, 230)}})
    assert close.winner is None and ('walk', 'hosts spray') in close.less


def what_never_ended_is_named():
    """A rule whose transfers never end is not the best.

    There is no verdict if no rule of a side ends."""
    host = compared(**{label: NEVER for label in hosts.HOSTS})
    assert hosts.sentence(host) == ('F(3,8), DCTCP, permutation: no verdict. hosts spray did not end in 3 of 3 seeds '
                                    'within 200,000 slots (transfers left: 6).'), hosts.sentence(host)
    assert hosts.summary([host]).endswith(', 0 have no sure winner. In 1 no rule of a side ended in all seeds.')
    one = {'makespan': (100, math.nan, 100), 'slowdown': math.nan, 'unfinished': (0, 1, 0)}
    switch = compared(walk=one, drb=NEVER)
    assert 'no verdict. walk did not end in 1 of 3 seeds' in hosts.sentence(switch), hosts.sentence(switch)
    assert (compared(walk=one).switch, compared(walk=one).winner) == ('drb', 'neither')
    assert compared(walk={'makespan': 180}, **{'hosts spray': NEVER}).winner == 'switch'
    flows = hosts.sentence(compared(**{label: NEVER for label in hosts.FLOWS}))
    assert 'the best that keeps flows together, did not end in 3 of 3 seeds' in flows, flows
    alone = hosts.sentence(compared('dmodk', 'ars by flowlet'))
    assert ' ecmp, which keeps flows together, takes 1.000' in alone, alone


def shares_are_readable():
    for share, text in ((0, '0'), (2e-7, '< 0.01'), (0.00099, '0.099'), (0.012, '1.2'), (0.0999, '10'), (1, '100')):
        assert f'dmodk, the best that keeps flows together, takes 1.000 ± 0.000: {text} % of its packets' in \
            hosts.sentence(compared(dmodk={'marked': (share,) * 3})), share


def the_picture_shows_the_fast_and_the_endless():
    """Bars go up and down from 1 and are not cut off; a rule that never ended has no bar."""
    place = compared(walk={'makespan': 100}, drb=NEVER)
    picture = hosts.figure([place])
    axes = pictures.canvas_of(picture).axes[0]
    assert axes.get_ylim()[0] < 0.5, axes.get_ylim()
    heights = [bar.get_height() for bar in axes.patches]
    assert len(heights) == len(place.of) - 1 and min(heights) < -0.49, heights
    assert [text.get_text() for text in axes.texts] == ['never']


# Lower bounds for F(3,4): by the links of hosts, or, for incast, by one transfer after another.
# An empty path with its delays takes 23 slots.
BOUNDS = {'permutation': 100 + 23, 'one-way': 100 + 23, 'permutation, 5 % dead': 100 + 23,
          'permutation, 0.5 % gray': 100 + 23, 'incast': 10 * 31}


def all_arrives_and_takes_its_time():
    """All transfers arrive for each rule and traffic, unless links are gray.

    Dead links cost time."""
    with tempfile.TemporaryDirectory() as folder:
        points = hosts.points(True, 1, folder, drblab.Sim().path)
        assert len(points) == 2 * (8 * 11 - 1), len(points)
        assert {(p.get('fail'), p.get('gray')) for p in points} == {(None, None), ('link:13', None), (None, 'link:1:0')}
        assert {(p.get('from'), p.get('alone')) for p in points} == {(None, None), (280, 'same')}
        assert {(p.get('source'), p.get('trim'), p.get('timer_each')) for p in points} == {
            ('uec', True, None), ('window', None, False), ('spray', None, True)}
        rows = hosts.rows_of(drblab.run(points))
    for row in rows:
        assert 0 <= row.marked < 1 and row.resent < 0.6, row
        if row.unfinished:
            assert 'gray' in row.traffic and row.rule in hosts.ORDERED, row
            continue
        assert row.slowdown >= 1 and row.slowdown_p99 >= 0.9 * row.slowdown, row
        if row.traffic == 'web search':
            assert math.isnan(row.makespan) and math.isnan(row.bound)
        else:
            assert row.makespan >= row.bound == BOUNDS.get(row.traffic, row.bound) > 0, row
    intact, dead = (sum(row.makespan for row in rows if row.traffic == name and row.rule != 'hosts ethereal')
                    for name in ('permutation', 'permutation, 5 % dead'))
    assert dead > 1.1 * intact, (intact, dead)


def what_never_arrives_has_no_slowdown():
    """A mean without the transfers that never ended would flatter the rule."""
    with tempfile.TemporaryDirectory() as folder:
        points = [p.but(fail='link:100') for p in hosts.points(True, 1, folder, drblab.Sim().path)
                  if p.get('fail') and p.get('scheme') == 'ecmp']
        rows = hosts.rows_of(drblab.run(points))
    left = [row for row in rows if row.unfinished]
    assert left and all(math.isnan(row.slowdown) and math.isnan(row.slowdown_p99) for row in left)
    assert all(math.isnan(row.makespan) for row in left)


def the_large_fabric_has_fewer_seeds():
    """F(3,8) has all requested seeds, F(3,24) half of them; both have all rules and traffic."""
    with tempfile.TemporaryDirectory() as folder:
        points = hosts.points(False, 3, folder, drblab.Sim().path)
    seeds = [(p.get('arity'), p.get('seed')) for p in points]
    assert {pair: seeds.count(pair) for pair in seeds} == {(8, 1): 174, (8, 2): 174, (8, 3): 174, (24, 1): 174}


def runs_without_figures_leave_their_rule_out():
    """At its place alone; the figures of all others are kept."""
    row: dict[str, Any] = {'layers': 3, 'arity': 8, 'transport': 'DCTCP', 'traffic': 'incast', 'seed': 1}
    frame = pandas.DataFrame([{**row, 'rule': 'walk', 'error': None}, {**row, 'rule': 'drb', 'error': None},
                              {**row, 'rule': 'drb', 'seed': 2, 'error': 'cannot'},
                              {**row, 'rule': 'drb', 'traffic': 'one-way', 'error': None}])
    kept = hosts._without_errors(frame)  # noqa: SLF001
    assert list(zip(kept['rule'], kept['traffic'])) == [('walk', 'incast'), ('drb', 'one-way')], kept
    whole = kept.drop(columns='error')
    assert hosts._without_errors(whole) is whole  # noqa: SLF001


def web_search_is_stationary():
    """Half of all packets belong to transfers not larger than the slots before the measurement."""
    with tempfile.TemporaryDirectory() as folder:
        case = next(case for case in CASES if case.random_times)
        for fabric, amount in zip(FABRICS[:2], case.amounts):
            case.write(f'{folder}/list', Draw(fabric, amount, 1, drblab.Sim().path))
            with open(f'{folder}/list', encoding='ascii') as f:
                sizes = [int(line.split(',')[4]) for line in list(f)[1:]]
            assert sum(size for size in sizes if size <= amount // 3) >= 0.45 * sum(sizes), fabric


tap.run([runs_without_figures_leave_their_rule_out, who_wins_follows_from_the_results,
         the_winner_beats_each_rule_of_the_other_side_for_sure, what_never_ended_is_named, shares_are_readable,
         the_picture_shows_the_fast_and_the_endless,
         web_search_is_stationary, all_arrives_and_takes_its_time, what_never_arrives_has_no_slowdown,
         the_large_fabric_has_fewer_seeds])
