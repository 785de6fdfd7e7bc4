# SPDX-License-Identifier: BSD-3-Clause
"""switch or host: rules of switches next to rules of hosts, under transfers and jobs

Hosts send transfers by DCTCP, over queues without a limit, and as Ultra Ethernet does, over queues
that trim packets. A link takes three slots beside that of the packet. A place is a fabric under
some traffic and transport. DIR gets rows.jsonl, hosts.csv, pictures, and the lists of transfers.

examples:
  drblab hosts --quick -o hosts
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import re
import sys
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pandas

import drblab
from drblab.report import write_picture
from drblab.report.figure import Axis, Figure, Point
from drblab.report.files import write_csv
from drblab.report.sample import Sample
from drblab.studies import options
from drblab.studies.paper.judge import Margin, below
from drblab.studies.paper.results import Row, name_of, tree_of
from drblab.studies.transfer_cases import CASES, FABRICS, Draw

# Rules under which switches decide on flows, and rules under which hosts decide. Under all other
# rules switches decide on each packet.
FLOWS, HOSTS = ('dmodk', 'ecmp', 'ars by flowlet'), ('hosts spray', 'hosts reps', 'hosts ethereal')
# Each rule has a scheme, and how hosts choose the entropies of packets (drbsim --hosts).
RULES = {'dmodk': ('dmodk', 'flow'), 'ecmp': ('ecmp', 'flow'), 'ars by flowlet': ('ars', 'flow'),
         'hosts spray': ('ecmp', 'spray'), 'hosts reps': ('ecmp', 'reps'), 'hosts ethereal': ('ecmp', 'ethereal'),
         'drb': ('drb', 'flow'), 'micro': ('micro', 'flow'), 'drill': ('drill', 'flow'), 'walk': ('walk', 'flow'),
         'ars by packet': ('ars:idle_time=0', 'flow')}
ORDERED = (*FLOWS, 'hosts ethereal')  # rules under which packets stay in order, on each path
TRANSPORTS = ('DCTCP', 'Ultra Ethernet')
DELAY, LONGEST = '3', 200000
STYLES = {'hosts spray': '4', 'hosts reps': '7', 'hosts ethereal': '6', 'ars by flowlet': '5', 'ars by packet': 'ars'}
SAME = 0.01  # times that differ by less are equal
FULL = 0.95  # if the bound is at least this share of the time, no rule can gain
KEYS = ('slowdown', 'slowdown_p99', 'makespan')
COLUMNS = ('layers', 'arity', 'transport', 'traffic', 'rule', 'runs',
           *(f'{key}{half}' for key in KEYS for half in ('', '_half')), 'bound', 'marked', 'resent', 'unfinished')


class Place:
    """A fabric under some traffic and transport, with the results of all rules.

    `of` has the runs of each rule in the order of seeds. `key` names the figure that compares
    rules: the time until everything has arrived, or the mean slowdown if transfers begin at
    random."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.tree, self.transport, self.traffic = tree_of(rows[0]), rows[0].transport, rows[0].traffic
        self.of = {label: list(mine) for label, mine in itertools.groupby(rows, lambda row: str(row.rule))}
        self.key = 'slowdown' if math.isnan(rows[0].bound) else 'makespan'
        self.where = f'{name_of(self.tree)}, {self.transport}, {self.traffic}'
        # (rule, rule of the other side): the former takes less time for sure
        self.less: set[tuple[str, str]] = set()

    def sample(self, label: str, key: str | None = None) -> Sample:
        return Sample(getattr(row, key or self.key) for row in self.of[label])

    def ratio(self, label: str, other: str) -> Sample:
        """The ratio of the times of two rules, seed by seed."""
        return Sample(getattr(a, self.key) / getattr(b, self.key) for a, b in zip(self.of[label], self.of[other]))

    def left(self, label: str) -> int:
        """Returns the number of transfers that never arrived, over all seeds."""
        return int(sum(row.unfinished for row in self.of[label]))

    def best(self, among: Sequence[str]) -> str:
        return min(among, key=lambda label: (self.left(label), self.sample(label).mean))

    @property
    def switches(self) -> list[str]:
        return [label for label in self.of if label not in FLOWS + HOSTS]

    @property
    def hosts(self) -> list[str]:
        return [label for label in self.of if label in HOSTS]

    @property
    def flows(self) -> list[str]:
        return [label for label in self.of if label in FLOWS]

    @property
    def switch(self) -> str:
        return self.best(self.switches)

    @property
    def host(self) -> str:
        return self.best(self.hosts)

    @property
    def flow(self) -> str:
        return self.best(self.flows)

    def pairs(self) -> list[tuple[str, str]]:
        """Pairs of a switch's rule and a host's rule under which all transfers arrived."""
        return [pair for pair in itertools.product(self.switches, self.hosts) if not any(map(self.left, pair))]

    def beats(self, label: str, others: Sequence[str]) -> bool:
        return all((label, other) in self.less or self.left(other) for other in others)

    @property
    def winner(self) -> str | None:
        """Returns which side takes less time: "switch", "host" or "neither".

        "never": no rule of one side let all transfers arrive. None: the seeds cannot tell."""
        if self.left(self.switch) or self.left(self.host):
            return 'never'
        if self.beats(self.switch, self.hosts):
            return 'switch'
        if self.beats(self.host, self.switches):
            return 'host'
        ratio = self.ratio(self.switch, self.host)
        return 'neither' if abs(ratio.mean - 1) + ratio.half <= SAME else None

    @property
    def used(self) -> float:
        """Returns the bound as a share of the best time.

        The bound is the time that hosts' own links, or the order of transfers, need."""
        return self.sample(self.host, 'bound').mean / min(self.sample(label).mean for label in (self.switch, self.host))


