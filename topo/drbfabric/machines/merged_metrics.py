# SPDX-License-Identifier: BSD-3-Clause
"""Merges the metrics of several machines in the format of Prometheus. Each family appears once, and
each sample gets a label for its machine."""

import re

from drbfabric import Failure

COMMENT = re.compile(r'# (?:HELP|TYPE|UNIT) (\S+) ')
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (.*)')


def _label(line, machine):
    match = SAMPLE.fullmatch(line)
    if not match:
        raise Failure(f"{machine}: '{line}' is no line of metrics")
    name, labels, rest = match.groups()
    own = f'machine="{machine}"'
    return f'{name}{{{own},{labels}}} {rest}' if labels else f'{name}{{{own}}} {rest}'


def merge(texts, machines, gone):
    """Merges expositions, {machine: text}.

    machines: the names of all machines. gone: (switch, machine, fabric) for the switches of
    machines that do not answer; their drb_up is 0."""
    heads: dict[str, list] = {}
    samples: dict[str, list] = {}
    for machine, text in texts.items():
        family = ''
        for line in text.splitlines():
            if match := COMMENT.match(line):
                family = match[1]
                head = heads.setdefault(family, [])
                samples.setdefault(family, [])
                if line not in head:
                    head.append(line)
            elif line:
                samples[family].append(_label(line, machine))
    lines = ['# HELP drb_machine_up 1 if the machine answered', '# TYPE drb_machine_up gauge']
    lines += [f'drb_machine_up{{machine="{machine}"}} {int(machine in texts)}' for machine in machines]
    for node, machine, fabric in gone:
        samples.setdefault('drb_up', []).append(
            f'drb_up{{machine="{machine}",fabric="{fabric}",switch="{node["name"]}",layer="{node["layer"]}"}} 0')
    for family, values in samples.items():
        lines += heads.get(family, []) + values
    return '\n'.join(lines) + '\n'
