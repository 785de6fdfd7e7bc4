# SPDX-License-Identifier: BSD-3-Clause
"""Plans that `up` receives ready-made: one machine's part of a fabric over several machines."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import tarfile

from drbfabric import Failure, usage
from drbfabric.fabric import cables, fabrics, netns, plan_types
from drbfabric.fabric.plan_types import Plan

# Largest file of a plan, bytes.
FILE_MAX = 64 << 20
INTERFACES = 'lower_interface', 'upper_interface'
NAME = '[A-Za-z0-9][A-Za-z0-9_.-]{0,63}'


def pack(folder, archive):
    """Packs the files of a plan into an archive."""
    with tarfile.open(f'{archive}.new', 'w:gz') as tar:
        for name in sorted(os.listdir(folder)):
            tar.add(f'{folder}/{name}', arcname=name, recursive=False)
    os.replace(f'{archive}.new', archive)


def _open(tar, name):
    """Opens a file of an archive."""
    source = tar.extractfile(name)
    if not source:
        raise KeyError(name)
    return source


def unpack(path, folder):
    """Copies the files of a plan into a folder. path: a folder, or an archive made by pack()."""
    if os.path.isdir(path):
        for entry in os.scandir(path):
            if entry.is_file():
                shutil.copy(entry.path, f'{folder}/{entry.name}')
        return
    try:
        with tarfile.open(path) as tar:
            for member in tar:
                # Ignore paths, owners and modes that an archive contains: it may be malicious.
                if not member.isfile() or os.path.basename(member.name) != member.name or member.size > FILE_MAX:
                    raise usage(f"{path}: '{member.name}' is no file of a plan")
                with _open(tar, member) as source, open(f'{folder}/{member.name}', 'wb') as target:
                    shutil.copyfileobj(source, target)
    except tarfile.TarError as e:
        raise usage(f'{path}: no archive of a plan: {e}') from e


def read(path):
    """The text of the plan in a folder or an archive."""
    try:
        if os.path.isdir(path):
            with open(f'{path}/plan.json', encoding='utf-8') as f:
                return f.read()
        with tarfile.open(path) as tar, _open(tar, 'plan.json') as source:
            return source.read(FILE_MAX).decode()
    except (OSError, KeyError, ValueError, tarfile.TarError) as e:
        raise usage(f'{path}: no plan: {e}') from e


def _check_names(path, plan):
    """Checks that names have only drbtopo's characters, because they become parts of commands."""
    wanted = {'switches': ('name', 'namespace', 'batch', 'config'), 'hosts': ('name', 'namespace', 'batch'),
              'elsewhere': ('name',), 'links': ('lower', 'lower_port', 'upper', 'upper_port')}
    names = [(key, plan.get(key)) for key in ('fabric', 'namespaces', 'wires')]
    for key, of in wanted.items():
        for entry in plan.get(key, []):
            if not isinstance(entry, dict):
                raise usage(f'{path}: plan.json: {key}: {json.dumps(entry)} is no object')
            names += [(f'{key}: {name}', entry.get(name)) for name in of]
            names += [(f'{key}: {name}', entry[name]) for name in INTERFACES if name in entry]
    for key, name in names:
        if not isinstance(name, str) or not re.fullmatch(NAME, name):
            raise usage(f'{path}: plan.json: {key}: {json.dumps(name)} is no name that drbtopo gives')


def load(path):
    """Loads and checks the plan of one machine."""
    try:
        plan = json.loads(read(path))
    except ValueError as e:
        raise usage(f'{path}: plan.json: {e}') from e
    plan_types.checked(f'{path}: plan.json', plan)
    if 'machines' in plan:
        names = ', '.join(machine['name'] for machine in plan['machines'])
        raise usage(f'{path}: this plan is of several machines: take the folder of one of them ({names})')
    _check_names(path, plan)
    return plan


def _ask_ip(*words):
    """The first object of ip's JSON output, or {}, and ip's error message."""
    done = subprocess.run(['ip', '-json', *words], capture_output=True, text=True, check=False)
    with contextlib.suppress(ValueError, LookupError):
        return json.loads(done.stdout)[0], ''
    return {}, ' '.join(done.stderr.split())


def check_underlay(plan: Plan):
    """Refuses an underlay whose MTU is too small, and interfaces that cannot be cables."""
    underlay = set()
    for address in plan.get('remotes', []):
        route, said = _ask_ip('route', 'get', address)
        if 'dev' not in route:
            raise usage(f'no route to the machine at {address}: {said}')
        interface = route['dev']
        underlay.add(interface)
        mtu = _ask_ip('link', 'show', 'dev', interface)[0].get('mtu', 0)
        if mtu < plan['underlay_mtu']:
            raise usage(f"{interface}, which leads to {address}, has an MTU of {mtu}, and the plan's links take "
                        f"{plan['underlay_mtu']}: raise it, or plan with underlay_mtu: {mtu}")
    cables.check(plan, underlay)


@contextlib.contextmanager
def explained(plan: Plan):
    """Adds advice to the error if VXLAN interfaces cannot be made because their VNIs or UDP port
    are in use."""
    try:
        yield
    except Failure as e:
        ids = [link['id'] for link in plan['links'] if link['kind'] == 'vxlan']
        why = ''
        if ids and 'specified VNI already exists' in str(e):
            why = f'this machine has a VXLAN interface with a VNI of {min(ids)}..{max(ids)} and UDP port ' \
                  f"{plan['udp_port']}, of another fabric perhaps: plan with another first_id"
        elif ids and 'Address already in use' in str(e):
            why = f"UDP port {plan['udp_port']} is taken by another program (ss -ulnp): plan with another udp_port"
        if not why:
            raise
        raise usage(f'{why} ({e})') from None


def is_up(fabric, path):
    """True if a fabric with this plan is up: its namespaces exist, even if switches do not run."""
    plan, state = fabric.plan(), fabric.state()
    made = state.get('namespaces') or {}
    return state.get('phase') == fabrics.UP and bool(plan) and plan == json.loads(read(path)) and \
        all(netns.inode(name) == made.get(name, 0)
            for name in (node['namespace'] for node in plan['switches'] + plan['hosts']))
