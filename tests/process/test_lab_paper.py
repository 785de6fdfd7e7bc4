#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests `drblab paper`: data decide and can refute every claim; its plan and rows are complete.

test_lab_paper.py LAB_DIR DRBTOPO    TAP on standard output; DRB_BUILD is the build folder."""
import collections
import copy
import csv
import html
import itertools
import math
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from types import SimpleNamespace
from typing import Any

LAB, DRBTOPO = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, LAB)

import pandas  # noqa: E402
import tap  # noqa: E402
import drblab  # noqa: E402
from drblab.report import pictures  # noqa: E402
from drblab.report.figure import Axis, Figure, Point  # noqa: E402
from drblab.report.sample import Sample  # noqa: E402
from drblab.report.styles import style_of  # noqa: E402
from drblab.studies import paper  # noqa: E402
from drblab.studies.paper import compare, exact, found, plan, report  # noqa: E402
from drblab.studies.paper.claims import judge_all  # noqa: E402
from drblab.studies.paper.judge import CLAIMS, NEEDS_MORE, Judgement, Margin, below, judge_claim  # noqa: E402
from drblab.studies.paper.results import Results, rows_of  # noqa: E402
from drblab.studies.paper.wiring import Wiring, shared_links  # noqa: E402
from paper_rows import made_up, results_of  # noqa: E402


def verdicts(rows):
    return {claim.name: j for claim, j in judge_all(results_of(rows))}


def judged(name, results):
    """Returns (claim, Judgement) of this claim, without judging others."""
    return next((claim, judge_claim(claim, results)) for claim in CLAIMS if claim.name == name)


RIGHT = made_up()
# The paper's claims on its fixed point and on D-mod-k on F(3,24) are wrong in all simulations.
REFUTED = {'sum_printed', 'worst_permutation'}
UNTESTABLE = {'conga', 'first_proof', 'any_deterministic'}
# These claims use no data. Tests of their parts are below.
CERTIFICATES = {'recurrent', 'sum_right', 'lipschitz'}


def what_the_paper_says_is_reproduced():
    of = verdicts(RIGHT)
    assert len(of) == len(CLAIMS), 'two claims of one name'
    wrong = {name: (j.verdict, j.margin, j.half, j.where) for name, j in of.items() if
             j.verdict != ('not reproduced' if name in REFUTED else
                           'not testable' if name in UNTESTABLE else 'reproduced')}
    assert not wrong, wrong


def times(factor):
    return lambda value: [factor * v for v in value] if isinstance(value, list) else factor * value


def first(change):
    """Returns a change of the first value of a list, or of the first list of a list of lists."""
    return lambda value: [first(change)(value[0]) if isinstance(value[0], list) else change(value[0]), *value[1:]]


def moved(value):
    return value + 1


LONG, SMALL = {'queues': 1000}, {'layers': 3, 'arity': 4}
# Data that refute each claim: kind of rows, which of them, the changed figure, and the change.
WRONG = {
    'bins_one': ('bins', {'choices': 1, 'bins': 2 ** 24}, 'fullest', times(0.6)),
    'bins_two': ('bins', {'choices': 2, 'bins': 2 ** 24}, 'fullest', times(2)),
    'flow_paths': ('flow', {'label': 'paths'}, 'max_load', times(0.5)),
    'bins_third': ('bins', {'choices': 3}, 'fullest', times(0.7)),
    'micro_as_random': ('packet', {'label': 'micro'}, 'down_mean', times(0.8)),
    'flow_dmodk_up': ('flow', {'label': 'dmodk'}, 'max_load', times(0.5)),
    'zero_down': ('packet', {'label': 'drb T=0'}, 'down_mean', times(0.7)),
    'counts': ('tree', {'arity': 24}, 'host', times(0)),
    'wiring': ('tree', {'arity': 12}, 'up_port', first(moved)),
    'paths_down': ('tree', {'layers': 4, 'arity': 2}, 'down', first(moved)),
    'example': ('tree', {'layers': 3, 'arity': 2}, 'down', lambda v: [*v[:2], v[2][::-1]]),
    'core_0': ('tree', {'layers': 3, 'arity': 2}, 'up', lambda v: [v[0], [0] * len(v[1])]),
    'disjoint': ('tree', SMALL, 'up', lambda v: [v[0], [v[1][i // 4 * 4] for i in range(len(v[1]))]]),
    'disjoint_large': ('tree', {'arity': 24}, 'up', first(moved)),
    'worst_is_known': ('flow', {'traffic': 'worst', 'label': 'dmodk'}, 'max_up', moved),
    'valiant': ('flow', {'traffic': 'worst', 'label': 'vlb'}, 'max_load', times(30)),
    'flow_optimal': ('flow', {'label': 'optimal', 'flows': 5}, 'max_load', moved),
    'flow_dmodk_down': ('flow', {'label': 'dmodk', 'flows': 5}, 'max_down', moved),
    'flow_zero_half': ('flow', {'label': 'drb T=0'}, 'redirected', times(1.2)),
    'zero_half': ('packet', {'label': 'drb T=0'}, 'redirected', times(1.2)),
    'flow_zero_stays': ('flow', {'label': 'drb T=0'}, 'kept', times(1.3)),
    'zero_stays': ('packet', {'label': 'drb T=0', 'layers': 3}, 'default_path', times(1.4)),
    'flow_zero_fails': ('flow', {'label': 'drb T=0'}, 'max_load', times(0.7)),
    'zero_fails': ('packet', {'label': 'drb T=0'}, 'latency', times(0.7)),
    'chain_threshold': ('chain', {'threshold': 2}, 'redirected', times(2)),
    'flow_best': ('flow', {'label': 'vlb', 'flows': 20}, 'max_load', times(0.6)),
    'flow_spread': ('flow', {'label': 'micro'}, 'max_load_sd', times(10)),
    'flow_estimate': ('flow', {'label': 'drb'}, 'max_load', times(1.1)),
    'flow_estimate_each': ('flow', {'label': 'drb', 'flows': 1}, 'max_load', times(1.3)),
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
    'chain_limit': ('chain', LONG, 'mean_queue', times(1.05)),
    'chain_tail': ('chain', {**LONG, 'rate': 0.95}, 's', times(0.97)),
    'chain_converges': ('chain', {'queues': 30}, 'mean_queue', times(1.02)),
    'kurtz': ('transient', {'start': 10, 'queues': 10000}, 'distance', times(3)),
    'independent': ('chain', {**LONG, 'threshold': 3}, 'correlation', times(2)),
    'closed_form': ('theory', {'threshold': 0}, 's', times(1.001)),
    'step_bound': ('theory', {'threshold': 2}, 's', lambda s: [*s[:4], s[3], *s[5:]]),
    'powers': ('theory', {'threshold': 2}, 'z', lambda z: [*z[:3], 1.001 * z[3], *z[4:]]),
    'decay': ('theory', {'threshold': 2}, 'z', lambda z: [*z[:5], 1.1 * z[5], *z[6:]]),
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
    mine = [row for row in rows if row['kind'] == kind and all(row[k] == v for k, v in which.items())]
    assert mine, 'no such rows'
    for row in mine:
        row[key] = change(copy.deepcopy(row[key]))
    return rows


def every_claim_can_be_refuted():
    names = {claim.name for claim in CLAIMS} - UNTESTABLE - REFUTED - CERTIFICATES
    assert names == set(WRONG), names ^ set(WRONG)
    stands = {}
    for name, wrong in WRONG.items():
        j = judged(name, results_of(changed(*wrong)))[1]
        if j.verdict != 'not reproduced':
            stands[name] = j.verdict, j.margin, j.where
    assert not stands, stands


def certificates_can_fail():
    """Each check rejects a wrong rule, bound, sum or base."""
    assert exact.drift_is_no_worse(2) and not exact.drift_is_no_worse(2, lambda a, b, t: a if b < a - t else b)
    assert [exact.join(3, other, 1) for other in (0, 1, 2, 4)] == [0, 1, 3, 3]
    assert exact.is_irreducible(3, 1) and not exact.is_irreducible(2, 1, lambda a, b, t: max(a, b))
    assert exact.steepest(1, 3) == 6 and exact.steepest(2, 0) == 10
    assert exact.telescopes(3, 1) and not exact.telescopes(3, 0) and not exact.telescopes(3, 2)
    assert exact.base_of(1) == exact.Fraction(1618, 1000)
    assert exact.grows(1, exact.base_of(1)) and not exact.grows(1, exact.Fraction(1619, 1000))
    assert not exact.grows(1, exact.Fraction(1))
    assert exact.logarithms(1, 6) == [1, 2, 3, 5, 8, 13] and exact.solves_plain(exact.Fraction(2, 3))


def what_is_not_as_wired_shares_links():
    """Moves each end of a link of F(3,2) in turn.

    A misplaced host is missing from both distances."""
    row = next(row for row in RIGHT if row['kind'] == 'tree' and (row['layers'], row['arity']) == (3, 2))

    def shared(key, ends, i):
        other = copy.deepcopy(row)
        ends(other[key])[i] ^= 1
        return shared_links(Wiring(SimpleNamespace(**other)))

    assert shared_links(Wiring(SimpleNamespace(**row))) == 0
    assert [shared('host', lambda hosts: hosts, i) for i in range(16)] == [2] * 16
    for key, layer in ('up', 0), ('up_port', 0), ('up_port', 1):
        assert all(shared(key, lambda layers: layers[layer], i) for i in range(16)), (key, layer)
    # A wrong core also adds itself to the down path to other hosts.
    assert [shared('up', lambda layers: layers[1], i) for i in range(16)] == [
        4, 4, 4, 4, 7, 7, 6, 6, 4, 4, 4, 4, 1, 1, 2, 2]


def means_are_of_figures_that_are_independent():
    assert compare.mean_of([Margin(1, 3, 5), Margin(3, 4, 4)]) == Margin(2, 2.5, 4)


def all_layers_are_compared():
    """Compared are all layers except links to hosts, whose queues do not depend on the scheme."""
    results = results_of(RIGHT)
    for key, layers in ('up_mean', '123'), ('down_mean', '234'):
        assert {where[-1] for _, where in compare.queues(results, 'drb', 'micro', key)} == set(layers), key


def errors_of_the_estimate_are_relative_to_it():
    for _, _, cells in report.table_1(results_of(RIGHT)):
        assert [round(error, 9) for _, _, error in cells] == [0, 0.02]


def derivatives_are_those_of_the_equations():
    """F is quadratic, so its central difference quotients are its derivatives."""
    def f(i, s, rate, t):
        return rate * (s(i - 1) - s(i)) * (s(i - t - 1) + s(i + t)) - (s(i) - s(i + 1))

    for t in (0, 2):
        for i, j in itertools.product(range(5, 13), repeat=2):
            low, high = (f(i, lambda k: (k <= 8) + more * (k == j), 3, t) for more in (-1, 1))
            assert 2 * exact._derivative(i, j, 3, t, 8) == high - low, (i, j, t)


def a_file_adds_a_claim():
    with open(f'{LAB}/../docs/development/extending.md', encoding='utf-8') as f:
        added = f.read().split('```python\n')[1].split('```')[0]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(f'{LAB}/drblab', f'{folder}/drblab')
        with open(f'{folder}/drblab/studies/paper/claims/mine.py', 'w', encoding='utf-8') as f:
            f.write(added)
        done = subprocess.run([sys.executable, '-B', '-c', 'from drblab.studies.paper.claims import CLAIMS; '
                               'print(len(CLAIMS), CLAIMS[-1].name)'], cwd=folder, capture_output=True, text=True)
    assert done.stdout == f'{len(CLAIMS) + 1} tail_of_vlb\n', done


def many_comparisons_are_corrected_for():
    """Tests Holm's own example, and a claim with one comparison that is below 0 by chance."""
    rare: list[Any] = [SimpleNamespace(chance=p) for p in (0.01, 0.04, 0.03, 0.005)]
    assert below(rare) == {0, 3}
    assert math.isclose(Margin(-4.303, 4.303, 3).chance, 0.05, rel_tol=1e-3) and Margin(1, 0.5, 3).chance == 1
    # t = 2 with 4 degrees of freedom
    assert math.isclose(Margin(-2, 2.776, 5).chance, 0.1162, rel_tol=1e-3)
    few, by_chance = [(Margin(1, 0.1, 5), 'a')], (Margin(-0.11, 0.1, 5), 'b')
    assert Judgement([by_chance]).verdict == 'not reproduced'
    assert Judgement(few * 50 + [by_chance]).verdict == 'undecided'
    assert Judgement(few * 50 + [(Margin(-1, 0.1, 5), 'b')]).verdict == 'not reproduced'


