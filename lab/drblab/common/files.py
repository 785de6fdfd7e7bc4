# SPDX-License-Identifier: BSD-3-Clause
"""Writes files as a whole or not at all."""

from __future__ import annotations

import contextlib
import os


def write(path: str, text: str) -> None:
    """Replaces a file by this text. After an OSError the file is unchanged."""
    new = f'{path}.new'
    try:
        with open(new, 'w', encoding='utf-8', newline='') as f:
            f.write(text)
        os.replace(new, path)
    except OSError as e:
        with contextlib.suppress(OSError):
            os.unlink(new)
        raise OSError(e.errno, e.strerror, path) from e
