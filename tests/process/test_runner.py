#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The test runner itself: what a check may say, how that is counted, and which includes are refused.

test_runner.py TESTS_DIR    TAP on standard output."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TESTS = pathlib.Path(sys.argv[1]).resolve()

import tap  # noqa: E402


def said(script, **environment):
    """Lines that a script says which sources lib.sh, and its exit status."""
    r = subprocess.run(['bash', '-c', f'. {TESTS}/lib.sh; {script}; finish'], text=True, capture_output=True,
                       env={**os.environ, **environment}, check=False)
    assert r.stderr == '', r.stderr
    return r.stdout.splitlines(), r.returncode


def counted(text, status):
    """PASSED FAILED SKIPPED REPEATED UNDECIDED of a story that said this."""
    with tempfile.TemporaryDirectory() as folder:
        log, table = pathlib.Path(folder, 'log'), pathlib.Path(folder, 'table')
        log.write_text(text)
        r = subprocess.run([sys.executable, TESTS / 'tally.py', 'live', table, 'x', str(status), log],
                           text=True, capture_output=True, check=True)
        assert table.read_text() == ','.join(['x', *r.stdout.split(), '']) + '\n'
        return [int(n) for n in r.stdout.split()]


def checks_pass_or_fail():
    assert said('check yes true') == (['ok yes'], 0)
    lines, status = said('check no sh -c "echo why; exit 3"; check yes true')
    assert status == 1 and lines[0] == 'not ok no' and '#   why' in lines and lines[-1] == 'ok yes', lines
    assert said('skip it "no right"') == (['ok it # SKIP no right'], 0)


def a_failure_is_final():
    lines, status = said('n=0; f() { echo tried; false; }; decide it f')
    assert status == 1 and lines[0] == 'not ok it' and lines.count('#   tried') == 1, lines


def what_cannot_tell_is_repeated():
    with tempfile.TemporaryDirectory() as folder:
        third = f'echo x >>{folder}/n; [ $(wc -l <{folder}/n) = 3 ]'
        script = f'f() {{ {third} || {{ echo busy; return 75; }}; }}; decide it f'
        assert said(script) == (['# AGAIN it: busy', '# AGAIN it: busy', 'ok it'], 0)


def undecided_is_no_pass():
    script = 'f() { echo busy; return 75; }; decide it f'
    want = ['# AGAIN it: busy', 'ok it # SKIP machine: none of 2 tries could tell: busy']
    assert said(script, DRB_TRIES='2', DRB_STRICT='') == (want, 0)
    lines, status = said(script, DRB_TRIES='2', DRB_STRICT='1')
    assert status == 1 and lines[1] == 'not ok it', lines


def everything_is_counted():
    assert counted('ok a\nok b # SKIP why\nok c # SKIP machine: why\n# AGAIN a: why\n', 0) == [1, 0, 2, 1, 1]
    assert counted('ok a\nnot ok b\n# not ok c\n', 1) == [1, 1, 0, 0, 0]
    assert counted('ok a\n', 1) == [1, 1, 0, 0, 0], 'a story that dies has failed'
    assert counted('', 0) == [0, 1, 0, 0, 0], 'so has one that checks nothing'
    assert counted('cannot run here\n', 77) == [0, 0, 1, 0, 0]


def jobs_run_in_lanes():
    with tempfile.TemporaryDirectory() as folder:
        script = f""". {TESTS}/jobs.sh; logs={folder}
            job() {{ echo "begin $1"; sleep 0.$2; echo "end $1"; count 1 0 0; }} >>{folder}/said
            builds=("job b1 3" "job b2 2" "job b3 2") beside=("job s1 1" "job s2 1") quiet=("job q1 1" "job q2 1")
            lane_ended() {{ [ "$1" != builds ] || {{ beside+=("${{quiet[@]}}") && width[beside]=1; }}; }}
            run_lanes builds 2 beside 2
            echo "${{total[0]}}" """
        r = subprocess.run(['bash', '-c', script], text=True, capture_output=True, check=True)
        said = pathlib.Path(folder, 'said').read_text().splitlines()
    assert r.stderr == '' and r.stdout.splitlines()[-1] == '7', r
    assert set(said[:4]) == {f'begin {job}' for job in ('b1', 'b2', 's1', 's2')}, said
    assert said.index('begin b3') > min(said.index('end b1'), said.index('end b2')), said
    assert said.index('begin q1') > max(said.index(f'end b{n}') for n in (1, 2, 3)), said
    assert said[-4:] == ['begin q1', 'end q1', 'begin q2', 'end q2'], said


