# SPDX-License-Identifier: BSD-3-Clause
"""Runs points and returns a data frame."""

from __future__ import annotations

import concurrent.futures
import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pandas

from drblab.engine import Engine, EngineError, Row
from drblab.journal import Journal, key_of
from drblab.point import Point
from drblab.progress import Progress
from drblab.sim import Sim


def run(points: Iterable[Point], engine: Engine | None = None, *,
        journal: str | os.PathLike[str] | None = None, executor: Any = None,
        chunk: int = 1) -> pandas.DataFrame:
    """Runs points and returns their rows.

    Points whose rows are in the journal are not run again. After Ctrl-C, finished rows are in the
    journal, and the same call continues from there.

    Parameters
    ----------
    points
        From `sweep()` or `Point.of()`.
    engine
        The engine that runs them; None: the simulator on all CPUs, `Sim()`.
    journal
        A file that keeps rows as soon as they are done.
    executor
        Any `concurrent.futures.Executor`, such as an `MPIPoolExecutor`, or a Dask `Client`. Its
        workers run the points, each with its own engine. With None, this process
        runs them.
    chunk
        Number of points per task of the executor.

    Returns
    -------
    pandas.DataFrame
        A row for each point, in their order: `engine` and `model`, options, tags, and the figures
        of the model (`drbsim run --models` has units). A point that could not be run has a text in
        column `error`, and causes a warning.

    Raises
    ------
    PointError
        A point is wrong. No point was run.
    EngineError
        The engine cannot run.
    """
    points = list(points)
    engine = Sim() if engine is None else engine
    keys = [key_of(engine, point) for point in points]
    with Journal(journal, keys) as kept:
        left = {key: point for key, point in zip(keys, points) if key not in kept.rows}
        _run_left(left, engine, kept, _source(engine, list(left.values()), executor, chunk),
                  len(set(keys)))
        failed = [row['error'] for key, row in kept.rows.items() if 'error' in row]
        if failed:
            warnings.warn(f'{len(failed)} of {len(set(keys))} points could not be run: '
                          f'{failed[0]}', RuntimeWarning, stacklevel=2)
        return _frame(engine, points, [kept.rows[key] for key in keys])


def _frame(engine: Engine, points: Sequence[Point], rows: Sequence[Row]) -> pandas.DataFrame:
    """Makes the frame. A figure replaces an option with the same name: the threshold "paper"
    becomes the number that was used."""
    return pandas.DataFrame([
        dict([('engine', engine.name), ('model', point.model), *point.options, *point.tags,
              *row.items()]) for point, row in zip(points, rows)])


def _run_left(left: dict[str, Point], engine: Engine, kept: Journal,
              rows: Iterator[tuple[int, Row]], total: int) -> None:
    """Takes the rows of the points that were left to run, and adds them to the journal."""
    keys, points = list(left), list(left.values())
    progress = Progress(total, total - len(left))

    def take(source: Iterator[tuple[int, Row]]) -> None:
        for i, row in source:
            if 'error' in row:
                kept.rows[keys[i]] = row  # not written to the file: the next call tries again
            else:
                kept.add(keys[i], engine, points[i], row)
            progress.add()

    try:
        take(rows)
    except KeyboardInterrupt:
        _drain(rows, take)
        where = f', kept in {kept.path}: run it again to go on' if kept.path else ''
        progress.end()
        print(f'{kept.count(keys)} of {total} points are done{where}', file=sys.stderr)
        raise
    finally:
        progress.end()
    missing = [key for key in keys if key not in kept.rows]
    if missing:
        raise EngineError(f'{engine.name}: no row of {left[missing[0]]}')


def _drain(rows: Any, take: Any) -> None:
    """Takes the rows that were done when the interruption came, from the interrupted generator."""
    try:
        take(iter([rows.throw(KeyboardInterrupt())]))
        take(rows)
    except (KeyboardInterrupt, StopIteration):
        return


def _source(engine: Engine, points: Sequence[Point], executor: Any,
            chunk: int) -> Iterator[tuple[int, Row]]:
    if not points:
        return iter(())
    if executor is None:
        return engine.rows(points)
    # A Dask client has its own kind of futures, but also offers an executor.
    pool = executor.get_executor() if hasattr(executor, 'get_executor') else executor
    return _from_executor(engine, points, pool, chunk)


def _work(engine: Engine, version: str, points: Sequence[Point]) -> list[tuple[int, Row]]:
    """A task of an executor: runs some points on a worker."""
    if engine.version != version:
        raise EngineError(f'a worker has {engine.name} {engine.version}, and the journal is of '
                          f'{version}: install one version everywhere')
    return list(engine.rows(points))


def _from_executor(engine: Engine, points: Sequence[Point], pool: concurrent.futures.Executor,
                   chunk: int) -> Iterator[tuple[int, Row]]:
    tasks = {pool.submit(_work, engine, engine.version, points[at:at + chunk]): at
             for at in range(0, len(points), chunk)}
    left = set(tasks)
    try:
        for task in concurrent.futures.as_completed(tasks):
            left.remove(task)
            for i, row in task.result():
                yield tasks[task] + i, row
    except KeyboardInterrupt:
        for task in left:
            if not task.cancel() and task.done() and not task.exception():
                for i, row in task.result():
                    yield tasks[task] + i, row
        raise
    finally:
        for task in tasks:
            task.cancel()
