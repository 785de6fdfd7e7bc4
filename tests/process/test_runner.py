#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the test runner: verdicts of checks, their counts, the end of a run, and source checks.

test_runner.py TESTS_DIR    TAP on standard output."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
TESTS = pathlib.Path(sys.argv[1]).resolve()

import tap  # noqa: E402


def said(script, **environment):
    """Runs a script after sourcing lib.sh; returns its lines and its exit status."""
    r = subprocess.run(['bash', '-c', f'. {TESTS}/lib.sh; {script}; finish'], text=True, capture_output=True,
                       env={**os.environ, **environment}, check=False)
    assert r.stderr == '', r.stderr
    return r.stdout.splitlines(), r.returncode


def counted(text, status):
    """Returns PASSED FAILED SKIPPED REPEATED UNDECIDED for a story with this output and status."""
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
    assert counted('not ok: a\nnot ok: b\n', 1) == [0, 1, 0, 0, 0], 'no cases, but what a script prints'
    assert counted('', 0) == [0, 1, 0, 0, 0], 'so has one that checks nothing'
    assert counted('cannot run here\n', 77) == [0, 0, 1, 0, 0]


def what_dies_is_told():
    """The list of failures at the end of a run consists of lines "not ok"."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'log')
        run = {'name': 'x', 'returncode': -9, 'stdout': '1..3\nok 1 - a\n', 'result': 'TIMEOUT', 'duration': 90}
        log.write_text(json.dumps(run))
        r = subprocess.run([sys.executable, TESTS / 'tally.py', 'meson', f'{folder}/table', log], text=True,
                           capture_output=True, check=True)
        assert r.stdout == '1 2 0 0 0\n', r
        assert r.stderr.startswith('not ok x: 2 cases without a result, exit status -9\n'), r
        log.write_text(json.dumps({**run, 'returncode': 1, 'stdout': '1..2\nok 1 - a\nnot ok 2 - b\n'}))
        r = subprocess.run([sys.executable, TESTS / 'tally.py', 'meson', f'{folder}/table', log], text=True,
                           capture_output=True, check=True)
        assert r.stdout == '1 1 0 0 0\n' and 'without a result' not in r.stderr, r


def a_failure_is_told_whatever_follows():
    """Cases stand on standard output, hundreds of messages of their program on standard error."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'log')
        run = {'name': 'x', 'returncode': 1, 'stdout': '1..2\nnot ok 1 - a\n# why\nok 2 - b\n', 'result': 'ERROR',
               'stderr': 'message\n' * 1000, 'duration': 1}
        log.write_text(json.dumps(run))
        r = subprocess.run([sys.executable, TESTS / 'tally.py', 'meson', f'{folder}/table', log], text=True,
                           capture_output=True, check=True)
    assert r.stdout == '1 1 0 0 0\n' and 'not ok 1 - a\n# why\n' in r.stderr and 'ok 2' not in r.stderr, r
    assert r.stderr.count('\n') < 250, r


def jobs_run_in_lanes():
    """The first four jobs end only when all four have begun: two lanes of two run in parallel."""
    with tempfile.TemporaryDirectory() as folder:
        script = f""". {TESTS}/jobs.sh; logs={folder}
            begun() {{ while [ "$(grep -c begin {folder}/said)" -lt "$1" ]; do sleep 0.01; done; }}
            job() {{ echo "begin $1"; begun $2; echo "end $1"; count 1 0 0; }} >>{folder}/said
            builds=("job b1 4" "job b2 4" "job b3 5") beside=("job s1 4" "job s2 4") quiet=("job q1 1" "job q2 1")
            lane_ended() {{ [ "$1" != builds ] || {{ beside+=("${{quiet[@]}}") && width[beside]=1; }}; }}
            run_lanes builds 2 beside 2
            echo "${{total[0]}}" """
        r = subprocess.run(['bash', '-c', script], text=True, capture_output=True, check=True, timeout=60)
        said = pathlib.Path(folder, 'said').read_text().splitlines()
    assert r.stderr == '' and r.stdout.splitlines()[-1] == '7', r
    assert set(said[:4]) == {f'begin {job}' for job in ('b1', 'b2', 's1', 's2')}, said
    assert said.index('begin b3') > min(said.index('end b1'), said.index('end b2')), said
    assert said.index('begin q1') > max(said.index(f'end b{n}') for n in (1, 2, 3)), said
    assert said[-4:] == ['begin q1', 'end q1', 'begin q2', 'end q2'], said


