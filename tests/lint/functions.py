#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks sizes.

Functions have fewer than 60 lines and at most 5 parameters, files at most 400 lines (tests 500).

functions.py EXCEPTIONS FILE...    exit status 1 and a line for each violation

EXCEPTIONS has lines "FILE WHAT why". WHAT is `length` for the file itself, otherwise NAME.length or
NAME.parameters of a function. An exception that is not needed is also a violation.

C must be as clang-format leaves it: the body of a function is between "{" and "}" at the beginning
of a line. Python is parsed, and parameters with a default do not count."""

import ast
import re
import sys

LINES_MAX, PARAMETERS_MAX, FILE_MAX, TEST_FILE_MAX = 59, 5, 400, 500

# Comments, strings and characters. Braces and commas in them are no syntax.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def blank(text):
    """Replaces comments, strings and directives of C by blanks, and keeps lines."""
    text = NO_CODE.sub(lambda m: re.sub(r'[^\n]', ' ', m[0]), text)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m[0]), text, flags=re.MULTILINE)


def split_parameters(text):
    """Returns the parameters between the outermost brackets of a declarator; none for (void)."""
    parts, depth = [''], 0
    for c in text:
        depth += (c in '([') - (c in ')]')
        if c == ',' and depth == 0:
            parts.append('')
        else:
            parts[-1] += c
    parts = [part.strip() for part in parts]
    return [] if parts in ([''], ['void']) else parts


def declarator(head):
    """Returns (name, parameters) of a function's head; its name precedes the last brackets."""
    head = ' '.join(head.split())
    depth = 0
    for at in range(len(head) - 1, -1, -1):
        depth += (head[at] == ')') - (head[at] == '(')
        if depth == 0 and head[at] == '(':
            name = re.search(r'(\w+)\s*$', head[:at])
            if name and name[1] in ('TEST', 'TEST_WITH'):  # macros of tests/fixtures/unit.h
                return re.split('[(,)]', head)[1], []
            return (name[1] if name else '?'), split_parameters(head[at + 1:head.rindex(')')])
    return None


def c_functions(text):
    """Yields (name, lines, parameters) of each function."""
    lines = blank(text).split('\n')
    begin = 0
    for i, line in enumerate(lines):
        # A head follows a blank line, or the end of a statement or a body.
        if line == '{':
            found = declarator(' '.join(lines[begin:i]))
            end = next((k for k in range(i, len(lines)) if lines[k] == '}'), None)
            if found and end is not None:
                yield found[0], end - begin + 1, len(found[1])
        if not line.strip() or line.rstrip().endswith((';', '}')):
            begin = i + 1


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names = [a.arg for a in node.args.posonlyargs + node.args.args]
            count = len(names) - len(node.args.defaults) - (names[:1] in (['self'], ['cls']))
            first = min([node.lineno] + [d.lineno for d in node.decorator_list])
            yield node.name, (node.end_lineno or first) - first + 1, count


def findings(path, text):
    """Yields (what, sentence) for everything that is too large."""
    lines, most = text.count('\n'), TEST_FILE_MAX if path.startswith('tests/') else FILE_MAX
    if lines > most:
        yield 'length', f'{lines} lines, at most {most}'
    functions = c_functions if path.endswith(('.c', '.h')) else python_functions
    for name, length, parameters in functions(text):
        if length > LINES_MAX:
            yield f'{name}.length', f'{name}() has {length} lines, at most {LINES_MAX}'
        if parameters > PARAMETERS_MAX:
            yield f'{name}.parameters', f'{name}() has {parameters} parameters, at most {PARAMETERS_MAX}'


def read_exceptions(path):
    """Returns {(file, what)}."""
    allowed = set()
    with open(path, encoding='utf-8') as f:
        for number, line in enumerate(f, 1):
            words = line.split('#')[0].split()
            if words and len(words) < 3:
                sys.exit(f'{path}:{number}: must be "FILE WHAT why"')
            if words:
                allowed.add((words[0], words[1]))
    return allowed


def main():
    allowed, used, wrong = read_exceptions(sys.argv[1]), set(), []
    for path in sys.argv[2:]:
        with open(path, encoding='utf-8') as f:
            for what, sentence in findings(path, f.read()):
                if (path, what) in allowed:
                    used.add((path, what))
                else:
                    wrong.append(f'{path}: {sentence}')
    wrong += [f'{sys.argv[1]}: {file} {what}: nothing needs it, take it out'
              for file, what in sorted(allowed - used)]
    print('\n'.join(wrong), end='\n' if wrong else '')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
