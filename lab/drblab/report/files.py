# SPDX-License-Identifier: BSD-3-Clause
"""Writes CSV files; missing and undefined values are empty cells."""

import csv
import io
import math

from collections.abc import Mapping, Sequence
from typing import Any

from ..common import files


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, float) and not math.isfinite(value):
        return ''
    if isinstance(value, bool):
        return 'yes' if value else 'no'
    return f'{value:.10g}' if isinstance(value, float) else value


def write_csv(path: str, rows: Sequence[Mapping[str, Any]], keys: Sequence[str] = ()) -> None:
    """Writes rows. keys: the columns; without them, all keys of the rows."""
    keys = keys or list(dict.fromkeys(key for row in rows for key in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator='\n')
    writer.writerow(keys)
    for row in rows:
        writer.writerow([_cell(row.get(key)) for key in keys])
    files.write(path, text.getvalue())
