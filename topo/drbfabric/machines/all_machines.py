# SPDX-License-Identifier: BSD-3-Clause
"""Commands for all machines of a fabric. Each machine is asked by the exported playbook, that is,
over Ansible's SSH. The replies become one table, and machines that do not answer are reported."""

import contextlib
import json
import re
import shlex
import subprocess
import sys
import tempfile

from drbfabric import Failure, usage
from drbfabric.common.cli import Parser, positive, say
from drbfabric.common.output import counted, print_rows
from drbfabric.common.places import program
from drbfabric.fabric.plan_types import Plan, ends_of
from drbfabric.machines import combined, export, mirror
from drbfabric.machines.merged_metrics import merge

# Verbs of drbctl that print rows, and those that send orders.
WITH_ROWS = ('check', 'list', 'show', 'watch')
ORDERS = ('down', 'drain', 'reload', 'set', 'undrain', 'up')
CLEAR_SCREEN = '\033[H\033[2J'
SWITCH = re.compile(r'(?:.*-)?(s\d+-\d+)(?:\..*)?')
# Messages of Ansible about a command that was executed.
RAN = ('', 'non-zero return code')
SAID_BY = re.compile(r'^drb\w+: ')


class Machines:
    """The machines of an exported plan."""

    def __init__(self, folder):
        self.folder = folder.rstrip('/')
        try:
            with open(f'{folder}/inventory.json', encoding='utf-8') as f:
                variables = json.load(f)['machines']['vars']
        except (OSError, ValueError, LookupError) as e:
            raise usage(f'{folder}/inventory.json: {e}: drbfabric export ansible makes it') from e
        self.plan = export.load(variables['drb_plan'])
        self.names = [machine['name'] for machine in self.plan['machines']]
        self.address = {machine['name']: machine['address'] for machine in self.plan['machines']}
        self.gone = []

    def ask(self, words_of):
        """Runs `drbfabric WORDS` on machines: words_of is {machine: [word]}.

        Returns {machine: result of Ansible's command}, without machines that do not answer. Each of
        these is reported once."""
        with tempfile.NamedTemporaryFile('w+', prefix='drb-answers-') as f:
            told = {'drb_ask': {name: shlex.join(words) for name, words in words_of.items()}, 'drb_answers': f.name}
            try:
                done = subprocess.run(
                    ['ansible-playbook', '-i', f'{self.folder}/inventory.json', f'{self.folder}/fabric.yaml', '--tags',
                     'ask', '--forks', str(len(self.names)), '-e', json.dumps(told)], stdin=subprocess.DEVNULL,
                    capture_output=True, text=True, check=False)
            except OSError as e:
                raise Failure('cannot run ansible-playbook: is Ansible installed?', 2) from e
            # Open the file again, because Ansible replaces it.
            with open(f.name, encoding='utf-8') as written:
                text = written.read()
        found = json.loads(text) if text else {}
        answers = {name: found[name] for name in words_of if found.get(name, {}).get('msg') in RAN}
        if not answers and 'UNREACHABLE' not in done.stdout:
            raise Failure(f'ansible-playbook: {(done.stderr or done.stdout).strip()[-500:]}', 2)
        for name in words_of:
            if name not in answers and name not in self.gone:
                self.gone.append(name)
                self._name(name, (found.get(name) or {}).get('msg'))
        return answers

    def _name(self, name, why):
        own = {node['name'] for node in self.plan['switches'] if node['machine'] == name}
        hosts = sum(host['machine'] == name for host in self.plan['hosts'])
        pairs = [ends_of(link) for link in self.plan['links'] if 'id' in link]
        ends = sorted(end.name for pair in pairs for end, other in (pair, pair[::-1]) if other.node in own)
        what = f'cannot run it: {why}' if why else 'does not answer'
        say(f"{name} ({self.address[name]}) {what}: {counted(len(own), 'switch')}, {counted(hosts, 'host')}; "
            f"links of others to it: {' '.join(ends)}")

    def say_complaints(self, answers):
        """Prints the standard error of machines, with the machine's name before each line."""
        for name, answer in answers.items():
            for line in answer['stderr'].splitlines():
                say(f"{name}: {SAID_BY.sub('', line)}")

    def switches_of_gone(self):
        return [(node, name) for name in self.gone for node in self.plan['switches'] if node['machine'] == name]

    def status(self, answers):
        """The exit status: 2 if a machine reports bad usage, 1 if a machine failed or is gone."""
        codes = [answer['rc'] for answer in answers.values()]
        return 2 if 2 in codes else int(any(codes) or bool(self.gone))


def _rows(answers):
    return [{'machine': name, **json.loads(line)} for name, answer in answers.items()
            for line in answer['stdout'].splitlines()]


