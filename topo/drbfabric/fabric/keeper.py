# SPDX-License-Identifier: BSD-3-Clause
"""keeper.py PID [FOLDER]: a process that cleans up after another, PID, which owns a fabric and
perhaps a temporary folder. If the owner is killed, it removes the folder and takes the fabric
down."""

import contextlib
import os
import select
import shutil
import subprocess
import sys
import tempfile

if __name__ == '__main__':
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))

from drbfabric.fabric import fabrics  # noqa: E402


def start(folder=''):
    """Starts a keeper of this process, which must terminate it after it has cleaned up itself."""
    command = [sys.executable, '-B', os.path.realpath(__file__), str(os.getpid()), *([folder] if folder else [])]
    # A new session, so that the keeper survives signals to this process's group.
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                            start_new_session=True, cwd='/')


@contextlib.contextmanager
def kept(prefix):
    """A temporary folder that is removed at the end, even if this process is killed."""
    with tempfile.TemporaryDirectory(prefix=prefix) as folder:
        keeper = start(folder)
        try:
            yield folder
        finally:
            keeper.terminate()
            keeper.wait()


def main(pid, folder=None):
    with contextlib.suppress(ProcessLookupError):
        select.select([os.pidfd_open(int(pid))], [], [])
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    with fabrics.lock():
        pass  # lock() takes down the fabrics of killed owners


if __name__ == '__main__':
    main(*sys.argv[1:])
