# SPDX-License-Identifier: BSD-3-Clause
"""A fat-tree as the switch wires it (results.jsonl has the peers of its ports), and labels as the paper has them."""

from dataclasses import dataclass, field


@dataclass
class Path:
    """A D-mod-k path between two hosts: ports up and down, and the switches on the way down, by layer."""
    turns_at: int = 0
    up: dict = field(default_factory=dict)
    down: dict = field(default_factory=dict)
    at: dict = field(default_factory=dict)


class Wiring:
    """up[m], up_port[m]: where the up-ports of layer m lead, those of a switch one behind the other; layer 0 are the
    hosts. down[m]: likewise, of small trees."""

    def __init__(self, row):
        self.layers, self.arity, self.hosts, self.defaults = row.layers, row.arity, row.hosts, row.defaults
        self.up = [row.host, *row.up]
        self.up_port = [[], *row.up_port]
        self.down = [[], *getattr(row, 'down', [])]
        self._below, self._ports = {}, {}

    def host_digit(self, host, m):
        """h_m; the highest is below 2 d."""
        rest = host // self.arity ** (m - 1)
        return rest if m == self.layers else rest % self.arity

    def switch_digit(self, label, m):
        """s_m; the highest is below 2 d, in the core below d."""
        rest = label // self.arity ** (m - 1)
        return rest if m == self.layers - 1 else rest % self.arity

    def distance(self, a, b):
        """The layer at which a packet turns: the highest digit in which the hosts differ, 0 if in none."""
        return max((m for m in range(1, self.layers + 1) if self.host_digit(a, m) != self.host_digit(b, m)), default=0)

    def up_from(self, layer, label, port):
        return self.up[layer][label * self.arity + port]

    def down_ports(self, layer):
        return self.arity * (2 if layer == self.layers else 1)

    def down_from(self, layer, label, port):
        return self.down[layer][label * self.down_ports(layer) + port]

    def paths_to(self, layer, label):
        """{host: number of paths down to it}."""
        if layer == 0:
            return {label: 1}
        if (layer, label) not in self._below:
            paths = {}
            for port in range(self.down_ports(layer)):
                for host, count in self.paths_to(layer - 1, self.down_from(layer, label, port)).items():
                    paths[host] = paths.get(host, 0) + count
            self._below[layer, label] = paths
        return self._below[layer, label]

    def port_to(self, layer, label, host):
        """The first port that leads down to it."""
        if (layer, label, host) not in self._ports:
            self._ports[layer, label, host] = next(
                port for port in range(self.down_ports(layer))
                if host in self.paths_to(layer - 1, self.down_from(layer, label, port)))
        return self._ports[layer, label, host]

    def path(self, a, b):
        """Up by the digits of host b until a switch leads down to it, and down by the ports that do."""
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

    def turns_right(self, a, b, ports):
        """Up by the d-ary digits of `ports`: no switch below layer k leads down to host b; at layer k there is one path
        down, that of its digits."""
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


def shared_links(w):
    """Down-links of D-mod-k's paths to two hosts; a host that its path does not lead to counts, too. A link down is
    named by the port up beside it. There is one sender at each distance from a host: it differs in that digit alone."""
    used, shared = {}, 0
    above = [{}] + [{(end, port): i for i, (end, port) in enumerate(zip(w.up[m], w.up_port[m]))}
                    for m in range(1, w.layers)]
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
