# SPDX-License-Identifier: BSD-3-Clause
"""Writes manual pages in the language of man(7), such that mandoc and groff give no warnings."""

import re
import textwrap

WIDTH = 78
# Patterns for names of programs in a checkout, and their replacements in installed pages.
INSTALLED = ((r'\bbuild/src/\w+/(?=drb)', ''), (r'\btopo/(?=(fabric|experiment|rootless)\b)', 'drb'),
             (r' or docs/reference/config\.md', ''))


def as_installed(text):
    for pattern, name in INSTALLED:
        text = re.sub(pattern, name, text)
    return text


def escaped(text):
    """Escapes special characters of a line."""
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return re.sub(r"^([.'])", r'\\&\1', text)


def filled(text):
    """Wraps running text into lines."""
    text = as_installed(' '.join(text.split()))
    lines = textwrap.wrap(text, WIDTH - 6, break_long_words=False, break_on_hyphens=False)
    return [escaped(line) for line in lines]


class Page:
    """A page; its parts are added in order."""

    def __init__(self, name, section, version, date):
        self.lines = ['.\\" SPDX-License-Identifier: BSD-3-Clause',
                      f'.TH {name.upper()} {section} "{date}" "drbswitch {version}"']
        self.fresh = True  # directly after a heading: the next text needs no .PP

    def section(self, title):
        self.lines.append(f'.SH {title.upper()}')
        self.fresh = True

    def subsection(self, title):
        self.lines.append(f'.SS {escaped(title)}')
        self.fresh = True

    def paragraph(self, text):
        if not self.fresh:
            self.lines.append('.PP')
        self.fresh = False
        self.lines += filled(text)

    def item(self, title, text):
        self.lines += ['.TP', f'.B {escaped(title)}', *filled(text or 'As above.')]
        self.fresh = False

    def bullet(self, text):
        self.lines += ['.IP \\(bu 2', *filled(text)]
        self.fresh = False

    def literal(self, lines):
        if not self.fresh:
            self.lines.append('.PP')
        self.fresh = False
        self.lines += ['.nf', '.RS 4', *map(escaped, map(as_installed, lines)), '.RE', '.fi']

    def text(self):
        return '\n'.join(self.lines) + '\n'
