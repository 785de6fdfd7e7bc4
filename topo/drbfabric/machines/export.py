# SPDX-License-Identifier: BSD-3-Clause
"""Exports plans as files for the programs that execute them."""

import json
import os
import shutil

from drbfabric import usage
from drbfabric.common import files
from drbfabric.common.places import HERE, harness
from drbfabric.fabric import given_plan
from drbfabric.fabric.plan_types import Plan
from drbfabric.machines import containers

# Names of groups of Ansible and of the inventory.
RESERVED = ('all', 'ungrouped', 'localhost', 'machines')

# Default port of drbctl serve.
METRICS_PORT = 9110


def load(folder, several=True):
    """Loads a plan; several: it must be of a fabric over several machines."""
    try:
        with open(f'{folder}/plan.json', encoding='utf-8') as f:
            plan = json.load(f)
    except (OSError, ValueError) as e:
        raise usage(f'{folder}/plan.json: {e}') from e
    if not isinstance(plan, dict) or 'switches' not in plan:
        raise usage(f'{folder}/plan.json is no plan: drbtopo plan --out DIR makes one')
    if several and 'machines' not in plan:
        raise usage(f'{folder}/plan.json is not of several machines: drbtopo plan --machines FILE --out DIR makes it')
    return plan


def ansible(plan: Plan, folder, out):
    """Writes an inventory, a playbook, and an archive for each machine."""
    hosts = {}
    for machine in plan['machines']:
        name = machine['name']
        if name in RESERVED:
            raise usage(f"a machine is called '{name}', which is a group of Ansible's: give it another name")
        given_plan.pack(f'{folder}/{name}', f'{out}/{name}.tar.gz')
        hosts[name] = {'ansible_host': machine['address'], 'ansible_user': machine['ssh_user'],
                       'ansible_port': machine['ssh_port'], 'drb_command': machine['command']}
    containers.save(f'{out}/inventory.json', {'machines': {'hosts': hosts, 'vars': {
        'drb_fabric': plan['fabric'], 'drb_plan': os.path.abspath(folder), 'drb_here': harness('fabric')}}})
    shutil.copy(f'{HERE}/machines/ansible.yaml', f'{out}/fabric.yaml')
    return ['inventory.json', 'fabric.yaml', *(f'{name}.tar.gz' for name in hosts)]


def mpi(plan: Plan, _, out):
    """Writes a host file with one rank per machine; its threads use all CPUs."""
    files.write(f'{out}/hostfile', ''.join(f"{machine['address']} slots=1\n" for machine in plan['machines']))
    return ['hostfile']


def prometheus(plan: Plan, _, out):
    """Writes a config that scrapes drbctl serve on each machine."""
    def target(address):
        return f'[{address}]:{METRICS_PORT}' if ':' in address else f'{address}:{METRICS_PORT}'

    containers.save(f'{out}/prometheus.yml', {
        'global': {'scrape_interval': '5s', 'evaluation_interval': '5s'},
        'scrape_configs': [{'job_name': 'drb', 'static_configs': [
            {'targets': [target(machine['address'])], 'labels': {'machine': machine['name']}}
            for machine in plan['machines']]}]})
    return ['prometheus.yml']


# The formats of drbfabric export.
FORMATS = {'ansible': ansible, 'compose': containers.compose, 'containerlab': containers.containerlab,
           'mpi': mpi, 'prometheus': prometheus}


def run(args):
    one = args.export_to == 'compose'
    if one and args.out:
        raise usage('--out: what compose runs stands beside the plan, whose files it uses')
    plan = load(args.plan, several=not one)
    if one and ('machines' in plan or 'machine' in plan):
        raise usage(f'{args.plan}/plan.json is of several machines, and compose runs one: export containerlab')
    out = args.out or args.plan
    os.makedirs(out, exist_ok=True)
    for name in FORMATS[args.export_to](plan, args.plan, out):
        print(f'{out}/{name}')
    return 0
