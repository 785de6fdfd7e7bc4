# SPDX-License-Identifier: BSD-3-Clause
"""Classes for Mininet (2.3): a kind of switch, a topology, and a choice of controller."""

import json
import sys

from mininet.node import NullController, Switch
from mininet.topo import Topo
from mininet.util import quietRun

from drbfabric.common import children
from drbfabric.common.cli import say
from drbfabric.common.places import program
from drbfabric.fabric.plan_types import Plan, ends_of
from drbfabric.mininet.fabric import MininetFabric, say_base

# Parameters that Mininet passes to every switch.
PARAMETERS = 'dpid', 'listenPort', 'privateDirs', 'waitExited', 'isSwitch', 'batch'


def findController(*_):  # noqa: N802 (mn calls it by this name)
    """Replaces mn's own function, which fails if there is no controller."""
    return NullController


class FatTreeTopo(Topo):
    """F(l,d): switches s<layer>-<label>, and hosts h<label> with the addresses that switches
    expect.

    bw: rate of every link in Mbit/s, enforced by the egress queues of switches. All other settings
    belong to DrbSwitch."""

    def build(self, layers=3, arity=2, bw=None):
        size = ['-l', str(int(layers)), '-d', str(int(arity))]
        plan: Plan = json.loads(children.run([program('drbtopo', 'plan'), 'plan', *size]))
        for host in plan['hosts']:
            self.addHost(host['name'], ip=f"{host['ipv4']}/{plan['ipv4_length']}", mac=host['mac'])
        for number, switch in enumerate(plan['switches'], 1):
            self.addSwitch(switch['name'], dpid=f'{number:x}', layers=plan['layers'], arity=plan['arity'])
        rate = {} if bw is None else {'bw': float(bw)}
        for link in plan['links']:
            lower, upper = ({'drb_port': end.port} for end in ends_of(link))
            of_host = {'intfName1': 'eth0'} if link['lower_port'] == 'eth0' else {}
            self.addLink(link['lower'], link['upper'], params1=lower, params2=upper, **of_host, **rate)


class DrbSwitch(Switch):
    """A drbswitch process in a namespace of its own.

    bw: rate in Mbit/s of those of its links that set no rate; fabric: name of the fabric for drbctl
    and drbgen. All other options are those of `drbtopo plan`, with _ instead of -: scheme='walk',
    threshold=3, rate='500pps'."""

    warned = False  # that a controller has no effect

    def __init__(self, name, layers=3, arity=2, bw=None, fabric='drb', inNamespace=True, **params):
        del inNamespace  # always True: drbswitch needs a namespace of its own
        own = {key: value for key, value in params.items() if key in PARAMETERS}
        super().__init__(name, inNamespace=True, **own)
        # Read by Switch.defaultIntf(), but set by Switch only without a namespace.
        self.controlIntf = None
        self.wanted = {'layers': layers, 'arity': arity, 'fabric': fabric,
                       'options': {key: str(value) for key, value in params.items()
                                   if key not in PARAMETERS}}
        self.bw = bw
        self.of_fabric = None  # MininetFabric, once all are started

    @classmethod
    def setup(cls):
        """Mininet calls this before it makes the first switch."""
        program('drbswitch', 'switch')

    def start(self, controllers):
        """Starts the switch again, for `switch s1-0 start`. batchStartup() starts it at first."""
        if controllers and not DrbSwitch.warned:
            DrbSwitch.warned = True
            say(f'{controllers[0].name} has no effect: switches decide for themselves and ask no controller')
        if self.of_fabric:
            self.of_fabric.start(self.name)

    def connected(self):
        """The condition for which --wait and waitConnected() wait."""
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
        say_base(sys._getframe())
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
        """Shows counters for `dpctl` of Mininet's command line: dpctl ports, dpctl drops.

        Returns the text, so that scripts can use it."""
        drbctl, fabric = program('drbctl', 'ctl'), self.wanted['fabric']
        return quietRun([drbctl, 'show', self.name, '--fabric', fabric, *args])
