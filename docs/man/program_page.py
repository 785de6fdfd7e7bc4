#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the manual page of a program from its --help and that of its verbs, so that no option is
missing.

    program_page.py PROGRAM SECTION VERSION DATE >NAME.SECTION"""

import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

from roff import Page  # noqa: E402

PAGES = (('drbctl', 1), ('drbfabric', 8), ('drbgen', 1), ('drblab', 1),
         ('drbrootless', 1), ('drbsim', 1), ('drbswitch', 8), ('drbswitch-plan', 5), ('drbswitch-stats', 7),
         ('drbswitch.yaml', 5), ('drbtopo', 1))
# Sections that --help does not have: signals and files.
SIGNALS = {
    'drbswitch': (('SIGHUP', 'Reads the config again; keys that cannot change while it runs are named and stay.'),
                  ('SIGTERM, SIGINT', 'Ends in order: releases its ports and removes the stats socket.')),
    'drbctl': (('SIGTERM, SIGINT', 'End watch, events, capture, record and serve, with exit status 0.'),),
    'drbgen': (('SIGTERM, SIGINT', 'End a replay: its figures cover the packets sent until then.'),),
    'drblab': (('SIGTERM, SIGINT, SIGHUP', 'End a study: it goes on from there when it is called again.'),),
    'drbfabric': (('SIGTERM, SIGINT', 'Undo an unfinished up; end the other verbs.'),),
}
RUNTIME = ('/var/run/dpdk/FABRIC-SWITCH/dpdk_telemetry.v2', 'Stats socket of a running switch, drbswitch-stats(7). '
           'In $RUNTIME_DIRECTORY if that is set; for users other than root in $XDG_RUNTIME_DIR or /tmp.')
FABRIC = ('/run/drbswitch/FABRIC/', 'Folder of a fabric that drbfabric runs: plan.json, drbswitch-plan(5), the '
          'config of each switch, and their messages in log/.')
FILES = {
    'drbswitch': (('/etc/drbswitch/NAME.yaml', 'Config of the switch that drbswitch@NAME.service runs, '
                   'drbswitch.yaml(5).'), RUNTIME),
    'drbctl': (RUNTIME, FABRIC),
    'drbgen': (FABRIC,),
    'drbfabric': (FABRIC, ('/run/drbfabric.lock', 'Locked while fabrics are changed.'),
                  ('/run/netns/FABRIC-NODE', 'Network namespace of a switch or host.')),
}
# An option begins in columns 3 to 7. Its meaning follows after two spaces, or in the next lines.
OPTION = re.compile(r'^ {2,6}(-{1,2}[^ ].*?)(?:  +(\S.*))?$')
# Paragraphs that every program prints, and that pages leave out.
COMMON = re.compile(r"^(Mandatory or optional arguments|'.* VERB --help' lists)")
USAGE = re.compile(r'^(Usage: |  or: |usage: )')
VERB = re.compile(r'^ {2,4}([a-z][a-z-]*)(?:  +(\S.*))?$')
ROW = re.compile(r'^ {2,4}(\S+)  +(\S.*)$')


def help_of(command):
    return subprocess.run([*command, '--help'], capture_output=True, text=True, check=True,
                          env={**os.environ, 'COLUMNS': '80'}).stdout


class Help:
    """The parts of a --help text: usage, prose, options with their meanings, verbs, examples."""

    def __init__(self, text):
        self.usage, self.prose, self.options, self.verbs, self.examples = [], [], [], [], []
        for block in text.rstrip().split('\n\n'):
            self._block(block.splitlines())

    def _usage(self, lines):
        while lines and not self.options and not self.prose and \
                (USAGE.match(lines[0]) or self.usage and re.match(r' {8,}\S', lines[0])):
            line = lines.pop(0)
            if USAGE.match(line):
                self.usage.append(USAGE.sub('', line).strip())
            else:
                self.usage[-1] += f' {line.strip()}'

    def _block(self, lines):
        self._usage(lines)
        if not lines:
            return
        head = lines[0].lower()
        if head == 'examples:':
            self.examples = [line.strip() for line in lines[1:]]
        elif head == 'verbs:' or head == 'positional arguments:' and lines[1].strip() == 'VERB':
            self.verbs = [found[1] for found in map(VERB.match, lines[1:]) if found]
        elif any(map(OPTION.match, lines)):
            self._options(lines)
        elif not COMMON.match(lines[0]):
            self.prose.append(lines)

    def _options(self, lines):
        for line in lines:
            found = OPTION.match(line)
            if found:
                self.options.append([found[1], found[2] or ''])
            elif re.match(r' {10,}\S', line) and self.options:
                self.options[-1][1] += f' {line.strip()}'
            elif line.strip() and line.strip() != 'options:':
                self.options.append([None, line.strip()])


def add_prose(page, prose):
    for lines in prose:
        text, rows = [], []
        for line in lines:
            row = ROW.match(line)
            if row:
                rows.append([row[1], row[2]])
            elif line.startswith(' ' * 8) and rows:
                rows[-1][1] += f' {line.strip()}'
            else:
                text.append(line)
        if text:
            page.paragraph('\n'.join(text))
        add_options(page, rows)


def add_options(page, rows):
    for name, meaning in rows:
        if name is None:
            page.paragraph(meaning)
        else:
            page.item(name, meaning)


def add_verbs(page, program, name, top):
    page.section('verbs')
    for verb in top.verbs:
        own = Help(help_of([program, verb]))
        page.subsection(f'{name} {verb}')
        page.literal([f"{name} {usage.partition(' ')[2]}" for usage in own.usage])
        add_prose(page, own.prose)
        add_options(page, [row for row in own.options if row not in top.options])
        yield from own.examples


def main(program, section, version, date):
    name = os.path.basename(program)
    called = name  # its name in its own --help
    name = name if name.startswith('drb') else f'drb{name}'
    top = Help(help_of([program]))
    about = re.sub(r'\s+', ' ', ' '.join(top.prose[0])).partition('. ')[0].rstrip('.')
    page = Page(name, section, version, date)
    page.section('name')
    page.paragraph(f'{name} - {about[0].lower()}{about[1:]}')
    page.section('synopsis')
    page.literal([f'{name} VERB [OPTION...] [ARGUMENT...]'] if top.verbs else
                 [f"{name} {usage.partition(' ')[2]}" for usage in top.usage])
    page.section('description')
    add_prose(page, top.prose)
    page.section('options')
    add_options(page, top.options)
    examples = list(add_verbs(page, program, name, top)) if top.verbs else top.examples
    if name in SIGNALS:
        page.section('signals')
        add_options(page, SIGNALS[name])
    if name in FILES:
        page.section('files')
        add_options(page, FILES[name])
    page.section('exit status')
    page.item('0', 'Done.')
    page.item('1', 'A check, or something that was begun, failed.')
    page.item('2', 'Bad usage or input.')
    page.section('examples')
    page.literal([re.sub(rf'(\S*/)?\b{called}\b', name, example, count=1) for example in examples])
    page.section('see also')
    page.paragraph(', '.join(f'{other}({number})' for other, number in PAGES if other != name))
    sys.stdout.write(page.text())


if __name__ == '__main__':
    main(*sys.argv[1:])
