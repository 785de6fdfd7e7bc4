# SPDX-License-Identifier: BSD-3-Clause
"""Switch or host? Rules of switches next to rules of hosts, place by place: a place is a fabric under some traffic
(src/sim/paper/hosts.h). All that is said of them follows from the results."""

import itertools
import math
import re

from drbfabric.paper.judge import Margin, below
from drbfabric.paper.results import name_of, tree_of
from drbfabric.report.figure import Axis, Figure, Point
from drbfabric.report.files import write_csv
from drbfabric.report.sample import Sample

# Who decides; the rest are switches that decide on each packet.
FLOWS, HOSTS = ('dmodk', 'ecmp', 'ars by flowlet'), ('hosts spray', 'hosts reps')
STYLES = {'hosts spray': '4', 'hosts reps': '7', 'ars by flowlet': '5', 'ars by packet': 'ars'}
SAME = 0.01  # times that differ by less are equal
FULL = 0.95  # of the time that a bound asks for: there is nothing to gain
KEYS = ('slowdown', 'slowdown_p99', 'makespan')
COLUMNS = ('layers', 'arity', 'traffic', 'rule', 'runs', *(f'{key}{half}' for key in KEYS for half in ('', '_half')),
           'bound', 'marked', 'resent', 'unfinished')


class Place:
    """of: the runs of each rule, seed by seed. key: what rules are compared by, the time until all has arrived, or
    where transfers begin at random the mean slowdown."""

    def __init__(self, rows):
        self.tree, self.traffic = tree_of(rows[0]), rows[0].traffic
        self.of = {label: list(mine) for label, mine in itertools.groupby(rows, lambda row: row.label)}
        self.key = 'slowdown' if math.isnan(rows[0].bound) else 'makespan'
        self.longest = rows[0].longest
        self.where = f'{name_of(self.tree)}, {self.traffic}'
        self.less = set()  # (rule, rule of the other side): the former takes less time for sure

    def sample(self, label, key=None):
        return Sample(getattr(row, key or self.key) for row in self.of[label])

    def ratio(self, label, other):
        """Of the times of two rules, seed by seed."""
        return Sample(getattr(a, self.key) / getattr(b, self.key) for a, b in zip(self.of[label], self.of[other]))

    def left(self, label):
        """Transfers that never arrived, of all seeds."""
        return int(sum(row.unfinished for row in self.of[label]))

    def best(self, among):
        return min(among, key=lambda label: (self.left(label), self.sample(label).mean))

    @property
    def switches(self):
        return [label for label in self.of if label not in FLOWS + HOSTS]

    @property
    def hosts(self):
        return [label for label in self.of if label in HOSTS]

    @property
    def flows(self):
        return [label for label in self.of if label in FLOWS]

    @property
    def switch(self):
        return self.best(self.switches)

    @property
    def host(self):
        return self.best(self.hosts)

    @property
    def flow(self):
        return self.best(self.flows)

    def pairs(self):
        """Rules of switches and of hosts under which all arrived."""
        return [pair for pair in itertools.product(self.switches, self.hosts) if not any(map(self.left, pair))]

    def beats(self, label, others):
        return all((label, other) in self.less or self.left(other) for other in others)

    @property
    def winner(self):
        """switch, host, neither, never if under no rule of a side all arrived, or none if the seeds cannot tell."""
        if self.left(self.switch) or self.left(self.host):
            return 'never'
        if self.beats(self.switch, self.hosts):
            return 'switch'
        if self.beats(self.host, self.switches):
            return 'host'
        ratio = self.ratio(self.switch, self.host)
        return 'neither' if abs(ratio.mean - 1) + ratio.half <= SAME else None

    @property
    def used(self):
        """The share of the best time that hosts' own links, or the order of transfers, ask for."""
        return self.sample(self.host, 'bound').mean / min(self.sample(label).mean for label in (self.switch, self.host))


def places_of(results):
    groups = itertools.groupby(results.of('hosts'), lambda row: (tree_of(row), row.traffic))
    places = [Place(rows) for rows in (list(group) for _, group in groups) if all(row.done for row in rows)]
    _compare(places)
    return places


def _compare(places):
    """The best rules are chosen by the seeds that judge them: hence Holm's correction, over all pairs and places."""
    pairs = [(place, *pair) for place in places for pair in place.pairs()]
    ratios = [place.ratio(*pair) for place, *pair in pairs]
    for i in below([Margin(SAME - abs(ratio.mean - 1), ratio.half, ratio.count) for ratio in ratios]):
        place, switch, host = pairs[i]
        place.less.add((switch, host) if ratios[i].mean < 1 else (host, switch))


