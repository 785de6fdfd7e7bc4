#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a manual page from pages of the documentation, including tables generated from the source.

    text_page.py NAME SECTION "WHAT IT IS" VERSION DATE FILE.md... >NAME.SECTION"""

import re
import sys

sys.dont_write_bytecode = True

from roff import Page  # noqa: E402

# Titles of columns that are not printed before their cells.
PLAIN = 'meaning', 'value', ''


def plain(text):
    """Removes Markdown; of a link, the text remains."""
    text = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', text)
    text = re.sub(r'\*\*([^*]*)\*\*', r'\1', text)
    return re.sub(r'`([^`]*)`', r'\1', re.sub(r'(?<!\w)\*([^*`]+)\*', r'\1', text))


def cells(line):
    return [plain(cell.strip()) for cell in re.split(r'(?<!\\)\|', line.strip().strip('|'))]


def add_table(page, lines):
    titles = cells(lines[0])
    for line in lines[2:]:
        row = cells(line)
        said = [text if title.lower() in PLAIN else f'{title}: {text}'
                for title, text in zip(titles[1:], row[1:]) if text]
        page.item(row[0] or '-', '; '.join(said))


def add_block(page, lines):
    if lines[0].startswith('# '):
        lines = lines[1:]
    if not lines:
        return
    heading = re.match(r'^(##+) +(.*)$', lines[0])
    if heading:
        (page.section if len(heading[1]) == 2 else page.subsection)(plain(heading[2]))
        if lines[1:]:
            add_block(page, lines[1:])
    elif lines[0].startswith('|'):
        add_table(page, lines)
    elif lines[0].startswith('    ') or lines[0].startswith('```'):
        page.literal([line.removeprefix('    ') for line in lines if not line.startswith('```')])
    elif re.match(r'^(- |\d+\. )', lines[0]):
        for item in re.split(r'\n(?=- |\d+\. )', '\n'.join(lines)):
            page.bullet(plain(' '.join(re.sub(r'^(- |\d+\. )', '', item).split())))
    else:
        page.paragraph(plain('\n'.join(lines)))


def blocks(text):
    """Yields paragraphs, tables, lists and code as lists of lines. Code may have empty lines."""
    block, fenced = [], False
    for line in re.sub(r'<!--.*?-->\n?', '', text, flags=re.S).splitlines():
        if line.startswith('```'):
            fenced = not fenced
        if line.strip() or fenced:
            block.append(line or ' ')
        elif block:
            yield block
            block = []
    if block:
        yield block


def main(name, section, about, version, date, *files):
    page = Page(name, section, version, date)
    page.section('name')
    page.paragraph(f'{name} - {about}')
    page.section('description')
    for file in files:
        with open(file, encoding='utf-8') as f:
            for block in blocks(f.read()):
                add_block(page, block)
    page.section('see also')
    page.paragraph('drbswitch(8), drbctl(1), drbtopo(1), drbfabric(8)')
    sys.stdout.write(page.text())


if __name__ == '__main__':
    main(*sys.argv[1:])
