#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the mutation run on a small repository, with functions in C and Python and a test of each.

test_mutation.py RUN    RUN: tests/mutation/run.py. TAP on standard output."""

import json
import os
import signal
import subprocess
import sys
import tempfile

os.environ['CCACHE_DISABLE'] = '1'  # the folder of ccache may belong to root

import tap  # noqa: E402

RUN = sys.argv[1]
FILES = {
    'meson_options.txt': "option('tests', type: 'feature')\n",
    'meson.build': """project('tiny', 'c')
numbers = static_library('numbers', 'src/numbers.c')
test('sum', executable('test_sum', 'tests/sum.c', link_with: numbers))
test('tool', find_program('tests/tool.py'))
""",
    'src/numbers.h': 'int sum(const int *of, int count);\nint twice(int of);\nint mode(void);\n',
    'src/numbers.c': """#include "numbers.h"

int sum(const int *of, int count)
{
\tint all = 0;

\tfor (int i = 0; i < count; i++)
\t\tall += of[i];
\treturn all;
}

int twice(int of)
{
\treturn of * 2;
}

int mode(void)
{
\treturn 0600;
}
""",
    'tests/sum.c': """#include "../src/numbers.h"

int main(void)
{
\tconst int some[] = {1, 2, 3, 4};

\treturn sum(some, 3) != 6;
}
""",
    'topo/tool.py': 'def most(a, b):\n    return a if a > b else b\n',
    'tests/tool.py': """#!/usr/bin/env python3
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'topo'))
from tool import most  # noqa: E402

sys.exit(most(1, 2) != 2 or most(2, 1) != 2)
""",
}


def in_folder(folder, *command):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def repository(folder):
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(f'{folder}/{name}'), exist_ok=True)
        with open(f'{folder}/{name}', 'w', encoding='utf-8') as f:
            f.write(text)
    os.chmod(f'{folder}/tests/tool.py', 0o755)
    for words in (('init', '-q'), ('add', '-A'), ('-c', 'user.name=x', '-c', 'user.email=x', 'commit', '-qm', 'x')):
        assert in_folder(folder, 'git', *words).returncode == 0, words


def run(folder, *words):
    return in_folder(folder, '/usr/bin/python3', RUN, '--root', folder, '--out', f'{folder}/../out', *words)


def cut_off(folder, number):
    """Sends this signal to a run after its first mutant. Returns its lines of standard error."""
    with subprocess.Popen(['/usr/bin/python3', RUN, '--root', folder, '--out', f'{folder}/../cut'],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stderr or ():
            lines.append(line)
            if ' min left: ' in line:
                process.send_signal(number)
                number = 0
        return lines


def what_nobody_tests_survives():
    with tempfile.TemporaryDirectory() as top:
        os.chmod(top, 0o755)
        folder = f'{top}/tiny'
        os.mkdir(folder)
        repository(folder)
        done = run(folder)
        for text, why in (("No module named 'clang'", 'python3-clang is not installed'),
                          ('strace is missing', 'strace is not installed')):
            if text in done.stderr:
                raise tap.Skip(why)
        assert done.returncode == 1, done
        with open(f'{top}/out/journal.jsonl', encoding='utf-8') as f:
            rows = [row for row in map(json.loads, f) if 'change' in row]
        results = {row['change']: row['result'] for row in rows}
        end = 'src/numbers.c: for (int i = 0; i < count; i++) => for (int i = 0; i <= count; i++)'
        assert results[end] == 'noticed', results
        assert results['src/numbers.c: all += of[i]; => all -= of[i];'] == 'noticed', results
        assert results['src/numbers.c: return of * 2; => return of / 2;'] == 'survived', results
        assert {row['test'] for row in rows if row['result'] == 'noticed'} == {'sum', 'tool'}, rows
        # If two numbers are equal, either may be returned, so this change has no effect.
        assert results['topo/tool.py: return a if a > b else b => return a if a >= b else b'] == 'survived', results
        assert results['src/numbers.c: return 0600; => return (0600 * 10);'] == 'survived', results
        # Each survivor has a patch, and git can apply it.
        patches = sorted(os.listdir(f'{top}/out/survivors'))
        assert len(patches) == list(results.values()).count('survived'), (patches, results)
        for patch in patches:
            assert in_folder(folder, 'git', 'apply', '--check', f'{top}/out/survivors/{patch}').returncode == 0, patch
        # A second run has nothing left to try, and prints the same.
        again = run(folder)
        assert (again.returncode, again.stdout) == (1, done.stdout) and ' of ' not in again.stderr, again
        # A run goes on after an interruption, also if it was killed while a mutant was in place.
        assert cut_off(folder, signal.SIGINT)[-1] == 'interrupted: called again, it goes on from here\n'
        cut_off(folder, signal.SIGKILL)
        last = run(folder, '--out', f'{top}/cut')
        assert last.stdout == done.stdout and f'{len(results) - 2} of {len(results) - 2},' in last.stderr, last
        # Changes that are listed as equivalent are not tried.
        os.mkdir(f'{folder}/tests/mutation')
        with open(f'{folder}/tests/mutation/equivalent.txt', 'w', encoding='utf-8') as f:
            f.write('topo/tool.py: return a if a > b else b => return a if a >= b else b: equal ones are the same\n')
        os.unlink(f'{top}/out/journal.jsonl')
        only = run(folder, '--files', 'topo/*')
        assert 'survived' in only.stdout and ' 1 ' in only.stdout, only
        # The work tree has no tracked changes since HEAD, so no mutant is tried.
        assert 'numbers.c' not in run(folder, '--since', 'HEAD').stderr


tap.run((what_nobody_tests_survives,))
