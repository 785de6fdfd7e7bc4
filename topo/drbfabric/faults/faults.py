# SPDX-License-Identifier: BSD-3-Clause
"""Kills and pauses switches, cuts links and changes rates, as users order; and prints logs."""

import contextlib
import os
import re
import select
import signal
import sys
import tempfile

from drbfabric import Failure, usage
from drbfabric.common import children, files
from drbfabric.common.cli import need_root
from drbfabric.common.output import print_result
from drbfabric.common.places import gray_program, program
from drbfabric.fabric import fabrics, netns, processes
from drbfabric.fabric.nodes import find_switches
from drbfabric.fabric.plan_types import Plan
from drbfabric.fabric.telemetry import Telemetry

READY_SECONDS = 60
ORDER_SECONDS = 2  # time within which a running switch executes an order
LOOK_SECONDS = 0.1
LOG_LINES = 10
GRAY = 'gray_link'  # name of the XDP program that makes a link gray
# The head of the section of a config that `rate` writes, and its lines.
PORTS = 'ports:  # drbfabric rate\n'
PORT = re.compile(r'^  - \{name: (\w+), rate: (\S+)\}$')


def _is_gray(port):
    """Tells whether this interface has our XDP program. An AF_XDP port has another one."""
    return GRAY in children.run(['ip', 'link', 'show', 'dev', port])


class Link:
    """A link of a plan, given by one of its ends: s1-0.u0, h4.eth0 or h4."""

    def __init__(self, plan: Plan, text):
        node, _, port = text.partition('.')
        self.plan, self.end = plan, (node, port or 'eth0')
        for link in plan['links']:
            ends = [(link['lower'], link['lower_port']), (link['upper'], link['upper_port'])]
            if self.end in ends:
                self.kind, self.ends = link['kind'], ends
                return
        raise usage(f"fabric {plan['fabric']} has no link '{text}': name an end of one, like s1-0.u0 or h4")

    def __str__(self):
        return ' - '.join('.'.join(end) for end in self.ends)

    def set(self, state):
        """Sets both ends 'up' or 'down', as if a cable were plugged in or pulled.

        A link that is set up is not gray any more."""
        if self.kind == 'memif':
            self._order(state, self._ends_here())
            return
        for _, port, namespace in self._ends_here():
            with netns.inside(namespace):
                if state == 'up' and _is_gray(port):
                    netns.batch([f'link set dev {port} xdpgeneric off'])
                netns.batch([f'link set dev {port} {state}'])

    def lose_data(self):
        """Makes the link gray: it loses all frames but hellos, in both directions."""
        for _, port, namespace in self._ends_here():
            with netns.inside(namespace):
                if not _is_gray(port):
                    netns.batch([f'link set dev {port} xdpgeneric obj {gray_program()} sec xdp'])

    def _ends_here(self):
        """Returns (node, port, namespace) of each end. The other end may be on another machine."""
        namespaces = {n['name']: n['namespace'] for n in self.plan['switches'] + self.plan['hosts']}
        return [(node, port, namespaces[node]) for node, port in self.ends if node in namespaces]

    def _order(self, state, ends):
        """Orders the switches of a memif link, which has no interfaces, to take their ports up or
        down.

        To cut the link, one switch suffices. A switch that does not run needs no order to mend it,
        because it starts with all ports up."""
        done, refused = 0, []
        for node, port, namespace in ends:
            try:
                with Telemetry(namespace, ORDER_SECONDS) as t:
                    said = t.ask(f'/drb/{state},{port}')
                if said is None:
                    continue  # the switch is starting, and does not know orders yet
                if said.startswith('ok: '):
                    done += 1
                else:
                    refused.append(f"{node}: {said.removeprefix('error: ')}")
            except TimeoutError:
                refused.append(f'{node} does not answer: resume or restart it first')
            except OSError:
                pass
        if refused and (state == 'up' or not done):
            raise Failure(f"{self}: {'; '.join(refused)}")
        if not done and state == 'down':
            raise usage(f'{self}: none of its switches runs')


