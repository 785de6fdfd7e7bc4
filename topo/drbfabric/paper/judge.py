# SPDX-License-Identifier: BSD-3-Clause
"""What a claim is, and how comparisons of figures decide on it.

A claim of the paper is a function of the results that yields comparisons: (margin, where). With the claim's room added,
a margin is above 0 where it speaks for the claim. One holds if all of its 95 % interval is above 0; as all have to
hold, no correction for their number is due. One fails if all of it is below 0 after Holm's correction: of 240
comparisons some would be below by chance.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from drbfabric.report.sample import chance, student

EXACT = 2 ** 32  # runs of what chance has no part in
ERROR = 0.05
NEEDS_MORE = 'needs the full run'


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

    def off(self, target=0.0):
        """How far it is from what it should be: a claim's room may be as large."""
        return self._replace(value=-abs(self.value - target))

    def times(self, factor):
        return Margin(self.value * factor, self.half * factor, self.runs)

    @property
    def chance(self):
        """Of a figure so far below 0, were it really 0."""
        if self.value >= 0 or math.isnan(self.half):
            return 1.0
        if not self.half:
            return 0.0
        return chance(-self.value / self.half * student(self.runs - 1), self.runs - 1)


def below(margins):
    """Which of them are below 0 for sure, by Holm: the k-th least likely of n is as rare as 0.05 / (n - k + 1)."""
    order = sorted(range(len(margins)), key=lambda i: margins[i].chance)
    found = set()
    for k, i in enumerate(order):
        if margins[i].chance > ERROR / (len(margins) - k):
            break
        found.add(i)
    return found


class Judgement:
    """Comparisons that hold, fail or are open; the least margin, and where it is. flips: the room with which all would
    hold; a claim with less is not reproduced, or undecided."""

    def __init__(self, comparisons=(), room=0.0, unjudged='not testable', undecided='undecided'):
        pairs = [(margin._replace(value=margin.value + room), where) for margin, where in comparisons]
        margins = [margin for margin, _ in pairs]
        self.fail = len(below(margins))
        self.hold = sum(margin.value - margin.half > 0 for margin in margins)
        self.open = len(margins) - self.hold - self.fail
        self.unjudged, self.undecided = unjudged, undecided
        self.runs = min((margin.runs for margin in margins), default=0)
        (self.margin, self.half, _), self.where = min(
            pairs, key=lambda pair: pair[0].value if pair[0].value == pair[0].value else -math.inf,
            default=(Margin(math.nan, math.nan), ''))
        # Of a figure that one run yields nobody knows how sure it is: it has no half, and is open.
        sure = [margin.half - margin.value for margin in margins]
        self.flips = math.nan if any(map(math.isnan, sure)) else room + max(sure, default=math.nan)

    @property
    def is_exact(self):
        return self.runs == EXACT

    @property
    def verdict(self):
        if not self.hold + self.fail + self.open:
            return self.unjudged
        return 'not reproduced' if self.fail else self.undecided if self.open else 'reproduced'


@dataclass
class Claim:
    """section and source of the paper ('4.1', 'Fig. 4'); margin: what is compared, or why nothing can be. figure: of
    the report, for each tree if it ends in '-'. room: how far off what is compared may be, in its unit: ours, the paper
    names none. ours: a check of ours that the paper does not claim in these words, or that could hardly fail.
    full: what the runs of --quick are too short for."""
    section: str
    source: str
    says: str
    margin: str
    judge: Callable
    figure: str | None = None
    room: float = 0.0
    ours: bool = False
    full: bool = False

    @property
    def name(self):
        return self.judge.__name__


CLAIMS: list[Claim] = []


def claim(section, source, says, margin, **more):
    """Makes a function a claim, in the order of the report."""
    def add(judge):
        CLAIMS.append(Claim(section, source, says, margin, judge, **more))
        return judge
    return add


def untestable(name, section, says, why):
    def judge(results):
        return ()
    judge.__name__ = name
    claim(section, 'text', says, why)(judge)


def judge_claim(of, results):
    if not results.run.quick:
        return Judgement(of.judge(results), of.room)
    if of.full:
        return Judgement(unjudged=NEEDS_MORE)
    return Judgement(of.judge(results), of.room, undecided=NEEDS_MORE)
