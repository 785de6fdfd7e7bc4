# SPDX-License-Identifier: BSD-3-Clause
"""The claims of the paper, a file for each part of it, in its order; any other file here adds claims behind them. A
claim is a function: see judge.py."""

import importlib
import pkgutil

from drbfabric.paper.judge import CLAIMS, judge_claim

PARTS = ['introduction', 'fat_tree', 'd_mod_k', 'threshold', 'flows', 'packets', 'theory']

for part in dict.fromkeys(PARTS + sorted(module.name for module in pkgutil.iter_modules(__path__))):
    importlib.import_module(f'{__name__}.{part}')


def judge_all(results):
    """[(claim, Judgement)], in the order of the paper; all points are done."""
    return [(claim, judge_claim(claim, results)) for claim in CLAIMS]
