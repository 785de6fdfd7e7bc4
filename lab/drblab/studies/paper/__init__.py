# SPDX-License-Identifier: BSD-3-Clause
"""every figure and table of the paper, and a verdict on each of its claims

DIR gets rows.jsonl, CSV files, figures and report.html. Called again with the same DIR, it goes on
where it was interrupted, and says which verdicts changed.

examples:
  drblab paper --quick -o quick
  drblab paper -o paper
"""

from __future__ import annotations

import argparse
import sys
from types import SimpleNamespace

import drblab
from drblab.point import PointError
from drblab.studies import options
from drblab.studies.paper import found, report, tables
from drblab.studies.paper.claims import judge_all
from drblab.studies.paper.judge import Claim, Judgement
from drblab.studies.paper.plan import Plan
from drblab.studies.paper.results import Results, rows_of


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument('--quick', action='store_true',
                        help='few repetitions and short runs: half a minute, not 20 minutes')
    parser.add_argument('--seeds', type=options.count, metavar='COUNT',
                        help='runs of each point (default: 5; with --quick 3, of packets 1)')
    parser.add_argument('--seed', type=int, default=1, help='seed of the first run')
    parser.add_argument('--renew', metavar='FILE', help='put the table of what was not reproduced '
                        'into this text; needs a full run')
    options.add_run_options(parser)


def _changes(before: dict[str, str], judged: report.Judged) -> list[tuple[Claim, str, Judgement]]:
    """Claims with another verdict than before: (claim, what was said, Judgement)."""
    return [(claim, before[claim.name], j) for claim, j in judged
            if before.get(claim.name, j.verdict) != j.verdict]


def write(results: Results, folder: str) -> int:
    """Judges and writes all files; returns the exit status."""
    judged = judge_all(results)
    before = tables.verdicts(folder)
    changed = _changes(before, judged)
    tables.write_all(results, folder)
    tables.write_claims(judged, folder)
    page = report.write(results, judged, changed, folder)
    print(report.in_words(judged))
    for claim, was, j in changed:
        print(f'changed: {claim.name} was {was}, is {j.verdict}')
    if before and not changed:
        print('no verdict differs from the last report')
    if not page:
        return 2
    print(page)
    return 0


def renew(results: Results, path: str) -> None:
    """Writes the table of what was not reproduced into a text, between its marks."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    if text.count(found.BEGIN) != 1 or text.count(found.END) != 1:
        raise PointError(f'{path}: needs one line {found.BEGIN.strip()} and one '
                         f'{found.END.strip()} around the table')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(found.renew(text, found.table(results, judge_all(results))))


def main(args: argparse.Namespace) -> int:
    """Runs the study."""
    if args.quick and args.renew:
        raise PointError('--renew: needs a full run: leave out --quick')
    folder, engine = options.folder_of(args), options.engine_of(args)
    points = Plan(args.quick, args.seeds, args.seed).points
    # The longest first, so that no thread ends long after others.
    frame = drblab.run(points[::-1], engine, journal=f'{folder}/rows.jsonl')[::-1]
    if 'error' in frame:
        print(f'drblab: {frame["error"].count()} points have no figures: no report',
              file=sys.stderr)
        return 1
    run = SimpleNamespace(version=engine.version, seed=args.seed, quick=args.quick)
    results = Results(rows_of(frame), run)
    if args.renew:
        renew(results, args.renew)
    return write(results, folder)
