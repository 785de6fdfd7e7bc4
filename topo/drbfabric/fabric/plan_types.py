# SPDX-License-Identifier: BSD-3-Clause
"""The plan of a fabric, as drbtopo writes it (docs/reference/plan.md), and its check. Another
version of drbtopo may have written the plan, so only keys on which these programs rely must be
there."""

import subprocess
import typing

from drbfabric import usage
from drbfabric.common.places import program

FORMAT = 1  # DRB_PLAN_FORMAT of src/common/plan.h

# Types of dictionaries: mypy refuses a look-up of another key. A key that is not required is read
# with get(), or where it is known to be there.


class Node(typing.TypedDict):
    """A switch or a host."""
    name: str
    namespace: str
    label: int
    code: list[int]
    machine: typing.NotRequired[str]


class Switch(Node):
    batch: str
    layer: int
    config: str


class RemoteHost(Node):
    """A host that another machine carries out."""
    mac: str
    ipv4: str
    ipv6: str


class Host(RemoteHost):
    batch: str


class Link(typing.TypedDict):
    lower: str
    lower_port: str
    upper: str
    upper_port: str
    kind: str
    id: typing.NotRequired[int]
    lower_interface: typing.NotRequired[str]
    upper_interface: typing.NotRequired[str]


class End(typing.NamedTuple):
    """An end of a link."""
    node: str
    port: str
    interface: str | None  # of the machine, for a VLAN or cable

    @property
    def name(self):
        return f'{self.node}.{self.port}'


def ends_of(link: Link) -> tuple[End, End]:
    """The lower end and the upper one."""
    return (End(link['lower'], link['lower_port'], link.get('lower_interface')),
            End(link['upper'], link['upper_port'], link.get('upper_interface')))


class Machine(typing.TypedDict, total=False):
    name: typing.Required[str]
    address: str
    share: float
    ssh_user: str
    ssh_port: int
    command: str
    pods: int
    core: int
    switches: int
    hosts: int
    links: int
    links_out: int


class Plan(typing.TypedDict):
    fabric: str
    layers: int
    arity: int
    uplinks: int
    scheme: str
    rate_value: float
    rate_per_packet: bool
    mtu: int
    ipv4_length: int
    ipv6_length: int
    switches: list[Switch]
    hosts: list[Host]
    links: list[Link]
    format: typing.NotRequired[int]
    version: typing.NotRequired[str]
    driver: typing.NotRequired[str]
    rate: typing.NotRequired[str]
    memif_dir: typing.NotRequired[str]
    # In plans that one machine carries out.
    namespaces: typing.NotRequired[str]
    wires: typing.NotRequired[str]
    # In plans for several machines: of all, and of one of them.
    udp_port: typing.NotRequired[int]
    underlay_mtu: typing.NotRequired[int]
    machines: typing.NotRequired[list[Machine]]
    between: typing.NotRequired[list[dict[str, typing.Any]]]
    machine: typing.NotRequired[str]
    remotes: typing.NotRequired[list[str]]
    elsewhere: typing.NotRequired[list[RemoteHost]]


CARRIED_OUT = 'namespaces', 'wires'
ONE_OF_SEVERAL = 'machine', 'udp_port', 'underlay_mtu', 'remotes', 'elsewhere'
ENTRIES: dict[str, typing.Any] = {'switches': Switch, 'hosts': Host, 'links': Link, 'elsewhere': RemoteHost}


def _kind(hint):
    """The class whose instances a type admits, such as list for list[Link]."""
    if hint is float:
        return int, float
    return typing.get_origin(hint) or hint


def _versions(plan):
    """A text with the versions that wrote and that read the plan."""
    reader = program('drbtopo', 'plan')
    said = subprocess.run([reader, '--version'], capture_output=True, text=True, check=False).stdout.split()
    return f"drbtopo {plan.get('version', '0.3.0 or older')} wrote it, these programs are of version " \
           f"{said[-1] if said else 'unknown'}"


def _missing(entry, kind, keys=None):
    """A text about the first key of a type that is missing or has another type; None if all are
    right. keys: those to look at; by default, those that the type requires."""
    hints = typing.get_type_hints(kind)
    for key in keys or [key for key in hints if key in kind.__required_keys__]:
        if key not in entry:
            return f"has no '{key}'"
        # given_plan.py checks texts.
        if hints[key] is not str and not isinstance(entry[key], _kind(hints[key])):
            return f"has another '{key}' than these programs know"
    return None


def _complaint(plan):
    """The first error in a plan; None: the plan is right."""
    says = plan.get('format', FORMAT)
    if not isinstance(says, int) or says > FORMAT:
        return f'has format {says}, not {FORMAT}'
    wrong = _missing(plan, Plan)
    if not wrong and 'machines' not in plan:
        wrong = _missing(plan, Plan, CARRIED_OUT)
    if not wrong and 'machine' in plan:
        wrong = _missing(plan, Plan, ONE_OF_SEVERAL)
    for name, kind in ENTRIES.items():
        for i, entry in enumerate([] if wrong else plan.get(name, [])):
            found = _missing(entry, kind) if isinstance(entry, dict) else 'is no object'
            if found:
                return f'{name}: entry {i} {found}'
    return wrong


def checked(path, plan, cure='plan again') -> Plan:
    """Returns the plan if it has all needed keys; else fails with both versions."""
    if not isinstance(plan, dict):
        raise usage(f'{path} is no plan of drbtopo: {cure}')
    wrong = _complaint(plan)
    if wrong:
        raise usage(f'{path} {wrong}: {_versions(plan)}; {cure}')
    return typing.cast(Plan, plan)
