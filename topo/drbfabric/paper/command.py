# SPDX-License-Identifier: BSD-3-Clause
"""From results.jsonl to CSV files and, once all points are done, claims, pictures and report.html."""

import sys

from drbfabric.paper import found, hosts, report, tables
from drbfabric.paper.claims import judge_all
from drbfabric.paper.results import Results


def changes(before, judged):
    """What was said of claims before, and is not now: (claim, what was said, Judgement)."""
    return [(claim, before[claim.name], j) for claim, j in judged if before.get(claim.name, j.verdict) != j.verdict]


def main(folder):
    results = Results(folder)
    tables.write_study(results, folder)
    compared = hosts.write(results, folder)
    if results.run.left:
        print(f'{folder}/study.csv')
        if compared:
            print(compared)
        return 0
    judged = judge_all(results)
    before = tables.verdicts(folder)
    changed = changes(before, judged)
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


def renew(folder, path):
    """The table of what was not reproduced in a text, from a full run."""
    results = Results(folder)
    if results.run.left or results.run.quick:
        print(f'{folder}/results.jsonl: not of a full run; drbsim paper --out DIR makes one', file=sys.stderr)
        return 2
    with open(path, encoding='utf-8') as f:
        text = f.read()
    if text.count(found.BEGIN) != 1 or text.count(found.END) != 1:
        print(f'{path}: needs one line {found.BEGIN.strip()} and one {found.END.strip()} around the table',
              file=sys.stderr)
        return 2
    with open(path, 'w', encoding='utf-8') as f:
        f.write(found.renew(text, found.table(results, judge_all(results))))
    return 0
