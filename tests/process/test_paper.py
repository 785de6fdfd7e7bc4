#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The report of `drbsim paper`: that every claim follows from the data, and which data would refute it.

test_paper.py TOPO_DIR DRBSIM DRBTOPO    TAP on standard output. Wiring, bins and fixed points are those that drbsim
computes; flows, packets and chains are made up, so that what the paper says of them is so."""
import copy
import csv
import html
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from types import SimpleNamespace

TOPO, DRBSIM, DRBTOPO = sys.argv[1:4]
sys.dont_write_bytecode = True
sys.path.insert(0, TOPO)

import tap  # noqa: E402
from drbfabric.paper import report, study, tables  # noqa: E402
from drbfabric.paper.claims import judge_all  # noqa: E402
from drbfabric.paper.judge import CLAIMS, Judgement, Margin  # noqa: E402
from drbfabric.paper.results import LINES, Results  # noqa: E402
from drbfabric.report import pictures  # noqa: E402
from drbfabric.report.figure import Axis, Figure, Point  # noqa: E402
from drbfabric.report.styles import style_of  # noqa: E402
from drbfabric.report.sample import Sample  # noqa: E402

TREES = ((3, 24), (4, 12))
NOISE = (-1e-4, 0, 1e-4)  # of three seeds, relative
# Figures of each line, in the order of the paper: it is what the paper says that it is.
BUSIEST = {'drb': 1, 'drb T=0': 1.6, 'micro': 1.4, 'vlb': 1.5, 'dmodk': 1.3}
DELAY = {'drb': 1, 'drb T=0': 1.3, 'micro': 1.2, 'vlb': 1.4, 'dmodk': 1.1}
UP = {'drb': 1, 'drb T=0': 1.3, 'micro': 0.9, 'vlb': 2, 'dmodk': 3}
DOWN = {'drb': 1, 'drb T=0': 1.3, 'micro': 2, 'vlb': 2, 'dmodk': 0.9}
STAYS = {'drb': 0.9, 'drb T=0': 0.5, 'micro': 0.1, 'vlb': 0.1, 'dmodk': 1}


def flow(tree, label, c):
    hosts = 2 * tree[1] ** tree[0]
    t = 1 if label == 'drb' else 0
    load = (c + math.log(math.log(hosts)) / math.log(2) + t) * BUSIEST[label]
    return {'kind': 'flow', 'part': 'flows', 'layers': tree[0], 'arity': tree[1], 'hosts': hosts, 'label': label,
            'scheme': label.split()[0], 'flows': c, 'threshold': t, 'runs': 200,
            'max_load': load * (1.02 if tree[0] == 4 else 1), 'max_load_sd': 0.02 * load, 'max_up': load, 'max_down': c,
            'redirected': 1 - STAYS[label], 'cpu': 1, 'done': 1}


def packet(study_of, tree, label, rho, seed, traffic='permutation'):
    factor = (1 + NOISE[seed]) / (1 - rho)
    heavy = DELAY.get(label, 1) ** (1 + rho)
    layers = tree[0]
    return {'kind': 'packet', 'part': f'{study_of} F({layers},{tree[1]})', 'study': study_of, 'layers': layers,
            'arity': tree[1], 'hosts': 2 * tree[1] ** layers, 'label': label, 'scheme': label.split()[0],
            'traffic': traffic, 'rho': rho, 'threshold': None, 'seed': seed + 1, 'slots': 800, 'measured': 400,
            'dead': 0, 'dead_links': 0, 'dead_switches': 0, 'latency': factor * heavy, 'tail': 2 * factor * heavy,
            'redirected': 1 - STAYS.get(label, 1), 'throughput': rho, 'drift': 0.001, 'lost': 0, 'growing': 0,
            'unclear': 0, 'growing_links': 0, 'up_mean': [factor * UP.get(label, 1)] * (layers - 1),
            'up_max': [20 * UP.get(label, 1)] * (layers - 1), 'down_mean': [factor * DOWN.get(label, 1)] * layers,
            'down_max': [20 * DOWN.get(label, 1)] * layers, 'cpu': 1, 'done': 1}


def faults():
    for scheme in study.Faults.SCHEMES:
        for links, switches in ((0, 0), (205, 0), (0, 19)):
            yield {**packet('faults', (3, 8), scheme, 0.5, 1), 'dead_links': links, 'dead_switches': switches,
                   'dead': 0.1 if links or switches else 0, 'lost': 1e-3 if links or switches else 0}


def chain(theory, queues, seed):
    factor = 1 + NOISE[seed] + 0.1 / queues
    s = [share * (1 + NOISE[seed]) for share in [*theory['s'], *[0] * 17][1:17]]
    return {'kind': 'chain', 'part': 'theory', 'queues': queues, 'rate': theory['rate'], 'seed': seed,
            'threshold': theory['threshold'], 'mean_queue': theory['mean_queue'] * factor, 'mean_time': 1,
            'redirected': theory['redirected'] * (1 + NOISE[seed]), 's': s, 'cpu': 1, 'done': 1}


def layers(seed):
    noise = NOISE[seed]
    return {'kind': 'layers', 'part': 'theory', 'layers': 4, 'arity': 4, 'rate': 0.5, 'threshold': 0, 'seed': seed,
            'mean_queue': [0.66] * 3, 'distance': [0, 0.01 + noise, 0.01 + noise], 'departures_cv2': [1 + noise] * 3,
            'cpu': 1, 'done': 1}


def computed():
    """What drbsim writes without any run: wiring, bins, fixed points, one picture."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([DRBSIM, 'paper', '--quick', '--part', 'theory', '--out', folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = Results(folder).rows
        return [vars(row) for kind in ('theory', 'bins', 'tree', 'heat') for row in rows[kind]]


