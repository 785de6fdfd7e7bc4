# SPDX-License-Identifier: BSD-3-Clause
"""Claims, and how comparisons of figures decide on them.

A claim of the paper is a function of the results that yields comparisons: (margin, where). With the
claim's tolerance (`room`) added, a margin above 0 supports the claim. A comparison holds if its
whole 95 % interval is above 0; because all must hold, their number needs no correction. A
comparison fails if its whole interval is below 0 after Holm's correction, because some of 240
comparisons would be below by chance. """

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from drblab.report.sample import Sample, chance, student
from drblab.statistics import holm
from drblab.studies.paper.results import Results

EXACT = 2 ** 32  # number of runs of exact figures
ERROR = 0.05
NEEDS_MORE = 'needs the full run'


class Margin(NamedTuple):
    """A figure, half the width of its interval (NaN for one run), and the number of its runs."""
    value: float
    half: float = 0.0
    runs: int = EXACT

    @classmethod
    def of(cls, sample: Sample) -> 'Margin':
        return cls(sample.mean if sample.count else math.nan, sample.half, sample.count)

    def less(self, other: 'Margin') -> 'Margin':
        return Margin(self.value - other.value, math.hypot(self.half, other.half), min(self.runs, other.runs))

    def off(self, target: float = 0.0) -> 'Margin':
        """The negative distance from a target. A claim with a `room` tolerates such a distance."""
        return self._replace(value=-abs(self.value - target))

    def times(self, factor: float) -> 'Margin':
        return Margin(self.value * factor, self.half * factor, self.runs)

    @property
    def chance(self) -> float:
        """The probability of a figure at least this far below 0 if its true value were 0."""
        if self.value >= 0 or math.isnan(self.half):
            return 1.0
        if not self.half:
            return 0.0
        return chance(-self.value / self.half * student(self.runs - 1), self.runs - 1)


Comparisons: TypeAlias = Iterable[tuple[Margin, str]]
Judge: TypeAlias = Callable[[Results], Comparisons]


def below(margins: Sequence[Margin]) -> set[int]:
    """The indices of margins that are significantly below 0, after Holm's correction."""
    return {i for i, p in enumerate(holm([margin.chance for margin in margins])) if p <= ERROR}


class Judgement:
    """Counts comparisons that hold, fail or are open, and has the smallest margin and where it is.

    flips: the smallest `room` with which all comparisons would hold. With less, the claim is not
    reproduced, or undecided."""

    def __init__(self, comparisons: Comparisons = (), room: float = 0.0, unjudged: str = 'not testable',
                 undecided: str = 'undecided') -> None:
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
        # A figure of a single run has no interval (NaN), so its comparison is open.
        sure = [margin.half - margin.value for margin in margins]
        self.flips = math.nan if any(map(math.isnan, sure)) else room + max(sure, default=math.nan)

    @property
    def is_exact(self) -> bool:
        return self.runs == EXACT

    @property
    def verdict(self) -> str:
        if not self.hold + self.fail + self.open:
            return self.unjudged
        return 'not reproduced' if self.fail else self.undecided if self.open else 'reproduced'


@dataclass
class Claim:
    """A claim of the paper.

    section, source: of the paper ('4.1', 'Fig. 4'). margin: the quantity that is compared, or why
    there is none. figure: its figure in the report, one for each tree if it ends in '-'. room:
    tolerance, in the unit of the quantity; it is our choice, because the paper names none. ours: an
    additional check, which the paper does not claim in these words, or which could hardly fail.
    full: the claim needs longer runs than those of --quick."""
    section: str
    source: str
    says: str
    margin: str
    judge: Judge
    figure: str | None = None
    room: float = 0.0
    ours: bool = False
    full: bool = False

    @property
    def name(self) -> str:
        return self.judge.__name__


CLAIMS: list[Claim] = []


def claim(section: str, source: str, says: str, margin: str, **more: Any) -> Callable[[Judge], Judge]:
    """A decorator that makes a function a claim. The order of claims is that of the report."""
    def add(judge: Judge) -> Judge:
        CLAIMS.append(Claim(section, source, says, margin, judge, **more))
        return judge
    return add


def untestable(name: str, section: str, says: str, why: str) -> None:
    def judge(results: Results) -> Comparisons:
        return ()
    judge.__name__ = name
    claim(section, 'text', says, why)(judge)


def judge_claim(of: Claim, results: Results) -> Judgement:
    if not results.run.quick:
        return Judgement(of.judge(results), of.room)
    if of.full:
        return Judgement(unjudged=NEEDS_MORE)
    return Judgement(of.judge(results), of.room, undecided=NEEDS_MORE)
