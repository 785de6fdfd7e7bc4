# SPDX-License-Identifier: BSD-3-Clause
"""Whole fabrics: bringing them up, giving them another plan, taking them down."""

import collections
import contextlib
import os
import shutil
import signal
import time

from . import fabrics, netns, nodes, processes, usage
from .cli import need_root, say
from .interrupts import on_signals
from .output import print_result
from .places import called, program


def kernel_ports(plan):
    """The interfaces of each switch, by its name."""
    ports = collections.defaultdict(list)
    for link in plan['links']:
        if link['kind'] == 'veth':
            ports[link['upper']].append(link['upper_port'])
            ports[link['lower']].append(link['lower_port'])
    return ports


def prepare_namespaces(fabric, plan, offloads):
    """Makes and configures the namespaces and links of a plan. offloads: 'on' or 'off'."""
    switches, hosts = plan['switches'], plan['hosts']
    netns.batch(fabric.path(plan['namespaces']))
    fabric.save_state(namespaces={n['namespace']: netns.inode(n['namespace'])
                                  for n in switches + hosts})
    for group, settings in ((switches, netns.SWITCH_SETTINGS), (hosts, netns.HOST_SETTINGS)):
        for node in group:
            with netns.inside(node['namespace']):
                netns.sysctl(settings)
    netns.batch(fabric.path(plan['wires']))
    if plan.get('memif_dir'):
        os.makedirs(plan['memif_dir'], exist_ok=True)
    # Before switches start: an XDP program at the other end of a veth pair takes the right to
    # turn offloads off, and a port without a carrier is down until it is looked at again.
    ports = kernel_ports(plan)
    for node in switches:
        with netns.inside(node['namespace']):
            for port in ports[node['name']] if offloads == 'off' else ():
                netns.offloads_off(port)
            netns.batch(fabric.path(node['batch']))
    for host in hosts:
        with netns.inside(host['namespace']):
            if offloads == 'off':
                netns.offloads_off('eth0')
            netns.batch(fabric.path(host['batch']))


def start_switches(fabric, plan, drbswitch):
    switches = processes.Switches(fabric, drbswitch)
    for node in plan['switches']:
        switches.start(node)
    return switches


def mark_up(fabric):
    """The end of what undone_on_failure() undoes: it is up, or a signal came before and it is not."""
    fabric.save_state(phase=fabrics.UP, up_ns=time.monotonic_ns())
    on_signals(signal.SIG_IGN)


@contextlib.contextmanager
def undone_on_failure(fabric):
    """Takes the fabric down if what is inside fails or is interrupted."""
    try:
        yield
    except BaseException:
        on_signals(signal.SIG_IGN)
        fabric.tear_down()
        raise


def clear_remains(fabric, replace):
    """Makes room for a new fabric of this name, if what is there may go."""
    fabric.need_own()
    if not fabric.exists():
        return
    alive = fabric.alive()
    if fabric.state().get('phase') == fabrics.UP and alive and not replace:
        raise usage(f'fabric {fabric.name} is up, {len(alive)} switches run: '
                    f"{called('fabric')} down --fabric {fabric.name} first, or give --replace")
    say(f'clearing what an earlier fabric {fabric.name} left')
    fabric.tear_down()


def size_of(plan, began):
    """What up and replan say for machines."""
    row = {key: plan[key] for key in ('fabric', 'layers', 'arity')}
    row.update((key, len(plan[key])) for key in ('switches', 'hosts', 'links'))
    return {**row, 'seconds': round(time.monotonic() - began, 3)}


def up(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    drbtopo, drbswitch = program('drbtopo', 'topo'), program('drbswitch', 'switch')
    began = time.monotonic()
    with fabrics.lock():
        clear_remains(fabric, args.replace)
        with undone_on_failure(fabric):
            fabric.create()
            plan = fabric.make_plan(drbtopo, args.plan_options)
            netns.need_files(len(plan['switches'] + plan['hosts']))
            for node in plan['switches'] + plan['hosts']:
                if netns.exists(node['namespace']):
                    raise usage(f"namespace {node['namespace']} exists and is not of this fabric: "
                                f"take another --fabric, or remove it: ip netns delete {node['namespace']}")
            fabric.save_state(phase=fabrics.STARTING, options=args.plan_options)
            fabric.write_hosts(plan)
            prepare_namespaces(fabric, plan, args.offloads)
            switches = start_switches(fabric, plan, drbswitch)
            switches.wait_ready(plan['switches'], args.timeout)
            mark_up(fabric)
    row = size_of(plan, began)
    print_result(row, f"{fabric.name}: F({plan['layers']},{plan['arity']}) is up in {row['seconds']:.1f} s: "
                 f"{row['switches']} switches, {row['hosts']} hosts, {row['links']} links", args.format)
    nodes.warn_without_rate(plan, say)
    return 0


def replan(args):
    """New settings for the switches of a running fabric; namespaces and links stay."""
    need_root()
    fabric = fabrics.Fabric(args.name)
    drbtopo, drbswitch = program('drbtopo', 'topo'), program('drbswitch', 'switch')
    began = time.monotonic()
    with fabrics.lock():
        old, state = fabric.need_plan(), fabric.state()
        if 'maker' in state:
            raise usage(f"fabric {fabric.name} is made by {state['maker']}: end it there and begin with "
                        'other options')
        options = state['options'] + args.plan_options
        folder = fabric.path('next')
        shutil.rmtree(folder, ignore_errors=True)
        try:
            plan = fabric.make_plan(drbtopo, options, folder)
            for part in ('switches', 'hosts', 'links'):
                if plan[part] != old[part]:
                    raise usage(f'this changes the {part} of the fabric: take it down and up again')
            with undone_on_failure(fabric):
                fabric.save_state(phase=fabrics.STARTING, options=options)
                fabric.stop_switches()
                fabric.forget_processes()
                for name in os.listdir(folder):
                    os.replace(f'{folder}/{name}', fabric.path(name))
                start_switches(fabric, plan, drbswitch).wait_ready(plan['switches'], args.timeout)
                mark_up(fabric)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    row = size_of(plan, began)
    print_result(row, f"{fabric.name}: {row['switches']} switches run the new plan after "
                 f"{row['seconds']:.1f} s", args.format)
    nodes.warn_without_rate(plan, say)
    return 0


def down(args):
    need_root()
    fabric = fabrics.Fabric(args.name)
    with fabrics.lock():
        if not fabric.exists():
            say(f'no fabric {fabric.name}: nothing to take down')
            return 0
        fabric.need_own()
        lodgers = processes.inside(fabric.state().get('namespaces') or {})
        removed = fabric.tear_down()
    for namespace, pid, command in lodgers:
        if processes.start_time(pid):
            say(f'{command} (process {pid}) still runs in {namespace}, which stays until it ends')
    print_result({'fabric': fabric.name, 'namespaces_removed': removed},
                 f'{fabric.name}: down, {removed} namespaces removed', args.format)
    return 0
