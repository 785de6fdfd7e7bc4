# SPDX-License-Identifier: BSD-3-Clause
"""A copy of the repository in which mutants are built and tested. The work tree stays unchanged."""

import contextlib
import functools
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any

# Tests run without privileges, as in tests/stages.sh.
UNPRIVILEGED = ['setpriv', '--reuid=65533', '--regid=65533', '--clear-groups', '--no-new-privs']
# Time limit of a test with a mutant: TIMES its usual time, plus SECONDS.
TIMES, SECONDS = 4, 10
FAILED = re.compile(r'^\s*not ok(?!.*# (SKIP|TODO))', re.M)
NOT_RUN = 77


@dataclass
class Test:
    """A test of the build.

    name, command, environment: as meson runs it. usual: seconds that it takes. inputs: source files
    of its programs, None if it may run any program. script: true if it may run any Python file."""
    name: str
    command: list
    environment: dict
    usual: float = 0.0
    inputs: Any = field(default=None, repr=False)
    script: bool = False

    def sees(self, path):
        return self.inputs is None or path in self.inputs or self.script and path.endswith('.py')


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
        with open(f'{self.build}/meson-info/intro-targets.json', encoding='utf-8') as f:
            targets = {t['id']: t['filename'] for t in json.load(f)}
        inputs = self._inputs()
        for test in said:
            used = [os.path.relpath(path, self.build) for t in test['depends'] for path in targets.get(t, [])]
            built = [inputs[path] for path in used if path in inputs]
            # A test that gets the folder of the build or the sources may run any program.
            anything = not built or any(word in (self.build, self.source)
                                        for word in (*test['cmd'], *test['env'].values()))
            # Python identifies a compiled file by the size and the time, in seconds, of its source.
            # A mutant may have the same, so tests must not write compiled files.
            yield Test(test['name'], test['cmd'], {**os.environ, **test['env'], 'PYTHONDONTWRITEBYTECODE': '1'},
                       inputs=None if anything else frozenset().union(*built),
                       script=os.path.relpath(os.path.realpath(test['cmd'][0]), self.build) not in inputs)

    def _inputs(self):
        """Returns {program or library: files of the copy that it is built from}."""
        with open(f'{self.build}/meson-info/intro-targets.json', encoding='utf-8') as f:
            made = [os.path.relpath(path, self.build) for t in json.load(f)
                    if t['type'] in ('executable', 'shared library') for path in t['filename']]
        return {path: frozenset().union(*(
            self._deps.get(o, ()) for o in _run(['ninja', '-C', self.build, '-t', 'inputs', path]).stdout.split()))
            for path in made}

    def passes(self, test, seconds):
        """True if the test passes, or is skipped, within this time in seconds."""
        wrapper = UNPRIVILEGED if os.geteuid() == 0 else []
        # pylint: disable=consider-using-with
        process = subprocess.Popen([*wrapper, *test.command], cwd=self.build, env=test.environment, text=True,
                                   errors='replace', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            said = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return process.returncode in (0, NOT_RUN) and not FAILED.search(said)

    def timed(self, tests):
        """Runs tests in parallel, sets their usual times, and yields (test, passed) as each
        ends."""
        def run(test):
            begun = time.monotonic()
            passed = self.passes(test, 600)
            test.usual = time.monotonic() - begun
            return test, passed
        pool = ThreadPoolExecutor(self.jobs)
        try:
            yield from (done.result() for done in as_completed([pool.submit(run, t) for t in tests]))
        finally:
            pool.shutdown(cancel_futures=True)

    def noticed_by(self, tests):
        """Returns the name of the first test that fails, and fails again when run alone. Returns
        None if there is none."""
        for at in range(0, len(tests), self.jobs):
            some = tests[at:at + self.jobs]
            with ThreadPoolExecutor(self.jobs) as pool:
                passed = list(pool.map(self._in_time, some))
            for test, ok in zip(some, passed):
                if not ok and not self._in_time(test):
                    return test.name
        return None

    def _in_time(self, test):
        return self.passes(test, TIMES * test.usual + SECONDS)


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
