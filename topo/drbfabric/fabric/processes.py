# SPDX-License-Identifier: BSD-3-Clause
"""Switch processes: starting them in parallel, waiting until they forward, ending them.

A process is known by its id and its start time together: ids are used again, start times of one id
are not.
"""

import collections
import contextlib
import os
import signal
import subprocess
import time

from drbfabric import Failure
from drbfabric.common import interrupts
from drbfabric.fabric import netns
from drbfabric.fabric.telemetry import Telemetry

POLL_SECONDS = 0.02
TERM_SECONDS = 5.0
KILL_SECONDS = 5.0


def start_time(pid):
    """Start of a process in clock ticks since boot; None if there is no such running process.

    One that is killed is dead when its last thread is: until then it keeps its files and locks."""
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
        # A program that was built anew since is called "... (deleted)".
        return (words[1:2] == [b'-c'] and words[2].startswith(prefix)
                and os.path.basename(os.readlink(f'{base}/exe')).split(' ')[0] == 'drbswitch'
                and os.stat(f'{base}/ns/net').st_ino in namespaces)
    except OSError:
        return False


def of_fabric(prefix, namespaces):
    """(pid, start) of switches that run a config whose path begins so in one of these namespaces,
    given as {name: inode}, recorded or not."""
    # A path says nothing across mount namespaces. An inode does as long as its namespace lives.
    living = {inode for name, inode in namespaces.items() if netns.inode(name) == inode}
    for entry in os.listdir('/proc'):
        if not entry.isdigit():
            continue
        started = start_time(entry)
        if started and _is_ours(entry, prefix.encode(), living):
            yield int(entry), started


def inside(namespaces):
    """[(namespace, pid, command)] of processes in these namespaces, given as {name: inode}."""
    names, found = {inode: name for name, inode in namespaces.items()}, []
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
    """Sends a signal to a process given as (pid, start), if it still is that one."""
    with contextlib.suppress(ProcessLookupError):
        fd = os.pidfd_open(process[0])
        try:
            if is_alive(*process):
                signal.pidfd_send_signal(fd, number)
        finally:
            os.close(fd)


def outlive(processes, seconds):
    """Those of the processes, given as (pid, start), that have not ended within so many seconds."""
    left, end = set(processes), time.monotonic() + seconds
    while (left := {process for process in left if is_alive(*process)}) and time.monotonic() < end:
        time.sleep(POLL_SECONDS)
    return left


def stop(processes):
    """Ends processes given as (pid, start): SIGTERM, then SIGKILL for those that do not listen."""
    left = set(processes)
    for number, seconds in ((signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
        for process in left:
            send(process, number)
        left = outlive(left, seconds)
    if left:
        raise Failure(f'{len(left)} switch processes do not end after SIGKILL')


class Switches:
    """The switch processes that one `up` or `replan` starts. They begin to forward together, in wait_ready(), or when
    this process ends: what each says to neighbours that are not there yet would take time from those that start."""

    def __init__(self, fabric, program):
        self.fabric, self.program, self.children = fabric, program, {}
        self.pipe: tuple[int, ...] = ()  # which holds those that are started: its end to read, that to write

    def start(self, node):
        """Starts one switch inside its namespace; its output goes to its log file."""
        command = [self.program, '-c', self.fabric.path(node['config']), '--hold']
        self.pipe = self.pipe or os.pipe()
        with interrupts.deferred(), open(self.fabric.log(node['name']), 'wb') as log, \
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

    def wait_ready(self, nodes, seconds, told=lambda switches: None):
        """Returns when every switch says that all its ports forward. told: of how many more could."""
        end = time.monotonic() + seconds
        try:
            self._wait(nodes, self._answers, seconds, told)
        finally:
            for descriptor in self.pipe:
                os.close(descriptor)
            self.pipe = ()
        self._wait(nodes, self._is_ready, max(end - time.monotonic(), 1))

    def _wait(self, nodes, is_there, seconds, told=lambda switches: None):
        # In the order of their start: while the first is not ready, to ask the others takes time from all.
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
        """What a switch says of itself; {} while it is not there or does not listen."""
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
