# SPDX-License-Identifier: BSD-3-Clause
"""report.html: claims and their verdicts, the paper's figures and tables, and the studies beyond it."""

import math
import os

from drbfabric.paper import compare, figures, found, hosts, study, tables
from drbfabric.paper.judge import NEEDS_MORE
from drbfabric.paper.results import LINES, estimate, growth_of, name_of
from drbfabric.report import write_page
from drbfabric.report.sample import Sample

TEMPLATE = os.path.join(os.path.dirname(__file__), 'templates/paper.html')
VERDICTS = 'reproduced', 'not reproduced', 'undecided', NEEDS_MORE, 'not testable'
# Appendices have the proofs of sections.
SECTIONS = {'1': 'Introduction', '2': 'Fat-trees and D-mod-k', '3': 'The threshold', '4': 'Numerical experiments',
            '5': 'Theory'}
PROOFS = {'A': '2', 'B': '2', 'C': '5', 'D': '5'}
DRIFT = 0.01  # a drift is seen where its interval is above 0 and it is more than this


def links_to(claim, trees):
    """The figures that show a claim."""
    if not claim.figure or not claim.figure.endswith('-'):
        return [claim.figure] if claim.figure else []
    return [f'{claim.figure}F{layers}-{arity}' for layers, arity in trees]


def tally(judged):
    """Verdicts and the claims of the paper that have them; checks of ours are left out."""
    return {verdict: [claim for claim, j in judged if j.verdict == verdict and not claim.ours] for verdict in VERDICTS}


def in_words(judged):
    """'50 reproduced, 12 not reproduced, 2 undecided, 3 not testable'"""
    return ', '.join(f'{len(claims)} {verdict}' for verdict, claims in tally(judged).items() if claims)


def sections(judged):
    """Claims and judgements by section, in the paper's order."""
    of = {title: [] for title in SECTIONS.values()}
    for claim, j in judged:
        first = claim.section[0]
        of[SECTIONS[PROOFS.get(first, first)]].append((claim, j))
    return of


def persistent_growth(places):
    """Where hosts keep their destinations: the place of the least load, of the first tree, at which drb grows."""
    return next((place for place in sorted(places, key=lambda place: place.rho)
                 if place.tree == places[0].tree and place.traffic == 'fixed' and place.grows('drb')), None)


def table_1(results):
    """Busiest link under DRB against its estimate: c, T(c), and a cell for each tree."""
    for c in compare.FLOWS:
        points = [results.flows.get((tree, 'drb', c)) for tree in results.trees]
        if all(points):
            yield c, points[0].threshold, [
                (compare.busiest(p), about, abs(p.max_load - about) / about)
                for p in points for about in [estimate(c, p.hosts, p.threshold)]]


def regrets(results):
    """Of each tree, at the most flows: by how many flows the busiest link of each line is above the optimum."""
    c = compare.FLOWS[-1]
    for tree in results.trees:
        loads = ((line, results.flows[tree, line, c].max_load - c) for line in (*LINES, 'paths'))
        yield tree, c, sorted(loads, key=lambda pair: pair[1])


def unsettled(results):
    """Lines whose queues still grew at the end of a run of the paper's length, or may have, and from which load on."""
    grew = {}
    for tree, line, rho, runs in results.long_runs():
        if growth_of(runs) != 'no':
            grew.setdefault((line, tree), rho)
    return [(*at, rho) for at, rho in grew.items()]


def warm_up(results):
    """By line: the largest drift with its interval and load, and the load from which there is one for sure."""
    for tree in results.trees:
        for line in LINES:
            samples = [(rho, Sample(run.drift for run in results.runs(tree, line, rho) if not math.isnan(run.drift)))
                       for rho in results.loads]
            at, most = max(((rho, s) for rho, s in samples if s.count), key=lambda pair: pair[1].mean)
            sure = [rho for rho, s in samples if s.count and s.mean > DRIFT and s.mean - s.half > 0]
            yield f'{name_of(tree)}, {line}', most, at, sure[0] if sure else None


def breaks(places, tree):
    """By traffic: of each scheme the load from which its queues grow, that from which it is unclear whether they do
    (None if there is none), and the largest that it was run at."""
    for traffic in dict.fromkeys(place.traffic for place in places if place.tree == tree):
        mine = [place for place in places if (place.tree, place.traffic) == (tree, traffic)]
        yield traffic, [(*(min((place.rho for place in mine if place.growth(scheme) == growth), default=None)
                           for growth in ('yes', 'unclear')),
                         max((place.rho for place in mine if scheme in place.of), default=None))
                        for scheme in study.COMPARED]


def up_to(line, holds):
    """The largest share, in %, up to which something holds of all of a line."""
    largest = math.nan
    for i, fault in enumerate(line):
        if fault.runs and not holds(i):
            break
        largest = 100 * fault.share if fault.runs else largest
    return largest


def findings(of, switches):
    """Of drb at the highest load."""
    drb, micro, dmodk = (of.line(scheme, switches) for scheme in ('drb', 'micro', 'dmodk'))
    lost = drb[-1].lost.mean / 100
    return {'what': 'switches' if switches else 'links', 'most': 100 * drb[-1].share,
            'one_in': 1 / lost if lost else math.inf, 'first': drb[0].latency.mean, 'last': drb[-1].latency.mean,
            'loses_nothing': up_to(drb, lambda i: not drb[i].lost.mean),
            'is_fastest': up_to(drb, lambda i: all(drb[i].latency.mean < other[i].latency.mean
                                                   for other in (micro, dmodk))),
            'no_growth': up_to(drb, lambda i: drb[i].growth == 'no')}


def fault_rows(of, switches):
    rows = [[of.at('drb', rho, switches, share) for rho in of.loads] for share in of.shares]
    return [row for row in rows if row[0].runs]


def write(results, judged, changed, folder):
    """Draws the pictures and writes the page; returns its path, None if a package is missing."""
    places, faults = study.places_of(results), study.Faults(results)
    studied = list(dict.fromkeys(place.tree for place in places))
    summaries = [(tree, above, summary) for tree in studied for above in (False, True)
                 for summary in [study.summary_of(places, tree, above)] if summary.places]
    return write_page(
        folder, figures.all_of(results), TEMPLATE, results=results, run=results.run, own=results.packets('packet')[0],
        judged=judged, links_to=links_to,
        tally=tally(judged), found={claim.name: found.finding(results, claim, j) for claim, j in judged},
        sections=sections(judged), changed=changed, surprise=persistent_growth(places),
        name_of=name_of, study=study, places=places, studied=studied, table_1=list(table_1(results)),
        regrets=list(regrets(results)), hosts=hosts, compared=hosts.places_of(results),
        unsettled=list(unsettled(results)), warm_up=list(warm_up(results)), drift=DRIFT, breaks=breaks,
        summaries=summaries, faults=faults, findings=findings, fault_rows=fault_rows, costs=tables.costs(results),
        alone=[place for place in places if place.grows('walk') and not place.grows('micro')],
        slower=[place for place in places if place.best and place.ratio.mean > study.NEAR])