def verdicts_flip_where_it_is_said():
    pairs = [(Margin(-0.2, 0.01, 5), 'a'), (Margin(-0.1, 0.05, 5), 'b')]
    assert math.isclose(Judgement(pairs, 0.3).flips, 0.21) and math.isclose(Judgement(pairs, 0).flips, 0.21)
    assert Judgement(pairs, 0.211).verdict == 'reproduced' and Judgement(pairs, 0.209).verdict == 'undecided'
    assert math.isnan(Judgement([(Margin(-0.2, math.nan, 1), 'a')], 0.3).flips)


def short_runs_judge_only_what_they_can():
    of = {claim.name: j for claim, j in judge_all(results_of(RIGHT, quick=True))}
    full = verdicts(RIGHT)
    for claim in CLAIMS:
        assert of[claim.name].verdict == (NEEDS_MORE if claim.full else full[claim.name].verdict), claim.name
    assert sum(claim.full for claim in CLAIMS) > 20
    unsure = results_of([{**row, 'max_load_sd': 20} if row['kind'] == 'flow' else row for row in RIGHT], quick=True)
    assert judged('flow_best', unsure)[1].verdict == NEEDS_MORE


def one_run_decides_nothing():
    one, two = Margin.of(Sample([5])), Margin.of(Sample([5, 5.1]))
    j = Judgement([(one, 'one')])
    assert (j.verdict, j.open, j.runs) == ('undecided', 1, 1)
    j = Judgement([(one, 'one'), (two, 'two')])
    assert (j.verdict, j.hold, j.open, j.margin, j.where) == ('undecided', 1, 1, 5, 'one') and math.isnan(j.half)
    assert math.isnan(j.flips)
    j = Judgement([(one, 'one'), (Margin(-1.0), 'exact')])
    assert (j.verdict, j.fail, j.margin, j.where, j.runs) == ('not reproduced', 1, -1, 'exact', 1)
    assert Judgement().verdict == 'not testable'
    # From textbooks: mean 4, standard deviation 2, t = 4.303.
    assert math.isclose(Sample([2, 4, 6]).half, 4.303 * 2 / math.sqrt(3))
    assert math.isclose(Sample.of(3, 4, 2).half, Sample([2, 4, 6]).half)


