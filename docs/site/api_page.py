# SPDX-License-Identifier: BSD-3-Clause
"""Makes the page of libdrb's functions, types and macros from the comments of its headers.

Pages link to headers, where a forge shows these comments. On the site the links lead to this
page."""

import html
import os
import re
import sys

PATH = 'docs/reference/libdrb-api.md'
LINK = re.compile(r'\]\((?:\.\./)*include/drb/(\w+)\.h(?:\.in)?\)')
NOT_SHOWN = re.compile(r'// SPDX|#pragma|#include|DRB_BEGIN|DRB_END|struct \w+;|#define .*@')
FUNCTION = re.compile(r'(?:DRB_API|DRB_RULE|static) [^(;=]*?(drb_\w+)\(')
NAME = re.compile(r'#define (\w+)|((?:struct|enum) \w+)|enum \{\s*(\w+)')


def ends(code):
    """True if these lines are a whole declaration or definition."""
    text = '\n'.join(code)
    return text[0] == '#' or code[-1][:1] == '}' or text[-1] == ';' and ('{' not in text or len(code) == 1)


def entries(lines):
    """Yields (comment, code) as lists of lines. Either may be empty."""
    comment, code = [], []
    for line in lines:
        if code or line and not NOT_SHOWN.match(line) and line[:2] != '//':
            code.append(line)
        elif line[:2] == '//' and not NOT_SHOWN.match(line):
            comment.append(line[3:])
        if code and ends(code) or comment and not code and line[:2] != '//':
            yield comment, code
            comment, code = [], []


def as_markdown(comment):
    """Returns paragraphs, lists and, of indented lines, code."""
    lines = ['']
    for line in comment:
        code = line[:2] == '  ' and not lines[-1].startswith('- ')
        if line[:2] == '- ' or code != (lines[-1][:4] == '    '):
            lines.append('')
        if not code:
            line = re.sub(r'[\\*{}\[\]]', r'\\\g<0>', html.escape(line, quote=False))
            line = re.sub(r'\b(?:\w+_\w+|\w+(?=\(\)))(?:\(\))?', r'`\g<0>`', line)
        lines.append(f'    {line.strip()}' if code else line)
    return '\n'.join(lines)


def declared(header, comment, code):
    """Returns heading, comment and code of an entry; of a function without its body."""
    text = '\n'.join(code).expandtabs(8)
    function = FUNCTION.match(text)
    if function and not comment:
        sys.exit(f'{header}: {function[1]}() has no comment')
    name = NAME.match(text)
    heading = f'{function[1]}()' if function else next(filter(None, name.groups())) if name else header
    if function:
        text = text.partition('\n{')[0].rstrip(';') + ';'
        if text.startswith('DRB_API '):
            text = re.sub('^.{8}', '', text, flags=re.M)
    return f'\n### {heading}\n{as_markdown(comment)}\n\n' + re.sub('^(?=.)', '    ', text, flags=re.M)


def page(root):
    """Returns the page of all headers, one section each."""
    parts = ['# Functions and types of libdrb\n']
    for path in sorted(root.glob('include/drb/*.h*')):
        header = f'drb/{path.name.removesuffix(".in")}'
        if header == 'drb/api.h':
            continue  # It has only macros of the other headers.
        parts.append(f'\n## {header}')
        for comment, code in entries(path.read_text(encoding='utf-8').splitlines()):
            parts.append(declared(header, comment, code) if code else as_markdown(comment))
    return '\n'.join(parts) + '\n'


def linked(path, text):
    """Returns the text of the page at this path; its links to headers lead to their sections."""
    to = os.path.relpath(PATH, os.path.dirname(path))
    return LINK.sub(rf']({to}#drb\1h)', text)
