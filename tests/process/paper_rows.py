# SPDX-License-Identifier: BSD-3-Clause
"""Makes up results of `drblab paper` under which the paper's claims hold.

Wiring and fixed points are the real ones, which drbsim computes."""
import math
from types import SimpleNamespace

import drblab
from drblab.studies.hosts import RULES
from drblab.studies.paper.plan import Plan
from drblab.studies.paper.results import LINES, Results, rows_of

TREES = ((3, 24), (4, 12))
NOISE = (-1e-4, 0, 1e-4)  # relative deviations of the three seeds
# Factors of each scheme, in the order in which the paper ranks the schemes.
BUSIEST = {'drb': 1, 'drb T=0': 1.6, 'micro': 1.4, 'vlb': 1.5, 'dmodk': 1.3, 'paths': 1.35}
DELAY = {'drb': 1, 'drb T=0': 1.3, 'micro': 1.2, 'vlb': 1.4, 'dmodk': 1.1}
UP = {'drb': 1, 'drb T=0': 1.3, 'micro': 0.9, 'vlb': 2, 'dmodk': 3}
DOWN = {'drb': 1, 'drb T=0': 1.3, 'micro': 2, 'vlb': 2, 'dmodk': 0.9}
STAYS = {'drb': 0.9, 'drb T=0': 0.5, 'micro': 0.1, 'vlb': 0.1, 'dmodk': 1}


def named(rows):
    return [SimpleNamespace(**{k: math.nan if v is None else v for k, v in row.items()}) for row in rows]


def results_of(rows, quick=False):
    return Results(named(rows), SimpleNamespace(version='0', seed=1, quick=quick))


def flow(tree, label, c):
    hosts = 2 * tree[1] ** tree[0]
    t = 1 if label == 'drb' else 0
    load = c if label == 'optimal' else (c + math.log(math.log(hosts)) / math.log(2) + t) * BUSIEST[label]
    stays = STAYS.get(label, 1)
    return {'kind': 'flow', 'layers': tree[0], 'arity': tree[1], 'hosts': hosts, 'label': label,
            'scheme': label.split()[0], 'traffic': 'permutation', 'flows': c, 'threshold': t, 'runs': 200,
            'max_load': load * (1.02 if tree[0] == 4 and label != 'optimal' else 1), 'max_load_sd': 0.02 * load,
            'max_up': load, 'max_down': c,
            'redirected': 1 - stays, 'kept': stays ** 2}


def worst(tree, label):
    """Returns a row for the permutation that is worst for D-mod-k."""
    most = {(3, 24): 47, (4, 12): 144}[tree] if label == 'dmodk' else 5
    return {**flow(tree, label, 1), 'traffic': 'worst', 'runs': 20, 'max_load': most, 'max_load_sd': 0.1,
            'max_up': most, 'max_down': 1}


def transient(queues, start, seed):
    return {'kind': 'transient', 'queues': queues, 'rate': 0.9, 'threshold': 3, 'start': start,
            'distance': 0.7 / math.sqrt(queues) * (1 + NOISE[seed]), 'seed': seed}


def bins(n, each, choices):
    """Returns maximum loads as theory predicts them, plus a constant."""
    most = {1: 1.9 * math.log(n) / math.log(math.log(n)) - 1.5, 2: math.log(math.log(n)) / math.log(2),
            3: math.log(math.log(n)) / math.log(3)}[choices]
    return {'kind': 'bins', 'bins': n, 'each': each, 'choices': choices, 'seed': 1,
            'fullest': [most + (each if each > 1 else 0.5) + NOISE[i % 3] for i in range(20)]}