def _signal_switches(fabric, names, number):
    recorded = fabric.processes()
    for node in find_switches(fabric.need_plan(), names):
        process = recorded.get(node['name'])
        if not process or not processes.is_alive(*process):
            raise usage(f"{node['name']} does not run")
        processes.send(process, number)
        yield node['name']


def kill(fabric, names):
    """Kills switches, which therefore end without informing their neighbours, as in a crash.

    Returns when they have ended, so that they can be started again."""
    recorded = fabric.processes()
    for name in _signal_switches(fabric, names, signal.SIGKILL):
        if processes.outlive([recorded[name]], processes.KILL_SECONDS):
            raise Failure(f'{name} does not end after SIGKILL')
        yield name, 'killed'


def pause(fabric, names):
    yield from ((name, 'paused') for name in _signal_switches(fabric, names, signal.SIGSTOP))


def resume(fabric, names):
    yield from ((name, 'resumed') for name in _signal_switches(fabric, names, signal.SIGCONT))


def start(fabric, names):
    """Starts the switches that do not run."""
    nodes = find_switches(fabric.need_plan(), names)
    recorded = fabric.processes()
    dead = [n for n in nodes if not (n['name'] in recorded and processes.is_alive(*recorded[n['name']]))]
    switches = processes.Switches(fabric, program('drbswitch', 'switch'))
    for node in dead:
        fabric.stop_switch(node)  # a process that was started by hand
        switches.start(node)
    switches.wait_ready(dead, READY_SECONDS)
    yield from ((n['name'], 'started' if n in dead else 'runs already') for n in nodes)


def _links(fabric, names):
    plan = fabric.need_plan()
    if 'maker' in fabric.state():
        raise usage(f"fabric {fabric.name} is made by {fabric.state()['maker']}: take links up and down there")
    return [Link(plan, name) for name in names]


def cut(fabric, names):
    for link in _links(fabric, names):
        link.set('down')
        yield str(link), 'cut'


def mend(fabric, names):
    for link in _links(fabric, names):
        link.set('up')
        yield str(link), 'mended'


def _gray_links(fabric, names):
    links = _links(fabric, names)
    for link in links:
        if link.kind == 'memif':
            raise usage(f'{link}: a memif link has no interfaces, so it cannot become gray: take --links veth')
    gray_program()
    return links


def gray(fabric, names):
    for link in _gray_links(fabric, names):
        link.lose_data()
        yield str(link), 'gray'


def _config_with_rates(text, new):
    head, mark, tail = text.partition(PORTS)
    if not mark and re.search('^ports:', text, re.M):
        raise usage('the config of this switch lists its ports: change the rate there, and drbctl reload')
    rates = {found[1]: found[2] for found in map(PORT.match, tail.splitlines()) if found} | new
    return head + PORTS + ''.join(f'  - {{name: {name}, rate: {rate}}}\n' for name, rate in rates.items())


def _link_and_rate(fabric, names):
    if len(names) != 2:
        raise usage('a link and a rate are wanted, such as s1-0.u0 5Mbit')
    return _links(fabric, names[:1])[0], names[1]


def _need_rate(value):
    """Fails if a rate is invalid, by asking drbtopo for a plan with it."""
    with tempfile.TemporaryDirectory() as folder:
        children.run([program('drbtopo', 'plan'), 'plan', '-l', '1', '-d', '1', f'--rate={value}',
                      '--out', f'{folder}/plan'])


def need(fabric, verb, names):
    """Fails if the arguments of a verb are invalid. Changes nothing."""
    if verb == 'rate':
        _need_rate(_link_and_rate(fabric, names)[1])
    elif verb == 'gray':
        _gray_links(fabric, names)
    elif HANDLES[verb][1] == 'LINK':
        _links(fabric, names)
    else:
        find_switches(fabric.need_plan(), names)