def jobs_run_whatever_descriptors_are_open():
    """The runner's pipe takes the first free descriptor; its caller may have closed or used any."""
    for redirections in '11>&-', '10>&- 11>&-', '10</dev/null 11>&-', '10</dev/null 11</dev/null 12>&-', '0<&- 11>&-':
        with tempfile.TemporaryDirectory() as folder:
            script = f""". {TESTS}/jobs.sh; logs={folder}
                job() {{ count 1 0 0; }}
                jobs=("job 1" "job 2" "job 3"); run_lanes jobs 2; echo "${{total[0]}}" """
            r = subprocess.run(['bash', '-c', f'exec {redirections}; exec bash -c "$0"', script], text=True,
                               capture_output=True, check=True, timeout=60)
        assert r.stderr == '' and r.stdout.splitlines()[-1] == '3', (redirections, r)


FAKE_MESON = """#!/bin/bash
case $1 in test)
  mkdir -p "$3/meson-logs"
  echo '{"name": "unit", "returncode": 0, "stdout": "ok 1", "result": "OK", "duration": 0}' \\
    >"$3/meson-logs/testlog.json" ;;
esac"""
FAKE_NINJA = """#!/bin/bash
mkdir -p "$2/tests/unit"; echo built >>"$2/built"; install /dev/null "$2/tests/unit/test_log_writer" """
STORY = '. "$(dirname "$0")/../../lib.sh"; check %s true\n'
STORIES = {
    'long': '# Alone: why.\n# Full: why.\n' + STORY % 'long',
    'short': STORY % 'first' + 'if in_full "second half"; then check second true; fi\nagain first busy\nfinish\n',
}


def of_a_run(folder, *arguments, **stories):
    """Runs a project with these stories; returns the runner's lines and exit status.

    The run is real, except that scripts replace the compiler and the unit tests."""
    root = pathlib.Path(folder, '-'.join(('run', *arguments)))
    files = {'deploy/install-deps.sh': '', 'tests/fuzz/run.sh': 'echo ok fuzz x\n', 'bin/meson': FAKE_MESON,
             'bin/ninja': FAKE_NINJA, **{f'tests/live/room/{name}.sh': text for name, text in stories.items()}}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    for name in 'run.sh', 'lib.sh', 'jobs.sh', 'stages.sh', 'tally.py':
        (root / 'tests' / name).write_bytes((TESTS / name).read_bytes())
    r = subprocess.run(['bash', root / 'tests/run.sh', '--no-lint', *arguments], text=True, capture_output=True,
                       env={**os.environ, 'PATH': f'{root}/bin:{os.environ["PATH"]}'}, check=False, timeout=60)
    assert not r.stderr, r
    for build, name in ('build-asan', 'build, clang with sanitizers'), ('build-tsan', 'build, thread sanitizer'):
        assert (root / build / 'built').exists() == (name in r.stdout), r
    return r.stdout.splitlines(), r.returncode


def a_plain_run_names_what_it_leaves():
    def names(lines):
        return [line for line in lines if line.startswith('left for --full: ')]

    with tempfile.TemporaryDirectory() as folder:
        lines, status = of_a_run(folder, **STORIES)
        assert names(lines) == ['left for --full: unit tests with sanitizers, tests of suite long, fuzzers, '
                                'long, short: second half'], lines
        assert status == 0 and lines[-1] == '3 passed, 0 failed', lines
        assert lines[-2].endswith(' s, 1 repeated, 0 undecided on this machine, 0 not possible here'), lines
        for arguments, last in ((('--full',), '10 passed, 0 failed'), (('--long',), '10 passed, 0 failed'),
                                (('--unit',), '7 passed, 0 failed'), (('--live',), '4 passed, 0 failed'),
                                (('--live', 'short'), '3 passed, 0 failed')):
            lines, status = of_a_run(folder, *arguments, **STORIES)
            assert (names(lines), status, lines[-1]) == ([], 0, last), (arguments, lines)


