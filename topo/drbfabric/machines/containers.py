# SPDX-License-Identifier: BSD-3-Clause
"""Exports plans for programs that run containers: compose and containerlab."""

import json
import shlex

from drbfabric import usage
from drbfabric.common import files
from drbfabric.fabric.plan_types import End, Host, Plan, Switch, ends_of

# The image that deploy/Containerfile builds.
IMAGE = 'drbswitch'
# Capabilities of a switch. The first three are for opening ports. With the last five, the switch
# becomes another user with its own folder, and then drops all capabilities.
CAPABILITIES = ['NET_RAW', 'NET_ADMIN', 'IPC_LOCK', 'CHOWN', 'DAC_OVERRIDE', 'SETUID', 'SETGID', 'SETPCAP']
CONFIGS = '/etc/drbswitch'


def save(path, value):
    """Writes JSON, which is also valid YAML."""
    files.write(path, json.dumps(value, indent=1) + '\n')


def _switch(switch: Switch):
    name = f"{CONFIGS}/{switch['name']}.yaml"
    return {'kind': 'linux', 'image': IMAGE, 'network-mode': 'none', 'cmd': f'-c {name}',
            'binds': [f"{switch['config']}:{name}:ro"], 'cap-add': CAPABILITIES,
            # The kernel must not send on links. containerlab replaces disable_ipv6 = 1 by 0, but an
            # interface without a link-local address does not send either.
            'sysctls': {'net.ipv6.conf.default.addr_gen_mode': 1, 'net.ipv4.ip_forward': 0}}


def _host(host: Host, plan: Plan):
    return {'kind': 'linux', 'image': IMAGE, 'network-mode': 'none', 'entrypoint': '/bin/sleep', 'cmd': 'infinity',
            # Some engines disable IPv6 in containers that start without a network.
            'sysctls': {'net.ipv6.conf.all.disable_ipv6': 0, 'net.ipv6.conf.default.router_solicitations': 0},
            'exec': [f"ip address add {host['ipv4']}/{plan['ipv4_length']} dev eth0",
                     f"ip address add {host['ipv6']}/{plan['ipv6_length']} dev eth0 nodad"]}


def _end(end: End, macs):
    shown = {'node': end.node, 'interface': end.port}
    return {**shown, 'mac': macs[end.node]} if end.node in macs else shown


def _links(plan: Plan, own, addresses):
    """The links of a machine's nodes (own): veths between two of them, VXLANs to other machines."""
    macs = {host['name']: host['mac'] for host in plan['hosts']}
    machine_of = {node['name']: node['machine'] for node in plan['switches'] + plan['hosts']}
    links = []
    for link in plan['links']:
        ends = ends_of(link)
        inside = [end for end in ends if end.node in own]
        if len(inside) == 2:
            links.append({'type': 'veth', 'mtu': plan['mtu'],
                          'endpoints': [_end(end, macs) for end in inside]})
        elif inside:
            other = next(end.node for end in ends if end not in inside)
            links.append({'type': 'vxlan', 'mtu': plan['mtu'], 'endpoint': _end(inside[0], macs),
                          'remote': addresses[machine_of[other]], 'vni': link['id'], 'dst-port': plan['udp_port']})
    return links


def _need_veth(plan: Plan):
    for link in plan['links']:
        if link['kind'] not in ('veth', 'vxlan'):
            raise usage(f"{link['lower']}.{link['lower_port']} is a {link['kind']} link, which containerlab does not "
                        'make: plan with --links veth, links: vxlan, and without cables')


def containerlab(plan: Plan, _, out):
    """Writes a topology for each machine."""
    _need_veth(plan)
    addresses = {machine['name']: machine['address'] for machine in plan['machines']}
    names = []
    for machine in plan['machines']:
        nodes = {switch['name']: _switch(switch) for switch in plan['switches'] if switch['machine'] == machine['name']}
        nodes.update((host['name'], _host(host, plan)) for host in plan['hosts'] if host['machine'] == machine['name'])
        names.append(f"{machine['name']}.clab.yml")
        # The prefix makes names of containers differ between fabrics, and equal to those of
        # compose.
        save(f'{out}/{names[-1]}', {'name': plan['fabric'], 'prefix': '__lab-name', 'topology': {
            'nodes': nodes, 'links': _links(plan, nodes, addresses)}})
    return names


