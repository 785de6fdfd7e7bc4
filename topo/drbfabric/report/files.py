# SPDX-License-Identifier: BSD-3-Clause
"""CSV files: what is not there is an empty cell."""

import csv
import math


def _cell(value):
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return ''
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    return f'{value:.10g}' if isinstance(value, float) else value


def write_csv(path, rows, keys=()):
    """rows: dictionaries. keys: the columns, all that rows have without them."""
    keys = keys or list(dict.fromkeys(key for row in rows for key in row))
    with open(path, 'w', encoding='utf-8', newline='') as f:
        writer = csv.writer(f, lineterminator='\n')
        writer.writerow(keys)
        for row in rows:
            writer.writerow([_cell(row.get(key)) for key in keys])
