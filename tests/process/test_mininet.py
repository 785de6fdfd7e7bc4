#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes in a Mininet network are named before anything starts.

test_mininet.py TOPO_DIR    TAP on standard output."""
import contextlib
import io
import sys
import types
from typing import Any

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])

import tap  # noqa: E402
from drbfabric import Failure  # noqa: E402
from drbfabric.mininet.fabric import MininetFabric, say_base  # noqa: E402


def other_options_are_named():
    switches = [types.SimpleNamespace(name=name, wanted={'fabric': 'mn', 'scheme': scheme})
                for name, scheme in (('s1', 'drb'), ('s2', 'drb'), ('s3', 'ecmp'))]
    try:
        MininetFabric(switches)
    except Failure as e:
        assert str(e).startswith('s3: ') and 'those of s1 are others' in str(e), e
    else:
        raise AssertionError('accepted')


def unknown_options_are_refused():
    """Also those that drbtopo would complete."""
    words = (('schem', 'scheme'), ('sched', 'scheme'), ('thres', 'threshold'), ('rat', 'rate'), ('colour', ''))
    for wrong, near in words:
        switch = types.SimpleNamespace(name='s1', wanted={'fabric': 'mn', 'options': {'queue': '16', wrong: '1'}})
        try:
            MininetFabric([switch])
        except Failure as e:
            assert str(e).startswith(f'--switch drb,{wrong}=: no option of drbtopo plan') and near in str(e), e
        else:
            raise AssertionError(wrong)
    MininetFabric([types.SimpleNamespace(name='s1', wanted={
        'fabric': 'mn', 'options': {'flow_max': '8', 'scheme': 'walk', 'host_burst': '2'}})])


class Node:
    """A node of Mininet."""

    def __init__(self, name):
        self.name, self.found = name, []

    def intfList(self):  # noqa: N802 (Mininet's name)
        return self.found


class Link:
    pass


def link(one, two, port=None):
    made = Link()
    for number, node in ((1, one), (2, two)):
        intf = types.SimpleNamespace(name=f'{node.name}-eth{len(node.found)}', node=node, link=made,
                                     params={'drb_port': port} if port and number == 2 else {})
        setattr(made, f'intf{number}', intf)
        node.found.append(intf)


def links_that_the_plan_has_not_are_said():
    network = object.__new__(MininetFabric)
    nodes = network.nodes = {name: Node(name) for name in ('h0', 'h1', 's1-0', 's2-0', 'nat0')}
    plan: Any = {'switches': [{'name': 's1-0'}, {'name': 's2-0'}], 'hosts': [{'name': 'h0'}, {'name': 'h1'}]}
    network.plan = plan
    link(nodes['h0'], nodes['s1-0'], 'd0')
    link(nodes['s1-0'], nodes['s2-0'], 'd0')
    link(nodes['nat0'], nodes['s1-0'])  # told as a host of no plan
    link(nodes['s1-0'], nodes['s2-0'])
    link(nodes['h1'], nodes['h0'])
    link(nodes['h1'], nodes['s2-0'])
    with contextlib.redirect_stderr(io.StringIO()) as said:
        network._say_links({'s1-0', 's2-0', 'h0', 'h1'})  # noqa: SLF001
    assert [line.split(': ', 1)[1] for line in said.getvalue().splitlines()] == [
        'the link h1-eth0 - h0-eth1 bypasses all switches: leave links to FatTreeTopo',
        'the link h1-eth1 - s2-0-eth2 has no effect: leave links to FatTreeTopo',
        'the link s1-0-eth3 - s2-0-eth1 has no effect: leave links to FatTreeTopo'], said.getvalue()


def other_networks_are_said():
    for base in ('10.0.0.0/8', '192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/24'):
        network = types.SimpleNamespace(ipBase=base)
        frame = types.SimpleNamespace(f_locals={}, f_back=types.SimpleNamespace(f_locals={'self': network}))
        with contextlib.redirect_stderr(io.StringIO()) as said:
            say_base(frame)
        assert (f'--ipbase {base} has no effect' in said.getvalue()) == (base != '10.0.0.0/8'), said.getvalue()
        assert (f'drb,ipv4={base}\n' in said.getvalue()) == (base != '10.0.0.0/8'), said.getvalue()


def hosts_get_the_networks_of_switches():
    """Only what the options of switches name is set."""
    both = {'ipv4': '192.168.0.0/16', 'mac': '06:aa'}
    for keys in ((), ('ipv4',), ('mac',), ('ipv4', 'mac')):
        options = {key: both[key] for key in keys}
        network, done = object.__new__(MininetFabric), []
        node = types.SimpleNamespace(setIP=lambda *args: done.append(args), setMAC=lambda *args: done.append(args))
        plan: Any = {'ipv4_length': 16, 'hosts': [{'name': 'h0', 'ipv4': '192.168.0.1', 'mac': '06:aa:00:00:00:01'}]}
        network.nodes, network.setup, network.plan = {'h0': node}, {'options': options}, plan
        network._set_addresses()  # noqa: SLF001
        wanted: dict[str, tuple[Any, ...]] = {'ipv4': ('192.168.0.1', 16), 'mac': ('06:aa:00:00:00:01',)}
        assert done == [wanted[key] for key in keys], (options, done)


tap.run((other_options_are_named, unknown_options_are_refused, links_that_the_plan_has_not_are_said,
         other_networks_are_said, hosts_get_the_networks_of_switches))
