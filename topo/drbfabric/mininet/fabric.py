# SPDX-License-Identifier: BSD-3-Clause
"""A network of Mininet as a fabric: its namespaces get names, its switches configs and processes, and a
folder below /run/drbswitch says so, by which drbgen, drbctl and drbfabric know it."""

import contextlib
import os
import select
import subprocess
import sys
import time

from drbfabric import usage
from drbfabric.common.cli import say
from drbfabric.common.places import HERE, program
from drbfabric.fabric import fabrics, netns, processes

READY_SECONDS = 60
LONGEST_MTU = 65535  # of a veth
# What the state of such a fabric says of itself.
MAKER = 'mininet'


def _rate(bw):
    return f'{float(bw):.15g}Mbit'


class MininetFabric:
    """Of the DrbSwitch nodes of one network."""

    def __init__(self, switches):
        setup = switches[0].wanted
        for switch in switches:
            if switch.wanted != setup:
                raise usage(f'{switch.name}: all switches of a network have the same options, and those of '
                            f'{switches[0].name} are others')
        self.nodes = {switch.name: switch for switch in switches}
        self.setup, self.fabric = setup, fabrics.Fabric(setup['fabric'])
        self.plan, self.keeper = {}, None
        self.processes = processes.Switches(self.fabric, program('drbswitch', 'switch'))

    def up(self):
        with fabrics.lock():
            self._clear()
            try:
                self._make()
            except BaseException:
                self.fabric.tear_down()
                raise

    def _clear(self):
        """What another fabric of this name left goes; one that runs stays."""
        self.fabric.need_own()
        if not self.fabric.exists():
            return
        if self.fabric.alive():
            raise usage(f'fabric {self.fabric.name} is up: take another name, --switch drb,fabric=NAME')
        self.fabric.tear_down()

    def _make(self):
        fabric, setup = self.fabric, self.setup
        options = ['-l', str(setup['layers']), '-d', str(setup['arity'])]
        if 'uplinks' in setup['options']:
            raise usage('uplinks=: Mininet makes the links, of all uplinks')
        for key, value in setup['options'].items():
            options += [f"--{key.replace('_', '-')}", value]
        fabric.create()
        self.plan = fabric.make_plan(program('drbtopo', 'topo'), options)
        if any(link['kind'] == 'memif' for link in self.plan['links']):
            raise usage('links=memif: Mininet makes the links, of veths')
        self._find_hosts()
        self._say_useless()
        fabric.save_state(phase=fabrics.STARTING, options=options, maker=MAKER)
        command = [sys.executable, '-B', f'{HERE}/mininet/keeper.py', fabric.name, str(os.getpid())]
        self.keeper = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, start_new_session=True, cwd='/')
        self._name_namespaces()
        fabric.write_hosts(self.plan)
        for node in self.plan['switches']:
            self._prepare_switch(node)
        for node in self.plan['hosts']:
            self._prepare_host(node)
        for node in self.plan['switches']:
            self.processes.start(node)
        self.processes.wait_ready(self.plan['switches'], READY_SECONDS)
        fabric.save_state(phase=fabrics.UP, up_ns=time.monotonic_ns())

    def _find_hosts(self):
        """All nodes of the plan must be there: hosts are found over the links of switches."""
        for switch in list(self.nodes.values()):
            for intf in switch.intfList():
                if intf.link:
                    for end in (intf.link.intf1, intf.link.intf2):
                        self.nodes.setdefault(end.node.name, end.node)
        for node in self.plan['switches'] + self.plan['hosts']:
            if node['name'] not in self.nodes:
                raise usage(f"the network has no {node['name']}, as F({self.plan['layers']},{self.plan['arity']}) has: "
                            'build it by FatTreeTopo')

    def _say_useless(self):
        """What the network has and switches do not carry out."""
        size = f"F({self.plan['layers']},{self.plan['arity']})"
        planned = {node['name']: node for node in self.plan['switches'] + self.plan['hosts']}
        for name in sorted(set(self.nodes) - set(planned)):
            say(f'{name} has no effect: switches forward between the hosts of {size}, and it is none, so nothing '
                'reaches it')
        for host in self.plan['hosts']:
            node = self.nodes[host['name']]
            for what, has, wanted in (('address', node.IP(), host['ipv4']), ('MAC', node.MAC(), host['mac'])):
                if has and has.lower() != wanted:
                    say(f"{host['name']} has the {what} {has}, and its switch drops what does not come from {wanted}: "
                        'leave addresses to FatTreeTopo')

    def _name_namespaces(self):
        nodes = self.plan['switches'] + self.plan['hosts']
        for node in nodes:
            if netns.exists(node['namespace']):
                raise usage(f"namespace {node['namespace']} exists and is not of this fabric: take another "
                            'name, --switch drb,fabric=NAME')
        netns.batch([f"netns attach {node['namespace']} {self.nodes[node['name']].pid}" for node in nodes])
        self.fabric.save_state(namespaces={n['namespace']: netns.inode(n['namespace']) for n in nodes})

    def _prepare_switch(self, node):
        """Its namespace and its config, whose ports are Mininet's interfaces."""
        switch, lines = self.nodes[node['name']], []
        ports = [intf for intf in switch.intfList() if intf.params.get('drb_port')]
        with netns.inside(node['namespace']):
            netns.sysctl(netns.SWITCH_SETTINGS)
            for intf in ports:
                self._leave_to_queues(intf)
            netns.batch([f'link set dev {intf.name} mtu {self._mtu_at(node, intf)} arp off up' for intf in ports])
        for intf in ports:
            bw = intf.params.get('bw', switch.bw)
            rate = f', rate: {_rate(bw)}' if bw is not None else ''
            lines.append(f"  - {{name: {intf.params['drb_port']}, interface: {intf.name}{rate}}}\n")
        with open(self.fabric.path(node['config']), 'a', encoding='utf-8') as f:
            f.write('ports:\n' + ''.join(lines))

    def _mtu_at(self, node, intf):
        """What hosts send reaches the switch however long it is, which then drops, counts and answers it."""
        below = node['layer'] == 1 and intf.params['drb_port'].startswith('d')
        return LONGEST_MTU if below else self.plan['mtu']

    @staticmethod
    def _leave_to_queues(intf):
        """A link of --link tc,bw=: its rate is kept by the switch, which then sees its queue. What else tc
        does there stays."""
        params = dict(intf.params)
        if params.pop('bw', None) is not None and hasattr(intf, 'tc'):
            intf.config(**params)

    def _prepare_host(self, node):
        with netns.inside(node['namespace']):
            netns.sysctl(netns.HOST_SETTINGS)
            netns.batch([f"link set dev eth0 mtu {self.plan['mtu']}"])
        with open(self.fabric.path(node['batch']), encoding='ascii') as f:
            lines = f.read().splitlines()
        with netns.inside(node['namespace']):
            netns.batch(lines, force=True)  # Mininet has set some of it

    def start(self, name):
        node = next(node for node in self.plan['switches'] if node['name'] == name)
        with fabrics.lock():
            self.fabric.stop_switch(node)
            self.processes.start(node)
            self.processes.wait_ready([node], READY_SECONDS)

    def stop(self, name):
        for node in self.plan['switches']:
            if node['name'] == name:
                self.fabric.stop_switch(node)

    def down(self):
        if not self.keeper:
            return
        with fabrics.lock():
            self.fabric.tear_down()
        self.keeper.terminate()
        self.keeper.wait()
        self.keeper = None


def keep(name, pid):
    """Takes the fabric down once this process of Mininet has ended, whatever ended it."""
    with contextlib.suppress(ProcessLookupError):
        select.select([os.pidfd_open(pid)], [], [])
    with fabrics.lock():
        fabric = fabrics.Fabric(name)
        if fabric.exists() and fabric.state().get('maker') == MAKER:
            fabric.tear_down()