def set_rates(fabric, rates):
    """Sets the rates of ports, {(switch, port): rate}, and reloads the switches at once. If one
    refuses, all configs are as before."""
    new: dict[str, dict[str, str]] = {}
    for (node, port), value in rates.items():
        new.setdefault(node, {})[port] = value
    paths = {n['name']: fabric.path(n['config']) for n in fabric.need_plan()['switches'] if n['name'] in new}
    before = {}
    for node, path in paths.items():
        with open(path, encoding='utf-8') as f:
            before[node] = f.read()
    configs = {node: _config_with_rates(text, new[node]) for node, text in before.items()}
    if not configs:
        return
    try:
        for node, text in configs.items():
            files.write(paths[node], text)
        children.run([program('drbctl', 'ctl'), 'reload', *configs, '--fabric', fabric.name])
    except BaseException:
        for node, text in before.items():
            files.write(paths[node], text)
        raise


def rate(fabric, names):
    """Sets the rate of a link in both directions, except in the direction from a host."""
    link, value = _link_and_rate(fabric, names)
    set_rates(fabric, {end: value for end in link.ends})
    yield str(link), f'rate {value}'


# verb: function, kind of argument, help text, example
HANDLES = {
    'kill': (kill, 'SWITCH', 'end switches as a crash would', 's2-1'),
    'start': (start, 'SWITCH', 'start switches that do not run', 's2-1'),
    'pause': (pause, 'SWITCH', 'suspend switches, as an overloaded machine would', 's2-1'),
    'resume': (resume, 'SWITCH', 'resume paused switches', 's2-1'),
    'cut': (cut, 'LINK', 'take links down at both ends, as if a cable were pulled', 's1-0.u0'),
    'gray': (gray, 'LINK', 'let links lose all frames but hellos', 's1-0.u0'),
    'mend': (mend, 'LINK', 'take links up again, and let gray ones lose no more', 's1-0.u0'),
    'rate': (rate, 'LINK', 'give a link another rate, in both directions', 's1-0.u0 5Mbit'),
}


def handle(args):
    """Runs the verb of a command line."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    with fabrics.lock():
        for what, done in HANDLES[args.verb][0](fabric, args.what):
            print_result({'what': what, 'done': done}, f'{what}: {done}', args.format)
    return 0


class Logs:
    """The log files of switches, read while they grow. A file stays open until a later one has
    lines: a switch writes to a renamed file until it is told to open another."""

    def __init__(self, fabric, names):
        self.paths = {name: fabric.log(name) for name in names}
        self.files = {name: [] for name in names}  # the oldest first

    @staticmethod
    def _rest(file):
        """Returns the whole lines that were not read yet."""
        if os.fstat(file.fileno()).st_size < file.tell():
            file.seek(0)  # the file was cut off
        lines = file.readlines()
        if lines and not lines[-1].endswith(b'\n'):
            file.seek(-len(lines.pop()), os.SEEK_CUR)
        return lines

    def _open(self, name):
        """Opens the file that has the name now, unless it is open."""
        files = self.files[name]
        with contextlib.suppress(FileNotFoundError):
            file = open(self.paths[name], 'rb')  # pylint: disable=consider-using-with
            if files and os.path.samestat(os.fstat(file.fileno()), os.fstat(files[-1].fileno())):
                file.close()
            else:
                files.append(file)

    def _lines(self, name):
        """Returns new lines of this switch, also those at the end of files that were renamed."""
        self._open(name)
        files = self.files[name]
        last_used = max((i for i, file in enumerate(files) if os.fstat(file.fileno()).st_size > 0), default=0)
        lines = [line for file in files for line in self._rest(file)]
        for file in files[:last_used]:
            file.close()
        del files[:last_used]
        return lines

    def news(self, last=None):
        """Yields new lines. `last` limits their number per switch, for the first call."""
        for name in self.paths:
            lines = [line.decode(errors='replace') for line in self._lines(name)]
            for line in lines[-last:] if last else lines:
                yield f'{name}: {line}' if len(self.paths) > 1 else line


def logs(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    plan = fabric.need_plan()
    names = [n['name'] for n in find_switches(plan, args.switches)] or [n['name'] for n in plan['switches']]
    reader = Logs(fabric, names)
    sys.stdout.writelines(reader.news(last=args.lines))
    while args.follow and fabric.exists():
        sys.stdout.flush()
        select.select([], [], [], LOOK_SECONDS)
        sys.stdout.writelines(reader.news())
    return 0
