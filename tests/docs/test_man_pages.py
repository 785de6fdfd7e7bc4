#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that manual pages are complete by programs and sources, and that mandoc accepts them.

test_man_pages.py REPOSITORY PAGES_FOLDER PROGRAM...    TAP on standard output."""
import os
import re
import shutil
import subprocess
import sys

REPOSITORY, FOLDER, PROGRAMS = sys.argv[1], sys.argv[2], sys.argv[3:]
sys.path.insert(0, f'{REPOSITORY}/tests/process')

import tap  # noqa: E402

OPTION = re.compile(r'(?<![\w-])--[a-z][a-z0-9-]*')


def pages():
    return sorted(name for name in os.listdir(FOLDER) if re.search(r'\.[1-8]$', name))


def text_of(name):
    """Returns the text of a page without roff escapes."""
    with open(f'{FOLDER}/{name}', encoding='utf-8') as f:
        return f.read().replace('\\-', '-').replace('\\e', '\\').replace('\\&', '')


def help_of(*command):
    """Returns the help without examples, which may show options of other programs."""
    text = subprocess.run([*command, '--help'], capture_output=True, text=True, check=True).stdout
    return re.split('^examples:$', text, flags=re.M | re.I)[0]


def name_of(program):
    name = os.path.basename(program)
    return name if name.startswith('drb') else f'drb{name}'


def verbs_of(text):
    """Returns the verbs in the help of a program in C or in Python."""
    for mark, line in (('\nVerbs:\n', r'^  ([a-z][a-z-]*) +\S'), ('\n  VERB\n', r'^    ([a-z]+)(?: |$)')):
        if mark in text:
            return re.findall(line, text.partition(mark)[2].partition('\n\n')[0], re.M)
    return []


def every_option_is_in_its_page():
    checked = 0
    for program in PROGRAMS:
        section = {'drbswitch': 8, 'drbfabric': 8}.get(name_of(program), 1)
        page = text_of(f'{name_of(program)}.{section}')
        top = help_of(program)
        parts = dict(re.findall(r'^\.SS (.*)\n((?:(?!\.S[SH] ).*\n)*)', page, re.M))
        for option in OPTION.findall(top):
            assert option in page, (program, option)
            checked += 1
        for verb in verbs_of(top):
            part = parts[f'{name_of(program)} {verb}']
            for option in set(OPTION.findall(help_of(program, verb))) - set(OPTION.findall(top)):
                assert option in part, (program, verb, option)
                checked += 1
    assert checked > 150, checked


def found_in(source, pattern, least):
    """Returns the matches of a pattern in a source file; there must be enough."""
    with open(f'{REPOSITORY}/{source}', encoding='utf-8') as f:
        found = re.findall(pattern, f.read(), re.M)
    assert len(found) >= least, (source, pattern)
    return found


def explains(name, keys):
    """Checks that the page has an entry for each key."""
    page = text_of(name)
    for key in keys:
        assert re.search(rf'^\.B {key}$', page, re.M), key


def every_config_key_is_there():
    explains('drbswitch.yaml.5', found_in('src/common/config/keys.def', r'^KEY\(\w+, (\w+),', 30))


def every_key_of_a_plan_is_there():
    explains('drbswitch-plan.5', found_in('src/common/plan.h', r'^#define DRB_PLAN_\w+ "(\w+)"$', 20))


def every_command_and_counter_is_there():
    counters = 'src/core/counters.h'
    explains('drbswitch-stats.7', found_in(counters, r'^#define DRB_CMD_\w+ "(/\w+/\w+)"$', 10))
    explains('drbswitch-stats.7', found_in(counters, r'^\tX\((\w+),', 50))


def signals_and_files_are_there():
    for name, words in (('drbswitch.8', ('SIGHUP', 'SIGTERM', 'dpdk_telemetry')), ('drbctl.1', ('SIGINT', 'plan.json')),
                        ('drbgen.1', ('SIGINT', 'plan.json')), ('drbfabric.8', ('SIGINT', '/run/netns'))):
        for title, wanted in zip(('SIGNALS', 'FILES'), (words[:-1], words[-1:])):
            part = text_of(name).partition(f'.SH {title}\n')[2].partition('\n.SH ')[0]
            assert all(word in part for word in wanted), (name, title, part)


def mandoc_finds_nothing():
    if not shutil.which('mandoc'):
        raise tap.Skip('mandoc is not installed')
    for name in pages():
        r = subprocess.run(['mandoc', '-T', 'lint', f'{FOLDER}/{name}'], capture_output=True, text=True, check=False)
        assert r.returncode == 0 and not r.stdout and not r.stderr, r.stdout + r.stderr


def pages_refer_to_pages():
    names = {re.sub(r'\.([1-8])$', r'(\1)', name) for name in pages()}
    assert len(names) >= len(PROGRAMS) + 3, names
    for name in pages():
        for other in re.findall(r'\bdrb[\w.-]*\([1-8]\)', text_of(name)):
            assert other in names, (name, other)


def pages_name_what_is_installed():
    for name in pages():
        found = re.findall(r'\bbuild/src/\S+|\btopo/\S+|\bdocs/reference/config\S*', text_of(name))
        assert not found, (name, found)


tap.run((every_option_is_in_its_page, every_config_key_is_there, every_key_of_a_plan_is_there,
         every_command_and_counter_is_there, signals_and_files_are_there, mandoc_finds_nothing, pages_refer_to_pages,
         pages_name_what_is_installed))
