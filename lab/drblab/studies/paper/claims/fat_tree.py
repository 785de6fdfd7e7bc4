# SPDX-License-Identifier: BSD-3-Clause
"""Section 2: labels, wiring and paths of the fat-tree. Claims are judged exactly, on the wiring
that drbswitch uses."""

from drblab.studies.paper.judge import Comparisons, Margin, claim
from drblab.studies.paper.results import Results, name_of
from drblab.studies.paper.wiring import Wiring

RIGHT, WRONG = Margin(1.0), Margin(-1.0)


def exactly(holds: bool) -> Margin:
    return RIGHT if holds else WRONG


@claim('2', 'text',
       'F(l,d) has 2 d^l hosts, d^(l-1) cores, 2 d^(l-1) switches of each other layer, and as many links as hosts '
       'between layers.', '1 if as many are reached on the way up, else -1, each layer and tree (exact)')
def counts(results: Results) -> Comparisons:
    for tree in results.trees:
        w = Wiring(results.wiring[tree])
        power = w.arity ** (w.layers - 1)
        yield exactly(w.hosts == 2 * power * w.arity), name_of(tree)
        for m in range(1, w.layers + 1):
            switches = len(set(w.up[m - 1]))
            core = m == w.layers
            yield exactly(switches == (power if core else 2 * power)), name_of(tree)
            # N links go up from each layer, and N links go down to it.
            yield exactly(switches * w.arity * (2 if core else 1) == w.hosts == len(w.up[m - 1])), name_of(tree)


@claim('2', 'eq. 1',
       'Two switches are linked if their codes differ in digit m - 1 at most, by the ports that these digits are.',
       '1 if so for all up-ports of all switches, else -1, both trees (exact)')
def wiring(results: Results) -> Comparisons:
    for tree in results.trees:
        w = Wiring(results.wiring[tree])
        holds = True
        for m in range(2, w.layers + 1):
            place = w.arity ** (m - 2)  # place value of digit m - 1
            for i, (end, port) in enumerate(zip(w.up[m - 1], w.up_port[m - 1])):
                below, u = divmod(i, w.arity)
                mine, other = w.switch_digit(below, m - 1), w.switch_digit(end, m - 1)
                holds &= (other, port) == (u, mine) and below - mine * place == end - other * place
        yield exactly(holds), name_of(tree)


@claim('2, A', 'eq. 4',
       'Any sequence of d-ary up-ports leads to layer k, from which the digits of the destination are the only way '
       'down, and no switch before has one.',
       '1 if so for all pairs and sequences, else -1, F(3,2), F(3,3), F(4,2) (exact)')
def paths_down(results: Results) -> Comparisons:
    for tree in ((3, 2), (3, 3), (4, 2)):
        w = Wiring(results.wiring[tree])
        holds = all(w.turns_right(a, b, ports) for a in range(w.hosts) for b in range(w.hosts) if a != b
                    for ports in range(w.arity ** (w.distance(a, b) - 1)))
        yield exactly(holds), name_of(tree)


@claim('2', 'Fig. 2', 'The path from host 4 to host 10 of F(3,2) goes up by ports (0, 1) and down by (2, 1, 0).',
       '1 for every port that is the one said, else -1 (exact)')
def example(results: Results) -> Comparisons:
    path = Wiring(results.wiring[3, 2]).path(4, 10)
    yield exactly(path.turns_at == 3), 'the layer it turns at'
    for m, port in (1, 0), (2, 1):
        yield exactly(path.up.get(m) == port), 'up'
    for m, port in (1, 0), (2, 1), (3, 2):
        yield exactly(path.down.get(m) == port), 'down'
