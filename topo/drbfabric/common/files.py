# SPDX-License-Identifier: BSD-3-Clause
"""Writes files as a whole or not at all, even if the disk is full or the process is killed."""

import contextlib
import os

from drbfabric import Failure
from drbfabric.common import refusals


def write(path, text, mode=0o666):
    """Writes a text into a file. The previous file stays until all of the text is written."""
    real = os.path.realpath(path)
    # Write directly to a terminal or a pipe, such as /dev/stdout: a rename would replace it.
    special = os.path.exists(real) and not os.path.isfile(real)
    target = real if special else f'{real}.new'
    try:
        with open(target, 'w', encoding='utf-8', newline='', opener=lambda p, flags: os.open(p, flags, mode)) as f:
            f.write(text)
        if not special:
            os.replace(target, real)
    except BaseException as e:
        if not special:
            with contextlib.suppress(OSError):
                os.unlink(target)
        if isinstance(e, OSError):
            raise Failure(refusals.in_words(f'cannot write {path}', os.strerror(e.errno or 0))) from e
        raise