def _times(sample):
    return f'{sample.mean:.3f}' + (f' ± {sample.half:.3f}' if sample.count > 1 else '')


def _percent(place, label, key):
    share = 100 * place.sample(label, key).mean
    if 0 < share < 0.01:
        return '< 0.01 %'
    return f'{share:.0f} %' if share >= 9.95 else f'{share:.2g} %'


def _why(place):
    """What tells the best switch from the best rule of hosts."""
    marked = [_percent(place, label, 'marked') for label in (place.switch, place.host)]
    if place.used >= FULL:
        return f"the links of hosts, or the order of transfers, ask for {100 * place.used:.0f} % of that time"
    if place.winner in ('switch', 'host'):
        return f'{marked[0]} of its packets meet a queue of 20, with hosts {marked[1]}'
    return f'{marked[0]} and {marked[1]} of the packets meet a queue of 20'


def _why_flows(place):
    flow = place.flow
    resent = place.sample(flow, 'resent').mean
    late = f', and {_percent(place, flow, "resent")} are sent again' if resent > 1e-3 else ''
    return f'{_percent(place, flow, "marked")} of its packets meet a queue of 20{late}'


def _never(place, label):
    rows = place.of[label]
    open_ends = sum(row.unfinished > 0 for row in rows)
    return (f'did not end in {open_ends} of {len(rows)} seeds within {place.longest:,.0f} slots '
            f'(transfers left: {place.left(label)})')


def sentence(place):
    """Who wins at a place, by how much, and why."""
    verdict = {'switch': 'the switch wins', 'host': 'the host wins', 'neither': 'neither wins', 'never': 'no verdict',
               None: 'no sure winner'}[place.winner]
    if place.winner == 'never':
        facts = [f'{label} {_never(place, label)}' for label in (place.switch, place.host) if place.left(label)]
        return f'{place.where}: {verdict}. {". ".join(facts)}.'
    what = 'time' if place.key == 'makespan' else 'mean slowdown'
    flow = f'{place.flow}, {"the best that" if len(place.flows) > 1 else "which"} keeps flows together,'
    took = _never(place, place.flow) if place.left(place.flow) else \
        f'takes {_times(place.ratio(place.flow, place.host))}: {_why_flows(place)}'
    return (f'{place.where}: {verdict}. {place.switch} takes {_times(place.ratio(place.switch, place.host))} of the '
            f'{what} of {place.host}: {_why(place)}. {flow} {took}.')


def summary(places):
    wins = [place.winner for place in places]
    never = f' In {wins.count("never")} no rule of a side ended in all seeds.' if 'never' in wins else ''
    return (f'Of {len(places)} places the switch wins {wins.count("switch")}, the host {wins.count("host")}; '
            f'{wins.count("neither")} are equal to {100 * SAME:g} %, {wins.count(None)} have no sure winner.{never}')


def _rows(places):
    for place in places:
        for label in place.of:
            samples = [place.sample(label, key) for key in KEYS]
            yield dict(zip(COLUMNS, (*place.tree, place.traffic, label, len(place.of[label]),
                                     *(figure for sample in samples for figure in (sample.mean, sample.half)),
                                     *(place.sample(label, key).mean for key in COLUMNS[-4:]))))


def write(results, folder):
    """hosts.csv, if there is a place; its path."""
    places = places_of(results)
    if not places:
        return None
    write_csv(f'{folder}/hosts.csv', list(_rows(places)), COLUMNS)
    return f'{folder}/hosts.csv'


def trees_of(places):
    return list(dict.fromkeys(place.tree for place in places))


def figure(places, tree):
    mine = [place for place in places if place.tree == tree]
    ratios = {(label, place.traffic): place.ratio(label, 'hosts reps') for place in mine for label in place.of}
    low = 0.8 * min([1, *(ratio.mean for ratio in ratios.values() if not math.isnan(ratio.mean))])
    f = Figure('hosts-F{}-{}'.format(*tree), 'bars', f'Switch or host, {name_of(tree)}',
               'Beyond the paper: the time until all has arrived (web search: mean slowdown), next to that of hosts '
               'reps, seed by seed. Bars: 95 % intervals over seeds.', Axis('traffic'),
               Axis('next to hosts reps', log=True, low=low, base=1), wide=True)
    for label in mine[0].of:
        f.add(label, STYLES.get(label, label),
              [Point(re.sub(', |(?<=reduce-)', '\n', place.traffic), ratios[label, place.traffic].mean,
                     ratios[label, place.traffic].half, note='never' if place.left(label) else '') for place in mine])
    return f
