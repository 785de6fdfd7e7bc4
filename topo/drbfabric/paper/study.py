# SPDX-License-Identifier: BSD-3-Clause
"""The studies beyond the paper: places of traffic that persists, a place being a fabric under some traffic at some
load, each with several seeds; and what dead links and switches do."""

import itertools
from types import SimpleNamespace

from drbfabric.paper.results import growth_of, tree_of
from drbfabric.report.sample import Sample

COMPARED = ('drb', 'micro', 'walk')
SCHEMES = (*COMPARED, 'dmodk')  # this one where no defaults collide
NEAR = 1.05
# Traffic under which no defaults collide.
DISJOINT = ('tornado', 'stride', 'all-to-all')


class Studied:
    """The runs of a scheme at a place. Where queues grow latencies are what the run is long: only equal runs, those
    of the full length, have a mean then. Where it is unclear whether they do there is none."""

    def __init__(self, rows, full):
        self.rows = rows
        self.growth = growth_of(rows)
        self.growing, self.unclear = (sum(getattr(row, key) for row in rows) for key in ('growing', 'unclear'))
        means = {'no': rows, 'unclear': [], 'yes': [row for row in rows if row.slots == full]}[self.growth]
        self.mean = Sample(row.latency for row in means)
        self.tail = Sample(row.tail for row in means)


class Place:
    """best: of drb and micro the one of the lower mean latency that is stable; None if there is none, or
    walk is not. ratio: walk's latency to the best's, seed by seed."""

    def __init__(self, rows):
        first = rows[0]
        self.tree, self.traffic, self.rho = tree_of(first), first.traffic, first.rho
        self.pattern = first.traffic.split(':')[0]
        self.of = {scheme: Studied([row for row in rows if row.scheme == scheme], first.slots)
                   for scheme in SCHEMES if any(row.scheme == scheme for row in rows)}
        stable = [scheme for scheme in ('drb', 'micro') if self.is_stable(scheme) and self.is_stable('walk')]
        self.best = min(stable, key=lambda scheme: self.of[scheme].mean.mean, default=None)
        self.ratio = Sample()
        if self.best:
            self.ratio = Sample(walk.latency / other.latency
                                for walk, other in zip(self.of['walk'].rows, self.of[self.best].rows))

    def is_stable(self, scheme):
        return self.growth(scheme) == 'no'

    def grows(self, scheme):
        return self.growth(scheme) == 'yes'

    def growth(self, scheme):
        return self.of[scheme].growth if scheme in self.of else None


def places_of(results):
    """All places whose points are done."""
    groups = itertools.groupby(results.packets('persistent'), lambda row: (tree_of(row), row.traffic, row.rho))
    return [Place(rows) for rows in (list(group) for _, group in groups) if all(row.done for row in rows)]


def summary_of(places, tree, above):
    """What the places of a fabric say, up to load 0.9 or above it. fresh, disjoint: the largest mean ratios, None if
    there are none: walk to drb for fresh permutations, to dmodk where no defaults collide."""
    mine = [place for place in places if place.tree == tree and (place.rho > 0.905) == above]
    fresh = [place.of for place in mine if place.pattern == 'permutation' and place.is_stable('drb')]
    disjoint = [place.of for place in mine if place.pattern in DISJOINT and place.is_stable('dmodk')]
    compared = [place for place in mine if place.best]
    return SimpleNamespace(
        places=mine, compared=compared, within=sum(place.ratio.mean <= NEAR for place in compared),
        grows={scheme: sum(place.grows(scheme) for place in mine) for scheme in SCHEMES},
        grows_alone=sum(place.grows('walk') and not place.grows('micro') for place in mine),
        worst=max(compared, key=lambda place: place.ratio.mean, default=None),
        fresh=max((of['walk'].mean.mean / of['drb'].mean.mean for of in fresh), default=None),
        fresh_tail=max((of['walk'].tail.mean / of['drb'].tail.mean for of in fresh), default=None),
        disjoint=max((of['walk'].mean.mean / of['dmodk'].mean.mean for of in disjoint), default=None))


class Fault:
    """Draws of what is dead: a scheme at a load, with a share of the links or switches dead."""

    def __init__(self, rows, share):
        self.share, self.runs = share, len(rows)
        self.dead = rows[0].dead_links + rows[0].dead_switches if rows else 0
        self.growth = growth_of(rows)
        self.latency = Sample(row.latency for row in rows)
        self.tail = Sample(row.tail for row in rows)
        self.lost = Sample(100 * row.lost for row in rows)  # in %


class Faults:
    SCHEMES = ('drb', 'micro', 'dmodk', 'walk')

    def __init__(self, results):
        self.rows = results.packets('faults')
        self.shares = sorted({row.dead for row in self.rows})
        self.loads = sorted({row.rho for row in self.rows})
        self.tree = tree_of(self.rows[0])

    def at(self, scheme, rho, switches, share):
        return Fault([row for row in self.rows if (row.scheme, row.rho, row.dead) == (scheme, rho, share) and
                      (not share or (row.dead_switches > 0) == switches)], share)

    def line(self, scheme, switches):
        """At the highest load, by share."""
        return [self.at(scheme, self.loads[-1], switches, share) for share in self.shares]
