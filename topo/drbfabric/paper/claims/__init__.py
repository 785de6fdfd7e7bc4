# SPDX-License-Identifier: BSD-3-Clause
"""The claims of the paper, a file for each part of it, in its order. A claim is a function: see judge.py."""

from drbfabric.paper.claims import introduction, fat_tree, d_mod_k, threshold, flows, packets, theory
from drbfabric.paper.judge import CLAIMS, judge_claim

PARTS = introduction, fat_tree, d_mod_k, threshold, flows, packets, theory


def judge_all(results):
    """[(claim, Judgement)], in the order of the paper; all points are done."""
    return [(claim, judge_claim(claim, results)) for claim in CLAIMS]