def _transport(name: str, rule: str) -> dict[str, Any]:
    """Returns the options of a transport, for the sources of a rule."""
    if name == 'Ultra Ethernet':
        return {'source': 'uec', 'trim': True}
    ordered = rule in ORDERED
    return {'source': 'window' if ordered else 'spray', 'timer_each': not ordered}


def points(quick: bool, seeds: int, lists: str, sim: str) -> list[drblab.Point]:
    """Returns points for all rules under all traffic, and writes lists of transfers to a folder.

    Half of the seeds is enough for the large fabric, whose means are over many hosts."""
    found = []
    for at, fabric in enumerate(FABRICS):
        if quick != (at == 0):
            continue
        layers, arity = fabric.tree
        for number, case in enumerate(CASES):
            amount = case.amounts[at]
            measured = {}
            if case.random_times:
                measured = {'from': amount // 3, 'until': amount * 2 // 3, 'alone': 'same'}
            paths = []
            for seed in range(1, max(1, seeds // 2 if at == 2 else seeds) + 1):
                paths.append(f'{lists}/F{layers}-{arity}-{number}-{seed}.csv')
                case.write(paths[-1], Draw(fabric, amount, seed, sim))
            for transport, (rule, (scheme, hosts)) in itertools.product(TRANSPORTS, RULES.items()):
                if hosts == 'ethereal' and case.dead:
                    continue  # hosts do not know of dead links
                found += [drblab.Point.of(
                    'list', {'rule': rule, 'transport': transport, 'traffic': case.name}, list=path, layers=layers,
                    arity=arity, scheme=scheme, hosts=hosts, delay=DELAY, longest=LONGEST, seed=seed,
                    **_transport(transport, rule), **case.faults(fabric), **measured)
                    for seed, path in enumerate(paths, 1)]
    return found


def rows_of(frame: pandas.DataFrame) -> list[Row]:
    """Returns rows whose undefined figures are NaN.

    Slowdowns are undefined under a rule that left a transfer unfinished. The bound and the
    makespan are undefined if transfers begin at random."""
    rows = []
    for record in frame.to_dict('records'):
        of: dict[str, Any] = {str(name): math.nan if value is None else value for name, value in record.items()}
        at_random, whole = of.get('until', math.nan) > 0, not of['unfinished']
        rows.append(SimpleNamespace(
            layers=int(of['layers']), arity=int(of['arity']), transport=of['transport'], traffic=of['traffic'],
            rule=of['rule'], unfinished=int(of['unfinished']), marked=of['marked'], resent=of['resent'],
            bound=math.nan if at_random else of['bound'], makespan=math.nan if at_random else of['makespan'],
            slowdown=of['slowdown_mean'] if whole else math.nan,
            slowdown_p99=of['slowdown_p99'] if whole else math.nan))
    return rows


def _without_errors(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Leaves out a rule at a place where a run of it has no figures, and says so."""
    if 'error' not in frame:
        return frame
    place = list(zip(*(frame[name] for name in ('layers', 'arity', 'transport', 'traffic', 'rule'))))
    wrong = {key for key, error in zip(place, frame['error']) if isinstance(error, str)}
    for layers, arity, *names in sorted(wrong):
        print(f"drblab: F({layers},{arity}), {', '.join(names)}: left out, a run has no figures", file=sys.stderr)
    return frame[[key not in wrong for key in place]]


def places_of(rows: Sequence[Row]) -> list[Place]:
    """Returns the places of rows in the order of the plan, after comparing their rules."""
    groups = itertools.groupby(rows, lambda row: (tree_of(row), row.traffic, row.transport))
    places = [Place(list(group)) for _, group in groups]
    _compare(places)
    return places


def _compare(places: Sequence[Place]) -> None:
    """Judges all pairs of rules, with Holm's correction over all pairs and fabrics.

    The correction is needed because the same seeds choose the best rules and judge them."""
    pairs = [(place, *pair) for place in places for pair in place.pairs()]
    ratios = [place.ratio(*pair) for place, *pair in pairs]
    for i in below([Margin(SAME - abs(ratio.mean - 1), ratio.half, ratio.count) for ratio in ratios]):
        place, switch, host = pairs[i]
        place.less.add((switch, host) if ratios[i].mean < 1 else (host, switch))


def _times(sample: Sample) -> str:
    return f'{sample.mean:.3f}' + (f' ± {sample.half:.3f}' if sample.count > 1 else '')


def _percent(place: Place, label: str, key: str) -> str:
    share = 100 * place.sample(label, key).mean
    if 0 < share < 0.01:
        return '< 0.01 %'
    return f'{share:.0f} %' if share >= 9.95 else f'{share:.2g} %'


def _why(place: Place) -> str:
    """The cause of the difference between the best switch and the best rule of hosts."""
    marked = [_percent(place, label, 'marked') for label in (place.switch, place.host)]
    if place.used >= FULL:
        return f"the links of hosts, or the order of transfers, ask for {100 * place.used:.0f} % of that time"
    if place.winner in ('switch', 'host'):
        return f'{marked[0]} of its packets are marked, with hosts {marked[1]}'
    return f'{marked[0]} and {marked[1]} of the packets are marked'


def _why_flows(place: Place) -> str:
    flow = place.flow
    resent = place.sample(flow, 'resent').mean
    late = f', and {_percent(place, flow, "resent")} are sent again' if resent > 1e-3 else ''
    return f'{_percent(place, flow, "marked")} of its packets are marked{late}'


def _never(place: Place, label: str) -> str:
    rows = place.of[label]
    open_ends = sum(row.unfinished > 0 for row in rows)
    return (f'did not end in {open_ends} of {len(rows)} seeds within {LONGEST:,} slots '
            f'(transfers left: {place.left(label)})')


def sentence(place: Place) -> str:
    """Returns a text: the winner of a place, its advantage, and the cause."""
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


def summary(places: Sequence[Place]) -> str:
    """Returns a text: how often which side wins under one transport."""
    wins = [place.winner for place in places]
    never = f' In {wins.count("never")} no rule of a side ended in all seeds.' if 'never' in wins else ''
    return (f'{places[0].transport}: of {len(places)} places the switch wins {wins.count("switch")}, '
            f'the host {wins.count("host")}; {wins.count("neither")} are equal to {100 * SAME:g} %, '
            f'{wins.count(None)} have no sure winner.{never}')


def _rows(places: Sequence[Place]) -> Iterator[dict[str, Any]]:
    for place in places:
        for label in place.of:
            samples = [place.sample(label, key) for key in KEYS]
            yield dict(zip(COLUMNS, (*place.tree, place.transport, place.traffic, label, len(place.of[label]),
                                     *(figure for sample in samples for figure in (sample.mean, sample.half)),
                                     *(place.sample(label, key).mean for key in COLUMNS[-4:]))))


def figure(mine: Sequence[Place]) -> Figure:
    """Times of all rules next to those of hosts that reuse good paths: one fabric and transport."""
    tree, transport = mine[0].tree, mine[0].transport
    ratios = {(label, place.traffic): place.ratio(label, 'hosts reps') for place in mine for label in place.of}
    low = 0.8 * min([1, *(ratio.mean for ratio in ratios.values() if not math.isnan(ratio.mean))])
    f = Figure('hosts-F{}-{}-{}'.format(*tree, transport.lower().replace(' ', '-')), 'bars',
               f'Switch or host, {name_of(tree)}, {transport}',
               'Beyond the paper: the time until all has arrived (web search: mean slowdown), next to that of hosts '
               'reps, seed by seed. Bars: 95 % intervals over seeds.', Axis('traffic'),
               Axis('next to hosts reps', log=True, low=low, base=1), wide=True)
    for label in mine[0].of:
        f.add(label, STYLES.get(label, label),
              [Point(re.sub(', |(?<=reduce-)', '\n', place.traffic), ratios[label, place.traffic].mean,
                     ratios[label, place.traffic].half, note='never' if place.left(label) else '')
               for place in mine if label in place.of])
    return f


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument('--quick', action='store_true', help='F(3,4) alone, with short transfers')
    parser.add_argument('--seeds', type=options.count, default=10, metavar='COUNT',
                        help='runs of each rule at each place; half of them on F(3,24)')
    options.add_run_options(parser)


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    folder, engine = options.folder_of(args), options.engine_of(args)
    os.makedirs(f'{folder}/lists', exist_ok=True)
    frame = drblab.run(points(args.quick, args.seeds, f'{folder}/lists', engine.path), engine,
                       journal=f'{folder}/rows.jsonl')
    whole = _without_errors(frame)
    places = places_of(rows_of(whole))
    write_csv(f'{folder}/hosts.csv', list(_rows(places)), COLUMNS)
    for tree, transport in itertools.product(dict.fromkeys(place.tree for place in places), TRANSPORTS):
        picture = figure([place for place in places if (place.tree, place.transport) == (tree, transport)])
        write_picture(picture, f'{folder}/{picture.name}.svg')
    for transport in TRANSPORTS:
        mine = [place for place in places if place.transport == transport]
        print(*map(sentence, mine), summary(mine), sep='\n')
    return int(len(whole) < len(frame))
