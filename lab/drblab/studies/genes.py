# SPDX-License-Identifier: BSD-3-Clause
"""Cases of the search, which describe traffic by a few numbers.

A case has a gene for each row of GENES. Each gene has few values; the search changes one gene at a
time. `Traffic` makes a traffic file from a case: no host sends more than a packet per slot, or
receives more than one on average. A new gene needs a row of GENES, and code in `Traffic`. Add rows
only at the end, so that a seed still draws the same cases as before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from drblab.random import HALF, Random, mix64

# Name, values and meaning of each gene. A value that is listed several times is drawn more often.
GENES: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    ('send', tuple(range(5)), 'eighths of the pods that only send'),
    ('receive', tuple(range(5)), 'eighths of the pods that only receive'),
    ('silent', tuple(range(5)), 'eighths of the racks that are silent'),
    ('keep', tuple(range(9)), 'eighths of the sending racks that keep their destinations'),
    ('how', tuple(range(4)), 'which ones: any, below one uplink, in one pod, both'),
    ('little', tuple(range(5)), 'eighths of the racks that send a tenth'),
    ('answers', (0, 0.01, 0.05, 0.2), 'share of what receivers answer'),
    ('lasts', (0, 256, 64, 16), 'slots until all kept destinations change at once; 0: never'),
    ('split', tuple(range(3)), 'kinds of receivers that the others draw from'),
    ('each', ('all', 'all', 'all', 1, 2, 3, 'half', 'any'), 'hosts of a rack that keep theirs'),
    ('same', (False, False, True), 'all racks keep to the same uplink and pod'),
    ('trains', (0, 0, 0, 0, 2, 4, 8, 16, 32, 64),
     'slots until a host changes its kept destination, each on its own; 0: never'),
    ('mixed', (False, True), 'of the hosts that keep, only half send trains'),
    ('rates', (None, None, None, 'keepers', 'others', 'any'), 'hosts that send less'),
    ('alone', (0, 0, 0, 0, 1, 2), 'racks, beside the pods, that only send'),
    ('links', (*6 * (None,), *2 * (('fail', 0),), *2 * (('fail', 0.02),), ('slow', 0),
               ('slow', 0.02)), 'links that are dead or at half rate: one, or a share'),
    ('uplinks', (1, 1, 1, 2), 'hosts of a rack for each uplink'),
)
NAMES = tuple(name for name, _, _ in GENES)
OF_RACKS = NAMES.index('each')  # number of the oldest genes, which are about whole racks
LITTLE = 0.1
LESS = 1.0, 0.5, 0.25  # rates of hosts
SEARCHED = 64  # attempts to find a destination, per pod
NOBODY = -1


@dataclass(frozen=True)
class Case:
    """A case. genes: indices of values, in the order of GENES; load: index in the list of loads;
    seed: for everything that the genes do not determine."""

    genes: tuple[int, ...]
    load: int
    seed: int

    @classmethod
    def any(cls, random: Random, loads: int) -> Case:
        """Draws a random case."""
        def some(rows: Sequence[tuple[str, tuple[Any, ...], str]]) -> tuple[int, ...]:
            return tuple(random.below(len(values)) for _, values, _ in rows)

        load, genes, seed = random.below(loads), some(GENES[:OF_RACKS]), random.next() & HALF
        return cls(genes + some(GENES[OF_RACKS:]), load, seed)

    @classmethod
    def of(cls, load: int = 0, seed: int = 1, **values: Any) -> Case:
        """A case with these values of genes, by name. Other genes have their first value."""
        return cls(tuple(row.index(values[name]) if name in values else 0
                         for name, row, _ in GENES), load, seed)

    def like(self, random: Random, loads: int) -> Case:
        """This case with one gene, the load or the seed drawn anew."""
        other = Case.any(random, loads)
        what = random.below(len(GENES) + 2)
        if what < len(GENES):
            genes = (*self.genes[:what], other.genes[what], *self.genes[what + 1:])
            return replace(self, genes=genes)
        return replace(self, load=other.load) if what == len(GENES) else \
            replace(self, seed=other.seed)

    def __getitem__(self, gene: str) -> Any:
        at = NAMES.index(gene)
        return GENES[at][1][self.genes[at]]

    def __str__(self) -> str:
        return ','.join(map(str, (*self.genes, self.seed)))

    def options(self, layers: int, arity: int, load: float) -> dict[str, Any]:
        """Options of a point: the fabric and its load. The load is scaled such that the remaining
        uplinks of a switch can carry it if one of them is dead."""
        uplinks = -(-arity // self['uplinks'])
        found: dict[str, Any] = {'layers': layers, 'arity': arity, 'load': load * uplinks / arity}
        if uplinks < arity:
            found['uplinks'] = uplinks
        if self['links'] and uplinks > 1:
            what, share = self['links']
            count = max(1, round(share * (layers - 1) * 2 * arity ** (layers - 1) * uplinks))
            found[what] = f'link:{count}:2' if what == 'slow' else \
                ','.join(self._links(layers, arity, uplinks, count))
            found['load'] *= (uplinks - 1) / uplinks
        return found

    def _links(self, layers: int, arity: int, uplinks: int, count: int) -> list[str]:
        """Draws links between switches, named by their lower ends. They depend only on the case, so
        that runs with other seeds have the same ones."""
        random, links = Random(self.seed, 2), []
        while len(links) < count:
            layer = 1 + random.below(layers - 1)
            ups, beside = (uplinks, arity) if layer == 1 else (arity, uplinks)
            label = random.below(2 * arity ** (layers - 2) * beside)
            links.append(f's{layer}-{label}.u{random.below(ups)}')
            links = list(dict.fromkeys(links))
        return links


def _hosts(hosts: list[int]) -> str:
    """A text for a set of hosts, as in lines of traffic files: 0-2+4."""
    runs: list[list[int]] = []
    for host in hosts:
        if runs and host == runs[-1][1] + 1:
            runs[-1][1] = host
        else:
            runs.append([host, host])
    return '+'.join(f'{a}-{b}' if b > a else f'{a}' for a, b in runs)


class Traffic:
    """The traffic of a case on F(layers, arity), for a run of `slots` slots.

    `lines` are the lines of the traffic file after its heading; there are none if no host sends."""

    def __init__(self, case: Case, layers: int, arity: int, slots: int) -> None:
        self.case, self.arity = case, arity
        self.hosts = 2 * arity ** layers
        self.pods, self.in_pod, self.in_rack = 2 * arity, arity ** (layers - 1), arity
        self.racks = self.hosts // self.in_rack
        self.random = Random(case.seed)
        self.hosts_random = Random(case.seed, 1)  # of the genes of hosts
        self.sends, self.receives, self.keeps = ([False] * self.hosts for _ in range(3))
        self.rate = [1.0] * self.hosts
        self.lines: list[str] = []
        self._draw_roles()
        self._draw_hosts()
        self._draw_kept()
        self._write_kept(0, 1)
        for kind in range(case['split'] + 1):
            self._write_fresh(kind)
        self._write_answers()
        self._write_changes(slots)
        self._write_trains(slots)

    def text(self) -> str:
        """The text of the traffic file."""
        return '\n'.join(['slot,from,to,rate', *self.lines, ''])

    def _eighths(self, gene: str, of: int) -> int:
        return int((self.case[gene] * of + 4) // 8)

    def _draw_roles(self) -> None:
        """Draws pods that only send or only receive, and racks that are silent, send little, or
        keep their destinations."""
        send = self._eighths('send', self.pods)
        receive = self._eighths('receive', self.pods)
        for i, pod in enumerate(self.random.permutation(self.pods)):
            for h in range(pod * self.in_pod, (pod + 1) * self.in_pod):
                self.receives[h] = i >= send
                self.sends[h] = i < send or i >= send + receive
        for gene in ('silent', 'little', 'keep'):
            count = self._eighths(gene, self.racks)
            for rack in self.random.permutation(self.racks)[:count]:
                for h in self._rack(rack):
                    if gene == 'silent':
                        self.sends[h] = self.receives[h] = False
                    elif gene == 'little':
                        self.rate[h] = LITTLE
                    else:
                        self.keeps[h] = self.sends[h]

    def _rack(self, rack: int) -> range:
        return range(rack * self.in_rack, (rack + 1) * self.in_rack)

    def _draw_hosts(self) -> None:
        """Draws hosts that keep their destinations in racks that do, racks that only send, and
        hosts that send less."""
        random, each, rates = self.hosts_random, self.case['each'], self.case['rates']
        for rack in range(self.racks):
            count = {'all': self.in_rack, 'half': (self.in_rack + 1) // 2,
                     'any': random.below(self.in_rack + 1)}.get(each, each)
            for place in random.permutation(self.in_rack)[count:]:
                self.keeps[self._rack(rack)[place]] = False
        for rack in random.permutation(self.racks)[:self.case['alone']]:
            for h in self._rack(rack):
                self.receives[h] = self.receives[h] and not self.sends[h]
        for h in range(self.hosts):
            less = LESS[random.below(len(LESS))]
            if rates == 'any' or rates == ('keepers' if self.keeps[h] else 'others'):
                self.rate[h] *= less

    def _draw_kept(self) -> None:
        self.to, self.taken = [NOBODY] * self.hosts, [False] * self.hosts
        digit = pod = 0
        for h in range(self.hosts):
            if h % self.in_rack == 0 and not (h and self.case['same']):
                digit, pod = self.random.below(self.arity), self.random.below(self.pods)
            if self.keeps[h]:
                self.to[h] = self._find(h, digit, pod)
            if self.to[h] != NOBODY:
                self.taken[self.to[h]] = True

    def _find(self, h: int, digit: int, pod: int) -> int:
        """Finds a destination that no host has, if possible of the kind that its rack keeps."""
        how, last = self.case['how'], NOBODY
        for _ in range(SEARCHED * self.pods):
            to = self.random.below(self.hosts)
            if to == h or self.taken[to] or not self.receives[to]:
                continue
            last = to
            if (not how & 1 or to % self.arity == digit) and \
                    (not how & 2 or to // self.in_pod == pod):
                break
        return last

    def _write_kept(self, slot: int, scale: float) -> None:
        self.lines += [f'{slot},{h},{to},{scale * self.rate[h]:.9g}'
                       for h, to in enumerate(self.to) if to != NOBODY]

    def _write_group(self, sources: list[int], to: list[int], rate: float) -> None:
        """Writes a line: each source sends at this rate, each packet to a random one of `to`."""
        if sources and len(to) > 1:
            self.lines.append(f'0,{_hosts(sources)},{_hosts(to)},{rate:.9g}')

    def _write_fresh(self, kind: int) -> None:
        """Hosts that keep no destination draw from the remaining hosts, each from one kind."""
        kinds, seed, hosts = self.case['split'] + 1, self.case.seed, range(self.hosts)
        to = [h for h in hosts if self.receives[h] and not self.taken[h]
              and mix64(h ^ seed) % kinds == kind]
        sources = [h for h in hosts if self.sends[h] and not self.keeps[h]
                   and mix64(~h & HALF ^ seed) % kinds == kind]
        total = sum(self.rate[h] for h in sources)
        scale = len(to) / total if total > len(to) else 1.0
        # No host draws itself, so the other hosts of its kind get a little more: scale down.
        scale *= 1 - 1.0 / len(to) if len(to) > 1 else 1
        for rate in sorted({self.rate[h] for h in sources}, reverse=True):
            self._write_group([h for h in sources if self.rate[h] == rate], to, scale * rate)

    def _write_answers(self) -> None:
        """Hosts that only receive answer those that only send."""
        hosts, share = range(self.hosts), self.case['answers']
        sources = [h for h in hosts if self.receives[h] and not self.sends[h]]
        to = [h for h in hosts if self.sends[h] and not self.receives[h]]
        if to and share * len(sources) > len(to):
            share = len(to) / len(sources)
        if share:
            self._write_group(sources, to, share)

    def _write_changes(self, slots: int) -> None:
        """Exchanges kept destinations among the hosts that keep them, for all at once."""
        every, to = self.case['lasts'], self.to
        for slot in range(every, slots, every) if every else ():
            self._write_kept(slot, 0)
            last = NOBODY
            for h in range(self.hosts):
                if to[h] == NOBODY:
                    continue
                if last != NOBODY and to[h] != last and to[last] != h:
                    to[h], to[last] = to[last], to[h]
                last = h if self.random.below(2) else last
            self._write_kept(slot, 1)

    def _write_trains(self, slots: int) -> None:
        """Lets pairs of hosts exchange their kept destinations, such that each host keeps its own
        for `trains` slots on average."""
        length, random, to = self.case['trains'], self.hosts_random, self.to
        hosts = [h for h in range(self.hosts) if to[h] != NOBODY
                 and not (self.case['mixed'] and random.below(2))]
        if not length or self.case['lasts'] or len(hosts) < 2:
            return
        due = 0.0
        for slot in range(1, slots):
            due += len(hosts) / (2 * length)
            changed: dict[tuple[int, int], float] = {}
            for _ in range(int(due)):
                a, b = (hosts[random.below(len(hosts))] for _ in range(2))
                if a == b or to[a] == b or to[b] == a:
                    continue
                changed |= {(a, to[a]): 0, (b, to[b]): 0}
                to[a], to[b] = to[b], to[a]
                changed |= {(a, to[a]): self.rate[a], (b, to[b]): self.rate[b]}
            self.lines += [f'{slot},{a},{b},{rate:.9g}' for (a, b), rate in changed.items()]
            due %= 1
