# SPDX-License-Identifier: BSD-3-Clause
"""Makes mutants of a C file from its syntax tree.

They change comparisons, arithmetic, bounds and conditions, leave out statements, exchange
arguments, or return success instead of an error."""

import ctypes.util
import re

from clang.cindex import Config, CursorKind, Index, TokenKind, TranslationUnit

from mutant import Edit, other_number

# Debian's binding looks only for the name of the library in the development package.
Config.set_library_file(ctypes.util.find_library('clang-14') or 'libclang.so')

OPERATORS = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '==', '&&': '||', '||': '&&', '+': '-',
             '-': '+', '*': '/', '/': '*', '%': '/', '<<': '>>', '>>': '<<', '&': '|', '|': '&', '+=': '-=',
             '-=': '+=', '|=': '&=', '&=': '|=', '<<=': '>>=', '>>=': '<<=', '*=': '/=', '/=': '*='}
CONDITIONS = CursorKind.IF_STMT, CursorKind.WHILE_STMT
BINARY = CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR
STATEMENTS = CursorKind.CALL_EXPR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.UNARY_OPERATOR, \
    CursorKind.BINARY_OPERATOR
LITERALS = CursorKind.INTEGER_LITERAL, CursorKind.STRING_LITERAL, CursorKind.CHARACTER_LITERAL


def _place(cursor):
    return cursor.extent.start.offset, cursor.extent.end.offset


def _operator(cursor, source):
    """Yields an edit that replaces the operator between two operands by a similar one."""
    operands = list(cursor.get_children())
    if len(operands) != 2:
        return
    start, end = _place(operands[0])[1], _place(operands[1])[0]
    found = re.fullmatch(rb'\s*([^\w\s()]+)\s*\(*', source[start:end])
    other = found and OPERATORS.get(found[1].decode())
    if found and other:
        yield Edit(start + found.start(1), start + found.end(1), other.encode(), 'operator')


def _condition(cursor, source):
    condition = next(cursor.get_children(), None)
    if condition:
        start, end = _place(condition)
        yield Edit(start, end, b'!(' + source[start:end] + b')', 'condition')


def _left_out(cursor):
    """Yields an edit for each statement of a block, which leaves it out."""
    for statement in cursor.get_children():
        if statement.kind in STATEMENTS:
            start, end = _place(statement)
            yield Edit(start, end, b'(void)0', 'left out')


def _exchanged(cursor, source):
    """Yields edits that exchange two adjacent arguments of one type."""
    arguments = [a for a in cursor.get_arguments() if a]
    for a, b in zip(arguments, arguments[1:]):
        (first, middle), (begun, last) = _place(a), _place(b)
        if a.type.get_canonical().spelling == b.type.get_canonical().spelling and first < middle <= begun < last and \
                source[first:middle] != source[begun:last] and not (a.kind in LITERALS and b.kind in LITERALS):
            yield Edit(first, last, source[begun:last] + source[middle:begun] + source[first:middle], 'exchanged')


def _returned(cursor, source):
    """Yields an edit that returns success instead of an error."""
    start, end = _place(cursor)
    found = re.fullmatch(rb'return (-\w+)', source[start:end])
    if found:
        yield Edit(start + found.start(1), start + found.end(1), b'0', 'returned')


def _number(literal, source):
    """Yields an edit that changes a number. literal: a cursor or a token."""
    start, end = _place(literal)
    found = re.fullmatch(rb'(0x[0-9a-fA-F]+|[0-9]+)[uUlL]*', source[start:end])
    if found:
        base = 16 if found[1].startswith(b'0x') else 8 if found[1].startswith(b'0') else 10
        yield Edit(start, end, other_number(source[start:end], int(found[1], base)), 'number')


def _edits(cursor, source):
    if cursor.kind in BINARY:
        yield from _operator(cursor, source)
    elif cursor.kind == CursorKind.INTEGER_LITERAL:
        yield from _number(cursor, source)
    elif cursor.kind in CONDITIONS:
        yield from _condition(cursor, source)
    elif cursor.kind == CursorKind.COMPOUND_STMT:
        yield from _left_out(cursor)
    elif cursor.kind == CursorKind.CALL_EXPR:
        yield from _exchanged(cursor, source)
    elif cursor.kind == CursorKind.RETURN_STMT:
        yield from _returned(cursor, source)


def _walk(cursor, path):
    """Yields all cursors of this file itself, without those of included files, or of macros that it
    uses."""
    for child in cursor.get_children():
        place = child.extent.start.file
        if place is not None and place.name != path:
            continue
        start, end = _place(child)
        if start < end:
            yield child
        yield from _walk(child, path)


def of_file(path, source, unit_path, arguments):
    """Yields edits of the file at this path with this text. unit_path: a C file that is or includes
    it; arguments: those of the compiler for this C file."""
    unit = Index.create().parse(unit_path, args=arguments, options=TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    here = [c for c in unit.cursor.get_children() if c.location.file and c.location.file.name == path]
    macros = [_place(c) for c in here if c.kind == CursorKind.MACRO_INSTANTIATION]
    for define in here:
        if define.kind == CursorKind.MACRO_DEFINITION:
            for token in define.get_tokens():
                if token.kind == TokenKind.LITERAL:
                    yield from _number(token, source)
    for cursor in _walk(unit.cursor, path):
        for edit in _edits(cursor, source):
            # Code that a macro makes has the position of its use, so an edit would replace the use.
            if not any(start <= edit.start and edit.end <= end for start, end in macros):
                yield edit
