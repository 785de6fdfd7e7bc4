# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run while the harness does something else, and that end with it."""

import os
import re
import subprocess
import tempfile

from drbfabric import Failure
from drbfabric.common import interrupts


class Child:
    """A program that runs until it ends or the context is left. Leaving the context sends SIGTERM
    and waits.

    Its standard input is `text`, or that of this program if `text` is None. Its output is kept, or
    goes to the output of this program if `shown` is true."""

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
            # deferred() raises here if a signal came during the start: the context is not entered.
            if begun:
                self.stop()
            raise

    def __enter__(self):
        return self

    def runs(self):
        return self.process.poll() is None

    def said(self):
        """The text that the program has written to standard error so far."""
        return os.pread(self.files[1].fileno(), 1 << 20, 0).decode(errors='replace')

    def wait(self):
        """Waits until it ends: (exit status, standard output, standard error)."""
        self.process.wait()
        texts = []
        for file in self.files:
            file.seek(0)
            texts.append(file.read())
        return self.process.returncode, *(texts or ('', ''))

    def end(self):
        """Ends it if it runs, by SIGTERM."""
        with interrupts.deferred():
            if self.runs():
                self.process.terminate()
                self.process.wait()

    def stop(self):
        self.end()
        for file in self.files:
            file.close()

    def __exit__(self, *_):
        self.stop()


def _need_success(child, command):
    code, out, said = child.wait()
    if code != 0:
        # Remove the program's name from its message, because this program adds its own.
        lines = [re.sub('^drb[a-z]+: ', '', line) for line in said.strip().splitlines()]
        raise Failure(lines[-1] if lines else f'{os.path.basename(command[0])} failed',
                      2 if code == 2 else 1)
    return out


def run(command):
    """Runs a program that must succeed, and returns its output. If the program fails, its last
    message becomes a Failure. The Failure has code 2 if the exit status is 2, and code 1
    otherwise."""
    with Child(command) as child:
        return _need_success(child, command)


class Held:
    """Runs a program that creates something which must be undone. `held` is true after success,
    even if a signal came just as the program ended."""

    def __init__(self):
        self.held = False

    def get(self, command):
        """Like run()."""
        self.held = False
        child = Child(command)
        try:
            with child:
                _need_success(child, command)
        finally:
            self.held = child.process.returncode == 0