def a_run_fails_if_a_check_does():
    with tempfile.TemporaryDirectory() as folder:
        for arguments, last in ((), '3 passed, 1 failed'), (('--full',), '8 passed, 1 failed'):
            lines, status = of_a_run(folder, *arguments, bad='echo ok a; echo not ok b; exit 1\n')
            assert status == 1 and lines[-1] == last, (arguments, lines)
            assert 'live story bad: not ok b' in lines, lines
        # Output that two checks share is reported for both.
        bad = 'f() { echo value; false; }; ' + STORY.replace('true', 'f') % 'one' + 'echo else; check two f; finish\n'
        lines, _ = of_a_run(folder, '--live', '--no-lint', bad=bad)
        first = lines.index('live story bad: not ok one')
        why = [f'live story bad: # {text}' for text in ('exit status 1 of: f', '  value')]
        assert lines[first:first + 6] == ['live story bad: not ok one', *why, 'live story bad: not ok two', *why], lines
        lines, status = of_a_run(folder, '--live', none='exit 0\n')
        assert status == 1 and lines[-1] == '1 passed, 1 failed', lines


def continuous_integration_leaves_nothing_out():
    script = TESTS.parent / '.ci/run'
    assert re.search(r'tests/run\.sh" --full$', script.read_text().strip()), script.read_text()


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


def names_that_a_back_trace_cannot_tell_apart():
    heads = ('static int\nbegin(int (*a)(void),\n      int b)', 'static inline void begin(void)',
             'static int b(void);\n\nstatic void __attribute__((format(printf, 1, 0)))\nbegin(const char *a)',
             '#define X 1\nstatic __attribute__((noinline)) void begin(int a)')
    with tempfile.TemporaryDirectory() as folder:
        def found(*heads):
            names = [f'{name}.c' for name in 'abcd'[:len(heads)]]
            for name, head in zip(names, heads):
                pathlib.Path(folder, name).write_text(f'{head}\n{{\n\treturn 0;\n}}\n')
            r = subprocess.run([sys.executable, TESTS / 'lint/names.py', *names], text=True, capture_output=True,
                               check=False, cwd=folder)
            assert r.returncode == bool(r.stdout) and not r.stderr, r
            return r.stdout

        assert found(*heads) == 'begin() is static in 4 files, at most 3: a.c, b.c, c.c, d.c\n'
        assert found(*heads[:3]) == found(*heads[:3], 'void begin(void)') == ''
        assert found(*heads[:3], 'static int begin(void);\n\nint a(void)') == ''
        assert found(*[head.replace('begin', 'burst_begin') for head in heads]) == ''


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
            '4: "bounce": say detour (docs/reference/glossary.md)',
            '3: "Go // around": say detour (docs/reference/glossary.md)']
        assert refused('goes the usual way; a detour around it; Digit-Reversal Bouncing\n') == []


PAGE = """# A page, and the way to it

A first sentence that ends here. Code such as `drbctl show --all way` counts as one word, and
![links](https://example.org/told) without the target.

```
told of the way in a block, and a line of more columns than a page may have, namely one hundred and one.
```

- An item has a sentence of its own
- and the next one, too:

      told in an indented block

| told | in a table |
|---|---|
| `way` | %s |
%s
"""


def prose_that_is_hard_to_read():
    fine, long = 'Just' + '\nword' * 29 + '.', 'Now' + '\nword' * 30 + '.'
    with tempfile.TemporaryDirectory() as folder:
        for name in 'prose.py', 'words.py', 'words.txt':
            pathlib.Path(folder, name).write_bytes((TESTS / 'lint' / name).read_bytes())
        page = pathlib.Path(folder, 'page.md')

        def refused(text, *options):
            page.write_text(text)
            r = subprocess.run([sys.executable, '-B', pathlib.Path(folder, 'prose.py'), *options, page], text=True,
                               capture_output=True, check=False)
            assert not r.stderr and (options or r.returncode == bool(r.stdout)), r
            return [line.removeprefix(f'{page}:') for line in r.stdout.splitlines()]

        way = '"way": say path, method, direction, or how'
        told = '"told": say receives, learns, knows or reports, with the subject'
        ones = [f'1: {way}', '7: 104 columns, at most 100', f'15: {told}']
        assert refused(PAGE % ('', '')) == ones
        assert refused(f'{fine} {fine} `drbctl` ends.') == []
        assert refused(f'{fine}\n{long}') == ['31: "Now word word word word ..." has 31 words, at most 30']
        assert refused('So it is, and of\nwhich no more. So-called.') == [
            '1: "So": say therefore, or join the sentences with because', '1: "of which": say a new sentence, or whose']
        assert refused('told once', '--words')[:2] == [f'     2 {page}', f'1: {told}']
        many = '\n'.join(['A word or two.'] * 4000)
        assert refused(many) == [
            '16000 words in all pages, at most 15000: move figures to docs/notes, drop what is said twice']


