#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Completes command lines of this project: prints the words that may come next, one a line.

Verbs and options are those of --help; switches, ports, views, hosts and links are those of running
fabrics. Shells call this program at every tab.

    complete.py PROGRAM WORD... THE_WORD_BEGUN"""

import csv
import glob
import io
import json
import os
import re
import subprocess
import sys

SECONDS = 3
RUNS = '/run/drbswitch'
VERBS = (('\nVerbs:\n', r'^  ([a-z][a-z-]*) +\S'), ('\n  VERB\n', r'^    ([a-z]+)(?: |$)'))
# Verbs whose arguments are switches, ports, links or hosts.
OF_SWITCHES = {('drbctl', verb) for verb in
               ('check', 'down', 'drain', 'reload', 'set', 'show', 'undrain', 'up', 'watch')} | \
    {('drbfabric', verb) for verb in ('kill', 'logs', 'pause', 'restart', 'resume', 'start', 'stop')}
OF_PORTS = {('drbctl', verb) for verb in ('capture', 'down', 'drain', 'undrain', 'up')}
# The name of a host identifies its link; that of a switch does not.
OF_LINKS = {('drbfabric', verb) for verb in ('cut', 'mend', 'rate')}
OF_HOSTS = {('drbctl', 'path'), ('drbctl', 'trace'), ('drbfabric', 'exec')}


def output(*command):
    """The output of a program; '' if it fails or takes too long."""
    try:
        return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=SECONDS, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ''


def column(key, *command):
    return [row[key] for row in csv.DictReader(io.StringIO(output(*command, '--csv'))) if row.get(key)]


def verbs(text):
    for mark, line in VERBS:
        if mark in text:
            return re.findall(line, text.partition(mark)[2].partition('\n\n')[0], re.M)
    return []


class Line:
    """A command line up to the word that is being completed."""

    def __init__(self, program, words):
        self.program, self.words, self.begun = program, words[:-1], words[-1]
        name = os.path.basename(program)
        self.name = name if name.startswith('drb') else f'drb{name}'
        self.verbs = verbs(output(program, '--help'))
        self.verb = next((word for word in self.words if word in self.verbs), None)
        self.fabric = 'drb'
        # drbctl has -f for --fabric; drbfabric logs -f is another option.
        self.of_fabric = ('--fabric', *(['-f'] if self.name == 'drbctl' else []))
        for option, value in zip(self.words, self.words[1:]):
            if option in self.of_fabric:
                self.fabric = value

    def beside(self, name, folder):
        """Finds another program of this project: beside the completed one, or in the same build."""
        here = os.path.dirname(os.path.realpath(self.program))
        build = os.environ.get('DRB_BUILD', f'{here}/../build')
        for path in (f'{here}/{name}', f'{here}/../{folder}/{name}', f'{build}/src/{folder}/{name}'):
            if os.access(path, os.X_OK):
                return path
        return name

    def drbctl(self, key, *arguments):
        return column(key, self.beside('drbctl', 'ctl'), *arguments, '--fabric', self.fabric)

    def plan(self, key):
        try:
            with open(f'{RUNS}/{self.fabric}/plan.json', encoding='utf-8') as f:
                return [node['name'] for node in json.load(f)[key]]
        except (OSError, ValueError, KeyError):
            return []

    def schemes(self):
        return column('scheme', self.beside('drbtopo', 'plan'), 'schemes')

    def values(self, option):
        """Returns the values of an option, or None if it takes none.

        []: only the user or the shell knows them."""
        if option in self.of_fabric:
            return sorted({os.path.basename(os.path.dirname(path)) for path in glob.glob(f'{RUNS}/*/plan.json')})
        if option == '--scheme':
            return self.schemes()
        # Formats of --help: "-w, --write=FILE" and "-o DIR, --out DIR".
        found = option.startswith('-') and re.search(
            rf'^ +(?:-\w(?: \w+)?, )?{re.escape(option)}(?:, --[\w-]+)?(?:=| (?! ))(\S+)', self.help(), re.M)
        if not found:
            return None
        return re.split('[,|]', found[1].strip('{}')) if re.match(r'\{|[a-z-]+\|', found[1]) else []

    def ports(self):
        switch = self.begun.partition('.')[0]
        return [f'{switch}.{port}' for port in self.drbctl('port', 'show', switch, 'links')]

    def arguments(self):
        what, found = (self.name, self.verb), []
        if what in OF_PORTS | OF_LINKS and '.' in self.begun:
            return self.ports()
        if what in OF_SWITCHES | OF_PORTS or what == ('drbfabric', 'exec'):
            found += self.drbctl('switch', 'list')
        if what in OF_LINKS:
            found += [f'{switch}.' for switch in self.drbctl('switch', 'list')]
        if what in OF_HOSTS | OF_LINKS:
            found += self.plan('hosts')
        if what == ('drbctl', 'show'):
            views = re.search(r'\[([a-z|]+)\]', output(self.program, 'show', '--help'))
            found += views[1].split('|') if views else []
        if what == ('drbsim', 'check-scheme'):
            found += self.schemes()
        if what == ('drbfabric', 'check'):
            found += ['wiring', 'ping', 'counters', 'links']
        if what == ('drbtopo', 'list'):
            found += ['switches', 'links', 'hosts']
        if what == ('drbfabric', 'export'):
            formats = output(self.program, 'export', '--help').partition(' FORMAT  ')[2].partition('\n  DIR')[0]
            found += re.findall(r'\w+', formats)
        return found

    def help(self):
        text = output(self.program, *([self.verb] if self.verb else []), '--help')
        if self.name == 'drbfabric' and self.verb in ('up', 'replan'):
            text += output(self.beside('drbtopo', 'plan'), 'plan', '--help')
        return text

    def options(self):
        return sorted(set(re.findall(r'(?<![\w-])--[a-z][a-z0-9-]*', self.help())))

    def words_next(self):
        if self.words:
            known = self.values(self.words[-1])
            if known is not None:
                return known
        if self.begun.startswith('-'):
            return self.options()
        if self.verbs and not self.verb:
            return [*self.verbs, 'help']
        return [word for word in self.arguments() if word not in self.words]


def main(program, *words):
    line = Line(program, list(words) or [''])
    for word in line.words_next():
        if word.startswith(line.begun):
            print(word)


if __name__ == '__main__':
    main(*sys.argv[1:])
