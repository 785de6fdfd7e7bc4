# SPDX-License-Identifier: BSD-3-Clause
"""Makes a fabric of a network of Mininet.

Its namespaces get names, and its switches get configs and processes. A folder below /run/drbswitch
describes the fabric, so that drbgen, drbctl and drbfabric find it."""

import difflib
import os
import re
import time

from drbfabric import usage
from drbfabric.common import children, files
from drbfabric.common.cli import say
from drbfabric.common.places import program
from drbfabric.fabric import fabrics, keeper, netns, processes
from drbfabric.fabric.plan_types import Plan

READY_SECONDS = 60
USUAL_BASE = '10.0.0.0/8'  # --ipbase unless it is given
LONGEST_MTU = 65535  # largest MTU of a veth, bytes
# The value of 'maker' in the state of such a fabric.
MAKER = 'mininet'


def _rate(bw):
    return f'{float(bw):.15g}Mbit'


def _need_options(options):
    """Refuses unknown options, which drbtopo could take for abbreviations of other options."""
    known = re.findall(r'--([a-z0-9-]+)', children.run([program('drbtopo', 'plan'), 'plan', '--help']))
    for key in options:
        if key.replace('_', '-') not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f' (is it {near[0]}?)' if near else ''
            raise usage(f'--switch drb,{key}=: no option of drbtopo plan{hint}')


def say_base(frame):
    """Reports --ipbase. Mininet does not pass the network to the switches that it starts, so it is
    taken from the frame of a caller."""
    while frame and not hasattr(frame.f_locals.get('self'), 'ipBase'):
        frame = frame.f_back
    base = frame.f_locals['self'].ipBase if frame else USUAL_BASE
    if base != USUAL_BASE:
        say(f'--ipbase {base} has no effect: FatTreeTopo gives hosts the addresses that switches expect; '
            f'take --switch drb,ipv4={base}')


class MininetFabric:
    """The fabric of all DrbSwitch nodes of one network."""

    def __init__(self, switches):
        setup = switches[0].wanted
        for switch in switches:
            if switch.wanted != setup:
                raise usage(f'{switch.name}: all switches of a network have the same options, and those of '
                            f'{switches[0].name} are others')
        self.nodes = {switch.name: switch for switch in switches}
        _need_options(setup['options'])
        self.setup, self.fabric = setup, fabrics.Fabric(setup['fabric'])
        self.plan: Plan  # once the network starts
        self.keeper = None
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
        """Removes what an earlier fabric of this name has left. Fails if it still runs."""
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
        fabric.create(os.getpid())
        self.plan = fabric.make_plan(program('drbtopo', 'plan'), options)
        if any(link['kind'] == 'memif' for link in self.plan['links']):
            raise usage('links=memif: Mininet makes the links, of veths')
        self._find_hosts()
        self._set_addresses()
        self._say_useless()
        nodes = self.plan['switches'] + self.plan['hosts']
        netns.need_free([node['namespace'] for node in nodes], 'take another name, --switch drb,fabric=NAME')
        fabric.save_names(self.plan, options=options, maker=MAKER)
        self.keeper = keeper.start()
        netns.batch([f"netns attach {node['namespace']} {self.nodes[node['name']].pid}" for node in nodes])
        fabric.save_made()
        fabric.write_hosts(self.plan)
        for node in self.plan['switches']:
            self._prepare_switch(node)
        for host in self.plan['hosts']:
            self._prepare_host(host)
        for node in self.plan['switches']:
            self.processes.start(node)
        self.processes.wait_ready(self.plan['switches'], READY_SECONDS)
        fabric.save_state(phase=fabrics.UP, up_ns=time.monotonic_ns())

    def _find_hosts(self):
        """Finds hosts by the links of switches. Fails if a node of the plan is missing."""
        for switch in list(self.nodes.values()):
            for intf in switch.intfList():
                if intf.link:
                    for end in (intf.link.intf1, intf.link.intf2):
                        self.nodes.setdefault(end.node.name, end.node)
        for node in self.plan['switches'] + self.plan['hosts']:
            if node['name'] not in self.nodes:
                raise usage(f"the network has no {node['name']}, as F({self.plan['layers']},{self.plan['arity']}) has: "
                            'build it by FatTreeTopo')

    def _say_links(self, planned):
        """Reports links between nodes of the plan that the plan does not have."""
        links = {intf.link for name in planned for intf in self.nodes[name].intfList() if intf.link}
        for one, two in sorted(((link.intf1, link.intf2) for link in links), key=lambda ends: ends[0].name):
            names = {one.node.name, two.node.name}
            if one.params.get('drb_port') or two.params.get('drb_port') or not names <= set(planned):
                continue
            hosts = names <= {host['name'] for host in self.plan['hosts']}
            say(f"the link {one.name} - {two.name} {'bypasses all switches' if hosts else 'has no effect'}: "
                'leave links to FatTreeTopo')

    def _set_addresses(self):
        """Gives hosts the addresses that the options of switches ask for. FatTreeTopo does not know
        these options."""
        for host in self.plan['hosts']:
            node = self.nodes[host['name']]
            if 'ipv4' in self.setup['options']:
                node.setIP(host['ipv4'], self.plan['ipv4_length'])
            if 'mac' in self.setup['options']:
                node.setMAC(host['mac'])

    def _say_useless(self):
        """Reports properties of the network that have no effect on drbswitch."""
        size = f"F({self.plan['layers']},{self.plan['arity']})"
        planned = {node['name']: node for node in self.plan['switches'] + self.plan['hosts']}
        self._say_links(planned)
        for name in sorted(set(self.nodes) - set(planned)):
            say(f'{name} has no effect: switches forward between the hosts of {size}, and it is none, so nothing '
                'reaches it')
        for host in self.plan['hosts']:
            node = self.nodes[host['name']]
            for what, has, wanted in (('address', node.IP(), host['ipv4']), ('MAC', node.MAC(), host['mac'])):
                if has and has.lower() != wanted:
                    say(f"{host['name']} has the {what} {has}, and its switch drops what does not come from {wanted}: "
                        'leave addresses to FatTreeTopo')

    def _prepare_switch(self, node):
        """Prepares a switch's namespace, and its config, whose ports are Mininet's interfaces."""
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
        config = self.fabric.path(node['config'])
        with open(config, encoding='utf-8') as f:
            files.write(config, f.read() + 'ports:\n' + ''.join(lines))

    def _mtu_at(self, node, intf):
        """The MTU of a port, in bytes. A port to a host has the largest one: a packet that is too
        long then reaches the switch, which drops, counts and answers it."""
        below = node['layer'] == 1 and intf.params['drb_port'].startswith('d')
        return LONGEST_MTU if below else self.plan['mtu']

    @staticmethod
    def _leave_to_queues(intf):
        """Removes the rate from a link of --link tc,bw=, because the switch paces it and must see
        its queue. Other settings of tc stay."""
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
            netns.batch(lines, force=True)  # some fail, because Mininet has done the same

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
