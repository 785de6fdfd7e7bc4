# SPDX-License-Identifier: BSD-3-Clause
"""Means with intervals, paired differences, and corrections for many comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy
import numpy.typing
import pandas
import scipy.stats

LEVEL = 0.95


def half_width(values: numpy.typing.ArrayLike, level: float = LEVEL) -> float:
    """Half the width of Student's interval of a mean.

    Parameters
    ----------
    values
        Values of equal runs with different seeds, shape (runs,).
    level
        The share of intervals that contain the true mean.

    Returns
    -------
    float
        In the unit of the values; NaN for fewer than two.
    """
    figures = numpy.asarray(values, dtype=float)
    if figures.size < 2:
        return math.nan
    quantile = float(scipy.stats.t.ppf((1 + level) / 2, figures.size - 1))
    return quantile * float(figures.std(ddof=1)) / math.sqrt(figures.size)


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _groups(frame: pandas.DataFrame, names: list[str]) -> Iterator[tuple[dict[str, Any], pandas.DataFrame]]:
    """Yields ({column: value}, rows) of each combination, in the order of the rows."""
    # Versions of pandas differ in the keys of a list of one column.
    for key, group in frame.groupby(names if len(names) > 1 else names[0], sort=False, dropna=False):
        yield dict(zip(names, key if isinstance(key, tuple) else (key,))), group


def mean(frame: pandas.DataFrame, by: str | Sequence[str],
         of: str | Sequence[str]) -> pandas.DataFrame:
    """Means over rows that have the same values in some columns, for example over seeds.

    Parameters
    ----------
    frame
        Rows of `run()`.
    by
        Columns by which rows are grouped: there is a mean for each combination of their values.
    of
        Columns whose means are taken.

    Returns
    -------
    pandas.DataFrame
        The columns `by`, `runs`, and for each column of `of` its mean and, as `COLUMN_half`, half
        the width of its 95 % interval. The column `growing` ("yes", "unclear", "no") shows whether
        queues grow in any run. If they do, latencies are not means.
    """
    rows = []
    for place, group in _groups(frame, _names(by)):
        row: dict[str, Any] = dict(place)
        row['runs'] = len(group)
        for name in _names(of):
            row[name] = group[name].mean()
            row[f'{name}_half'] = half_width(group[name].dropna())
        if 'growing' in group and 'growing' not in row:
            row['growing'] = next((word for word in ('yes', 'unclear')
                                   if (group['growing'] == word).any()), 'no')
        rows.append(row)
    return pandas.DataFrame(rows)


def paired(frame: pandas.DataFrame, column: str, than: Any, of: str, *,
           by: str | Sequence[str] = (), seed: str = 'seed',
           relative: bool = False) -> pandas.DataFrame:
    """Differences from the rows with one value of a column, seed by seed.

    All schemes have the same traffic under the same seed. Paired differences therefore have smaller
    intervals than differences of means.

    Parameters
    ----------
    frame
        Rows of `run()`.
    column, than
        The column whose values are compared, such as ``scheme``, and the value that all others
        are compared with, such as ``dmodk``.
    of
        The column with the figures that are compared.
    by
        Further columns, such as ``load``: rows are compared only if they agree in these.
    seed
        The column by which runs are paired.
    relative
        True: differences are shares of the figure that they are compared with.

    Returns
    -------
    pandas.DataFrame
        The columns `by`, `column`, `runs`, `difference`, `half` (half the width of its 95 %
        interval), `p` of a two-sided paired t-test, and `p_holm`, corrected for the number of rows.
    """
    keys = [*_names(by), seed]
    base = frame.loc[frame[column] == than, [*keys, of]].rename(columns={of: 'base'})
    both = frame[frame[column] != than].merge(base, on=keys)
    both['difference'] = both[of] - both['base']
    if relative:
        both['difference'] /= both['base']
    rows = []
    for place, group in _groups(both, [*_names(by), column]):
        d = group['difference']
        rows.append({**place, 'runs': len(d), 'difference': d.mean(), 'half': half_width(d),
                     'p': _chance(d)})
    result = pandas.DataFrame(rows)
    if rows:
        result['p_holm'] = holm(result['p'])
    return result


def _chance(differences: pandas.Series) -> float:
    if len(differences) < 2:
        return math.nan
    if not differences.std():  # all equal: certain, or no difference at all
        return 0.0 if differences.iloc[0] else 1.0
    return float(scipy.stats.ttest_1samp(differences, 0).pvalue)


def holm(chances: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """Corrects the p values of many comparisons by Holm's method.

    Parameters
    ----------
    chances
        p values, shape (n,). NaN stays NaN and does not count.

    Returns
    -------
    ndarray
        Shape (n,). Values below 0.05 are significant, even though there are n comparisons.
    """
    p = numpy.asarray(chances, dtype=float)
    order = [i for i in numpy.argsort(p) if not math.isnan(p[i])]
    result, most = numpy.full(p.shape, math.nan), 0.0
    for k, i in enumerate(order):
        most = max(most, min(1.0, (len(order) - k) * float(p[i])))
        result[i] = most
    return result
