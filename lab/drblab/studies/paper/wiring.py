# SPDX-License-Identifier: BSD-3-Clause
"""A fat-tree with drbswitch's wiring (from rows of the model `tree`) and the paper's labels."""

from dataclasses import dataclass, field

from drblab.studies.paper.results import Row


@dataclass
class Path:
    """A D-mod-k path: by layer, its up-ports, its down-ports, and the switches that it descends."""
    turns_at: int = 0
    up: dict[int, int] = field(default_factory=dict)
    down: dict[int, int] = field(default_factory=dict)
    at: dict[int, int] = field(default_factory=dict)


class Wiring:
    """up[m], up_port[m]: the switches and ports to which the up-ports of layer m lead, switch by
    switch; layer 0 are the hosts. down[m]: the nodes to which down-ports lead, for small trees
    only."""

    def __init__(self, row: Row) -> None:
        self.layers: int = row.layers
        self.arity: int = row.arity
        self.hosts: int = row.hosts
        self.up: list[list[int]] = [row.host, *row.up]
        self.up_port: list[list[int]] = [[], *row.up_port]
        self.down: list[list[int]] = [[], *getattr(row, 'down', [])]
        self._below: dict[tuple[int, int], dict[int, int]] = {}
        self._ports: dict[tuple[int, int, int], int] = {}

    def host_digit(self, host: int, m: int) -> int:
        """The digit h_m of a host; the highest is below 2 d."""
        rest: int = host // self.arity ** (m - 1)
        return rest if m == self.layers else rest % self.arity

    def switch_digit(self, label: int, m: int) -> int:
        """The digit s_m of a switch; the highest is below 2 d, or below d in the core."""
        rest: int = label // self.arity ** (m - 1)
        return rest if m == self.layers - 1 else rest % self.arity

    def distance(self, a: int, b: int) -> int:
        """The layer at which a packet turns: the highest digit in which the hosts differ, or 0."""
        return max((m for m in range(1, self.layers + 1) if self.host_digit(a, m) != self.host_digit(b, m)), default=0)

    def up_from(self, layer: int, label: int, port: int) -> int:
        return self.up[layer][label * self.arity + port]

    def down_ports(self, layer: int) -> int:
        return self.arity * (2 if layer == self.layers else 1)

    def down_from(self, layer: int, label: int, port: int) -> int:
        return self.down[layer][label * self.down_ports(layer) + port]

    def paths_to(self, layer: int, label: int) -> dict[int, int]:
        """The hosts below a node, with the number of paths down to each: {host: paths}."""
        if layer == 0:
            return {label: 1}
        if (layer, label) not in self._below:
            paths: dict[int, int] = {}
            for port in range(self.down_ports(layer)):
                for host, count in self.paths_to(layer - 1, self.down_from(layer, label, port)).items():
                    paths[host] = paths.get(host, 0) + count
            self._below[layer, label] = paths
        return self._below[layer, label]

    def port_to(self, layer: int, label: int, host: int) -> int:
        """The first port that leads down to a host."""
        if (layer, label, host) not in self._ports:
            self._ports[layer, label, host] = next(
                port for port in range(self.down_ports(layer))
                if host in self.paths_to(layer - 1, self.down_from(layer, label, port)))
        return self._ports[layer, label, host]

    def path(self, a: int, b: int) -> Path:
        """The D-mod-k path from host a to host b: up by the digits of b until a switch leads down
        to b, and then down."""
        path = Path()
        m, s = 1, self.up[0][a]
        while b not in self.paths_to(m, s):
            path.up[m] = self.host_digit(b, m)
            m, s = m + 1, self.up_from(m, s, path.up[m])
        path.turns_at = m
        for m in range(m, 0, -1):
            path.at[m] = s
            path.down[m] = self.port_to(m, s, b)
            s = self.down_from(m, s, path.down[m])
        return path

    def turns_right(self, a: int, b: int, ports: int) -> bool:
        """Follows the d-ary digits of `ports` up. True if no switch below layer k leads down to
        host b, and the switch at layer k has one path down to it, by its digits."""
        k, s = self.distance(a, b), self.up[0][a]
        for m in range(1, k):
            if b in self.paths_to(m, s):
                return False
            ports, port = divmod(ports, self.arity)
            s = self.up_from(m, s, port)
        right = self.paths_to(k, s).get(b) == 1
        for m in range(k, 0, -1):
            s = self.down_from(m, s, self.host_digit(b, m))
        return right and s == b


def shared_links(w: Wiring) -> int:
    """The number of down-links that are on D-mod-k's paths to two hosts; a path that misses its
    host counts, too.

    A down-link is identified by the up-port at its lower end. For each distance from a host there
    is one sender, which differs from the host in that digit only."""
    used: dict[tuple[int, int], int] = {}
    shared = 0
    above: list[dict[tuple[int, int], int]] = [{}]
    for ends, ports in zip(w.up[1:], w.up_port[1:]):
        above.append({up: i for i, up in enumerate(zip(ends, ports))})
    for to in range(w.hosts):
        for k in range(2, w.layers + 1):
            power = w.arity ** (k - 1)
            sender = to - power if w.host_digit(to, k) else to + power
            s = w.up[0][sender]
            for m in range(1, k):
                s = w.up_from(m, s, w.host_digit(to, m))
            for m in range(k - 1, 0, -1):
                link = above[m].get((s, w.host_digit(to, m + 1)), -1)
                shared += used.setdefault((m, link), to) != to
                s = link // w.arity
            shared += s != w.up[0][to]
    return shared
