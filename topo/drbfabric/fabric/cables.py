# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces of this machine that a plan uses for links to other machines.

The interface of a cable becomes a port of a switch until its fabric is taken down. A VLAN is
created on an interface, which stays."""

import collections
import json
import os
import subprocess

from drbfabric import Failure, usage
from drbfabric.common import refusals
from drbfabric.fabric import netns
from drbfabric.fabric.plan_types import Plan, ends_of


def ends(plan: Plan):
    """Ends of links on this machine whose port is an interface of the machine, or a VLAN on one:
    (link, end, namespace)."""
    spaces = {node['name']: node['namespace'] for node in plan.get('switches', [])}
    return [(link, end, spaces[end.node]) for link in plan.get('links', []) for end in ends_of(link)
            if end.interface and end.node in spaces]


def _ip(*words):
    """The JSON output of ip; [] if it finds nothing."""
    done = subprocess.run(['ip', '-json', *words], capture_output=True, text=True, check=False)
    return json.loads(done.stdout or '[]') if done.returncode == 0 else []


def _not_free(interface, underlay):
    """The reason why an interface cannot be moved into a switch; '' if it can."""
    name = interface['ifname']
    if name in underlay:
        return f'{name} leads to the other machines: a cable takes an interface of its own'
    for address in interface.get('addr_info', []):
        if address.get('scope') != 'link':
            return f"{name} has the address {address['local']}, which it would lose: ip address flush dev {name}"
    if 'master' in interface:
        return f"{name} is a port of {interface['master']}: ip link set dev {name} nomaster"
    return ''


def check(plan: Plan, underlay):
    """Refuses a plan whose interfaces are missing or in use.

    underlay: the interfaces that lead to other machines."""
    wanted = ends(plan)
    there = {interface['ifname']: interface for interface in (_ip('address', 'show') if wanted else [])}
    for link, end, _ in wanted:
        name, port = end.interface, end.name
        if name not in there:
            raise usage(f'{port} is to be {name}, and this machine has no such interface')
        why = _not_free(there[name], underlay) if link['kind'] == 'cable' else ''
        if link['kind'] == 'vlan' and 'UP' not in there[name]['flags']:
            why = f'{name} is down, and its VLANs with it: ip link set dev {name} up'
        if there[name]['mtu'] < plan['mtu']:
            why = f"{name} has an MTU of {there[name]['mtu']}, and hosts have {plan['mtu']}: raise it"
        if why:
            raise usage(f'{port}: {why}')


def ports(plan: Plan):
    """The ports that need work before their namespaces are deleted, as [namespace, port, name].

    A port with a name is returned to the machine under this name; one with None is deleted."""
    spaces = {node['name']: node['namespace'] for node in plan.get('switches', [])}
    made = [[spaces[end.node], end.port, None] for link in plan.get('links', []) for end in ends_of(link)
            if link['kind'] in ('vxlan', 'vlan') and end.node in spaces]
    return made + [[namespace, end.port, end.interface]
                   for link, end, namespace in ends(plan) if link['kind'] == 'cable']


def let_go(found, namespaces):
    """Returns or deletes ports, given as ports() lists them, in namespaces that will be deleted."""
    _give_back([port for port in found if port[0] in namespaces and port[2]])
    made = collections.defaultdict(list)
    for namespace, port, name in found:
        if namespace in namespaces and not name:
            made[namespace].append(f'link delete dev {port}')
    # The kernel deletes VXLAN interfaces and VLANs some time after their namespaces. Until then, a
    # new up would fail because their ids are in use.
    for namespace, lines in made.items():
        with netns.inside(namespace):
            netns.batch(lines, force=True)  # after a failed up, some are missing


def _give_back(cables):
    """Moves interfaces of the machine out of their namespaces. When a namespace is deleted, the
    kernel returns only some kinds of interfaces, and none under its old name."""
    for namespace, port, name in cables:
        if not _ip('-n', namespace, 'link', 'show', 'dev', port):
            continue  # the interface was not moved yet, or is gone
        done = subprocess.run(['ip', '-n', namespace, 'link', 'set', 'dev', port, 'down', 'netns', str(os.getpid()),
                               'name', name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(refusals.in_words(f'cannot give {port} in namespace {namespace} back as {name}', done.stderr))