def packet(tree, label, rho, seed):
    factor = (1 + NOISE[seed]) / (1 - rho)
    heavy = DELAY.get(label, 1) ** (1 + rho)
    layers = tree[0]
    return {'kind': 'packet', 'layers': layers, 'arity': tree[1], 'hosts': 2 * tree[1] ** layers,
            'label': label, 'scheme': label.split()[0], 'traffic': 'permutation', 'rho': rho, 'threshold': None,
            'seed': seed + 1, 'slots': 800, 'measured': 400, 'latency': factor * heavy, 'tail': 2 * factor * heavy,
            'redirected': 1 - STAYS.get(label, 1), 'default_path': STAYS.get(label, 1) ** (layers - 1),
            'throughput': rho, 'drift': 0.001, 'growing': 0, 'unclear': 0, 'growing_links': 0,
            'up_mean': [factor * UP.get(label, 1)] * (layers - 1),
            'up_max': [20 * UP.get(label, 1)] * (layers - 1), 'down_mean': [factor * DOWN.get(label, 1)] * layers,
            'down_max': [20 * DOWN.get(label, 1)] * layers}


def chain(theory, queues, seed):
    factor = 1 + NOISE[seed] + 0.1 / queues
    s = [share * (1 + NOISE[seed]) for share in [*theory['s'], *[0] * 17][1:17]]
    return {'kind': 'chain', 'queues': queues, 'rate': theory['rate'], 'seed': seed,
            'threshold': theory['threshold'], 'mean_queue': theory['mean_queue'] * factor, 'mean_time': 1,
            'redirected': theory['redirected'] * (1 + NOISE[seed]), 's': s,
            'correlation': (1 + NOISE[seed]) / queues}


def layers(seed):
    noise = NOISE[seed]
    return {'kind': 'layers', 'layers': 4, 'arity': 4, 'rate': 0.5, 'threshold': 0, 'seed': seed,
            'mean_queue': [0.66] * 3, 'distance': [0, 0.01 + noise, 0.01 + noise], 'departures_cv2': [1 + noise] * 3}


def hosts(traffic, rule, seed):
    """Returns a row in which all rules take the same time; web search has no lower bound."""
    open_end = traffic == 'web search'
    return {'layers': 3, 'arity': 8, 'rule': rule, 'transport': 'DCTCP', 'traffic': traffic, 'seed': seed,
            'slowdown': 2 + NOISE[seed], 'slowdown_p99': 3, 'makespan': None if open_end else 200 * (1 + NOISE[seed]),
            'bound': None if open_end else 100, 'marked': 0.01, 'resent': 0, 'unfinished': 0}


def hosts_rows():
    return [hosts(traffic, rule, seed) for traffic in ('permutation', 'web search') for rule in RULES
            if rule not in ('micro', 'drill', 'ars by packet') for seed in range(3)]


def computed():
    """Returns the rows that drbsim computes without a run: wiring and fixed points."""
    points = [point for point in Plan(quick=True).points if point.model in ('theory', 'tree')]
    return [vars(row) for row in rows_of(drblab.run(points))]


def made_up():
    rows_of_drbsim = computed()
    fixed = [row for row in rows_of_drbsim if row['kind'] == 'theory']
    rows = [chain(theory, queues, seed) for queues in (1000, 30, 10) for theory in fixed for seed in range(3)
            if theory['threshold'] == theory['whole'] and (queues == 1000 or theory['rate'] == 0.9)]
    rows += [layers(seed) for seed in range(3)]
    rows += [flow(tree, label, c) for tree in TREES for label in (*LINES, 'paths', 'optimal') for c in (1, 5, 20)]
    rows += [worst(tree, label) for tree in TREES for label in LINES]
    rows += [transient(queues, start, seed) for start in (0, 10) for queues in (100, 1000, 10000) for seed in range(3)]
    rows += [bins(2 ** bits, 1, choices) for bits in range(10, 26, 2) for choices in (1, 2, 3)]
    rows += [bins(2 * d ** layers, each, 2) for layers, d in TREES for each in (1, 5, 10, 20)]
    rows += [packet(tree, label, rho, seed) for tree in TREES for label in LINES for rho in (0.6, 0.9)
             for seed in range(3)]
    return rows + rows_of_drbsim