# Containers start without a network. Links are made once they run; switches wait for their
# interfaces.
SCRIPT = """#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Fabric {fabric} in containers, as root: what compose.yaml says, for machines without compose, and links. By Docker:
# ENGINE=docker.
#   containers.sh start    runs them; switches wait for their interfaces
#   containers.sh wire     makes their links and addresses, also after `docker compose up -d`
#   containers.sh stop     removes them, and the names of their namespaces
set -eu
cd "$(dirname "$0")"
engine=${{ENGINE:-podman}}
nodes={nodes}
case "${{1:-}}" in
  start)
    mkdir -p /run/dpdk
{runs}
    ;;
  wire)
    for node in $nodes; do
      ip netns attach "{fabric}-$node" "$("$engine" inspect -f '{{{{.State.Pid}}}}' "{fabric}-$node")"
    done
    ip -batch {wires}
    for node in $nodes; do
      ip -n "{fabric}-$node" -batch "$node.batch"
    done
    ;;
  stop)
    for node in $nodes; do
      "$engine" rm -f "{fabric}-$node"
      [ ! -e "/run/netns/{fabric}-$node" ] || ip netns delete "{fabric}-$node"
    done
    ;;
  *)
    echo "containers.sh: must be start, wire or stop" >&2
    exit 2
    ;;
esac
"""


def _service(node):
    service = {'image': IMAGE, 'container_name': node['namespace'], 'network_mode': 'none', 'cap_drop': ['ALL'],
               'security_opt': ['no-new-privileges']}
    if 'config' not in node:
        return {**service, 'entrypoint': ['/bin/sleep', 'infinity'], 'cap_add': ['NET_RAW'],
                # sleep, as process 1, ignores other signals.
                'stop_signal': 'SIGKILL'}
    file = f"{CONFIGS}/{node['name']}.yaml"
    return {**service, 'command': ['-c', file], 'cap_add': CAPABILITIES,
            # The folder of stats sockets is shared, so that drbctl on the machine finds all
            # switches.
            'volumes': [f"./{node['config']}:{file}:ro", '/run/dpdk:/run/dpdk'],
            'sysctls': {'net.ipv6.conf.all.disable_ipv6': '1', 'net.ipv6.conf.default.disable_ipv6': '1',
                        'net.ipv4.ip_forward': '0'}}


def _run(service):
    """The command of the engine that runs a service of compose."""
    words = ['--name', service['container_name'], '--network', service['network_mode']]
    for key, option in (('cap_drop', '--cap-drop'), ('cap_add', '--cap-add'), ('security_opt', '--security-opt'),
                        ('volumes', '--volume')):
        words += [word for value in service.get(key, []) for word in (option, value)]
    words += [word for item in service.get('sysctls', {}).items() for word in ('--sysctl', '='.join(item))]
    entry, *arguments = service.get('entrypoint', [''])
    words += ['--entrypoint', entry] if entry else []
    words += ['--stop-signal', service['stop_signal']] if 'stop_signal' in service else []
    arguments += service.get('command', [])
    return '    "$engine" run -d ' + shlex.join([*words, service['image'], *arguments])


def compose(plan: Plan, folder, _):
    """Writes a compose file, and a script that runs and connects its containers.

    Both are beside the plan, whose files they use."""
    for link in plan['links']:
        if link['kind'] != 'veth':
            raise usage(f"{link['lower']}.{link['lower_port']} is a {link['kind']} link, which compose does not make: "
                        'plan with --links veth')
    nodes = plan['switches'] + plan['hosts']
    services = {node['name']: _service(node) for node in nodes}
    save(f'{folder}/compose.yaml', {'services': services})
    files.write(f'{folder}/containers.sh',
                SCRIPT.format(fabric=plan['fabric'], wires=plan['wires'], nodes=shlex.quote(' '.join(services)),
                              runs='\n'.join(map(_run, services.values()))), 0o777)
    return ['compose.yaml', 'containers.sh']
