# SPDX-License-Identifier: BSD-3-Clause
"""Writes report.html: claims and their verdicts, and the paper's figures and tables."""

import math
import os
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from drblab.report import write_page
from drblab.report.sample import Sample
from drblab.studies.paper import compare, figures, found
from drblab.studies.paper.judge import NEEDS_MORE, Claim, Judgement, Margin
from drblab.studies.paper.results import LINES, Results, Tree, estimate, growth_of, name_of

Judged: TypeAlias = Sequence[tuple[Claim, Judgement]]

TEMPLATE = os.path.join(os.path.dirname(__file__), 'templates/paper.html')
VERDICTS = 'reproduced', 'not reproduced', 'undecided', NEEDS_MORE, 'not testable'
# Titles of sections, and the sections whose proofs are in an appendix.
SECTIONS = {'1': 'Introduction', '2': 'Fat-trees and D-mod-k', '3': 'The threshold', '4': 'Numerical experiments',
            '5': 'Theory'}
PROOFS = {'A': '2', 'B': '2', 'C': '5', 'D': '5'}
DRIFT = 0.01  # smallest drift that is reported, if its interval is above 0, too


def links_to(claim: Claim, trees: Sequence[Tree]) -> list[str]:
    """The figures that show a claim."""
    if not claim.figure or not claim.figure.endswith('-'):
        return [claim.figure] if claim.figure else []
    return [f'{claim.figure}F{layers}-{arity}' for layers, arity in trees]


def tally(judged: Judged) -> dict[str, list[Claim]]:
    """The paper's claims by verdict; our own checks are left out."""
    return {verdict: [claim for claim, j in judged if j.verdict == verdict and not claim.ours] for verdict in VERDICTS}


def in_words(judged: Judged) -> str:
    """'50 reproduced, 12 not reproduced, 2 undecided, 3 not testable'"""
    return ', '.join(f'{len(claims)} {verdict}' for verdict, claims in tally(judged).items() if claims)


def sections(judged: Judged) -> dict[str, list[tuple[Claim, Judgement]]]:
    """Claims and judgements by section, in the paper's order."""
    of: dict[str, list[tuple[Claim, Judgement]]] = {title: [] for title in SECTIONS.values()}
    for claim, j in judged:
        first = claim.section[0]
        of[SECTIONS[PROOFS.get(first, first)]].append((claim, j))
    return of


def table_1(results: Results) -> Iterator[tuple[int, float, list[tuple[Margin, float, float]]]]:
    """Rows of Table 1, DRB's busiest link and its estimate: c, T(c), and a cell for each tree."""
    for c in compare.FLOWS:
        points = [results.flows[tree, 'drb', c] for tree in results.trees if (tree, 'drb', c) in results.flows]
        if len(points) == len(results.trees):
            yield c, points[0].threshold, [
                (compare.busiest(p), about, abs(p.max_load - about) / about)
                for p in points for about in [estimate(c, p.hosts, p.threshold)]]


def regrets(results: Results) -> Iterator[tuple[Tree, int, list[tuple[str, float]]]]:
    """Yields each tree and by how many flows its lines exceed the optimum, at the largest c."""
    c = compare.FLOWS[-1]
    for tree in results.trees:
        loads = ((line, results.flows[tree, line, c].max_load - c) for line in (*LINES, 'paths'))
        yield tree, c, sorted(loads, key=lambda pair: pair[1])


def unsettled(results: Results) -> list[tuple[str, Tree, float]]:
    """Lines whose queues grew, or may have grown, at the end of runs of the paper's length, with
    the lowest such load."""
    grew: dict[tuple[str, Tree], float] = {}
    for tree, line, rho, runs in results.long_runs():
        if growth_of(runs) != 'no':
            grew.setdefault((line, tree), rho)
    return [(*at, rho) for at, rho in grew.items()]


def warm_up(results: Results) -> Iterator[tuple[str, Sample, float, float | None]]:
    """Yields each line, its largest drift and the load there, and the least load with a drift."""
    for tree in results.trees:
        for line in LINES:
            samples = [(rho, Sample(run.drift for run in results.runs(tree, line, rho) if not math.isnan(run.drift)))
                       for rho in results.loads]
            at, most = max(((rho, s) for rho, s in samples if s.count), key=lambda pair: pair[1].mean)
            sure = [rho for rho, s in samples if s.count and s.mean > DRIFT and s.mean - s.half > 0]
            yield f'{name_of(tree)}, {line}', most, at, sure[0] if sure else None


def write(results: Results, judged: Judged, changed: Sequence[tuple[Claim, str, Judgement]], folder: str) -> str | None:
    """Draws the pictures and writes the page. Returns its path; None if a package is missing."""
    return write_page(
        folder, figures.all_of(results), TEMPLATE, results=results, run=results.run, own=results.of('packet')[0],
        judged=judged, links_to=links_to, tally=tally(judged),
        found={claim.name: found.finding(results, claim, j) for claim, j in judged}, sections=sections(judged),
        changed=changed, name_of=name_of, table_1=list(table_1(results)), regrets=list(regrets(results)),
        unsettled=list(unsettled(results)), warm_up=list(warm_up(results)), drift=DRIFT)