COMPUTED = computed()


def made_up():
    fixed = [row for row in COMPUTED if row['kind'] == 'theory']
    rows = [{'kind': 'run', 'version': '0', 'seed': 1, 'seeds': 3, 'quick': 1, 'points': 9, 'left': 0}]
    rows += [packet('persistent', (3, 8), scheme, rho, seed, traffic)
             for traffic in ('permutation', 'fixed', 'mixed', 'reversal', 'tornado') for rho in (0.5, 0.95)
             for scheme in study.SCHEMES for seed in range(3)]
    rows += list(faults())
    rows += [chain(theory, queues, seed) for queues in (1000, 30, 10) for theory in fixed for seed in range(3)
             if theory['threshold'] == theory['whole'] and (queues == 1000 or theory['rate'] == 0.9)]
    rows += [layers(seed) for seed in range(3)]
    rows += [flow(tree, label, c) for tree in TREES for label in LINES for c in (1, 5, 20)]
    rows += [packet('packet', tree, label, rho, seed)
             for tree in TREES for label in LINES for rho in (0.6, 0.9) for seed in range(3)]
    return rows + COMPUTED


def results_of(rows):
    results = Results.__new__(Results)
    results.take([SimpleNamespace(**{k: math.nan if v is None else v for k, v in row.items()}) for row in rows])
    return results


def verdicts(rows):
    return {claim.judge.__name__: j for claim, j in judge_all(results_of(rows))}


RIGHT = made_up()
# What the paper says, and is not so whatever is simulated: of the fixed point, and of D-mod-k on F(3,24).
REFUTED = {'sum_printed', 'worst_permutation'}


def what_the_paper_says_is_reproduced():
    of = verdicts(RIGHT)
    assert len(of) == len(CLAIMS) - 6, 'two claims of one name'  # but for those not testable, seven without one
    wrong = {name: (j.verdict, j.margin, j.half, j.where) for name, j in of.items() if name != '<lambda>' and
             j.verdict != ('not reproduced' if name in REFUTED else 'reproduced')}
    assert not wrong, wrong
    assert of['<lambda>'].verdict == 'not testable'


def times(factor):
    return lambda value: [factor * v for v in value] if isinstance(value, list) else factor * value


