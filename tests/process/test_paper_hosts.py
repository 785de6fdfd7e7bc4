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
from paper_rows import RUN, hosts_rows, results_of  # noqa: E402


def compared(**of):
    """The place of permutations, where labels have other figures."""
    rows = [{**row, **{key: value * (1 + row['seed'] / 1e4) for key, value in of.get(row['label'], {}).items()}}
            for row in hosts_rows()]
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
        '1 % of its packets meet such a queue.'), hosts.sentence(switch)
    assert ', and 5 % are sent again.' in hosts.sentence(compared(dmodk={'makespan': 190, 'resent': 0.05}))
    assert 'the host wins. drb takes 1.100' in hosts.sentence(host), hosts.sentence(host)
    assert 'keeps flows together, takes for ever: 1 %' in hosts.sentence(
        compared(**{label: {'makespan': math.nan} for label in hosts.FLOWS}))
    full = compared(**{label: {'bound': 198} for label in hosts.HOSTS})
    assert 'or the order of transfers, ask for 99 % of that time' in hosts.sentence(full), hosts.sentence(full)
    unsure = compared()
    unsure.of['walk'][0].makespan = unsure.of['drb'][0].makespan = 150
    assert unsure.winner is None and 'too close to call' in hosts.sentence(unsure)
    unsure.of['walk'][0].makespan = unsure.of['drb'][1].makespan = math.nan
    assert unsure.winner is None
    assert hosts.summary([switch, host, full, unsure]) == (
        'Of 4 places the switch wins 1, the host 1; 1 are equal to 1 %, 1 too close to call.')


tap.run([who_wins_follows_from_the_results])
