# SPDX-License-Identifier: BSD-3-Clause
"""Summarises the runs of an experiment: means with standard errors, and deviations of live from
simulated figures."""

import math
import statistics

from drbfabric.experiment.experiment import TOLERANCES, unexplained


def _mean(values):
    values = [v for v in values if not math.isnan(v)]
    return statistics.fmean(values) if values else math.nan


def _largest(values):
    return max(values)


def _most(flags):
    flags = list(flags)
    return sum(flags) > len(flags) / 2


def _error(values):
    """Returns the standard error of the mean, NaN for fewer than two values."""
    return statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan


def summarise(experiment):
    """Returns a row per scheme and load: means over runs, and deviations of live from simulated."""
    rows = []
    for scheme in experiment.setup.schemes:
        for load in experiment.setup.loads:
            rows.append(_summary(experiment, scheme, load))
    return rows


def _summary(experiment, scheme, load):
    runs = [r for r in experiment.runs
            if r['counts'] and r['scheme'] == scheme and r['load'] == load]
    sims = [experiment.simulated[r['seed']][scheme, load] for r in runs]
    row = {'scheme': scheme, 'load': load, 'runs': len(runs),
           'disturbed': sum(bool(r['disturbed']) and not unexplained(r) for r in runs),
           'unexplained': sum(unexplained(r) for r in runs),
           'repeated': sum(r['scheme'] == scheme and r['load'] == load and not r['counts']
                           for r in experiment.runs),
           'lost': sum(r['lost'] + r['wrong'] for r in runs),
           **{f'{kind}{key}': _most(r[key] for r in some)
              for kind, some in (('', runs), ('sim_', sims)) for key in ('growing', 'unclear')},
           'growth_differs': sum({'yes' if r['growing'] else 'unclear' if r['unclear'] else 'no',
                                  s['growing_in_run']} == {'yes', 'no'} for r, s in zip(runs, sims))}
    for key, _ in TOLERANCES:
        row[key] = _mean([r[key] for r in runs])
        row[f'{key}_se'] = _error([r[key] for r in runs])
        row[f'sim_{key}'] = _mean([s[key] for s in sims])
        # Compared run by run, because both runs of a seed have the same traffic.
        off = [r[key] / s[key] - 1 for r, s in zip(runs, sims) if s[key]]
        row[f'{key}_off'] = _mean(off)
        row[f'{key}_off_se'] = _error(off)
    for key, largest in experiment.setup.figures:
        merge = _largest if largest else _mean
        row[key] = merge([r[key] for r in runs])
        row[f'sim_{key}'] = merge([s[key] for s in sims])
    for key in 'switch_late_us', 'late_max_us', 'machine_late_us', 'machine_lost', 'slowest_link':
        row[key] = _mean([r[key] for r in runs])
    row['within'] = not deviations(row) and not row['disturbed']
    return row


def deviations(row):
    """Returns remarks on the figures of a row that deviate by more than the tolerance and chance
    (two standard errors) allow."""
    found = []
    if row['unexplained']:
        found.append(f"{row['unexplained']} runs late while the machine had time")
    if row['growing'] or row['sim_growing']:
        # Without a steady state, only the growth itself can be compared.
        differ = row['growth_differs'] > row['runs'] / 2
        return [*found, 'only one of live and simulated grows'] if differ else found
    for key, share in TOLERANCES:
        off, error = row[f'{key}_off'], row[f'{key}_off_se']
        chance = 0 if math.isnan(error) else 2 * error
        if not math.isnan(off) and abs(off) > share + chance:
            found.append(f'{key} {off:+.1%}')
    return found
