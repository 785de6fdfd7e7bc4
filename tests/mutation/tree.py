# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the repository in which mutants are built and tested. The work tree stays unchanged."""

import concurrent.futures
import contextlib
import functools
import itertools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field

# Tests run without privileges, as in tests/stages.sh.
UNPRIVILEGED = ['setpriv', '--reuid=65533', '--regid=65533', '--clear-groups', '--no-new-privs']
# Time limit of a test with a mutant: TIMES its usual time, plus SECONDS.
TIMES, SECONDS = 4, 10
SKIPPED = re.compile(r'^not ok.*# SKIP', re.M)  # by cmocka
FAILED = re.compile(r'^\s*not ok(?!.*# (SKIP|TODO))', re.M)
NOT_RUN = 77
TRACED_SECONDS = 120
# Prints files that a process and its children open, with full paths, and programs that they start.
TRACER = ['strace', '-f', '--seccomp-bpf', '-qq', '-y', '-z', '-s', '4096', '-e', 'trace=execve,open,openat']
OPENED = re.compile(r'(?:(execve)\("|open(?:at)?\(.* = \d+<)([^">]+)')


@dataclass
class Test:
    """A test of the build.

    name, command, environment: as meson runs it. as_root: keeps the rights of the mutation run.
    usual: seconds that it takes. skips: left parts out. used: files of the copy that it opens, and
    those that the programs are made of which it runs; None: unknown."""
    name: str
    command: list
    environment: dict
    as_root: bool = False
    usual: float = 0.0
    skips: bool = False
    used: frozenset | None = field(default=None, repr=False)

    def uses(self, path):
        return self.used is None or path in self.used


def _run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


