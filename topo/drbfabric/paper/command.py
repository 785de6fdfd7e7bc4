# SPDX-License-Identifier: BSD-3-Clause
"""From results.jsonl to CSV files and, once all points are done, claims, pictures and report.html."""

from drbfabric.paper import report, tables
from drbfabric.paper.claims import judge_all
from drbfabric.paper.results import Results


def main(folder):
    results = Results(folder)
    tables.write_study(results, folder)
    if results.run.left:
        print(f'{folder}/study.csv')
        return 0
    judged = judge_all(results)
    tables.write_all(results, folder)
    tables.write_claims(judged, folder)
    page = report.write(results, judged, folder)
    if not page:
        return 2
    print(page)
    return 0
