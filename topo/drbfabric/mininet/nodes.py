# SPDX-License-Identifier: BSD-3-Clause
"""What Mininet (2.3) asks of a kind of switch and of a topology: classes that it makes and calls."""

import json

from mininet.node import NullController, Switch
from mininet.topo import Topo
from mininet.util import quietRun

from drbfabric.common import children
from drbfabric.common.cli import say
from drbfabric.common.places import program
from drbfabric.mininet.fabric import MininetFabric

# What Mininet gives every switch.
PARAMETERS = 'dpid', 'listenPort', 'privateDirs', 'waitExited', 'isSwitch', 'batch'


def findController(*_):  # noqa: N802 (mn calls it by this name)
    """In place of mn's own, which takes it for a mistake that there is none."""
    return NullController


class FatTreeTopo(Topo):
    """F(l,d): switches s<layer>-<label>, hosts h<label> with the addresses that switches expect.

    bw: Mbit/s of every link, kept by the egress queues of switches; other settings are DrbSwitch's."""

    def build(self, layers=3, arity=2, bw=None):
        size = ['-l', str(int(layers)), '-d', str(int(arity))]
        plan = json.loads(children.run([program('drbtopo', 'topo'), 'plan', *size]))
        for host in plan['hosts']:
            self.addHost(host['name'], ip=f"{host['ipv4']}/{plan['ipv4_length']}", mac=host['mac'])
        for number, switch in enumerate(plan['switches'], 1):
            self.addSwitch(switch['name'], dpid=f'{number:x}', layers=plan['layers'], arity=plan['arity'])
        rate = {} if bw is None else {'bw': float(bw)}
        for link in plan['links']:
            lower, upper = ({'drb_port': link[f'{end}_port']} for end in ('lower', 'upper'))
            host = {'intfName1': 'eth0'} if link['lower_port'] == 'eth0' else {}
            self.addLink(link['lower'], link['upper'], params1=lower, params2=upper, **host, **rate)


class DrbSwitch(Switch):
    """A drbswitch process in a namespace of its own.

    bw: Mbit/s of its links that say nothing else; fabric: its name for drbctl and drbgen; every other
    option is one of `drbtopo plan`, with _ for -: scheme='walk', threshold=3, rate='500pps'."""

    warned = False  # of a controller

    def __init__(self, name, layers=3, arity=2, bw=None, fabric='drb', inNamespace=True, **params):
        del inNamespace  # a switch that Mininet puts beside the machine's own interfaces is none of ours
        own = {key: value for key, value in params.items() if key in PARAMETERS}
        super().__init__(name, inNamespace=True, **own)
        # What Switch.defaultIntf() reads, and sets only without a namespace.
        self.controlIntf = None
        self.wanted = {'layers': layers, 'arity': arity, 'fabric': fabric,
                       'options': {key: str(value) for key, value in params.items()
                                   if key not in PARAMETERS}}
        self.bw = bw
        self.of_fabric = None  # MininetFabric, once all are started

    @classmethod
    def setup(cls):
        """Mininet's hook: called before the first one is made."""
        program('drbswitch', 'switch')

    def start(self, controllers):
        """Starts it again, as `switch s1-0 start` does; the first time batchStartup() starts all."""
        if controllers and not DrbSwitch.warned:
            DrbSwitch.warned = True
            say(f'{controllers[0].name} has no effect: switches decide for themselves and ask no controller')
        if self.of_fabric:
            self.of_fabric.start(self.name)

    def connected(self):
        """What --wait and waitConnected() wait for."""
        return self.of_fabric is not None

    def addIntf(self, intf, *args, **options):  # noqa: N802 (Mininet's name)
        if self.of_fabric:
            say(f'{intf.name} has no effect: {self.name} runs, and takes no further ports')
        super().addIntf(intf, *args, **options)

    def stop(self, deleteIntfs=True):
        if self.of_fabric:
            self.of_fabric.stop(self.name)
        super().stop(deleteIntfs)

    @classmethod
    def batchStartup(cls, switches, **_):
        fabric = MininetFabric(switches)
        fabric.up()
        for switch in switches:
            switch.of_fabric = fabric
        return switches

    @classmethod
    def batchShutdown(cls, switches, **_):
        for switch in switches:
            if switch.of_fabric:
                switch.of_fabric.down()
                switch.of_fabric = None
        return switches

    def dpctl(self, *args):
        """`dpctl` of the command line shows counters: dpctl ports, dpctl drops. The text, for scripts, too."""
        drbctl, fabric = program('drbctl', 'ctl'), self.wanted['fabric']
        return quietRun([drbctl, 'show', self.name, '--fabric', fabric, *args])
