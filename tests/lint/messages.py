#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that tests look for every message.

This covers the switch, its config, and programs that plan and start fabrics.

messages.py ROOT EXCEPTIONS [--list]    exit status 1 and a line for each message that no test has

A message is the format of a call such as drb_error() in the folders below, or the text of a call
such as usage() in topo/drbfabric. A test looks for a message if a part of the message is in one of
the test's strings. It also does if a fixed part of such a string, which may be a pattern, is in the
message. The part must be long, and occur in few messages.

EXCEPTIONS has a line for each message that no test can cause: a piece of its text (conversions are
"..."), a tab, and the reason. An unneeded exception is a failure, too.
--list prints every message and the part that tests have of it."""

import ast
import pathlib
import re
import sys

FOLDERS = ('src/switch', 'src/common/config', 'src/common/cli', 'src/plan')
LEFT_OUT = 'src/plan/machines', 'src/plan/fabric/machines_option'  # plans of several machines
# Modules that run when a fabric is started
PYTHON = 'topo/drbfabric'
MODULES = ('common/children', 'common/cli', 'common/places', 'common/schemes', 'fabric/fabrics',
           'fabric/interfaces',
           'fabric/link_states', 'fabric/netns', 'fabric/nodes', 'fabric/processes', 'fabric/up_down', 'fabric_command')
SAYING = {'usage', 'Failure', 'ArgumentTypeError', 'say'}
CALL = re.compile(r'\bdrb_(?:error|warn|info|die|config_bad|config_bad_line|config_bad_port)\(')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CONVERSION = re.compile(r'%[-+ #0]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z%]')
# Separators of the fixed parts of a pattern, a format and an f-string
ANYTHING = re.compile(r'\\[dsSwnrt]|\.\*|\.\+|\[[^\]]*\][*+?]?|\([^)]*\)|\{[^}]*\}|\$\{?\w+\}?|[|^$*+?\\]|%\w')
STRINGS = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'', re.S)
LEAST = 7  # least characters of a part that contains a blank
LONG = 9
# The most messages in which a part may occur.
FEW = 3


def arguments(text, start):
    """Returns the text of a call's arguments, which begin after its parenthesis."""
    depth, at, quoted = 1, start, False
    while depth and at < len(text):
        c = text[at]
        if quoted:
            at += c == '\\'
            quoted = c != '"'
        elif c == '"':
            quoted = True
        else:
            depth += (c == '(') - (c == ')')
        at += 1
    return text[start:at - 1]


def format_of(inside):
    """Returns the longest string among a call's arguments, with adjacent literals joined."""
    inside = re.sub(r'(?<!\\)"\s*PR[iI]\w+\s*(?=[,)]|$)', 'd"', inside)
    joined = re.sub(r'(?<!\\)"\s*(?:PR[iI]\w+\s*)?"', '', inside)
    return max((m.group(1) for m in LITERAL.finditer(joined)), key=len, default='')


def text_of(node):
    """Returns a string of Python with a tab for each expression, or '' for other nodes."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return ''.join(text_of(part) or '\t' for part in node.values)
    return ''


def python_messages(path):
    """Yields (line, text) of each message."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and node.args:
            # Matches argparse.ArgumentTypeError() and usage(). Texts of Progress.say() are no
            # messages.
            name = getattr(node.func, 'id', '') or getattr(node.func, 'attr', '').replace('say', '')
            if name in SAYING:
                yield node.lineno, text_of(node.args[0])


def messages(root):
    """Yields (file, line, text) of each message, with a tab for each conversion."""
    for path in (root / PYTHON / f'{module}.py' for module in MODULES):
        for line, said in python_messages(path):
            # A message that only passes on another one's text has no words to look for.
            if any(is_long(part.strip(' :;,.')) for part in said.split('\t')):
                yield path.relative_to(root), line, said
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*.c')):
            if str(path.relative_to(root)).startswith(LEFT_OUT):
                continue
            text = path.read_text()
            for call in CALL.finditer(text):
                said = CONVERSION.sub('\t', format_of(arguments(text, call.end())))
                said = said.replace('\\"', '"').replace('\\n', '')
                if len(re.sub(r'\W', '', said)) >= 4:
                    line = text.count('\n', 0, call.start()) + 1
                    yield path.relative_to(root), line, said


def is_long(part):
    return len(part) >= (LEAST if ' ' in part else LONG)


def strings(root):
    """Yields all strings of tests."""
    for path in (root / 'tests').rglob('*'):
        if path.suffix in ('.py', '.c', '.h', '.sh', '.bash') and 'lint' not in path.parts:
            text = re.sub(r'"\s*\n\s*"', '', path.read_text())
            # An apostrophe in a comment begins no string. In shell, strings are also read line by
            # line.
            pieces = [line for line in text.splitlines() if not line.lstrip().startswith('#')] \
                if path.suffix in ('.sh', '.bash') else []
            for piece in [text, *pieces]:
                for match in STRINGS.finditer(piece):
                    yield (match.group(1) or match.group(2) or '').replace('\\"', '"')


def parts(found):
    """Returns the fixed parts of strings, which may be patterns."""
    fixed = set()
    for string in found:
        for part in ANYTHING.split(string.replace('\\.', '\0')):
            part = part.replace('\0', '.').strip(' :;,.')
            if is_long(part):
                fixed.add(part)
    return fixed


def means(text, every, fixed, joined):
    """Returns the part by which a test looks for this message, or None."""
    own = [part.strip(' :;,.') for part in text.split('\t')]
    candidates = [part for part in own if is_long(part) and part in joined]
    candidates += [part for part in fixed if part in text]
    few = [part for part in candidates if sum(part in other for other in every) <= FEW]
    return max(few, key=len, default=None)


def main():
    root = pathlib.Path(sys.argv[1])
    exceptions = {}
    for line in pathlib.Path(sys.argv[2]).read_text().splitlines():
        if line and not line.startswith('#'):
            piece, _, reason = line.partition('\t')
            exceptions[piece] = reason.strip()
    all_strings = list(strings(root))
    fixed, joined = parts(all_strings), '\n'.join(all_strings)
    every = {text for _, _, text in messages(root)}
    failed, needed = False, set()
    for path, line, text in messages(root):
        by = means(text, every, fixed, joined)
        excepted = [piece for piece in exceptions if piece in text.replace('\t', '...')]
        if '--list' in sys.argv:
            print(f'{path}:{line}: {text!r}: {by!r}')
        elif not by and not excepted:
            failed = True
            print(f'{path}:{line}: no test looks for "{text.replace(chr(9), "...")}"')
        if not by:
            needed.update(excepted)
    for piece, reason in exceptions.items():
        if piece not in needed or not reason:
            failed = True
            print(f'{sys.argv[2]}: "{piece}": ' + ('not needed' if reason else 'no reason'))
    return failed


sys.exit(main())
