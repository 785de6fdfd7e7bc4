# SPDX-License-Identifier: BSD-3-Clause
"""Makes mutants of a Python file from its syntax tree, like c_mutants.py."""

import ast
import re

from mutant import Edit, other_number

OPERATORS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', 'in': 'not in', 'not in': 'in',
             'is': 'is not', 'is not': 'is', 'and': 'or', 'or': 'and', '+': '-', '-': '+', '*': '/', '/': '*',
             '//': '*', '%': '*', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '+=': '-=', '-=': '+=', '*=': '/='}


class _File:
    def __init__(self, source):
        self.source = source
        self.lines = [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def place(self, node):
        return (self.lines[node.lineno - 1] + node.col_offset, self.lines[node.end_lineno - 1] + node.end_col_offset)

    def between(self, left, right):
        """Yields an edit that replaces the operator between two nodes by a similar one."""
        start, end = self.place(left)[1], self.place(right)[0]
        found = re.fullmatch(rb'[\s)]*([^\w\s()]+|\w+(?: \w+)?)[\s(]*', self.source[start:end])
        other = found and OPERATORS.get(found[1].decode())
        if found and other:
            yield Edit(start + found.start(1), start + found.end(1), other.encode(), 'operator')

    def whole(self, node, text, kind):
        start, end = self.place(node)
        yield Edit(start, end, text % self.source[start:end] if b'%b' in text else text, kind)

    def edits(self, node):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from self.between(node.left, node.comparators[0])
        elif isinstance(node, ast.BinOp):
            yield from self.between(node.left, node.right)
        elif isinstance(node, ast.BoolOp):
            for left, right in zip(node.values, node.values[1:]):
                yield from self.between(left, right)
        elif isinstance(node, ast.AugAssign):
            yield from self.between(node.target, node.value)
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            start, end = self.place(node)
            yield Edit(start, end, other_number(self.source[start:end], node.value), 'number')
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            yield from self.whole(node.test, b'(not (%b))', 'condition')
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield from self.whole(node, b'pass', 'left out')


def of_file(source):
    file = _File(source)
    for node in ast.walk(ast.parse(source)):
        yield from file.edits(node)