def _print(rows, kind):
    """Prints rows with all keys that they have."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    print_rows([(key, key.replace('_', ' ') if kind == 'table' else key) for key in keys], rows, kind)


def _between(machines, kind):
    """Compares the ends of links between machines. True if all answer and no packet is lost."""
    counts = machines.ask({name: ['counts', '--fabric', machines.plan['fabric']] for name in machines.names
                           if name not in machines.gone})
    reports = {name: json.loads(answer['stdout']) for name, answer in counts.items() if answer['rc'] == 0}
    return combined.print_links(machines.plan, reports, kind) and len(reports) == len(machines.names)


def check(args):
    """Runs drbfabric check on all machines."""
    machines = Machines(args.machines)
    words = ['check', *(args.what or ['wiring', 'ping']), '--json', '--seed', str(args.seed), '--fabric',
             machines.plan['fabric']] + (['--sample', str(args.sample)] if args.sample else [])
    answers = machines.ask({name: words for name in machines.names})
    _print(_rows(answers), args.format)
    machines.say_complaints(answers)
    good = 'links' not in args.what or _between(machines, args.format)
    return machines.status(answers) or (0 if good else 1)


def _words_of(machines, words):
    """The command for all machines, or for those with the named switches: {machine: [word]}."""
    machine_of = {node['name']: node['machine'] for node in machines.plan['switches']}
    named = {word: match[1] for word in words[1:] if (match := SWITCH.fullmatch(word))}
    for switch in named.values():
        if switch not in machine_of:
            raise usage(f'{switch} is no switch of fabric {machines.plan["fabric"]}')
    begin = ['ctl', '--fabric', machines.plan['fabric']]
    at_end = ['--json'] if words[0] in WITH_ROWS else []
    wanted = {machine_of[switch] for switch in named.values()} or machines.names
    return {name: [*begin, *(word for word in words if word not in named or machine_of[named[word]] == name), *at_end]
            for name in machines.names if name in wanted}


def own_switches(plan: Plan, machine, text):
    """The replies of a machine's own switches: {instance: {command: reply}}.

    Replies for other names are left out: names become paths here, and a machine may report only its
    own switches."""
    own = {node['namespace'] for node in plan['switches'] if node['machine'] == machine}
    said = {}
    with contextlib.suppress(ValueError, LookupError, TypeError):
        said = dict(json.loads(text)['switches'])
    good = {name: replies for name, replies in said.items()
            if name in own and isinstance(replies, dict) and 'greeting' in replies}
    if len(good) < len(said):
        say(f'{machine} answers for {counted(len(said) - len(good), "switch")} that the plan does not give it, or not '
            'as a switch does: left out')
    return good


def _path(machines, words):
    """Runs drbctl path here, on replies of the switches of all machines."""
    fabric = ['--fabric', machines.plan['fabric']]
    answers = machines.ask({name: ['answers', *fabric, *mirror.COMMANDS] for name in machines.names})
    machines.say_complaints(answers)
    switches = {}
    for name, answer in answers.items():
        if answer['rc'] == 0:
            switches.update(own_switches(machines.plan, name, answer['stdout']))
    with mirror.sockets(switches) as folder:
        done = subprocess.run([program('drbctl', 'ctl'), *words[:1], *fabric, '--runtime', folder, *words[1:]],
                              check=False)
    return done.returncode or machines.status(answers)


def _rounds(words):
    """Returns the words of a watch with only one round, and the wanted number of rounds; None:
    until interrupted."""
    parser = Parser(prog='drbctl watch', description='')
    parser.add_argument('-n', '--count', type=positive)
    found, rest = parser.parse_known_args(words)
    return [*rest, '--count', '1'], found.count


def _watch(machines, words, kind):
    """Runs drbctl watch on all machines, round by round. Each machine measures by its own clock.
    The time between rounds is the time that asking takes."""
    if kind == 'csv':
        raise usage('watch --machines prints a table for each round, or --json')
    words, left = _rounds(words)
    screen = kind == 'table' and sys.stdout.isatty()
    status = 0
    while left is None or left > 0:
        machines.gone.clear()  # machines may have come back
        answers = machines.ask(_words_of(machines, words))
        print(CLEAR_SCREEN if screen else '', end='')
        _print(_rows(answers), kind)
        print(end='\n' if kind == 'table' and not screen else '', flush=True)
        machines.say_complaints(answers)
        status = machines.status(answers)
        left = left and left - 1
    return status


def control(args):
    """Runs drbctl on all machines."""
    words = [word for word in args.words if word not in ('--json', '--csv')]
    kind = 'json' if '--json' in args.words else 'csv' if '--csv' in args.words else 'table'
    known = sorted((*WITH_ROWS, *ORDERS, 'metrics', 'path'))
    if not words or words[0] not in known:
        raise usage(f"with --machines, drbctl does {', '.join(known)}, not '{words[0] if words else ''}'")
    machines = Machines(args.machines)
    if words[0] == 'path':
        return _path(machines, args.words)
    if words[0] == 'watch':
        return _watch(machines, words, kind)
    answers = machines.ask(_words_of(machines, words))
    gone = machines.switches_of_gone()
    if words[0] == 'metrics':
        print(merge({name: answer['stdout'] for name, answer in answers.items()}, machines.names,
                    [(node, name, machines.plan['fabric']) for node, name in gone]), end='')
    elif words[0] in WITH_ROWS:
        lost = [{'machine': name, 'fabric': machines.plan['fabric'], 'switch': node['name'], 'state': 'unknown',
                 'trouble': 'machine gone'}
                for node, name in gone] if words[0] == 'list' else []
        _print(_rows(answers) + lost, kind)
    else:
        for name, answer in answers.items():
            for line in answer['stdout'].splitlines():
                print(f'{name}: {line}')
    machines.say_complaints(answers)
    return machines.status(answers)
