# SPDX-License-Identifier: BSD-3-Clause
"""The claims of the paper, in a file for each part of it, in its order. Any other file here adds
claims after these. A claim is a function: see judge.py."""

import importlib
import pkgutil

from drblab.studies.paper.judge import CLAIMS, Claim, Judgement, judge_claim
from drblab.studies.paper.results import Results

PARTS = ['introduction', 'fat_tree', 'd_mod_k', 'threshold', 'flows', 'packets', 'theory']

for part in dict.fromkeys(PARTS + sorted(module.name for module in pkgutil.iter_modules(__path__))):
    importlib.import_module(f'{__name__}.{part}')


def judge_all(results: Results) -> list[tuple[Claim, Judgement]]:
    """Judges all claims: [(claim, Judgement)], in the order of the paper."""
    return [(claim, judge_claim(claim, results)) for claim in CLAIMS]
