#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the commands of the documentation.

Their verbs and options must be in the programs' --help. Each command of README and guide must be in
a test: a line has program, verb and option, or the option follows soon.

check_commands.py REPOSITORY PROGRAM...    TAP on standard output."""
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
REPOSITORY, PROGRAMS = pathlib.Path(sys.argv[1]), sys.argv[2:]
sys.path[:0] = [str(REPOSITORY / 'tests/process'), str(REPOSITORY / 'tests/lint')]

import prose  # noqa: E402
import tap  # noqa: E402

INLINE = re.compile(r'`([^`]+)`')
OPTION = re.compile(r'(?<![\w-])(--[a-z][a-z0-9-]*|-[A-Za-z0-9])(?![\w-])')
# Parts before a program: a prompt, sudo, variables. A command ends where the shell does something
# else.
BEFORE = re.compile(r'^(?:\$ |sudo (?:-\w )*|\w+=\S* |time )*')
AFTER = re.compile(r'\s(?:#|\||&|;|>|<|2>|--\s)|[;|&)]')
VERBS = re.compile(r'^ {2,4}([a-z][a-z-]*)(?: |$)', re.M)
# Stories call these commands by other names.
ALIASES = ((re.compile(r'^(\s*)up(?:_over)? ', re.M), r'\1fabric up '), (re.compile(r'\bview '), 'fabric --machines '),
           (re.compile(r'^(\s*)experiment ', re.M), r'\1drblab experiment '))
NEAR = 200  # characters between a verb and its option in a test
# Commands that pass unknown options on to a verb of another program; None means any verb
PASSED_ON = {('drbfabric', 'up'): ('drbtopo', 'plan'), ('drbfabric', 'replan'): ('drbtopo', 'plan'),
             ('drbfabric', 'ctl'): ('drbctl', None)}


def name_of(program):
    name = os.path.basename(program)
    return name if name.startswith('drb') else f'drb{name}'


PATHS = {name_of(program): program for program in PROGRAMS}


@functools.cache
def help_of(*command):
    """Returns the help without examples, which may show options of other programs."""
    r = subprocess.run([PATHS[command[0]], *command[1:], '--help'], capture_output=True, text=True, check=True,
                       timeout=30)
    return re.split('^examples:$', r.stdout, flags=re.M | re.I)[0]


@functools.cache
def verbs_of(name):
    _, mark, rest = re.split(r'(\nVerbs:\n|\n  VERB\n|$)', help_of(name), maxsplit=1)
    return VERBS.findall(rest.partition('\n\n')[0]) if mark else []


def commands(page):
    """Yields (line, command) for commands of a page, in blocks of code and backquotes."""
    lines, joined = page.read_text(encoding='utf-8').splitlines(), ''
    for number, kind, line in prose.kinds(lines):
        for text in [line.strip()] if kind == 'code' else INLINE.findall(line):
            text, joined = joined + text, ''
            if text.endswith('\\'):
                joined = text[:-1]
                continue
            for part in re.split(r' && | \| |; ', BEFORE.sub('', text)):
                part = BEFORE.sub('', part)
                # In drawings, lines or several blanks follow names.
                words = AFTER.split(part)[0].split()
                if re.match(r'(?:drb|\S*/)\S+ [\w-]', part, re.ASCII) and name_of(words[0]) in PATHS:
                    yield number, [name_of(words[0]), *words[1:]]


def known_to(name, verb):
    """Yields the help texts that have the options of a command."""
    yield help_of(name, verb) if verb else help_of(name)
    program, other = PASSED_ON.get((name, verb), (None, None))
    for passed_to in [other] if other else verbs_of(program) if program else []:
        yield help_of(program, passed_to)


def fault(command):
    """Returns what is wrong with a command, or None. A verb in capitals stands for any verb."""
    name, words = command[0], command[1:]
    verb = words[0] if verbs_of(name) and not words[0].startswith('-') else ''
    if verb.isupper() or verb == 'help':
        return None
    if verb and verb not in verbs_of(name):
        return f'{name} has no verb {verb}'
    known = '\n'.join(known_to(name, verb))
    for option in OPTION.findall(' '.join(words)):
        if not re.search(rf'(?<![\w-]){option}(?![\w-])', known):
            return f'{name} {verb} has no option {option}'
    return None


@functools.cache
def tests():
    """Returns the texts of tests that run programs, with aliases replaced by commands."""
    found = []
    for folder in 'live', 'process', 'sim':
        for path in sorted((REPOSITORY / 'tests' / folder).rglob('*')):
            if path.suffix in ('.sh', '.bash', '.py'):
                text = path.read_text(encoding='utf-8')
                for pattern, name in ALIASES:
                    text = pattern.sub(name, text)
                found.append(text)
    return found


def same(name, verb, option):
    """Returns the commands that do the same with this option."""
    passed_to = PASSED_ON.get((name, verb))
    if passed_to is None or re.search(rf'{option}(?![\w-])', help_of(name, verb) if verb else help_of(name)):
        return [(name, verb)]
    others = [command for command, to in PASSED_ON.items() if to == passed_to]
    return others + [(passed_to[0], verb) for verb in ([passed_to[1]] if passed_to[1] else verbs_of(passed_to[0]))]


@functools.cache
def is_run(name, verb, option):
    for name, verb in same(name, verb, option):
        with_verb = rf'[^\n]{{0,40}}?\b{verb}\b' if verb else ''
        pattern = re.compile(rf'\b(?:{name}|{name.removeprefix("drb")})\b{with_verb}')
        for text in tests():
            if any(option in text[match.start():match.end() + NEAR] for match in pattern.finditer(text)):
                return True
    return False


def pages():
    return [page for page in sorted(REPOSITORY.glob('**/*.md'))
            if not re.match(r'(?:\.|build|docs/(?:notes|decisions)/|CHANGELOG)', str(page.relative_to(REPOSITORY)))]


def documented_commands_exist():
    found, checked = [], collections.Counter()
    for page in pages():
        for line, command in commands(page):
            checked[command[0]] += 1
            wrong = fault(command)
            if wrong:
                found.append(f'{page.relative_to(REPOSITORY)}:{line}: {wrong}')
    assert not found, '\n'.join(found)
    assert set(checked) == set(PATHS) and checked.total() > 100, checked


def commands_of_the_guide_are_in_tests():
    found = []
    for page in [REPOSITORY / 'README.md', *(REPOSITORY / 'docs/guide').glob('*.md')]:
        for line, (name, *words) in commands(page):
            verb = words[0] if words[0] in verbs_of(name) else ''
            options = [option for option in OPTION.findall(' '.join(words)) if option.startswith('--')]
            for option in options or ['']:
                # The test command-lines requests the help of every verb.
                if option != '--help' and not is_run(name, verb, option):
                    found.append(f'{page.relative_to(REPOSITORY)}:{line}: no test has {name} {verb} {option}')
    assert not found, '\n'.join(found)


def a_mistake_is_found():
    assert fault(['drbctl', 'shwo', 's1-0']) == 'drbctl has no verb shwo'
    assert fault(['drbgen', 'write', '--out=x', '--lod', '1']) == 'drbgen write has no option --lod'
    assert fault(['drbfabric', 'ctl', 'show', '--al']) == 'drbfabric ctl has no option --al'
    assert fault(['drbfabric', 'up', '--rate', '1pps', '-l', '3']) is None
    assert is_run('drbfabric', 'replan', '--rate') and not is_run('drbfabric', 'replan', '--lod')


tap.run((documented_commands_exist, commands_of_the_guide_are_in_tests, a_mistake_is_found))
