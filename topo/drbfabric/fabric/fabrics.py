# SPDX-License-Identifier: BSD-3-Clause
"""The files of a running fabric, in its folder /run/drbswitch/<fabric>.

  plan.json, *.yaml, *.batch   written by drbtopo
  log/<switch>.log             output of the switch
  hosts                        /etc/hosts for commands of `exec`: of the machine and of the plan
  processes                    one line per switch started or stopped: name, process id, start
                               time; or name, "stopped", also before its first start. The last
                               line of a switch counts
  state.json                   options; phase; owner, the process with which the fabric ends; up_ns,
                               when all switches were ready (monotonic clock). For taking it down:
                               the inode of each namespace, null until it is made; `born`, the time
                               at which each was made; ports as in cables.ports()

Every file except the logs and `processes` is written as a whole or not at all (common/files.py).
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
from drbfabric.common import files, interrupts
from drbfabric.common.cli import say
from drbfabric.common.output import counted
from drbfabric.common.places import called, called_program
from drbfabric.fabric import cables, netns, plan_types, processes
from drbfabric.fabric.plan_types import Plan, Switch
from drbfabric.fabric.telemetry import instance_folder

ROOT = '/run/drbswitch'
LOCK = '/run/drbfabric.lock'
LOCK_SECONDS = 1.0  # to wait for the lock without a message
NAME = '[A-Za-z0-9][A-Za-z0-9_.-]{0,23}'  # of a fabric
SPACE = '[A-Za-z0-9][A-Za-z0-9_.-]{0,63}'  # of a namespace
# Phases of a fabric: only its folder exists; namespaces and processes may exist; all exist.
PLANNING, STARTING, UP = 'planning', 'starting', 'up'
# The record of a switch that a user stopped, in `processes`.
STOPPED = 'stopped'


def _holder(fd):
    """The process that holds a lock, such as "process 42 (python3 topo/fabric up)".

    If it has released the lock by now, the result is "another process"."""
    inode = os.fstat(fd).st_ino
    with contextlib.suppress(OSError), open('/proc/locks', encoding='ascii') as f:
        for words in map(str.split, f):
            if words[1] == 'FLOCK' and int(words[5].split(':')[2]) == inode:
                with open(f'/proc/{words[4]}/cmdline', encoding='utf-8', errors='replace') as command:
                    return f"process {words[4]} ({' '.join(command.read().split(chr(0))).strip()})"
    return 'another process'


@contextlib.contextmanager
def lock():
    """Lets only one harness at a time change fabrics. Only root can open the file and lock it."""
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
        take_down_orphans()
        yield
    finally:
        os.close(fd)


def names():
    """The names of all fabrics that have a plan in their folder."""
    try:
        return sorted(e.name for e in os.scandir(ROOT) if os.path.exists(f'{e.path}/plan.json'))
    except FileNotFoundError:
        return []


def take_down_orphans():
    """Takes down fabrics whose owner, such as a demo, was killed. The caller holds the lock."""
    with contextlib.suppress(FileNotFoundError):
        for name in sorted(os.listdir(ROOT)):
            if not re.fullmatch(NAME, name) or not (fabric := Fabric(name)).is_orphan():
                continue
            say(f"taking fabric {name} down: process {fabric.state()['owner']['pid']}, which made it, is gone")
            with contextlib.suppress(Failure):
                fabric.tear_down()


def remove_instance(instance):
    """Removes the stats socket and the folder that a killed switch has left.

    Symbolic links, files with other names, and the folder of a running process, which locks it,
    stay."""
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
        pass  # the folder is in use, or has other files
    finally:
        os.close(folder)


def _pid_space():
    return os.stat('/proc/self/ns/pid').st_ino


def _is_state(state):
    """Returns whether the value in state.json has the form that tear_down() relies on."""
    if not isinstance(state, dict):
        return False
    owner, spaces, found = state.get('owner'), state.get('namespaces'), state.get('ports', [])
    return (owner is None or isinstance(owner, dict) and all(isinstance(owner.get(key), int)
                                                             for key in ('pid', 'started', 'pid_space'))) and \
        ('ports' not in state or isinstance(spaces, dict)) and \
        (spaces is None or isinstance(spaces, dict) and all(
            re.fullmatch(SPACE, name) and isinstance(inode, int | None) for name, inode in spaces.items())) and \
        isinstance(state.get('born', {}), dict) and isinstance(found, list) and \
        all(isinstance(port, list) and len(port) == 3 for port in found)


class Fabric:
    """A fabric, identified by its folder."""

    def __init__(self, name):
        # The name becomes part of paths that are deleted. drbtopo has the same rule.
        if not re.fullmatch(NAME, name):
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
        """Refuses a folder that the harness has not made, and must not delete."""
        if self.exists() and not os.path.exists(self.path('state.json')):
            raise usage(f'{self.folder} is not of a fabric, it has no state.json: move it away or '
                        'take another --fabric')

    def need_free(self, otherwise):
        """Fails if a fabric of this name is up. otherwise: an alternative to taking it down."""
        alive = self.alive()
        if self.state().get('phase') == UP and alive and not self.is_orphan():
            raise usage(f"fabric {self.name} is up, {len(alive)} switches run: {called('fabric')} down --fabric "
                        f'{self.name} first, or {otherwise}')

    def create(self, owner=None):
        """Makes the folder. The folder never exists without state.json, which shows that the
        harness made it.

        owner: the id of the process with which the fabric ends."""
        new = f'{ROOT}/.{self.name}.new'
        state: dict = {'phase': PLANNING}
        if owner:
            state['owner'] = {'pid': owner, 'started': processes.start_time(owner) or 0, 'pid_space': _pid_space()}
        with interrupts.deferred():
            shutil.rmtree(new, ignore_errors=True)
            try:
                os.makedirs(f'{new}/log')
                files.write(f'{new}/state.json', json.dumps(state))
                os.rename(new, self.folder)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise

    def is_orphan(self):
        """Returns whether its owner has ended. False if the owner is in another container."""
        owner = self.state().get('owner')
        return bool(owner) and owner['pid_space'] == _pid_space() and \
            not processes.is_alive(owner['pid'], owner['started'])

    def make_plan(self, drbtopo, options, folder=None):
        """Has drbtopo write the plan. If drbtopo fails, its message becomes a Failure."""
        with interrupts.deferred():
            done = subprocess.run([drbtopo, 'plan', *options, '--fabric', self.name, '--run-dir', self.folder,
                                   '--out', folder or self.folder], check=False, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            said = done.stderr.strip().removeprefix('drbtopo: ')
            raise Failure(said.replace('see drbtopo ', f"see {called_program('drbtopo', 'plan')} "), done.returncode)
        return self.plan(folder)

    def write_hosts(self, plan: Plan):
        lines = []
        with contextlib.suppress(OSError), open('/etc/hosts', encoding='utf-8') as f:
            lines = f.read().splitlines()
        lines += [f"{address} {host['name']}" for host in [*plan['hosts'], *plan.get('elsewhere', [])]
                  for address in (host['ipv4'], host['ipv6'])]
        files.write(self.path('hosts'), '\n'.join(lines) + '\n')

    def plan(self, folder=None):
        path = f'{folder or self.folder}/plan.json'
        cure = f"{called('fabric')} down --fabric {self.name}, and up again"
        try:
            with open(path, encoding='utf-8') as f:
                return plan_types.checked(path, json.load(f), cure)
        except FileNotFoundError:
            return None
        except ValueError as e:
            raise usage(f'{path} is damaged ({e}): {cure}') from e

    def need_plan(self):
        """The plan of a fabric that is up."""
        plan = self.plan()
        if not plan or self.state().get('phase') != UP:
            others = [f for f in names() if f != self.name]
            hint = f' (there is {", ".join(others)}: --fabric)' if others else ''
            raise usage(f'fabric {self.name} is not up{hint}')
        return plan

    def state(self):
        """The content of state.json; {} if it is missing or damaged."""
        try:
            with open(self.path('state.json'), encoding='utf-8') as f:
                state = json.load(f)
        except (OSError, ValueError):
            return {}
        return state if _is_state(state) else {}

    def save_state(self, **changes):
        files.write(self.path('state.json'), json.dumps({**self.state(), **changes}))

    def save_names(self, plan: Plan, **changes):
        """Saves the namespaces and ports that are about to be made. Their names must be free."""
        spaces = [node['namespace'] for node in plan['switches'] + plan['hosts']]
        self.save_state(phase=STARTING, namespaces=dict.fromkeys(spaces), ports=cables.ports(plan), **changes)

    def save_made(self):
        """Saves the identities of the namespaces, which exist now. From here on, namespaces with
        other inodes or times do not belong to the fabric."""
        names = self.state()['namespaces']
        self.save_state(namespaces={name: netns.inode(name) for name in names},
                        born={name: netns.born(name) for name in names})

    def _made(self):
        """The namespaces, as in the state, and the ports that were made. The plan, which may be
        damaged, is read only if the state does not have them."""
        state = self.state()
        if state.get('phase') not in (STARTING, UP):
            return {}, []
        if 'ports' in state:
            return state['namespaces'], state['ports']
        # Earlier versions did not save all: the plan has the rest, if it is not damaged.
        names, found = state.get('namespaces') or {}, []
        with contextlib.suppress(Failure, LookupError, TypeError, AttributeError):
            plan = self.plan()
            found = cables.ports(plan)
            names = names or dict.fromkeys(node['namespace'] for node in plan['switches'] + plan['hosts'])
        return names, found

    def record_process(self, name, pid, started):
        with open(self.path('processes'), 'a', encoding='ascii') as f:
            f.write(f'{name} {pid} {started}\n')

    def record_stops(self, names):
        """Records that these switches are to end, or are still to start. Call it before they end,
        so that nobody takes their end for a crash."""
        with open(self.path('processes'), 'a', encoding='ascii') as f:
            f.write(''.join(f'{name} {STOPPED}\n' for name in names))

    def _last_records(self):
        """The last complete line about each switch: {switch: words after its name}."""
        result = {}
        with contextlib.suppress(FileNotFoundError), open(self.path('processes'), encoding='ascii') as f:
            for line in f:
                name, *words = line.split() or ['']
                if len(words) == 2 or words == [STOPPED]:
                    result[name] = words
        return result

    def processes(self):
        """The recorded processes, running or not, except those stopped on purpose:
        {switch: (pid, start)}."""
        return {name: (int(words[0]), int(words[1]))
                for name, words in self._last_records().items() if words != [STOPPED]}

    def stopped(self):
        """The names of switches that were stopped on purpose and not started since."""
        return {name for name, words in self._last_records().items() if words == [STOPPED]}

    def alive(self):
        return [name for name, process in self.processes().items() if processes.is_alive(*process)]

    def stop_switch(self, node: Switch):
        """Ends all processes of one switch, even those started by hand; true if there was one."""
        stray = processes.of_fabric(self.path(node['config']), self.state().get('namespaces') or {})
        recorded = self.processes().get(node['name'])
        doomed = {*stray, *([recorded] if recorded and processes.is_alive(*recorded) else [])}
        if doomed:
            self.record_stops([node['name']])
        processes.stop(doomed)
        return bool(doomed)

    def stop_switches(self):
        """Ends all recorded processes, and those that a killed harness did not record."""
        stray = processes.of_fabric(f'{self.folder}/', self.state().get('namespaces') or {})
        recorded = self.processes()
        with contextlib.suppress(OSError):  # a full disk
            self.record_stops(self.alive())
        processes.stop({*recorded.values(), *stray})

    def tear_down(self):
        """Undoes an up, finished or not. Returns the number of namespaces removed."""
        made, found = self._made()
        self.stop_switches()
        there = {name: netns.inode(name) for name in made if netns.exists(name)}
        # Delete a namespace if its inode and time are those of the state. An empty file (inode
        # None) was left by the restart of a container, and goes, too. If no inode was saved, the
        # name was free before the up.
        born = self.state().get('born') or {}
        doomed = [name for name, inode in there.items() if inode is None or (
            made[name] in (None, inode) and born.get(name) in (None, netns.born(name)))]
        others = [name for name in there if name not in doomed]
        cables.let_go(found, {name for name in doomed if there[name] is not None})
        left = netns.delete(doomed)
        for name in made:
            remove_instance(name)
        if left:
            raise Failure(f'cannot delete {counted(len(left), "namespace")}: {" ".join(left)}')
        if others:
            say(f'left alone, not of fabric {self.name} any more: namespace {" ".join(others)}')
        if not self.state():
            say(f"{self.path('state.json')} is damaged: namespaces that it named stay; see ip netns")
        shutil.rmtree(self.folder, ignore_errors=True)
        return len(doomed)