def schemes_have_colours_of_their_own():
    schemes = subprocess.run([DRBTOPO, 'schemes', '--csv'], check=True, capture_output=True, text=True).stdout
    names = [line.split(',')[0] for line in schemes.splitlines()[1:]]
    assert len(names) > 5 and len({style_of(name)[0] for name in [*names, 'drb T=0']}) == len(names) + 1, names


UNDRAWN = "sys.modules['matplotlib'] = None"


def written(folder, rows, before=''):
    """Writes a report of these rows; returns its exit status, output and errors.

    "before" is Python that runs first."""
    with open(f'{folder}/rows.pickle', 'wb') as f:
        pickle.dump(rows, f)
    code = (f'import pickle, sys; sys.path[:0] = [{LAB!r}, {os.path.dirname(os.path.abspath(__file__))!r}]; {before}\n'
            'from paper_rows import results_of; from drblab.studies import paper\n'
            f"sys.exit(paper.write(results_of(pickle.load(open('{folder}/rows.pickle', 'rb'))), {folder!r}))")
    done = subprocess.run([sys.executable, '-B', '-c', code], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def the_report_has_everything():
    with tempfile.TemporaryDirectory() as folder:
        said = '64 reproduced, 2 not reproduced, 3 not testable'
        code, out, err = written(folder, RIGHT)
        assert (code, out, err) == (0, f'{said}\n{folder}/report.html\n', ''), (out, err)
        with open(f'{folder}/report.html', encoding='utf-8') as f:
            page = f.read()
        text = html.unescape(page)
        for claim in CLAIMS:
            assert claim.says in text and claim.margin in text, claim.says
        of = collections.Counter(re.findall(r'class="verdict \w+">([a-z ]+)', page))
        assert of == {'reproduced': 70, 'not reproduced': 2, 'not testable': 3}, of
        assert re.findall(r'<b>(\d+)</b> ([a-z ]+)</a>', page) == [('64', 'reproduced'), ('2', 'not reproduced'), (
            '3', 'not testable')]
        targets = re.findall(r'href="#([^"]*)"', page)
        assert targets and not [t for t in targets if f'id="{t}"' not in page]
        bare = re.sub(r'src="data:[^"]*"', '', page)
        assert not re.search(r'>-?(nan|inf)|(nan|inf) ', bare) and not re.search('(src|href)="[^d#]', page)
        names = [name for name in os.listdir(folder) if name.endswith('.svg')]
        assert len(names) == 16 and all(os.path.getsize(f'{folder}/{name[:-4]}.pdf') > 1000 for name in names), names
        with open(f'{folder}/claims.csv', encoding='utf-8') as f:
            assert [row['verdict'] for row in csv.DictReader(f)].count('reproduced') == 70


def what_is_found_is_told():
    """Claims that do not hold have a finding with the run's figures.

    The note gets findings from full runs only."""
    rows = changed(*WRONG['zero_stays'])
    results = results_of(rows)
    told = {claim.name: found.finding(results, claim, j) for claim, j in judge_all(results)}
    assert {name for name, text in told.items() if text} == {'zero_stays', *REFUTED}, told
    assert told['zero_stays'] == '35 % stay' and told['worst_permutation'] == (
        'F(3,24): 47 at most, sqrt(N) is 166; F(4,12): 144 at most, sqrt(N) is 204'), told
    doubted = Judgement([(Margin(1.0, 0.1, 5), 'a'), (Margin(-0.5, 0.1, 5), 'b'), (Margin(0.1, 0.2, 5), 'c')], 0.1)
    assert found.counted(results, doubted) == (
        '1 of 3 comparisons hold, 1 fail, 1 open; least margin -0.4 ± 0.1: b; '
        'all would hold from a tolerance of 0.6 on')
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/note.md'
        with open(path, 'w', encoding='utf-8') as f:
            f.write(f'before\n{found.BEGIN}an old table\n{found.END}after\n')
        paper.renew(results, path)
        with open(path, encoding='utf-8') as f:
            text = f.read()
    made = found.table(results, judge_all(results))
    assert text == f'before\n{found.BEGIN}{made}{found.END}after\n', text
    assert len(made.splitlines()) == 5 and ' | 3 | not reproduced | 35 % stay |\n' in made, made


def shorter_runs_do_not_tell_of_2000_slots():
    rows = [{**row, 'slots': 120, 'growing': 1} if row['kind'] == 'packet' and row['rho'] == 0.6 else row
            for row in RIGHT]
    assert judged('settled', results_of(rows))[1].verdict == 'reproduced'
    assert results_of(rows).long_loads == results_of(RIGHT).long_loads[1:]


def every_finding_has_words():
    """Every claim that has a wording for findings uses it when the claim is refuted."""
    for name in found.FIGURES.keys() - REFUTED:
        results = results_of(changed(*WRONG[name]))
        claim, j = judged(name, results)
        said = found.finding(results, claim, j)
        assert said and 'nan' not in said and re.search(r'\d', said), (name, said)


def the_text_names_claims():
    """The claims listed as not reproduced in docs/notes/simulations.md exist with these words."""
    with open(f'{LAB}/../docs/notes/simulations.md', encoding='utf-8') as f:
        rows = f.read().split(found.BEGIN)[1].split(found.END)[0].splitlines()[2:]
    said = [tuple(row.split(' | ')[:2]) for row in rows]
    claims = [(f'| {claim.says}', claim.section) for claim in CLAIMS if not claim.ours]
    assert said and said == [pair for pair in claims if pair in said], set(said) - set(claims)


def what_changed_is_said():
    with tempfile.TemporaryDirectory() as folder:
        written(folder, RIGHT, UNDRAWN)
        said = written(folder, changed(*WRONG['flow_best']))[1].splitlines()
        assert said[1:] == ['changed: flow_best was reproduced, is not reproduced', f'{folder}/report.html'], said
        with open(f'{folder}/report.html', encoding='utf-8') as f:
            assert 'was reproduced, is not reproduced' in f.read()
        said = written(folder, changed(*WRONG['flow_best']), UNDRAWN)[1].splitlines()
        assert said[1] == 'no verdict differs from the last report', said


def pictures_show_what_is_sure():
    """Pictures have error bars, set growing runs apart, and suit dark pages.

    The key explains growing runs."""
    f = Figure('one', 'lines', "It's a <title>", 'caption', Axis('load'), Axis('slots', log=True, low=5))
    f.add('drb', 'drb', [Point(0.5, 6, 0.25), Point(0.9, 12, 1, True)])
    f.add('micro', 'micro', [Point(0.5, 7)], dashed=True)
    with tempfile.TemporaryDirectory() as folder:
        svg = pictures.draw(f, folder)
        assert 'prefers-color-scheme' in svg and 'queues grow' in svg and 'It\'s a &lt;title&gt;' in svg
        assert style_of('micro')[0] in svg and os.path.getsize(f'{folder}/one.pdf') > 1000
        f.panels[0].series[0].points.pop()
        assert 'queues grow' not in pictures.draw(f, folder)
    for name in ('drb', 'micro', 'vlb', 'dmodk', 'ecmp', 'walk', 'drill', 'bouncing', 'ars'):
        f.add(f'{name} as switches know it', name, [Point(0.5, 7)])
    canvas = pictures.canvas_of(f)
    key, page = canvas.legends[0].get_window_extent(), canvas.bbox
    assert 0 <= key.x0 and key.x1 <= page.x1 and 0 <= key.y0 and key.y1 < canvas.axes[0].bbox.y0, (key, page)


def without_packages_the_csv_stays():
    with tempfile.TemporaryDirectory() as folder:
        code, out, err = written(folder, RIGHT, UNDRAWN)
        assert code == 2 and 'html' not in out, (code, out)
        assert err.count('\n') == 1 and 'python3-matplotlib' in err, err
        assert os.path.exists(f'{folder}/claims.csv') and not os.path.exists(f'{folder}/report.html')


def the_plan_is_that_of_the_paper():
    """The plan has two trees and five schemes, and no point twice.

    Flows: c from 1 to 20, 200 times. Packets: loads 0.60, 0.63, ..., 0.99, five seeds each."""
    points = plan.Plan().points
    flows = [p for p in points if p.model == 'flow' and p.get('runs') == 200]
    packets = [p for p in points if p.model == 'packet']
    assert len(flows) == 2 * 5 * 20 and {p.get('flows') for p in flows} == set(range(1, 21))
    assert len(packets) == 2 * 5 * 14 * 5 and {p.get('seed') for p in packets} == set(range(1, 6))
    assert sorted({p.get('load') for p in packets}) == [round(0.6 + 0.03 * i, 2) for i in range(14)]
    assert {p.get('threshold') for p in (*flows, *packets)} == {None, 0}
    assert len({(p.model, p.options) for p in points}) == len(points)
    assert [plan.lengths(False, load) for load in (0.6, 0.96)] == [(120, 60), (2000, 500)]
    assert len(plan.Plan(seeds=2, seed=7).points) < len(points)


def rows_have_the_figures_of_their_points():
    """A small part of the plan yields a row for each point, with lists by layer and level."""
    points = [p for p in plan.Plan(quick=True, seeds=1).points if p.model in ('ctmc', 'ctmc_layers') or
              p.get('bins') == 1024 or p.get('arity') == 12 and (p.get('load') == 0.6 or p.get('flows') == 1)]
    results = Results(rows_of(drblab.run(points[::-1])[::-1]), SimpleNamespace(quick=True))
    assert results.trees == [(4, 12)] and results.loads == [0.6] and len(results.chains) == 25
    (run,) = results.runs((4, 12), 'drb T=0', 0.6)
    assert (len(run.up_mean), len(run.down_max), run.growing) == (3, 4, False) and run.hosts == 41472, run
    assert results.worst[(4, 12), 'dmodk'].max_up == 144 and results.flows[(4, 12), 'optimal', 1].max_load == 1
    assert len(results.chains[0].s) == 17 and len(results.layers[0].departures_cv2) == 3
    assert len(results.bins[1024, 1, 2]) == 20


def a_link_that_grows_by_chance_is_unclear():
    """Among 290,304 equal links, one link looks growing by chance."""
    row: dict[str, Any] = {'kind': 'packet', 'layers': 4.0, 'arity': 12.0, 'growing': 'yes'}
    row |= {f'queue_{way}{m}_{kind}': 1 for way in ('up', 'down') for m in range(1, 5) for kind in ('mean', 'max')}
    # 0: no single link grows, but the sum of all does
    for links, of in ((1, (False, True)), (2, (True, False)), (0, (True, False))):
        (run,) = rows_of(pandas.DataFrame([{**row, 'growing_links': links}]))
        assert (run.growing, run.unclear) == of, links


def short_runs_are_as_good():
    """Short runs agree with the paper's 2000 slots within their confidence intervals.

    A run without warm-up drifts."""
    def told(load, slots, stats):
        frame = drblab.run(drblab.sweep('packet', arity=6, load=load, slots=slots, stats=stats, seed=range(1, 6)))
        return [Sample(frame[key]) for key in ('latency', 'tail', 'drift')]

    for load in (0.6, 0.8, 0.9):
        (brief, tail, drift), (whole, whole_tail, _) = (told(load, *length) for length in (
            plan.lengths(False, load), (plan.SLOTS, plan.STATS)))
        assert abs(brief.mean - whole.mean) < brief.half + whole.half, load
        assert abs(tail.mean - whole_tail.mean) < 0.03 * whole_tail.mean and abs(drift.mean) < 0.03, load
    drift = told(0.9, 60, 60)[2]
    assert drift.mean - drift.half > 0.03, drift.mean


tap.run([what_the_paper_says_is_reproduced, every_claim_can_be_refuted, certificates_can_fail,
         what_is_not_as_wired_shares_links, means_are_of_figures_that_are_independent, a_file_adds_a_claim,
         all_layers_are_compared, errors_of_the_estimate_are_relative_to_it, derivatives_are_those_of_the_equations,
         many_comparisons_are_corrected_for, verdicts_flip_where_it_is_said,
         short_runs_judge_only_what_they_can, one_run_decides_nothing, what_changed_is_said, what_is_found_is_told,
         shorter_runs_do_not_tell_of_2000_slots, every_finding_has_words, the_text_names_claims,
         schemes_have_colours_of_their_own, the_report_has_everything, pictures_show_what_is_sure,
         without_packages_the_csv_stays, the_plan_is_that_of_the_paper, rows_have_the_figures_of_their_points,
         a_link_that_grows_by_chance_is_unclear, short_runs_are_as_good])
