# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run while the harness does something else, and do not outlive it."""

import os
import subprocess
import tempfile

from . import Failure, interrupts


class Child:
    """A program that is told a text and whose output is kept. Leaving the context ends it with SIGTERM
    and waits for it."""

    def __init__(self, command, text=''):
        self.out, self.err = tempfile.TemporaryFile('w+'), tempfile.TemporaryFile('w+')
        with interrupts.deferred(), tempfile.TemporaryFile('w+') as told:
            told.write(text)
            told.seek(0)
            try:
                self.process = subprocess.Popen(command, stdin=told, stdout=self.out,
                                                stderr=self.err)
            except OSError as e:
                raise Failure(f'cannot start {command[0]}: {os.strerror(e.errno)}') from e

    def __enter__(self):
        return self

    def runs(self):
        return self.process.poll() is None

    def wait(self):
        """(exit status, standard output, standard error) once it has ended."""
        self.process.wait()
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
        return self.process.returncode, *texts

    def __exit__(self, *_):
        with interrupts.deferred():
            if self.runs():
                self.process.terminate()
                self.process.wait()
        self.out.close()
        self.err.close()


def run(command):
    """Output of a program that must succeed. Its own last line says what was wrong, its exit status
    whose fault it was."""
    with Child(command) as child:
        code, out, said = child.wait()
    if code != 0:
        lines = said.strip().splitlines()
        raise Failure(lines[-1] if lines else f'{os.path.basename(command[0])} failed',
                      2 if code == 2 else 1)
    return out