def includes_that_go_up_or_round():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder, 'src')
        for name, text in (('top/a.h', ''), ('low/b.c', '#include "top/a.h"\n'), ('top/a.c', '#include "a.h"\n'),
                           ('low/c.h', '#include "low/d.h"\n'), ('low/d.h', '#include "c.h"\n')):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

        def refused(table):
            path = pathlib.Path(folder, 'table')
            path.write_text(table)
            r = subprocess.run([sys.executable, TESTS / 'lint/includes.py', path, root], text=True,
                               capture_output=True, check=False)
            assert (r.returncode != 0) == bool(r.stdout), r
            return r.stdout.splitlines()

        circle = 'include one another: low/c.h, low/d.h'
        upward = 'low/b.c: includes top/a.h, but top is above low'
        assert refused('top\nlow\n') == [upward, circle]
        for allowed in 'low', 'low/b.c':
            assert refused(f'top\nlow\n{allowed} -> top  it must\n') == [circle]
        (root / 'low/d.h').write_text('int a; // as in low/b.c, see old/b.h\n')
        assert refused('top\nlow\nlow -> top  it must\n') == ['low/d.h:1: names old/b.h, and there is no such file']
        (root / 'low/d.h').write_text('')
        assert refused('low\ntop\n') == []
        assert refused('low\ntop\nlow -> top  it must\n') == ['low -> top: nothing needs it, take it out of the table']
        assert refused('low\n') == [f'top/{name}: its folder is not in the table' for name in ('a.c', 'a.h')]


def functions_that_are_too_large():
    long_c = 'static int\nmany(int a, int (*b)(int, int), int c,\n     int d, char e[f(1, 2)], int g)\n{\n' + \
        '\tif (a) {\n\t\treturn 1; // } of "no" use\n\t}\n' * 20 + '}\n'
    fine_c = '#define X(a, b, c, d, e, f) \\\n\t{\nint few(void (*a)(int, int))\n{\n\treturn \',\';\n}\n' + \
        '// text\n' * 60
    long_py = 'def many(a, b, c, d, e, f):\n' + '    a()\n' * 59
    fine_py = 'class A:\n    def few(self, a, b, c, d, e, f=1):\n' + '        a()\n' * 58
    with tempfile.TemporaryDirectory() as folder:
        def refused(name, text, *exceptions):
            path, table = pathlib.Path(folder, name), pathlib.Path(folder, 'table')
            path.write_text(text)
            table.write_text(''.join(f'{path} {what} since\n' for what in exceptions))
            r = subprocess.run([sys.executable, TESTS / 'lint/functions.py', table, path], text=True,
                               capture_output=True, check=False)
            assert r.returncode == bool(r.stdout) and not r.stderr, r
            return [line.replace(f'{path}', name) for line in r.stdout.splitlines()]

        assert refused('a.c', long_c) == ['a.c: many() has 65 lines, at most 59',
                                          'a.c: many() has 6 parameters, at most 5']
        assert refused('a.c', long_c, 'many.length', 'many.parameters') == []
        assert refused('b.c', fine_c) == refused('b.py', fine_py) == []
        assert refused('a.py', long_py) == ['a.py: many() has 60 lines, at most 59',
                                            'a.py: many() has 6 parameters, at most 5']
        assert refused('c.h', 'int a;\n' * 401) == ['c.h: 401 lines, at most 400']
        assert len(refused('b.c', fine_c, 'few.length')) == 1, 'an exception that nothing needs'


def words_that_are_not_used():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, 'text')

        def refused(text):
            path.write_text(text)
            r = subprocess.run([sys.executable, TESTS / 'lint/words.py', TESTS / 'lint/words.txt', path], text=True,
                               capture_output=True, check=False)
            assert r.returncode == bool(r.stdout) and not r.stderr, r
            return [line.removeprefix(f'{path}:') for line in r.stdout.splitlines()]

        assert refused('a\n// Packets that\n// Go\n// around, and bounce.\n') == [
            '4: "bounce": say detour (docs/glossary.md)', '3: "Go // around": say detour (docs/glossary.md)']
        assert refused('goes the usual way; a detour around it; Digit-Reversal Bouncing\n') == []


tap.run((checks_pass_or_fail, a_failure_is_final, what_cannot_tell_is_repeated, undecided_is_no_pass,
         everything_is_counted, jobs_run_in_lanes, includes_that_go_up_or_round,
         functions_that_are_too_large, words_that_are_not_used))