class Tree:
    """root: the repository; folder: contains the copy; jobs: compilers or tests at a time."""

    def __init__(self, root, folder, jobs):
        self.source, self.build, self.jobs = f'{folder}/source', f'{folder}/source/build', jobs
        self.root, self.folder = root, folder

    def copy(self):
        """Copies the files that git tracks or would add."""
        names = _run(['git', '-C', self.root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard']).stdout
        for name in filter(None, names.split('\0')):
            here, there = f'{self.root}/{name}', f'{self.source}/{name}'
            if os.path.isfile(here) and not _same(here, there):
                os.makedirs(os.path.dirname(there), exist_ok=True)
                shutil.copy2(here, there, follow_symlinks=os.path.isdir(here))
                # An interrupted run may have built a mutant of this file. The new time makes ninja
                # build the file again.
                os.utime(there)
            elif os.path.islink(here) and not os.path.lexists(there):
                os.symlink(os.readlink(here), there)

    def make(self):
        """Builds the copy. Returns the end of the output of a build that fails, else None."""
        if not os.path.exists(f'{self.build}/build.ninja'):
            done = _run(['meson', 'setup', self.build, self.source, '-Dwerror=true', '-Dtests=enabled'])
            if done.returncode:
                return done.stdout[-2000:]
        done = _run(['ninja', '-C', self.build, '-j', str(self.jobs)])
        # Tests that install the product write here, without privileges.
        log = f'{self.build}/meson-logs/install-log.txt'
        with open(log, 'a', encoding='utf-8'):
            os.chmod(log, 0o666)
        return done.stdout[-2000:] if done.returncode else None

    def read(self, file):
        with open(f'{self.source}/{file}', 'rb') as f:
            return f.read()

    @contextlib.contextmanager
    def changed(self, mutant):
        """While the context lasts, the copy has this mutant."""
        before = self.read(mutant.file)
        try:
            self._write(mutant.file, mutant.applied(before))
            yield
        finally:
            self._write(mutant.file, before)

    def _write(self, file, text):
        with open(f'{self.source}/{file}', 'wb') as f:
            f.write(text)

    @functools.cached_property
    def units(self):
        """{C file or header: (path of a C file that is or includes it, arguments to compile
        it)}."""
        with open(f'{self.build}/compile_commands.json', encoding='utf-8') as f:
            entries = json.load(f)
        found = {}
        for e in entries:
            path = os.path.normpath(os.path.join(e['directory'], e['file']))
            unit = path, list(_kept(shlex.split(e['command']), e['directory']))
            found[os.path.relpath(path, self.source)] = unit
            for file in self._deps.get(e['output'], ()):
                found.setdefault(file, unit)
        return found

    @functools.cached_property
    def _deps(self):
        """{object: files of the copy that it is compiled from}; headers are among them."""
        found, name = {}, ''
        for line in _run(['ninja', '-C', self.build, '-t', 'deps']).stdout.splitlines():
            if not line.startswith(' '):
                name = line.partition(':')[0]
            elif not (path := os.path.relpath(os.path.join(self.build, line.strip()), self.source)).startswith('..'):
                found.setdefault(name, set()).add(path)
        return found

    def tests(self):
        """Yields all tests of the build."""
        with open(f'{self.build}/meson-info/intro-tests.json', encoding='utf-8') as f:
            said = json.load(f)
        for test in said:
            # Python identifies a compiled file by the size and the time, in seconds, of its source.
            # A mutant may have the same, so tests must not write compiled files.
            yield Test(test['name'], test['cmd'], {**os.environ, **test['env'], 'PYTHONDONTWRITEBYTECODE': '1'})

    @staticmethod
    def as_root(tests):
        """Yields tests in C that skip parts, to run with all rights."""
        if os.geteuid() == 0:
            for t in tests:
                if t.skips:
                    yield Test(f'{t.name} as root', t.command, t.environment, as_root=True)

    @functools.cached_property
    def _inputs(self):
        """{program or library: files of the copy that it is built from}"""
        with open(f'{self.build}/meson-info/intro-targets.json', encoding='utf-8') as f:
            made = [os.path.relpath(path, self.build) for t in json.load(f)
                    if t['type'] in ('executable', 'shared library') for path in t['filename']]
        return {path: frozenset().union(*(
            self._deps.get(o, ()) for o in _run(['ninja', '-C', self.build, '-t', 'inputs', path]).stdout.split()))
            for path in made}

    def output(self, test, seconds, tracer=()):
        """Returns the output of a test that passes, or is skipped, within this time in seconds,
        else None. tracer: a command that runs it."""
        wrapper = UNPRIVILEGED if os.geteuid() == 0 and not test.as_root else []
        # pylint: disable=consider-using-with
        process = subprocess.Popen([*tracer, *wrapper, *test.command], cwd=self.build, env=test.environment, text=True,
                                   errors='replace', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            return None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return said if process.returncode in (0, NOT_RUN) and not FAILED.search(said) else None

    def measure(self, test):
        """Runs a test. Sets its usual time, what it skips, and the files that it uses. Returns
        whether it passes."""
        with tempfile.NamedTemporaryFile('r', encoding='utf-8', errors='replace') as log:
            begun = time.monotonic()
            said = self.output(test, TRACED_SECONDS, [*TRACER, '-o', log.name])
            test.used = None if said is None else self._used(log.read())
        if said is None:  # tests that stop threads fail, as these have a tracer already
            begun = time.monotonic()
            said = self.output(test, 600)
        test.usual = time.monotonic() - begun
        test.skips = SKIPPED.search(said or '') is not None
        return said is not None

    def _used(self, trace):
        """Returns the files of the copy that processes with this trace depend on."""
        programs = {os.path.basename(path): files for path, files in self._inputs.items()}
        used = set()
        for call, path in OPENED.findall(trace):
            name = os.path.relpath(path, self.source)
            # A program may be started by a relative path, or be installed elsewhere.
            if call == 'execve' or name.startswith(('build/', '..')):
                used |= programs.get(os.path.basename(path), set())
            else:
                used.add(name)
        return frozenset(used)

    def measured(self, tests):
        """Runs tests in parallel, and yields (test, passed) as each ends."""
        pool = ThreadPoolExecutor(self.jobs)
        try:
            runs = {pool.submit(self.measure, t): t for t in tests}
            yield from ((runs[done], done.result()) for done in as_completed(runs))
        finally:
            pool.shutdown(cancel_futures=True)

    def noticed_by(self, tests):
        """Returns the name of a test that fails, and fails again when run alone. Returns None if
        there is none."""
        left = iter(tests)
        while failed := self._failed(left):
            for test in failed:
                if not self._in_time(test):
                    return test.name
        return None

    def _failed(self, tests):
        """Runs tests in parallel until one fails, and takes those that it runs from the iterator.
        Returns the tests that failed."""
        failed = []
        with ThreadPoolExecutor(self.jobs) as pool:
            runs = {pool.submit(self._in_time, t): t for t in itertools.islice(tests, self.jobs)}
            while runs:
                for run in concurrent.futures.wait(runs, return_when=concurrent.futures.FIRST_COMPLETED).done:
                    test = runs.pop(run)
                    if not run.result():
                        failed.append(test)
                    if not failed:
                        runs |= {pool.submit(self._in_time, t): t for t in itertools.islice(tests, 1)}
        return failed

    def _in_time(self, test):
        return self.output(test, TIMES * test.usual + SECONDS) is not None


def _same(here, there):
    if not os.path.exists(there):
        return False
    with open(here, 'rb') as a, open(there, 'rb') as b:
        return a.read() == b.read()


def _kept(words, folder):
    """Yields the arguments of a compiler that a parser needs, with include folders as full
    paths."""
    words = iter(words)
    for word in words:
        if word in ('-include', '-isystem', '-I', '-D'):
            word += next(words)
        if word.startswith(('-I', '-isystem')):
            option = '-I' if word.startswith('-I') else '-isystem'
            yield option + os.path.normpath(os.path.join(folder, word.removeprefix(option)))
        elif word.startswith('-include'):
            yield from ('-include', word.removeprefix('-include'))
        elif word.startswith(('-D', '-std')):
            yield word
