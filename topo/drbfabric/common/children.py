# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run while the harness does something else, and do not outlive it."""

import os
import re
import subprocess
import tempfile

from drbfabric import Failure
from drbfabric.common import interrupts


class Child:
    """A program that is told a text, or with None what this program is told, and whose output is kept, or with
    `shown` goes where that of this program goes. Leaving the context ends it with SIGTERM and waits for it."""

    def __init__(self, command, text='', shown=False):
        self.files = [] if shown else [tempfile.TemporaryFile('w+') for _ in range(2)]
        out, err = self.files or (None, None)
        begun = False
        try:
            with interrupts.deferred(), tempfile.TemporaryFile('w+') as told:
                told.write(text or '')
                told.seek(0)
                self.process = subprocess.Popen(command, stdin=None if text is None else told, stdout=out, stderr=err)
                begun = True
        except OSError as e:
            raise Failure(f'cannot start program {command[0]}: {os.strerror(e.errno)}') from e
        except BaseException:
            # A signal that came while it was started takes effect before the context is entered.
            if begun:
                self.stop()
            raise

    def __enter__(self):
        return self

    def runs(self):
        return self.process.poll() is None

    def said(self):
        """What it has said on standard error until now."""
        return os.pread(self.files[1].fileno(), 1 << 20, 0).decode(errors='replace')

    def wait(self):
        """(exit status, standard output, standard error) once it has ended."""
        self.process.wait()
        texts = []
        for file in self.files:
            file.seek(0)
            texts.append(file.read())
        return self.process.returncode, *(texts or ('', ''))

    def stop(self):
        with interrupts.deferred():
            if self.runs():
                self.process.terminate()
                self.process.wait()
        for file in self.files:
            file.close()

    def __exit__(self, *_):
        self.stop()


def _need_success(child, command):
    code, out, said = child.wait()
    if code != 0:
        # It says who it is, as this one will.
        lines = [re.sub('^drb[a-z]+: ', '', line) for line in said.strip().splitlines()]
        raise Failure(lines[-1] if lines else f'{os.path.basename(command[0])} failed',
                      2 if code == 2 else 1)
    return out


def run(command):
    """Output of a program that must succeed. Its own last line says what was wrong, its exit status
    whose fault it was."""
    with Child(command) as child:
        return _need_success(child, command)


class Held:
    """What a program leaves behind when it succeeds: `held` is true then, also where a signal came
    just as it ended."""

    def __init__(self):
        self.held = False

    def get(self, command):
        """As run()."""
        self.held = False
        child = Child(command)
        try:
            with child:
                _need_success(child, command)
        finally:
            self.held = child.process.returncode == 0