def comments_that_must_be_read_twice():
    with tempfile.TemporaryDirectory() as folder:
        def refused(name, text):
            path = pathlib.Path(folder, name)
            path.write_text(text)
            r = subprocess.run([sys.executable, '-B', TESTS / 'lint/comments.py', path], text=True, capture_output=True,
                               check=False)
            assert r.returncode == bool(r.stdout) and not r.stderr, r
            return [line.removeprefix(f'{path}:') for line in r.stdout.splitlines()]

        def opening(number, word):
            return f'{number}: begins with "{word}": the subject first'

        def half(number, text):
            return f'{number}: "{text}" in a sentence: mend it, or quote code'

        assert refused('a.c', '// SPDX-License-Identifier: BSD-3-Clause\n// What it is.\n\n// It is\n// Of use.\n'
                       'int a; // Those there,\n       // Who are\n// Nobody else.\n/* Whose\n * Who */\n') == [
            opening(2, 'What'), opening(6, 'Those'), opening(8, 'Nobody'), opening(9, 'Whose')]
        assert refused('b.c', '// Fields of p->a, not of p[1]->b; x -> y, "is ->" and `no->`. At i == 1, of course.\n'
                       'int f(struct p *p) { return p->a + "// Of"[0]; }\n') == []
        assert refused('c.c', '// False: there is no->\n// more, ->a, or q->b if the == is\n// of of it.\n') == [
            half(1, 'no->'), half(2, '->a'), half(2, 'q->b'), half(2, 'the == is'), half(3, 'of of')]
        long = '1: 101 columns, at most 100'
        assert refused('d.h', f'\t// {"x" * 90}\n') == refused('d.sh', f'# {"x" * 99}\n') == [long]
        assert refused('e.h', f'int {"x" * 120};\n\t// {"x" * 89}\n// clang-format {"x" * 99}\n') == []
        assert refused('f.py', 'def f():\n    \"\"\"Of all,\n    of course.\"\"\"\n    # None: of nobody\n'
                       "    return '# Of'  # None is\n") == [opening(2, 'Of'), opening(5, 'None')]
        assert refused('g', '#!/bin/sh\n# Who.\necho "# Who"\n') == [opening(2, 'Who')]


def the_hook_checks_what_is_staged():
    with tempfile.TemporaryDirectory() as folder:
        def git(*arguments):
            subprocess.run(['git', '-C', folder, *arguments], capture_output=True, check=True, env=home)

        def run():
            return subprocess.run(['tests/pre-commit'], cwd=folder, text=True, capture_output=True, check=False,
                                  env=home)

        # git warns if it cannot read root's settings. This test may have given up root's rights.
        home = {**os.environ, 'HOME': folder, 'XDG_CONFIG_HOME': folder}
        git('init')
        shutil.copytree(TESTS / 'lint', f'{folder}/tests/lint')
        for name in 'stages.sh', 'pre-commit':
            shutil.copy(TESTS / name, f'{folder}/tests')
        r = run()
        assert 'codespell' not in r.stderr and 'glossary' not in r.stderr, 'nothing is staged'
        fault = 'not ok licence lines\nno SPDX line first in: a.c\n'
        for text, staged, found in (('int a;\n', False, False), ('int a;\n', True, True),
                                    ('// SPDX-License-Identifier: BSD-3-Clause\n', True, False)):
            pathlib.Path(folder, 'a.c').write_text(text)
            git('add', *(['a.c'] if staged else ['tests']))
            r = run()
            assert (fault in r.stderr) == found and ('licence' in r.stderr) == found, r
            assert r.returncode == (1 if 'not ok' in r.stderr else 0), r


tap.run((checks_pass_or_fail, a_failure_is_final, what_cannot_tell_is_repeated, undecided_is_no_pass,
         everything_is_counted, what_dies_is_told,
         a_failure_is_told_whatever_follows, jobs_run_in_lanes, jobs_run_whatever_descriptors_are_open,
         a_plain_run_names_what_it_leaves, a_run_fails_if_a_check_does, continuous_integration_leaves_nothing_out,
         includes_that_go_up_or_round, functions_that_are_too_large,
         names_that_a_back_trace_cannot_tell_apart, words_that_are_not_used,
         prose_that_is_hard_to_read, comments_that_must_be_read_twice,
         the_hook_checks_what_is_staged))
