#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""All programs follow the same rules for help, version, mistakes, names of options and defaults.

test_command_lines.py VERSION PROGRAM...    TAP on standard output."""
import functools
import gzip
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

import tap

VERSION, PROGRAMS = sys.argv[1], sys.argv[2:]
WITHIN = 30
PAGE = os.path.join(os.path.dirname(__file__), '../../docs/reference/traffic.md')
# Patterns for the verbs in the help of programs in C, and of those in Python.
VERB_LINES = re.compile(r'^  ([a-z][a-z-]*) +\S', re.M), re.compile(r'^    ([a-z]+)(?: |$)', re.M)


@functools.cache
def said(*command):
    """Returns exit status, standard output and standard error. Cached, as checks share commands."""
    r = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=WITHIN)
    return r.returncode, r.stdout, r.stderr


def name_of(program):
    name = os.path.basename(program)
    return name if name.startswith('drb') else f'drb{name}'


def help_of(*command):
    code, out, err = said(*command, '--help')
    assert code == 0 and out and not err, (command, code, err)
    return out


def verbs_of(program):
    text = help_of(program)
    if '\nVerbs:\n' in text:
        return VERB_LINES[0].findall(text.partition('\nVerbs:\n')[2].partition('\n\n')[0])
    if '\n  VERB\n' in text:
        return VERB_LINES[1].findall(text.partition('\n  VERB\n')[2].partition('\n\n')[0])
    return []


def commands():
    """Yields every program alone, and with each of its verbs."""
    for program in PROGRAMS:
        yield (program,)
        for verb in verbs_of(program):
            yield program, verb


def different_commands():
    """Yields all commands, but only one verb of drblab.

    The verbs of drblab share a parser, and each takes a second to start."""
    lab = [command for command in commands() if name_of(command[0]) == 'drblab']
    return [command for command in commands() if command not in lab[2:]]


def verbs_are_found():
    found = {name_of(p): verbs_of(p) for p in PROGRAMS}
    assert 'replay' in found['drbgen'] and 'show' in found['drbctl'] and 'up' in found['drbfabric'], found
    assert not found['drbswitch'] and 'run' in found['drbfabric'], found


def help_is_the_same_however_it_is_asked_for():
    for command in different_commands():
        text = help_of(*command)
        for way in ((*command, '-h'), (*command[:1], 'help', *command[1:])):
            code, out, err = said(*way)
            assert (code, out, err) == (0, text, ''), (way, code, err)
        assert max(map(len, text.splitlines())) <= 100, command


def python_without_docstrings_says_the_same():
    """Images of containers set PYTHONOPTIMIZE=2, so no help may come from a docstring."""
    for name in ('drbfabric', 'drblab'):
        for program in (p for p in PROGRAMS if name_of(p) == name):
            for words in ((), *((verb,) for verb in verbs_of(program)[:2])):
                r = subprocess.run((program, *words, '--help'), env={**os.environ, 'PYTHONOPTIMIZE': '2'},
                                   capture_output=True, text=True, timeout=WITHIN, check=False)
                assert (r.returncode, r.stdout, r.stderr) == said(program, *words, '--help'), (program, words, r)


def closed_streams_are_no_failure():
    """Daemons and runners start programs with closed standard streams: each set of them."""
    drbfabric = next(p for p in PROGRAMS if name_of(p) == 'drbfabric')
    sets = '>&-', '2>&-', '<&- >&-', '<&- 2>&-', '>&- 2>&-', '<&- >&- 2>&-'
    cases = [(drbfabric, closed, option) for closed in sets for option in ('--help', '--no-such-option')]
    for program, closed, option in cases:
        r = subprocess.run(('sh', '-c', f'"$@" {closed}', 'sh', program, option), capture_output=True, text=True,
                           timeout=WITHIN, check=False)
        code, out, err = said(program, option)
        want = code, '' if '>&-' in closed.split() else out, '' if '2>&-' in closed else err
        assert (r.returncode, r.stdout, r.stderr) == want, (program, closed, option, r)


def help_has_examples():
    """Each help ends with examples that call the program itself by its name."""
    for command in commands():
        examples = re.split(r'^examples:\n', help_of(*command), flags=re.M | re.I)
        assert len(examples) == 2, command
        lines = [line.strip() for line in examples[1].splitlines()]
        program = os.path.basename(command[0])
        assert lines and all(program in line for line in lines), (command, lines)
        if len(command) == 2:
            assert all(re.search(rf'{program} {command[1]}\b', line) for line in lines), (command, lines)


def the_version_is_told():
    for program in PROGRAMS:
        assert said(program, '--version') == (0, f'{name_of(program)} {VERSION}\n', ''), program


def a_mistake_is_one_line():
    for command in different_commands():
        if name_of(command[0]) == 'drbrootless' or command[-1] == 'exec':
            continue  # the arguments are another command
        code, out, err = said(*command, '--no-such-option')
        assert code == 2 and not out, (command, code, out)
        assert len(err.splitlines()) == 1, (command, err)
        # A missing argument, permission or fabric may be reported first.
        assert re.search('no-such-option|required|needs root|is not up', err), (command, err)
        assert err.startswith(f'{name_of(command[0])}: '), (command, err)
    for program in PROGRAMS:
        if verbs_of(program):
            for words in ((), ('no-such-verb',)):
                code, out, err = said(program, *words)
                assert code == 2 and not out and len(err.splitlines()) == 1, (program, err)
                assert re.search(r'\(see \S+ --help\)$', err), (program, err)


def an_option_that_is_wrong_is_told_where_to_look():
    """Programs in C suggest --help or a similar option for every kind of mistake."""
    drbctl, drbswitch = (next(p for p in PROGRAMS if name_of(p) == name) for name in ('drbctl', 'drbswitch'))
    for line, text in (('reload --no', "unrecognized option '--no'"), ('reload -Z', "invalid option -- 'Z'"),
                       ('reload -aZ', "invalid option -- 'Z'"),
                       ('reload --a=1', "option '--a' doesn't allow an argument"),
                       ('reload --fabric', "option '--fabric' requires an argument"),
                       ('reload s1-0 -f', "option requires an argument -- 'f'"),
                       ('reload --=1', "ambiguous option '--=1'"),
                       ('set s1-0 --al x=1 --no=1', "unrecognized option '--no=1'")):
        command, *words = line.split()
        want = f'drbctl: {text} (see drbctl {command} --help)\n'
        assert said(drbctl, command, *words) == (2, '', want), (line, said(drbctl, command, *words))
    for line, text in (('--jsno list', "unrecognized option '--jsno' (is it json?) (see drbctl list --help)"),
                       ('lits', "no verb 'lits' (is it list?): must be "),
                       ('--fabric set list', 'options must follow the verb: drbctl set --fabric ...'),
                       ('list --fabirc=x', "unrecognized option '--fabirc=x' (is it fabric?) ")):
        code, out, err = said(drbctl, *line.split())
        assert (code, out) == (2, '') and err.startswith(f'drbctl: {text}'), (line, err)
    assert said(drbswitch, '-x')[2] == "drbswitch: invalid option -- 'x' (see drbswitch --help)\n"
    assert said(drbctl, 'list', '-?') == (0, help_of(drbctl, 'list'), '')
    # The drops of switches that do not run are unknown.
    assert said(drbctl, 'show', '--all', 'drops', '--fabric', 'nosuch') == (
        1, '', "drbctl: no switch of fabric 'nosuch' is running\n")
    # Arguments after "--" are no options.
    assert said(drbctl, 'list', '--', '--json')[2] == "drbctl: '--json' is one argument too many\n"


def options_have_one_name():
    """A fabric is named by --fabric, traffic by --traffic."""
    seen = {'--fabric': 0, '--traffic': 0}
    for command in commands():
        text = help_of(*command)
        assert not re.search(r'--(name|pattern)\b', text), command
        for option in seen:
            seen[option] += option in text
    assert seen['--fabric'] > 10 and seen['--traffic'] == 6, seen


def letters_mean_the_same():
    """Letters of options agree among programs in C.

    An option has the same letter wherever it has one, and a letter means one option in a program.
    Options that most programs have use their letter everywhere."""
    letters, options = {}, {}
    for command in commands():
        if name_of(command[0]) in ('drbfabric', 'drbrootless'):
            continue
        for letter, option in re.findall(r'^  (?:-(\w), |    )--([a-z-]+)', help_of(*command), re.M):
            if letter:
                assert letters.setdefault(option, letter) == letter, (command, option, letters)
                place = name_of(command[0]), letter
                assert options.setdefault(place, option) == option, (command, letter, options)
            else:
                assert option not in ('fabric', 'out', 'interval', 'count', 'all', 'layers', 'arity'), (command, option)
    assert len(letters) > 10, letters


def a_dash_is_standard_input():
    """Programs read "-" as standard input, decompress it, and name it when they report mistakes."""
    drbsim, drbswitch, drbgen = (next(p for p in PROGRAMS if name_of(p) == f'drb{n}') for n in ('sim', 'switch', 'gen'))
    for command, text, wrong in (
            ((drbsim, 'replay', '-'), b'mist\n', 'standard input:1: '),
            ((drbsim, 'packet', '--traffic', 'file:-'), b'mist\n', 'standard input:1: '),
            ((drbsim, 'transfer', '--sizes', 'file:-'), b'mist\n', 'standard input:1: '),
            ((drbgen, 'write', '--out', '/dev/null/x', '--traffic', 'file:-'), b'mist\n', 'standard input:1: '),
            ((drbgen, 'replay', '-'), b'mist\n', 'standard input: no capture'),
            ((drbswitch, '--check', '-c', '-'), b'a: [\n', '-:')):
        for data in (text, gzip.compress(text), b'\xef\xbb\xbf' + text):
            r = subprocess.run(command, input=data, capture_output=True, timeout=WITHIN, check=False)
            said_ = r.stderr.decode()
            assert r.returncode == 2 and len(said_.splitlines()) == 1 and wrong in said_, (command, data, said_)
    r = subprocess.run((drbswitch, '--check', '-c', '-'), input=gzip.compress(b'fabric: {}'), capture_output=True,
                       timeout=WITHIN, check=False)
    assert b'compressed by gzip: gunzip it' in r.stderr, r


def a_full_disk_is_told():
    """An incomplete folder of traffic has no manifest; a program fails if it cannot print."""
    drbsim, drbtopo, drbgen = (next(p for p in PROGRAMS if name_of(p) == f'drb{n}') for n in ('sim', 'topo', 'gen'))

    def fill(limit):
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    whole = []
    for limit in (0, 100, 5000, 30000, 1 << 20):
        with tempfile.TemporaryDirectory() as folder:
            r = subprocess.run((drbgen, 'write', '--slots', '200', '--load', '0.8', '--out', f'{folder}/t'),
                               preexec_fn=functools.partial(fill, limit),
                               capture_output=True, text=True, timeout=WITHIN, check=False)
            whole.append(r.returncode == 0)
            assert whole[-1] == os.path.exists(f'{folder}/t/traffic.json'), (limit, r)
            assert whole[-1] or re.fullmatch(rf'drbgen: {folder}/t/\S+: cannot be written: .*\n', r.stderr), (limit, r)
    assert whole[0] is False and whole[-1] is True, whole
    point: dict[str, object] = {'model': 'packet', 'load': 0.5, 'stats': 10}
    # The second takes hours, and nobody could keep its row.
    points = ''.join(json.dumps({**point, 'slots': slots}) + '\n' for slots in (20, 10 ** 9))
    for command in ((drbsim, 'run', '-j', '1'), (drbsim, 'packet', '--slots', '20', '--stats', '10'),
                    (drbsim, 'theory', '--csv'),
                    (drbsim, 'run', '--models'), (drbtopo, 'list', 'links')):
        with open('/dev/full', 'wb') as full:
            r = subprocess.run(command, input=points, stdout=full, stderr=subprocess.PIPE, text=True, timeout=WITHIN,
                               check=False)
        assert r.returncode == 1, r
        assert re.fullmatch(r'\S+: cannot write standard output: (No space left on device|a write failed: '
                            r'is the disk full\?)\n', r.stderr), r


def every_fabric_has_the_same_size():
    seen = 0
    for command in commands():
        text = ' '.join(help_of(*command).split())
        for option, default in (('--layers', 3), ('--arity', 2)):
            told = re.search(rf'{option}[= ][^(]*(\(l,d\)[^(]*)?\(default (\d+)\)', text)
            if option in text:
                assert told and told[2] == str(default), (command, option)
                seen += 1
    assert seen > 10, seen


def the_page_has_every_traffic_pattern():
    program = next(p for p in PROGRAMS if name_of(p) == 'drbgen')
    listed = re.search(r'Traffic: ([^.]*)\.', ' '.join(help_of(program, 'write').split()))
    assert listed
    with open(PAGE, encoding='utf-8') as f:
        table = f.read().partition('|---|---|\n')[2].partition('\n\n')[0]
    rows = [re.findall(r'`([^`]+)`', line.split('|')[1]) for line in table.splitlines()]
    assert sorted(sum(rows, [])) == sorted(listed[1].split(', ')), (rows, listed[1])


# Matplotlib warns if it cannot write below the user's home.
with tempfile.TemporaryDirectory() as matplotlib:
    os.environ['MPLCONFIGDIR'] = matplotlib
    tap.run((verbs_are_found, help_is_the_same_however_it_is_asked_for, python_without_docstrings_says_the_same,
             closed_streams_are_no_failure, help_has_examples, the_version_is_told,
             a_mistake_is_one_line, an_option_that_is_wrong_is_told_where_to_look, options_have_one_name,
             every_fabric_has_the_same_size, letters_mean_the_same, a_dash_is_standard_input, a_full_disk_is_told,
             the_page_has_every_traffic_pattern))
