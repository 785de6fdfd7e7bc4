# SPDX-License-Identifier: BSD-3-Clause
"""Keeps finished rows in a file, from which a run that ended early is continued."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from drblab.engine import Engine, Row
from drblab.point import Point


def key_of(engine: Engine, point: Point) -> str:
    """A hash of everything that determines a row: engine, version, model and all options."""
    setup = {name: float(value) if isinstance(value, int) and not isinstance(value, bool)
             else value for name, value in engine.setup(point).items()}
    text = json.dumps([engine.name, engine.version, point.model, setup], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _lock(file: int, path: Path) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as e:
        raise OSError(e.errno, 'another run has it open: wait for its end, or name another file',
                      str(path)) from e
    except OSError:  # this file system has no locks
        return


def _read(path: Path, keys: set[str]) -> tuple[dict[str, Row], bool]:
    """The rows with these keys, and whether the last line is complete."""
    rows: dict[str, Row] = {}
    whole = True
    with open(path, 'rb') as f:
        for line in f:
            whole = line.endswith(b'\n')
            with contextlib.suppress(ValueError, TypeError, KeyError):
                entry: Any = json.loads(line)
                if entry['key'] in keys and isinstance(entry['row'], dict):
                    rows[entry['key']] = entry['row']
    return rows, whole


class Journal:
    """A file of rows: one JSON object a line, with the key and the point of each row.

    Lines are only appended, each by one write. A run that is killed, or whose disk is full,
    therefore loses at most the row that it was writing. Lines that are not JSON objects are
    ignored. Journals of several machines can be joined by `cat`. The file is locked while it is
    open: two runs that do not know of each other's rows would make all of them twice.

    Parameters
    ----------
    path
        The file; created if it is missing. With None, rows are kept only in memory.
    keys
        Keys of the rows to read; all others stay in the file only.

    Raises
    ------
    OSError
        The file cannot be opened, or another run has it open.
    """

    def __init__(self, path: str | os.PathLike[str] | None, keys: Iterable[str] = ()) -> None:
        self.path = None if path is None else Path(path)
        self.rows: dict[str, Row] = {}
        self._file = -1
        if self.path:
            self._open(self.path, set(keys))

    def _open(self, path: Path, keys: set[str]) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
        with contextlib.ExitStack() as undo:
            undo.callback(self.close)
            _lock(self._file, path)
            self.rows, whole = _read(path, keys)
            if not whole:  # end an incomplete line, or the next row would become part of it
                self._write(b'\n')
            undo.pop_all()

    def _write(self, line: bytes) -> None:
        written = os.write(self._file, line)
        if written < len(line):  # a full disk may take a part; then the next write fails
            os.write(self._file, line[written:])

    def add(self, key: str, engine: Engine, point: Point, row: Row) -> None:
        """Adds a row; raises OSError if it cannot be written."""
        self.rows[key] = row
        if self.path:
            entry = {'key': key, 'engine': engine.name, 'version': engine.version,
                     'model': point.model, 'options': dict(point.options), 'row': row}
            try:
                self._write((json.dumps(entry) + '\n').encode())
            except OSError as e:
                raise OSError(e.errno, e.strerror, str(self.path)) from e

    def count(self, keys: Iterable[str]) -> int:
        """The number of rows in the journal that were read when it was opened or have one of these
        keys.

        Reads the file again, because an interruption may come just after a row was written.
        """
        if not self.path:
            return len(self.rows)
        return len(_read(self.path, {*self.rows, *keys})[0])

    def close(self) -> None:
        """Unlocks and closes the file. Closing alone would not unlock it, because processes that an
        executor forked have it open, too."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_UN)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()
