# SPDX-License-Identifier: BSD-3-Clause
"""Switch processes: starts them in parallel, waits until they forward, and ends them.

A process is identified by its id and its start time: ids are reused, but not with the same start
time. """

import collections
import contextlib
import os
import signal
import subprocess
import time

from drbfabric import Failure
from drbfabric.common import interrupts
from drbfabric.fabric import netns
from drbfabric.fabric.plan_types import Switch
from drbfabric.fabric.telemetry import Telemetry

POLL_SECONDS = 0.02
TERM_SECONDS = 5.0
KILL_SECONDS = 5.0


def start_time(pid):
    """The start of a process in clock ticks since boot; None if there is no such running process.

    A killed process counts as running until its last thread has ended: it keeps its files and
    locks."""
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as f:
            fields = f.read().rpartition(')')[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    threads = int(fields[17])
    return None if fields[0] in 'ZX' and threads <= 1 else int(fields[19])


def is_alive(pid, started):
    return start_time(pid) == started


def _is_ours(pid, prefix, namespaces):
    """True for a drbswitch that runs a config below prefix in one of the namespaces."""
    base = f'/proc/{pid}'
    try:
        with open(f'{base}/cmdline', 'rb') as f:
            words = f.read().split(b'\0')
        # If the program was rebuilt since, its name is "... (deleted)".
        return (words[1:2] == [b'-c'] and words[2].startswith(prefix)
                and os.path.basename(os.readlink(f'{base}/exe')).split(' ')[0] == 'drbswitch'
                and os.stat(f'{base}/ns/net').st_ino in namespaces)
    except OSError:
        return False


def of_fabric(prefix, namespaces):
    """Yields (pid, start) of all drbswitch processes that run a config below prefix in one of these
    namespaces, given as {name: inode}."""
    # A path does not identify a config across mount namespaces. The inode of a network namespace
    # identifies the fabric while that namespace exists.
    living = {inode for name, inode in namespaces.items() if netns.inode(name) == inode}
    for entry in os.listdir('/proc'):
        if not entry.isdigit():
            continue
        started = start_time(entry)
        if started and _is_ours(entry, prefix.encode(), living):
            yield int(entry), started


def inside(namespaces):
    """Processes in these namespaces, given as {name: inode}: [(namespace, pid, command)]."""
    names = {inode: name for name, inode in namespaces.items() if inode and netns.inode(name) == inode}
    found = []
    for entry in os.listdir('/proc'):
        if not entry.isdigit():
            continue
        try:
            name = names.get(os.stat(f'/proc/{entry}/ns/net').st_ino)
            if name:
                with open(f'/proc/{entry}/comm', encoding='utf-8', errors='replace') as f:
                    found.append((name, int(entry), f.read().strip()))
        except OSError:
            continue
    return found


def send(process, number):
    """Sends a signal to a process, given as (pid, start), if it still runs."""
    with contextlib.suppress(ProcessLookupError):
        fd = os.pidfd_open(process[0])
        try:
            if is_alive(*process):
                signal.pidfd_send_signal(fd, number)
        finally:
            os.close(fd)


def outlive(processes, seconds):
    """Waits for processes, given as (pid, start). Returns those that run after these seconds."""
    left, end = set(processes), time.monotonic() + seconds
    while (left := {process for process in left if is_alive(*process)}) and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    return left


def stop(processes):
    """Ends processes, given as (pid, start): by SIGTERM, then SIGKILL for those that remain."""
    left = set(processes)
    for number, seconds in ((signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
        for process in left:
            send(process, number)
        left = outlive(left, seconds)
    if left:
        raise Failure(f'{len(left)} switch processes do not end after SIGKILL')


def _appending(path, flags):
    """Opens a log so that it has no hole once somebody has cut it off, as logrotate does."""
    return os.open(path, flags | os.O_APPEND, 0o644)


class Switches:
    """The switch processes that one `up` or `replan` starts.

    They wait (--hold) and begin to forward together, in wait_ready(), or when this process ends.
    Hellos to neighbours that do not run yet would take CPU time from switches that start."""

    def __init__(self, fabric, program):
        self.fabric, self.program, self.children = fabric, program, {}
        self.pipe: tuple[int, ...] = ()  # (read end, write end): switches wait until it is closed

    def start(self, node: Switch):
        """Starts a switch inside its namespace. Its output goes to its log file."""
        command = [self.program, '-c', self.fabric.path(node['config']), '--hold']
        self.pipe = self.pipe or os.pipe()
        with interrupts.deferred(), open(self.fabric.log(node['name']), 'wb', opener=_appending) as log, \
             netns.inside(node['namespace']):
            try:
                child = subprocess.Popen(command, stdin=self.pipe[0], stdout=log,
                                         stderr=subprocess.STDOUT, start_new_session=True, cwd='/')
            except OSError as e:
                raise Failure(f'cannot start program {self.program}: {os.strerror(e.errno)}') from e
            self.children[node['name']] = child
            self.fabric.record_process(node['name'], child.pid, start_time(child.pid) or 0)

    def last_line(self, name):
        try:
            with open(self.fabric.log(name), encoding='utf-8', errors='replace') as f:
                lines = [line.strip() for line in f if line.strip()]
        except OSError:
            lines = []
        return lines[-1] if lines else 'it said nothing'

    def wait_ready(self, nodes: list[Switch], seconds, told=lambda switches: None):
        """Waits until every switch reports that all its ports forward.

        `told` is called with a number of switches each time that more have started."""
        end = time.monotonic() + seconds
        try:
            self._wait(nodes, self._answers, seconds, told)
        finally:
            for descriptor in self.pipe:
                os.close(descriptor)
            self.pipe = ()
        self._wait(nodes, self._is_ready, max(end - time.monotonic(), 1))

    def _wait(self, nodes: list[Switch], is_there, seconds, told=lambda switches: None):
        # Ask in the order of the starts, and no others before the first is ready, to save CPU time.
        pending = collections.deque((node['name'], node['namespace']) for node in nodes)
        end = time.monotonic() + seconds
        while pending:
            if is_there(*pending[0]):
                pending.popleft()
                told(1)
                continue
            for name, _ in pending:
                self._need_running(name)
            if time.monotonic() > end:
                late = [name for name, instance in pending if not is_there(name, instance)]
                if late:
                    raise Failure(f'{len(late)} of {len(nodes)} switches are not ready after {seconds:.0f} s, '
                                  f'{late[0]} among them: {self.last_line(late[0])}')
            time.sleep(POLL_SECONDS)

    def _need_running(self, name):
        status = self.children[name].poll()
        if status is not None:
            how = f'by signal {-status} ({signal.strsignal(-status)})' if status < 0 else f'with status {status}'
            raise Failure(f'switch {name} ended {how}: {self.last_line(name)}')

    def _says(self, name, instance):
        """The identity that a switch reports; {} while it does not answer."""
        try:
            with Telemetry(instance) as t:
                info = t.ask('/drb/info') or {}
        except OSError:
            return {}
        return info if info.get('pid') == self.children[name].pid else {}

    def _answers(self, name, instance):
        return bool(self._says(name, instance))

    def _is_ready(self, name, instance):
        return self._says(name, instance).get('ready') == 1
