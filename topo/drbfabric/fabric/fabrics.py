# SPDX-License-Identifier: BSD-3-Clause
"""What a running fabric leaves on disk: its folder /run/drbswitch/<fabric>.

  plan.json, *.yaml, *.batch   as drbtopo wrote them
  log/<switch>.log             what the switch said
  hosts                        /etc/hosts of what `exec` runs: the machine's, and the plan's hosts
  processes                    one line per switch started or stopped: name, process id, start time;
                               or name, "stopped". The last line of a switch counts
  state.json                   options, phase, the inode of every namespace that was made, and when
                               all switches were ready (ns of the monotonic clock)
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import subprocess
import time

from drbfabric import Failure, usage
from drbfabric.common import interrupts
from drbfabric.common.cli import say
from drbfabric.common.places import called, called_program
from drbfabric.fabric import cables, netns, processes
from drbfabric.fabric.telemetry import instance_folder

ROOT = '/run/drbswitch'
LOCK = '/run/drbfabric.lock'
LOCK_SECONDS = 1.0  # to wait for it without a word
# Phases of a fabric: nothing but the folder is there; namespaces and processes may be; all are.
PLANNING, STARTING, UP = 'planning', 'starting', 'up'
# Of a switch, in `processes` and in its status: somebody asked for it.
STOPPED = 'stopped'


def _holder(fd):
    """Who has locked a file: "process 42 (python3 topo/fabric up)"; it may have let go meanwhile."""
    inode = os.fstat(fd).st_ino
    with contextlib.suppress(OSError), open('/proc/locks', encoding='ascii') as f:
        for words in map(str.split, f):
            if words[1] == 'FLOCK' and int(words[5].split(':')[2]) == inode:
                with open(f'/proc/{words[4]}/cmdline', encoding='utf-8', errors='replace') as command:
                    return f"process {words[4]} ({' '.join(command.read().split(chr(0))).strip()})"
    return 'another process'


@contextlib.contextmanager
def lock():
    """Only one harness at a time changes fabrics. Nobody but root opens the file, so nobody else locks it."""
    os.makedirs(ROOT, exist_ok=True)
    fd = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        end = time.monotonic() + LOCK_SECONDS
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > end:
                    say(f'waiting for {_holder(fd)}, which changes a fabric')
                    fcntl.flock(fd, fcntl.LOCK_EX)
                    break
                time.sleep(0.02)
        yield
    finally:
        os.close(fd)


def names():
    """Names of the fabrics with a plan in their folder."""
    try:
        return sorted(e.name for e in os.scandir(ROOT) if os.path.exists(f'{e.path}/plan.json'))
    except FileNotFoundError:
        return []


def remove_instance(instance):
    """Removes what a killed switch left of its stats socket. Whatever is not of a switch stays: the
    folder of a process that runs, which has it locked, links, and files of other names."""
    try:
        folder = os.open(instance_folder(instance), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in os.listdir(folder):
            if name.startswith('dpdk_telemetry.v') or name == 'capture':
                os.unlink(name, dir_fd=folder)
        os.rmdir(instance_folder(instance))
    except OSError:
        pass  # it is in use, or holds more than ours
    finally:
        os.close(folder)


class Fabric:
    """One fabric, by its folder."""

    def __init__(self, name):
        # The name becomes part of paths that are deleted; drbtopo says the same of it.
        if not re.fullmatch('[A-Za-z0-9][A-Za-z0-9_.-]{0,23}', name):
            raise usage(f"--fabric '{name}': must be at most 24 letters, digits, '_', '.' and '-', "
                        'the first a letter or digit')
        self.name, self.folder = name, f'{ROOT}/{name}'

    def path(self, name):
        return f'{self.folder}/{name}'

    def log(self, switch):
        return self.path(f'log/{switch}.log')

    def exists(self):
        return os.path.isdir(self.folder)

    def need_own(self):
        """Refuses a folder that no harness made: deleting it is not ours to do."""
        if self.exists() and not os.path.exists(self.path('state.json')):
            raise usage(f'{self.folder} is not of a fabric, it has no state.json: move it away or '
                        'take another --fabric')

    def need_free(self, otherwise):
        """Refuses to go on if a fabric of this name is up; otherwise: what the user may do but take it down."""
        alive = self.alive()
        if self.state().get('phase') == UP and alive:
            raise usage(f"fabric {self.name} is up, {len(alive)} switches run: {called('fabric')} down --fabric "
                        f'{self.name} first, or {otherwise}')

    def create(self):
        """Makes the folder. It is never there without the state that shows whose it is."""
        new = f'{ROOT}/.{self.name}.new'
        with interrupts.deferred():
            shutil.rmtree(new, ignore_errors=True)
            os.makedirs(f'{new}/log')
            with open(f'{new}/state.json', 'w', encoding='utf-8') as f:
                json.dump({'phase': PLANNING}, f)
            os.rename(new, self.folder)

    def make_plan(self, drbtopo, options, folder=None):
        """Lets drbtopo write the plan; what it says is wrong with the options is the message."""
        with interrupts.deferred():
            done = subprocess.run([drbtopo, 'plan', *options, '--fabric', self.name, '--run-dir', self.folder,
                                   '--out', folder or self.folder], check=False, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            said = done.stderr.strip().removeprefix('drbtopo: ')
            raise Failure(said.replace('see drbtopo ', f"see {called_program('drbtopo', 'topo')} "), done.returncode)
        return self.plan(folder)

    def write_hosts(self, plan):
        lines = []
        with contextlib.suppress(OSError), open('/etc/hosts', encoding='utf-8') as f:
            lines = f.read().splitlines()
        lines += [f"{host[family]} {host['name']}" for host in plan['hosts'] + plan.get('elsewhere', [])
                  for family in ('ipv4', 'ipv6')]
        with open(self.path('hosts'), 'w', encoding='utf-8') as f:
            f.write('\n'.join(lines) + '\n')

    def plan(self, folder=None):
        path = f'{folder or self.folder}/plan.json'
        try:
            with open(path, encoding='utf-8') as f:
                return json.load(f)
        except FileNotFoundError:
            return None
        except ValueError as e:
            raise usage(f'{path}: {e}') from e

    def need_plan(self):
        """The plan of a fabric that is up."""
        plan = self.plan()
        if not plan or self.state().get('phase') != UP:
            others = [f for f in names() if f != self.name]
            hint = f' (there is {", ".join(others)}: --fabric)' if others else ''
            raise usage(f'fabric {self.name} is not up{hint}')
        return plan

    def state(self):
        try:
            with open(self.path('state.json'), encoding='utf-8') as f:
                return json.load(f)
        except (FileNotFoundError, ValueError):
            return {}

    def save_state(self, **changes):
        state = {**self.state(), **changes}
        temporary = self.path('state.json.new')
        with open(temporary, 'w', encoding='utf-8') as f:
            json.dump(state, f)
        os.replace(temporary, self.path('state.json'))

    def record_process(self, name, pid, started):
        with open(self.path('processes'), 'a', encoding='ascii') as f:
            f.write(f'{name} {pid} {started}\n')

    def record_stop(self, name):
        with open(self.path('processes'), 'a', encoding='ascii') as f:
            f.write(f'{name} {STOPPED}\n')

    def forget_processes(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path('processes'))

    def _last_records(self):
        """{switch: words after its name} of the last whole line about each."""
        result = {}
        with contextlib.suppress(FileNotFoundError), open(self.path('processes'), encoding='ascii') as f:
            for line in f:
                name, *words = line.split() or ['']
                if len(words) == 2 or words == [STOPPED]:
                    result[name] = words
        return result

    def processes(self):
        """{switch: (pid, start)} as recorded, running or not; without those stopped on purpose."""
        return {name: (int(words[0]), int(words[1]))
                for name, words in self._last_records().items() if words != [STOPPED]}

    def stopped(self):
        """Names of switches that were stopped on purpose and not started since."""
        return {name for name, words in self._last_records().items() if words == [STOPPED]}

    def alive(self):
        return [name for name, process in self.processes().items() if processes.is_alive(*process)]

    def stop_switch(self, node):
        """Ends the process of one switch, whoever started it; true if there was one."""
        stray = processes.of_fabric(self.path(node['config']), self.state().get('namespaces') or {})
        recorded = self.processes().get(node['name'])
        doomed = {*stray, *([recorded] if recorded and processes.is_alive(*recorded) else [])}
        processes.stop(doomed)
        return bool(doomed)

    def stop_switches(self):
        """Ends the recorded processes, and any that a killed harness started without a record."""
        stray = processes.of_fabric(f'{self.folder}/', self.state().get('namespaces') or {})
        processes.stop({*self.processes().values(), *stray})

    def tear_down(self):
        """Undoes an up, finished or not. Returns how many namespaces were removed."""
        plan, state = self.plan() or {}, self.state()
        self.stop_switches()
        made = state.get('namespaces')
        nodes = plan.get('switches', []) + plan.get('hosts', [])
        doomed = []
        started = state.get('phase') in (STARTING, UP)
        # Before the inodes were noted, the names were known to be free; later, a namespace of
        # another inode is somebody else's.
        for name in (node['namespace'] for node in nodes if started):
            there = netns.inode(name)
            if there is not None and (made is None or made.get(name) == there):
                doomed.append(name)
        cables.give_back(plan, doomed)
        cables.remove_made(plan, doomed)
        if doomed:
            netns.batch([f'netns delete {name}' for name in doomed], force=True)
        left = [name for name in doomed if netns.exists(name)]
        for node in plan.get('switches', []) if started else []:
            remove_instance(node['namespace'])
        if left:
            raise Failure(f'cannot delete {len(left)} namespaces, {left[0]} among them')
        shutil.rmtree(self.folder, ignore_errors=True)
        return len(doomed)
