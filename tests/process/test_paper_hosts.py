#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Switch or host, in the report of `drbsim paper`: that what it says follows from the data.

test_paper_hosts.py TOPO_DIR    TAP on standard output."""
import math
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
from drbfabric.paper import hosts  # noqa: E402
from drbfabric.report import pictures  # noqa: E402
from paper_rows import RUN, hosts_rows, results_of  # noqa: E402


NEVER = {'makespan': math.nan, 'slowdown': math.nan, 'unfinished': 2}


def compared(*without, **of):
    """The place of permutations, where labels have other figures: one, or one of each seed."""
    def figure(value, seed):
        return value[seed] if isinstance(value, tuple) else value * (1 + seed / 1e4)

    rows = [{**row, **{key: figure(value, row['seed']) for key, value in of.get(row['label'], {}).items()}}
            for row in hosts_rows() if row['label'] not in without]
    return hosts.places_of(results_of([RUN, *rows]))[0]


def who_wins_follows_from_the_results():
    """By the time until all has arrived, by more than 1 % and than chance."""
    assert compared().winner == 'neither' and compared().used == 0.5
    fast, slow = {'makespan': 180, 'marked': 0.2}, {'makespan': 220}
    switch, host = compared(walk=fast), compared(drb=slow, walk=slow)
    assert (switch.winner, switch.switch, host.winner) == ('switch', 'walk', 'host')
    assert hosts.sentence(switch) == (
        'F(3,8), permutation: the switch wins. walk takes 0.900 ± 0.000 of the time of hosts spray: 20 % of its '
        'packets meet a queue of 20, with hosts 1 %. dmodk, the best that keeps flows together, takes 1.000 ± 0.000: '
        '1 % of its packets meet a queue of 20.'), hosts.sentence(switch)
    assert ', and 5 % are sent again.' in hosts.sentence(compared(dmodk={'makespan': 190, 'resent': 0.05}))
    assert 'the host wins. drb takes 1.100' in hosts.sentence(host), hosts.sentence(host)
    full = compared(**{label: {'bound': 198} for label in hosts.HOSTS})
    assert 'or the order of transfers, ask for 99 % of that time' in hosts.sentence(full), hosts.sentence(full)
    unsure = compared(walk={'makespan': (150, 200, 201)}, drb={'makespan': (150, 200, 201)})
    assert unsure.winner is None and 'no sure winner' in hosts.sentence(unsure)
    assert hosts.summary([switch, host, full, unsure]) == (
        'Of 4 places the switch wins 1, the host 1; 1 are equal to 1 %, 1 have no sure winner.')


def the_winner_beats_each_rule_of_the_other_side_for_sure():
    """Three seeds, t = 7: sure to 95 % of one pair (4.3), not of eight (12.6), of which this is the best."""
    chosen = compared(walk={'makespan': (175.6, 180, 184.4)})
    ratio = chosen.ratio('walk', 'hosts reps')
    assert ratio.mean + ratio.half < 1 - hosts.SAME and chosen.winner is None, ratio.half
    fast = {'makespan': 180}
    assert compared(walk=fast).winner == 'switch'
    assert compared(walk=fast, **{'hosts reps': fast}).winner == 'neither'
    close = compared(walk=fast, **{'hosts reps': {'makespan': (182, 205, 230)}})
    assert close.winner is None and ('walk', 'hosts spray') in close.less


def what_never_ended_is_named():
    """It is no best rule, and there is no verdict without an end on either side."""
    host = compared(**{label: NEVER for label in hosts.HOSTS})
    assert hosts.sentence(host) == ('F(3,8), permutation: no verdict. hosts spray did not end in 3 of 3 seeds within '
                                    '50,000 slots (transfers left: 6).'), hosts.sentence(host)
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
    """Bars go up and down from 1: none is cut off, and what has no end is no shortest bar."""
    place = compared(walk={'makespan': 100}, drb=NEVER)
    picture = hosts.figure([place], place.tree)
    axes = pictures.canvas_of(picture).axes[0]
    assert axes.get_ylim()[0] < 0.5, axes.get_ylim()
    heights = [bar.get_height() for bar in axes.patches]
    assert len(heights) == len(place.of) - 1 and min(heights) < -0.49, heights
    assert [text.get_text() for text in axes.texts] == ['never']


tap.run([who_wins_follows_from_the_results, the_winner_beats_each_rule_of_the_other_side_for_sure,
         what_never_ended_is_named, shares_are_readable, the_picture_shows_the_fast_and_the_endless])
