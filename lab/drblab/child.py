# SPDX-License-Identifier: BSD-3-Clause
"""Programs such as `drbsim run`: they read points and write rows, as JSON objects, one per line."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator, Sequence
from typing import IO

from drblab.engine import EngineError, Row
from drblab.point import Point, PointError


def output_of(command: Sequence[str]) -> str:
    """Runs a program and returns its output. If the program fails, its last message becomes the
    error: PointError for exit status 2, EngineError for any other."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f'ended with status {done.returncode}']
        text = re.sub(r'^drb\w+: ', '', said[-1])
        raise PointError(text) if done.returncode == 2 else EngineError(text)
    return done.stdout


def name_of(child: subprocess.Popen[str]) -> str:
    """Returns the name of the program that a child runs."""
    assert isinstance(child.args, list)
    return os.path.basename(str(child.args[0]))


def rows_of(child: subprocess.Popen[str]) -> Iterator[tuple[int, Row]]:
    """Yields rows as the child prints them. An interruption ends the child, but rows that it has
    finished by then are still yielded."""
    assert child.stdout
    interrupted: KeyboardInterrupt | None = None
    try:
        while True:
            try:
                line = child.stdout.readline()
                if not line:
                    break
                try:
                    row = json.loads(line)
                except ValueError:
                    if line.endswith('\n') and not interrupted:
                        raise EngineError(f'{name_of(child)}: no row: {line.strip()}') from None
                    continue
                yield row.pop('id'), row
            except KeyboardInterrupt as e:
                interrupted = e
                child.send_signal(signal.SIGTERM)
    finally:
        # This runs also if the caller stops before the last row.
        if child.poll() is None:
            child.terminate()
    if interrupted:
        child.wait()
        raise interrupted


def judge(child: subprocess.Popen[str], said: IO[str], points: Sequence[Point]) -> None:
    """Raises an error if the child failed. Status 1 only means that some rows have an error.

    said: standard error of the child, whose messages name points by their number, from 1."""
    status = child.returncode
    if status in (0, 1):
        return
    said.seek(0)
    text = said.read().strip().splitlines()
    last = re.sub(r'^\w+: ', '', text[-1]) if text else f'ended with status {status}'
    at = re.match(r'[^:]*:(\d+): (.*)', last)
    if status == 2 and at:
        point = points[int(at[1]) - 1]
        raise PointError(f'{point.model}: {at[2]} (of: {point})')
    raise EngineError(f'{name_of(child)}: {last}')
