# SPDX-License-Identifier: BSD-3-Clause
"""What a claim is, and how comparisons of figures decide on it.

A claim of the paper is a function of the results that yields comparisons: (margin, where). A margin is above 0 where it
speaks for the claim; it decides only if all of its interval of 95 % is on one side of 0.
"""

import math
from dataclasses import dataclass
from typing import Callable, NamedTuple

EXACT = 2 ** 32  # runs of what chance has no part in


class Margin(NamedTuple):
    """A figure, half the width of its interval (NaN of one run), and the runs behind it."""
    value: float
    half: float = 0.0
    runs: int = EXACT

    @classmethod
    def of(cls, sample):
        return cls(sample.mean if sample.count else math.nan, sample.half, sample.count)

    def less(self, other):
        return Margin(self.value - other.value, math.hypot(self.half, other.half), min(self.runs, other.runs))

    def within(self, room, target=0.0):
        """Of a distance that may be so large."""
        return self._replace(value=room - abs(self.value - target))

    def times(self, factor):
        return Margin(self.value * factor, self.half * factor, self.runs)


class Judgement:
    """Comparisons that hold, fail or are open; the least margin, and where it is."""

    def __init__(self, comparisons=()):
        self.hold = self.fail = self.open = 0
        self.margin = self.half = math.nan
        self.where, self.runs = '', 0
        for margin, where in comparisons:
            self._add(margin, where)

    def _add(self, margin, where):
        # Of a figure that one run yields nobody knows how sure it is: it has no half, and is open.
        if margin.value - margin.half > 0:
            self.hold += 1
        elif margin.value + margin.half < 0:
            self.fail += 1
        else:
            self.open += 1
        if self.hold + self.fail + self.open == 1 or margin.value < self.margin:
            self.margin, self.half, self.where = margin.value, margin.half, where
        self.runs = min(self.runs or margin.runs, margin.runs)

    @property
    def is_exact(self):
        return self.runs == EXACT

    @property
    def verdict(self):
        if not self.hold + self.fail + self.open:
            return 'not testable'
        return 'not reproduced' if self.fail else 'undecided' if self.open else 'reproduced'


@dataclass
class Claim:
    """section and source of the paper ('4.1', 'Fig. 4'); margin: what is compared, or why nothing can be. figure: of
    the report, for each tree if it ends in '-'."""
    section: str
    source: str
    says: str
    margin: str
    figure: str | None
    judge: Callable


CLAIMS: list[Claim] = []


def claim(section, source, says, margin, figure=None):
    """Makes a function a claim, in the order of the report."""
    def add(judge):
        CLAIMS.append(Claim(section, source, says, margin, figure, judge))
        return judge
    return add


def untestable(section, source, says, why):
    claim(section, source, says, why)(lambda results: ())
