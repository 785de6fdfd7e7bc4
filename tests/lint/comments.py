#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Comments and docstrings begin with a subject, fit into 100 columns, and are not mangled.

comments.py FILE...    exit status 1 and a line for each fault

A search and replace may leave half of an expression in a sentence. Therefore an arrow without
blanks stands between two names, the left one from the file's code. No other operator of C stands
beside a word such as "the", and no such word stands twice. Text in quotes or backquotes is not
read.

Comments are those of C and Python; in all other files, lines that begin with #."""

import ast
import collections
import io
import pathlib
import re
import sys
import tokenize

COLUMNS_MAX = 100
# "Of course" is fine, as in `words.txt`. "None: nothing was read" is fine, too: a value of Python.
OPENING = re.compile(r'(What|Of(?! course)|Those|Who|Whose|None(?!:)|Nobody)\b')
NOT_PROSE = re.compile(r'[/#* ]*(SPDX-|!|clang-format |cppcheck-suppress|shellcheck |noqa|type: |pylint: )')
QUOTED = re.compile(r'`[^`]*`|"[^"]*"|(?<!\w)\'[^\']*\'(?!\w)')
ARROW = re.compile(r'(\w*)[\])]*->(\w*)')
OPERATOR = re.compile(r'(\S*)\s+(==|!=|&&|\|\||[-+*/|&]=)(?:\s+(\S*)|$)')
DOUBLED = re.compile(r'\b(an?|and|for|in|is|of|the|to|with)\s+\1\b')
SMALL_WORDS = set('a an and are as at be but by for from has have if in is it its no not of on or so than that the '
                  'then there these they this to was were when which who with'.split())
WITH_DOCSTRING = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
C_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

# number: of its first line; at: its column; own: nothing stands before it on its line
Comment = collections.namedtuple('Comment', 'number at own text')


def of_c(text):
    for token in C_TOKEN.finditer(text):
        if token[0].startswith('/'):
            start = text.rfind('\n', 0, token.start()) + 1
            before = text[start:token.start()].expandtabs(8)
            yield Comment(text.count('\n', 0, token.start()) + 1, len(before), not before.strip(), token[0])


def of_python(text):
    for node in ast.walk(ast.parse(text)):
        first = node.body[0] if isinstance(node, WITH_DOCSTRING) and node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            yield Comment(first.lineno, first.col_offset, True, first.value.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield Comment(token.start[0], token.start[1], not token.line[:token.start[1]].strip(), token.string)


def of_others(text):
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith('#'):
            yield Comment(number, len(line) - len(line.lstrip()), True, line.strip())


def is_python(path, text):
    return path.endswith('.py') or re.match(r'#!.*python', text) is not None


def comments_of(path, text):
    if path.endswith(('.c', '.h', '.def')):
        return of_c(text)
    return of_python(text) if is_python(path, text) else of_others(text)


def blocks(comments, lines):
    """Yields (number, text) of each comment, joined with the comment lines that continue it."""
    last, end, code_at = None, 0, 0
    for comment in comments:
        if NOT_PROSE.match(comment.text):
            continue
        goes_on = last and comment.own and comment.number == end + 1 and comment.text[:2] not in ('/*', '"""')
        if goes_on and (comment.at == code_at if last.own else comment.at > code_at):
            last = last._replace(text=f'{last.text}\n{comment.text}')
        else:
            if last:
                yield last
            last, line = comment, lines[comment.number - 1].expandtabs(8)
            code_at = len(line) - len(line.lstrip())
        end = comment.number + comment.text.count('\n')
    if last:
        yield last


def prose(text):
    """A comment as it is read, line by line."""
    text = re.sub(r'^\s*(?://|#|/?\*+)[/!<]*|\*/$', ' ', text, flags=re.M)
    return QUOTED.sub(lambda m: re.sub(r'[^\n]', 'q', m[0]), text)


def mangled(text, names):
    """(offset, what) of halves of expressions."""
    for match in ARROW.finditer(text):
        left, right = match.groups()
        if (left or right) and not (right and (left in names or left.isdigit())):
            yield match.start(), match[0]
    for match in OPERATOR.finditer(text):
        if {(word or '').lower() for word in (match[1], match[3])} & SMALL_WORDS:
            yield match.start(), ' '.join(match[0].split())
    for match in DOUBLED.finditer(text):
        yield match.start(), ' '.join(match[0].split())


def faults(path, text):
    lines = text.splitlines()
    comments = sorted(comments_of(path, text))
    code = text
    for comment in comments:
        code = code.replace(comment.text, ' ')
    names = set(re.findall(r'\w+', code))
    for comment in comments:
        for number in range(comment.number, comment.number + comment.text.count('\n') + 1):
            width = len(lines[number - 1].expandtabs(8))
            if width > COLUMNS_MAX and not NOT_PROSE.match(comment.text):
                yield number, f'{width} columns, at most {COLUMNS_MAX}'
    for block in blocks(comments, lines):
        said = prose(block.text)
        opening = OPENING.match(said.strip())
        if opening:
            yield block.number, f'begins with "{opening[1]}": the subject first'
        for offset, what in mangled(said, names):
            yield block.number + said.count('\n', 0, offset), f'"{what}" in a sentence: mend it, or quote code'


def main():
    found = False
    for path in sys.argv[1:]:
        text = pathlib.Path(path).read_text(encoding='utf-8')
        for number, fault in sorted(set(faults(path, text))):
            print(f'{path}:{number}: {fault}')
            found = True
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