def first(change):
    """Of a list, or a list of lists, the first value."""
    return lambda value: [first(change)(value[0]) if isinstance(value[0], list) else change(value[0]), *value[1:]]


def moved(value):
    return value + 1


LONG, SMALL = {'queues': 1000}, {'layers': 3, 'arity': 4}
# For each claim data that refute it: rows of a kind, which of them, which figure, and what it is instead.
WRONG = {
    'bins_one': ('bins', {'choices': 1}, 'fullest', times(3)),
    'bins_two': ('bins', {'choices': 2, 'each': 1}, 'fullest', times(2)),
    'bins_third': ('bins', {'choices': 3}, 'fullest', times(0)),
    'micro_as_random': ('packet', {'label': 'micro'}, 'down_mean', times(0.8)),
    'flow_dmodk_up': ('flow', {'label': 'dmodk'}, 'max_load', times(0.5)),
    'zero_down': ('packet', {'label': 'drb T=0'}, 'down_mean', times(0.7)),
    'counts': ('tree', {'arity': 24}, 'host', times(0)),
    'wiring': ('tree', {'arity': 12}, 'up_port', first(moved)),
    'paths_down': ('tree', {'layers': 4, 'arity': 2}, 'down', first(moved)),
    'example': ('tree', {'layers': 3, 'arity': 2}, 'down', lambda v: [*v[:2], v[2][::-1]]),
    'core_0': ('tree', {'layers': 3, 'arity': 2}, 'up', lambda v: [v[0], v[1][::-1]]),
    'disjoint': ('tree', SMALL, 'up', lambda v: [v[0], [v[1][i // 4 * 4] for i in range(len(v[1]))]]),
    'flow_dmodk_down': ('flow', {'label': 'dmodk', 'flows': 5}, 'max_down', moved),
    'flow_zero_half': ('flow', {'label': 'drb T=0'}, 'redirected', times(1.2)),
    'zero_half': ('packet', {'label': 'drb T=0'}, 'redirected', times(1.2)),
    'flow_zero_stays': ('flow', {'label': 'drb T=0'}, 'redirected', times(1.2)),
    'zero_stays': ('packet', {'label': 'drb T=0'}, 'redirected', times(1.2)),
    'flow_zero_fails': ('flow', {'label': 'drb T=0'}, 'max_load', times(0.7)),
    'zero_fails': ('packet', {'label': 'drb T=0'}, 'latency', times(0.7)),
    'chain_threshold': ('chain', {'threshold': 2}, 'redirected', times(2)),
    'flow_best': ('flow', {'label': 'vlb', 'flows': 20}, 'max_load', times(0.6)),
    'flow_spread': ('flow', {'label': 'micro'}, 'max_load_sd', times(10)),
    'flow_estimate': ('flow', {'label': 'drb'}, 'max_load', times(1.3)),
    'flow_second_tree': ('flow', {'layers': 3, 'label': 'drb'}, 'max_load', times(1.1)),
    'bins_heavy': ('bins', {'each': 20}, 'fullest', times(1.3)),
    'flow_limited': ('flow', {'label': 'drb'}, 'redirected', times(3)),
    'flow_two_choice': ('flow', {'label': 'drb'}, 'max_load', times(1.5)),
    'settled': ('packet', {'label': 'vlb', 'seed': 2}, 'growing', moved),
    'drb_up_mean': ('packet', {'label': 'dmodk'}, 'up_mean', first(times(0.3))),
    'drb_down_mean': ('packet', {'label': 'micro'}, 'down_mean', times(0.4)),
    'micro_up_mean': ('packet', {'label': 'dmodk'}, 'up_mean', first(times(0.2))),
    'dmodk_down_mean': ('packet', {'label': 'micro'}, 'down_mean', times(0.4)),
    'drb_up_max': ('packet', {'label': 'dmodk'}, 'up_max', times(0.3)),
    'drb_down_max': ('packet', {'label': 'micro'}, 'down_max', times(0.4)),
    'micro_up_max': ('packet', {'label': 'dmodk'}, 'up_max', times(0.2)),
    'dmodk_down_max': ('packet', {'label': 'micro'}, 'down_max', times(0.4)),
    'best': ('packet', {'label': 'drb T=0'}, 'latency', times(0.5)),
    'mean_latency': ('packet', {'label': 'micro'}, 'latency', times(0.5)),
    'tail_latency': ('packet', {'label': 'vlb'}, 'tail', times(0.4)),
    'heavy': ('packet', {'label': 'dmodk', 'rho': 0.9}, 'latency', times(0.9)),
    'threshold_mean': ('packet', {'label': 'drb T=0', 'rho': 0.6}, 'latency', times(0.5)),
    'threshold_tail': ('packet', {'label': 'drb T=0', 'rho': 0.6}, 'tail', times(0.5)),
    'defaults': ('tree', {'arity': 12}, 'defaults', first(moved)),
    'chain_bound': ('chain', {'queues': 10}, 'mean_queue', times(4)),
    'chain_drift': ('chain', {'queues': 10}, 'mean_queue', times(4)),
    'joined': ('theory', {'threshold': 3}, 'mean_queue', times(0.5)),
    'chain_limit': ('chain', LONG, 'mean_queue', times(1.05)),
    'chain_tail': ('chain', {**LONG, 'rate': 0.95}, 's', times(0.97)),
    'chain_converges': ('chain', {'queues': 30}, 'mean_queue', times(1.02)),
    'lipschitz': ('theory', {'threshold': 5}, 'steepest', times(8)),
    'closed_form': ('theory', {'threshold': 0}, 's', times(1.001)),
    'sum_right': ('theory', {'threshold': 2}, 's', times(1.001)),
    'step_bound': ('theory', {'threshold': 2}, 's', lambda s: [*s[:4], s[3], *s[5:]]),
    'powers': ('theory', {'threshold': 2}, 'z', lambda z: [*z[:3], 1.001 * z[3], *z[4:]]),
    'decay': ('theory', {'threshold': 2}, 'alpha', times(1.1)),
    'chain_power': ('chain', {**LONG, 'rate': 0.9, 'threshold': 1}, 'mean_queue', times(3)),
    'balance': ('theory', {'threshold': 1}, 's', times(1.001)),
    'chain_rate': ('chain', {'rate': 0.5}, 's', times(0.98)),
    'layers_poisson': ('layers', {}, 'departures_cv2', times(0.9)),
    'layers_equal': ('layers', {}, 'distance', times(6)),
    'layers_alike': ('packet', {'label': 'drb', 'layers': 4}, 'up_mean', first(times(1.2))),
    'layers_alike_longest': ('packet', {'label': 'drb', 'layers': 4}, 'up_max', first(times(1.3))),
}


def changed(kind, which, key, change):
    rows = [dict(row) for row in RIGHT]
    mine = [row for row in rows if row['kind'] == kind and row.get('study', 'packet') == 'packet' and
            all(row[k] == v for k, v in which.items())]
    assert mine, 'no such rows'
    for row in mine:
        row[key] = change(copy.deepcopy(row[key]))
    return rows


def every_claim_can_be_refuted():
    names = {claim.judge.__name__ for claim in CLAIMS} - {'<lambda>'} - REFUTED
    assert names == set(WRONG), names ^ set(WRONG)
    stands = {}
    for name, wrong in WRONG.items():
        results = results_of(changed(*wrong))
        j = next(Judgement(c.judge(results)) for c in CLAIMS if c.judge.__name__ == name)
        if j.verdict != 'not reproduced':
            stands[name] = j.verdict, j.margin, j.where
    assert not stands, stands


def one_run_decides_nothing():
    one, two = Margin.of(Sample([5])), Margin.of(Sample([5, 5.1]))
    j = Judgement([(one, 'one')])
    assert (j.verdict, j.open, j.runs) == ('undecided', 1, 1)
    j = Judgement([(one, 'one'), (two, 'two')])
    assert (j.verdict, j.hold, j.open, j.margin, j.where) == ('undecided', 1, 1, 5, 'one') and math.isnan(j.half)
    j = Judgement([(one, 'one'), (Margin(-1.0), 'exact')])
    assert (j.verdict, j.fail, j.margin, j.where, j.runs) == ('not reproduced', 1, -1, 'exact', 1)
    assert Judgement().verdict == 'not testable'
    # Textbook figures: mean 4, standard deviation 2, t 4.303.
    assert math.isclose(Sample([2, 4, 6]).half, 4.303 * 2 / math.sqrt(3))
    assert math.isclose(Sample.of(3, 4, 2).half, Sample([2, 4, 6]).half)


def schemes_have_colours_of_their_own():
    schemes = subprocess.run([DRBTOPO, 'schemes', '--csv'], check=True, capture_output=True, text=True).stdout
    names = [line.split(',')[0] for line in schemes.splitlines()[1:]]
    assert len(names) > 5 and len({style_of(name)[0] for name in [*names, 'drb T=0']}) == len(names) + 1, names


def persistent(change):
    rows = [dict(row) for row in RIGHT if row.get('study') == 'persistent']
    for row in rows:
        row.update(latency=10, tail=20)
        change(row)
    return study.places_of(results_of([RIGHT[0], *rows]))


def places_have_a_best():
    """walk is 20 % slower than micro in one traffic, where drb grows."""
    def change(row):
        if row['traffic'] == 'mixed' and row['rho'] == 0.5:
            row.update(growing=row['scheme'] == 'drb', latency=12 if row['scheme'] == 'walk' else 10)
    s = study.summary_of(persistent(change), (3, 8), above=False)
    assert (len(s.places), s.grows['drb'], s.grows['walk'], len(s.compared), s.within) == (5, 1, 0, 5, 4)
    assert (s.worst.traffic, s.worst.best) == ('mixed', 'micro') and math.isclose(s.worst.ratio.mean, 1.2)
    assert s.worst.ratio.count == 3 and s.worst.ratio.half < 1e-9  # each seed says so
    assert math.isclose(s.fresh, 1) and math.isclose(s.fresh_tail, 1) and math.isclose(s.disjoint, 1)
    assert not study.summary_of(persistent(change), (3, 8), above=True).grows['drb']


def walk_that_grows_has_no_best():
    def change(row):
        row['growing'] = int(row['scheme'] == 'walk' and row['seed'] == 3)
    s = study.summary_of(persistent(change), (3, 8), above=False)
    assert (s.grows['walk'], s.grows_alone, s.compared, s.worst) == (5, 5, [], None)


def unclear_is_neither_stable_nor_growing():
    """One run of micro is unclear: micro is no best, has no mean, and the page says from where."""
    def change(row):
        row['unclear'] = int(row['scheme'] == 'micro' and row['seed'] == 3 and row['rho'] == 0.95)
        row['growing'] = int(row['scheme'] == 'drb' and row['rho'] == 0.95)
    places = persistent(change)
    s = study.summary_of(places, (3, 8), above=True)
    assert (s.grows['micro'], s.compared, places[1].growth('micro')) == (0, [], 'unclear')
    rows = {row['scheme']: row for row in tables._place_rows(places[1:2])}
    assert (rows['micro']['growing'], rows['micro']['unclear'], rows['walk']['unclear']) == (0, 1, 0)
    assert math.isnan(rows['micro']['latency']) and rows['walk']['latency'] == 10
    cells = dict(zip(study.SCHEMES, dict(report.breaks(places, (3, 8)))['fixed']))
    assert (cells['micro'], cells['drb'], cells['walk']) == (
        (None, 0.95, 0.95), (0.95, None, 0.95), (None, None, 0.95))


def what_grows_counts_by_its_long_run():
    def change(row):
        row.update(growing=int(row['scheme'] == 'drb'), latency=30 if row['seed'] == 1 else 10,
                   slots=800 if row['seed'] == 1 else 400)
    place = persistent(change)[0]
    assert (place.of['drb'].growing, place.of['drb'].mean.count, place.of['drb'].mean.mean) == (3, 1, 30)
    assert (place.of['micro'].mean.count, round(place.of['micro'].mean.mean)) == (3, 17)


def a_missing_run_takes_its_place_with_it():
    def change(row):
        row['done'] = int(row['traffic'] != 'fixed' or row['rho'] != 0.5 or row['seed'] != 2)
    assert len(persistent(change)) == 9


def written(folder, rows, before=''):
    """Exit status and what was said, of a report of these rows; before: Python that runs first."""
    with open(f'{folder}/results.jsonl', 'w', encoding='utf-8') as f:
        f.writelines(json.dumps(row) + '\n' for row in rows)
    code = (f'import sys; sys.path[0] = {TOPO!r}; {before}\n'
            f'from drbfabric.paper import command; sys.exit(command.main({folder!r}))')
    done = subprocess.run([sys.executable, '-B', '-c', code], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def the_report_has_everything():
    with tempfile.TemporaryDirectory() as folder:
        assert written(folder, RIGHT) == (0, f'{folder}/report.html\n', '')
        with open(f'{folder}/report.html', encoding='utf-8') as f:
            page = f.read()
        text = html.unescape(page)
        for claim in CLAIMS:
            assert claim.says in text and claim.margin in text, claim.says
        of = {verdict: page.count(f'">{verdict}</td>') for verdict in ('reproduced', 'not reproduced', 'not testable')}
        assert list(of.values()) == [62, 2, 7], of
        targets = re.findall(r'href="#([^"]*)"', page)
        assert targets and not [t for t in targets if f'id="{t}"' not in page]
        bare = re.sub(r'src="data:[^"]*"', '', page)
        assert not re.search(r'>-?(nan|inf)|(nan|inf) ', bare) and not re.search('(src|href)="[^d#]', page)
        names = [name for name in os.listdir(folder) if name.endswith('.svg')]
        assert len(names) == 23 and all(os.path.getsize(f'{folder}/{name[:-4]}.pdf') > 1000 for name in names), names
        with open(f'{folder}/claims.csv', encoding='utf-8') as f:
            assert [row['verdict'] for row in csv.DictReader(f)].count('reproduced') == 62
        costs = tables.costs(results_of(RIGHT))
        assert sum(row['points'] for row in costs) == len([row for row in RIGHT if 'part' in row])


def pictures_show_what_is_sure():
    """Bars of intervals, what grows apart and named in the key, and colours of a dark page."""
    f = Figure('one', 'lines', "It's a <title>", 'caption', Axis('load'), Axis('slots', log=True, low=5))
    f.add('drb', 'drb', [Point(0.5, 6, 0.25), Point(0.9, 12, 1, True)])
    f.add('micro', 'micro', [Point(0.5, 7)], dashed=True)
    with tempfile.TemporaryDirectory() as folder:
        svg = pictures.draw(f, folder)
        assert 'prefers-color-scheme' in svg and 'queues grow' in svg and 'It\'s a &lt;title&gt;' in svg
        assert style_of('micro')[0] in svg and os.path.getsize(f'{folder}/one.pdf') > 1000
        f.panels[0].series[0].points.pop()
        assert 'queues grow' not in pictures.draw(f, folder)


def without_packages_the_csv_stays():
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = written(folder, RIGHT, "sys.modules['matplotlib'] = None")
        assert code == 2 and not out and err.count('\n') == 1 and 'python3-matplotlib' in err, (code, out, err)
        assert os.path.exists(f'{folder}/claims.csv') and not os.path.exists(f'{folder}/report.html')


tap.run([what_the_paper_says_is_reproduced, every_claim_can_be_refuted, one_run_decides_nothing,
         schemes_have_colours_of_their_own, places_have_a_best, walk_that_grows_has_no_best,
         unclear_is_neither_stable_nor_growing, what_grows_counts_by_its_long_run,
         a_missing_run_takes_its_place_with_it, the_report_has_everything,
         pictures_show_what_is_sure, without_packages_the_csv_stays])
