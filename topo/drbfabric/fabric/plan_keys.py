# SPDX-License-Identifier: BSD-3-Clause
"""Checks the keys of a plan on which these programs rely. Another version of drbtopo may have
written the plan."""

import subprocess

from drbfabric import usage
from drbfabric.common.places import program

FORMAT = 1  # DRB_PLAN_FORMAT of src/common/plan.h

NUMBER = int, float
WHOLE = {'fabric': str, 'layers': int, 'arity': int, 'uplinks': int, 'scheme': str, 'rate_value': NUMBER,
         'rate_per_packet': bool, 'mtu': int, 'ipv4_length': int, 'ipv6_length': int, 'switches': list,
         'hosts': list, 'links': list}
CARRIED_OUT = {'namespaces': str, 'wires': str}  # in plans that one machine executes
ONE_OF_SEVERAL = {'machine': str, 'udp_port': int, 'underlay_mtu': int, 'remotes': list, 'elsewhere': list}
NODE: dict[str, type] = {'name': str, 'namespace': str, 'label': int, 'code': list, 'batch': str}
HOST: dict[str, type] = {**NODE, 'mac': str, 'ipv4': str, 'ipv6': str}
ENTRIES: dict[str, dict[str, type]] = {
    'switches': {**NODE, 'layer': int, 'config': str}, 'hosts': HOST,
    'links': {'lower': str, 'lower_port': str, 'upper': str, 'upper_port': str, 'kind': str},
    'elsewhere': {key: kind for key, kind in HOST.items() if key != 'batch'}}


def _versions(plan):
    """A text with the versions that wrote and that read the plan."""
    reader = program('drbtopo', 'plan')
    said = subprocess.run([reader, '--version'], capture_output=True, text=True, check=False).stdout.split()
    return f"drbtopo {plan.get('version', '0.3.0 or older')} wrote it, these programs are of version " \
           f"{said[-1] if said else 'unknown'}"


def _missing(entry, keys):
    """A text about the first key that is missing or has another type; None if all are right."""
    for key, kind in keys.items():
        if key not in entry:
            return f"has no '{key}'"
        # given_plan.py checks texts.
        if kind is not str and not isinstance(entry[key], kind):
            return f"has another '{key}' than these programs know"
    return None


def _complaint(plan):
    """The first error in a plan; None: the plan is right."""
    says = plan.get('format', FORMAT)
    if not isinstance(says, int) or says > FORMAT:
        return f'has format {says}, not {FORMAT}'
    wrong = _missing(plan, WHOLE)
    if not wrong and 'machines' not in plan:
        wrong = _missing(plan, CARRIED_OUT)
    if not wrong and 'machine' in plan:
        wrong = _missing(plan, ONE_OF_SEVERAL)
    for name, needed in ENTRIES.items():
        for i, entry in enumerate([] if wrong else plan.get(name, [])):
            found = _missing(entry, needed) if isinstance(entry, dict) else 'is no object'
            if found:
                return f'{name}: entry {i} {found}'
    return wrong


def checked(path, plan, cure='plan again'):
    """Returns the plan if it has all needed keys; else fails with both versions."""
    if not isinstance(plan, dict):
        raise usage(f'{path} is no plan of drbtopo: {cure}')
    wrong = _complaint(plan)
    if wrong:
        raise usage(f'{path} {wrong}: {_versions(plan)}; {cure}')
    return plan
