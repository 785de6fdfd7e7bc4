#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants small bugs one at a time, in a copy of the repository, and sees whether unit and process tests notice.

Those that compile and that no test notices have survived: DIR/survivors has a patch of each. A survivor asks for a
test, or for a line in tests/mutation/equivalent.txt that says why it changes nothing. Called again with the same DIR,
it goes on where it was interrupted. Each test runs once without a mutant, under strace: a mutant is tried only with
tests that use its file, or that cannot be traced."""

import argparse
import fnmatch
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter

sys.dont_write_bytecode = True

import c_mutants  # noqa: E402
import py_mutants  # noqa: E402
from mutant import of_edits  # noqa: E402
from tree import Tree  # noqa: E402

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PRODUCT = 'src/*', 'topo/*', 'lab/*', 'include/*'
# Tests that take longer, in seconds, are tried when all mutants have been tried with the others.
QUICK = 5


def options():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='Exit status: 0 all were noticed; 1 some survived; 2 bad usage, or the tests fail already.\n\n'
               'examples:\n  tests/mutation/run.py --since main\n'
               '  tests/mutation/run.py --files "src/gen/*" --sample 50')
    p.add_argument('--since', metavar='COMMIT', help='only lines that changed since then')
    p.add_argument('--files', metavar='GLOB', action='append', help='only files of that kind; may be repeated')
    p.add_argument('--sample', metavar='N', type=int, help='so many at random, each line as likely as others')
    p.add_argument('--seed', metavar='S', type=int, default=1, help='another one draws others (default 1)')
    p.add_argument('-j', '--jobs', metavar='COUNT', type=int, default=os.cpu_count(),
                   help='compilers or tests at a time (default: one per CPU)')
    p.add_argument('-o', '--out', metavar='DIR', default='build/mutation', help='folder (default build/mutation)')
    p.add_argument('--root', default=ROOT, help=argparse.SUPPRESS)
    return p.parse_args()


def git(root, *words):
    done = subprocess.run(['git', '-C', root, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f'run.py: git {" ".join(words)}: {done.stderr.strip()}')
    return done.stdout


def lines_since(root, commit):
    """Returns {file: numbers of its lines that are new since the commit}."""
    lines: dict[str, set[int]] = {}
    file = ''
    for line in git(root, 'diff', '-U0', commit).splitlines():
        if line.startswith('+++ '):
            file = line.removeprefix('+++ b/')
        elif found := re.match(r'@@ \S+ \+(\d+)(?:,(\d+))? @@', line):
            lines.setdefault(file, set()).update(range(int(found[1]), int(found[1]) + int(found[2] or 1)))
    return lines


def mutants_of(tree, file):
    source = tree.read(file)
    if file.endswith('.py'):
        return of_edits(file, source, py_mutants.of_file(source))
    return of_edits(file, source, c_mutants.of_file(f'{tree.source}/{file}', source, *tree.units[file]))


def chosen(tree, args):
    """Returns the mutants that the options select."""
    python = (name for name in git(args.root, 'ls-files', '*.py').split())
    files = sorted(name for name in {*tree.units, *python}
                   if not name.startswith('tests/') and
                   any(fnmatch.fnmatch(name, glob) for glob in args.files or PRODUCT))
    since = lines_since(args.root, args.since) if args.since else None
    if args.sample is None:
        found = [m for file in files if since is None or file in since for m in mutants_of(tree, file)]
        return [m for m in found if since is None or m.line in since[m.file]]
    places = [(file, number) for file in files for number in range(1, tree.read(file).count(b'\n') + 1)
              if since is None or number in since.get(file, ())]
    rng, mutants, all_of = random.Random(args.seed), {}, {}
    rng.shuffle(places)
    for file, number in places:
        if len(mutants) == args.sample:
            break
        if file not in all_of:
            all_of[file] = mutants_of(tree, file)
        here = [m for m in all_of[file] if m.line == number]
        if here:
            mutant = rng.choice(here)
            mutants[mutant.key] = mutant
    return list(mutants.values())


def equivalents(root):
    """Returns the listed changes that have no effect: FILE: BEFORE => AFTER: reason."""
    path = f'{root}/tests/mutation/equivalent.txt'
    if not os.path.exists(path):
        return []
    with open(path, encoding='utf-8') as f:
        return [line.rstrip('\n') for line in f if line.strip() and not line.startswith('#')]


class Journal:
    """A file with a line for each mutant and each test that ran. Lines of another state of the
    sources are ignored."""

    def __init__(self, folder, state):
        self.path, self.state, self.done = f'{folder}/journal.jsonl', state, {}
        if os.path.exists(self.path):
            with open(self.path, encoding='utf-8') as f:
                rows = [json.loads(line) for line in f if line.endswith('\n')]
            self.done = {row['mutant']: row for row in rows if row.get('state') == state}

    def add(self, key, **row):
        self.done[key] = {'mutant': key, 'state': self.state, **row}
        with open(self.path, 'a', encoding='utf-8') as f:
            f.write(json.dumps(self.done[key]) + '\n')


def measure(tree, journal, tests):
    """Runs tests that the journal does not have, without a mutant. Sets what it has of all."""
    left = [t for t in tests if f'test {t.name}' not in journal.done]
    if left:
        print(f'{len(left)} tests run once without a mutant', file=sys.stderr, flush=True)
    for test, passed in tree.measured(left):
        journal.add(f'test {test.name}', seconds=round(test.usual, 2), passed=passed, skips=test.skips,
                    used=test.used and sorted(test.used))
    for test in tests:
        row = journal.done[f'test {test.name}']
        test.usual, test.skips = row['seconds'], row['skips']
        test.used = row['used'] and frozenset(row['used'])


def measured(tree, journal):
    """Returns the tests that pass without any mutant, quick ones first, with their usual times and
    the files that they use. Those that skip parts for want of rights run as root, too."""
    tests = list(tree.tests())
    measure(tree, journal, tests)
    more = list(tree.as_root(tests))
    measure(tree, journal, more)
    failing = [t for t in tests + more if not journal.done[f'test {t.name}']['passed']]
    if failing:
        print(f"left out, as they fail without any mutant: {', '.join(t.name for t in failing)}", file=sys.stderr)
    return sorted((t for t in tests + more if t not in failing), key=lambda t: t.usual)


def attempt(tree, mutant, tests, if_none):
    """Returns (result, name of the test that noticed the mutant, or None). if_none: the result if
    no test did."""
    with tree.changed(mutant):
        if tree.make() is not None:  # builds also what the last mutant changed
            return 'invalid', None
        name = tree.noticed_by([t for t in tests if t.uses(mutant.file)])
        return ('noticed' if name else if_none), name


def try_each(tree, mutants, tests, journal, if_none):
    """Tries mutants with these tests. Prints the progress, with an estimate of the time left, on
    standard error."""
    begun = time.monotonic()
    for n, mutant in enumerate(mutants):
        source = tree.read(mutant.file)
        change = mutant.change(source)
        result, test = attempt(tree, mutant, tests, if_none)
        journal.add(mutant.key, result=result, test=test, change=change)
        if result == 'survived':
            name = re.sub(r'\W+', '-', mutant.file) + f'-{mutant.line}-{mutant.edit.start}.patch'
            with open(f'{tree.folder}/survivors/{name}', 'w', encoding='utf-8') as f:
                f.write(mutant.patch(source))
        spent = time.monotonic() - begun
        minutes = spent / (n + 1) * (len(mutants) - n - 1) / 60
        print(f'{n + 1} of {len(mutants)}, {minutes:.0f} min left: line {mutant.line} of {change}: {result}'
              f'{f" by {test}" if test else ""}', file=sys.stderr, flush=True)


def try_all(tree, mutants, tests, journal, known):
    """Tries the mutants that the journal does not have, first with quick tests, then with the
    others."""
    for mutant in mutants:
        change = mutant.change(tree.read(mutant.file))
        if mutant.key not in journal.done and any(line.startswith(f'{change}: ') for line in known):
            journal.add(mutant.key, result='equivalent', change=change)
    long = [t for t in tests if t.usual > QUICK]
    try_each(tree, [m for m in mutants if m.key not in journal.done], tests[:len(tests) - len(long)], journal,
             'unnoticed' if long else 'survived')
    try_each(tree, [m for m in mutants if journal.done[m.key]['result'] == 'unnoticed'], long, journal, 'survived')


def score(mutants, journal):
    """Prints a row for each folder and each survivor. Returns the number of survivors."""
    counts: dict[str, Counter] = {}
    for mutant in mutants:
        folder = '/'.join(mutant.file.split('/')[:2])
        counts.setdefault(folder, Counter())[journal.done[mutant.key]['result']] += 1
    total: Counter = sum(counts.values(), Counter())
    columns = 'noticed', 'unnoticed', 'survived', 'equivalent', 'invalid'
    print(f'{"folder":20}', *columns)
    for folder, of in [*sorted(counts.items()), ('all', total)]:
        print(f'{folder:20}', *(f'{of[name]:{len(name)}}' for name in columns))
    if total['unnoticed']:
        print(f'those unnoticed so far were not tried with tests that take more than {QUICK} s')
    if judged := total['noticed'] + total['unnoticed'] + total['survived']:
        print(f'{100 * total["noticed"] / judged:.0f} % noticed')
    for mutant in mutants:
        row = journal.done[mutant.key]
        if row['result'] == 'survived':
            print(f'survived: line {mutant.line} of {row["change"]}')
    return total['survived']


def main():
    args = options()
    if not shutil.which('strace'):
        print('run.py: strace is missing: deploy/install-deps.sh installs it', file=sys.stderr)
        return 2
    folder = os.path.abspath(args.out)
    os.makedirs(f'{folder}/survivors', exist_ok=True)
    tree = Tree(os.path.abspath(args.root), folder, args.jobs)
    tree.copy()
    if said := tree.make():
        print(f'run.py: does not build without any mutant:\n{said}', file=sys.stderr)
        return 2
    changes = hashlib.sha256(git(args.root, 'diff', 'HEAD').encode()).hexdigest()
    state = f'{git(args.root, "rev-parse", "HEAD").strip()} {changes}'
    journal = Journal(folder, state)
    mutants = chosen(tree, args)
    try:
        try_all(tree, mutants, measured(tree, journal), journal, equivalents(args.root))
    except KeyboardInterrupt:
        print('interrupted: called again, it goes on from here', file=sys.stderr)
        mutants = [m for m in mutants if m.key in journal.done]
    return 1 if score(mutants, journal) else 0


if __name__ == '__main__':
    sys.exit(main())
