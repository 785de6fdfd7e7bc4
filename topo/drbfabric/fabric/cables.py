# SPDX-License-Identifier: BSD-3-Clause
"""Interfaces of the machine that a plan takes for links to other machines: a cable becomes a port of a switch
until its fabric is down, a VLAN is made on one."""

import collections
import json
import os
import subprocess

from drbfabric import Failure, usage
from drbfabric.common import refusals
from drbfabric.fabric import netns


def ends(plan):
    """(link, its side, namespace) of links whose end here is an interface of the machine, or a VLAN of one."""
    spaces = {node['name']: node['namespace'] for node in plan.get('switches', [])}
    return [(link, side, spaces[link[side]]) for link in plan.get('links', []) for side in ('lower', 'upper')
            if f'{side}_interface' in link and link[side] in spaces]


def _ip(*words):
    """What ip answers as JSON; [] where it finds nothing."""
    done = subprocess.run(['ip', '-json', *words], capture_output=True, text=True, check=False)
    return json.loads(done.stdout or '[]') if done.returncode == 0 else []


def _not_free(interface, underlay):
    """Why an interface cannot be moved into a switch, '' if it can."""
    name = interface['ifname']
    if name in underlay:
        return f'{name} leads to the other machines: a cable takes an interface of its own'
    for address in interface.get('addr_info', []):
        if address.get('scope') != 'link':
            return f"{name} has the address {address['local']}, which it would lose: ip address flush dev {name}"
    if 'master' in interface:
        return f"{name} is a port of {interface['master']}: ip link set dev {name} nomaster"
    return ''


def check(plan, underlay):
    """Refuses a plan whose interfaces are not here, or are in use; underlay: those that lead to the other machines."""
    wanted = ends(plan)
    there = {interface['ifname']: interface for interface in (_ip('address', 'show') if wanted else [])}
    for link, side, _ in wanted:
        name, port = link[f'{side}_interface'], f"{link[side]}.{link[f'{side}_port']}"
        if name not in there:
            raise usage(f'{port} is to be {name}, and this machine has no such interface')
        why = _not_free(there[name], underlay) if link['kind'] == 'cable' else ''
        if link['kind'] == 'vlan' and 'UP' not in there[name]['flags']:
            why = f'{name} is down, and its VLANs with it: ip link set dev {name} up'
        if there[name]['mtu'] < plan['mtu']:
            why = f"{name} has an MTU of {there[name]['mtu']}, and hosts have {plan['mtu']}: raise it"
        if why:
            raise usage(f'{port}: {why}')


def remove_made(plan, namespaces):
    """Deletes VXLAN interfaces and VLANs out of namespaces that are about to be deleted. The kernel would do it some
    time after that, and until then an up that makes them again is told that their ids are taken."""
    spaces = {node['name']: node['namespace'] for node in plan.get('switches', [])}
    made = collections.defaultdict(list)
    for link in plan.get('links', []):
        for side in ('lower', 'upper'):
            if link['kind'] in ('vxlan', 'vlan') and spaces.get(link[side]) in namespaces:
                made[spaces[link[side]]].append(f"link delete dev {link[f'{side}_port']}")
    for namespace, lines in made.items():
        with netns.inside(namespace):
            netns.batch(lines, force=True)  # of an up that failed, not all are there


def give_back(plan, namespaces):
    """Moves interfaces of the machine out of namespaces that are about to be deleted: not every kind would come
    back by itself, and none under its name."""
    for link, side, namespace in ends(plan):
        port, name = link[f'{side}_port'], link[f'{side}_interface']
        if link['kind'] != 'cable' or namespace not in namespaces:
            continue
        if not _ip('-n', namespace, 'link', 'show', 'dev', port):
            continue  # it was not moved yet, or is gone
        done = subprocess.run(['ip', '-n', namespace, 'link', 'set', 'dev', port, 'down', 'netns', str(os.getpid()),
                               'name', name], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(refusals.in_words(f'cannot give {port} in namespace {namespace} back as {name}', done.stderr))
