#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks that Markdown stays readable: short sentences, short lines, words of the field, few pages.

prose.py [--words] PAGE...    exit status 1 and a line for each fault

--words prints the number of words of each page. Forbidden words are in words.txt, beside this
program. Code, link targets, and rows that a test compares with the source do not count as prose.
tests/docs/check_links.py checks links."""

import pathlib
import re
import sys

import words

HERE = pathlib.Path(__file__).parent
MOST_WORDS = 15000  # limit for all pages except notes, decisions and changelogs
LONGEST_SENTENCE = 30  # words
LONGEST_LINE = 100  # columns without link targets
# Pages with rows "| `key` ..." that are generated from the source, or compared with it
GENERATED = ('docs/reference/config.md', 'docs/reference/counters.md')
FENCE = re.compile(r'\s*```')
ITEM = re.compile(r'\s*(?:[-*+]|\d+\.)\s+')
CODE = re.compile(r'`[^`]+`')
TARGET = re.compile(r'\]\([^)\s]*\)')
WORD = re.compile(r'\S*\w\S*')
# A sentence ends before a blank and a capital or a digit, possibly after an opening mark.
END = re.compile(r'[.!?]["\')*_\]]*\s+(?=["\'(*_\[`]*[A-Z0-9`])')


def kinds(lines):
    """Yields (number, kind, line); kind is code, table, blank, item, mark or text."""
    fenced, indent, code, before = False, 0, False, 'blank'
    for number, line in enumerate(lines, 1):
        depth = len(line) - len(line.lstrip())
        item = ITEM.match(line)
        code = depth >= indent + 4 and (code or before == 'blank')
        if FENCE.match(line):
            fenced, kind = not fenced, 'code'
        elif fenced:
            kind = 'code'
        elif not line.strip():
            kind, code = 'blank', code or before == 'code'
        elif code:
            kind = 'code'
        elif line.lstrip().startswith('|'):
            kind = 'table'
        elif item:
            kind, indent = 'item', item.end()
        elif re.match(r'#|<', line):
            kind, indent = 'mark', 0
        else:
            kind, indent = 'text', indent if depth else 0
        yield number, kind, line
        before = kind


def blocks(lines):
    """Yields (number of the first line, text) of each heading, paragraph and item."""
    start, text = 0, []
    for number, kind, line in [*kinds(lines), (0, 'blank', '')]:
        if kind != 'text' and text:
            yield start, plain('\n'.join(text))
            text = []
        if kind in ('item', 'mark', 'text'):
            start = start if text else number
            text.append(line)
            if kind == 'mark':
                yield start, plain(line)
                text = []


def plain(text):
    """Returns the text without code and link targets, with the same lines."""
    text = re.sub(r'<!--.*?-->|<[a-z/][^>]*>|^\s*(?:#+|[-*+]|\d+\.|>) ', '', text, flags=re.M)
    return TARGET.sub(']', CODE.sub(lambda m: '`code`' + '\n' * m[0].count('\n'), text))


def sentences(text):
    """Yields (offset, sentence) of each sentence in a block."""
    start = 0
    for end in END.finditer(text):
        yield start, text[start:end.end()]
        start = end.end()
    yield start, text[start:]


def is_generated(page, line):
    return line.startswith('| `') and page.endswith(GENERATED)


def rows(page, lines):
    """Yields (number, text) of each row of a table that is written by hand."""
    for number, kind, line in kinds(lines):
        if kind == 'table' and not is_generated(page, line):
            yield number, plain(line)


def long_lines(lines):
    for number, kind, line in kinds(lines):
        width = len(TARGET.sub(']()', line.expandtabs(8)))
        if kind != 'table' and width > LONGEST_LINE:
            yield number, f'{width} columns, at most {LONGEST_LINE}'


def long_sentences(lines):
    for number, text in blocks(lines):
        for offset, sentence in sentences(text):
            count = len(WORD.findall(sentence))
            if count > LONGEST_SENTENCE:
                line, head = number + text.count('\n', 0, offset), ' '.join(sentence.split()[:5])
                yield line, f'"{head} ..." has {count} words, at most {LONGEST_SENTENCE}'


def banned_words(page, lines, banned):
    for number, text in [*blocks(lines), *rows(page, lines)]:
        for pattern, say in banned:
            for match in pattern.finditer(text):
                word = ' '.join(match[0].split())
                yield number + text.count('\n', 0, match.start()), f'"{word}": say {say}'


def count_words(page, lines):
    return sum(len(WORD.findall(text)) for _, text in [*blocks(lines), *rows(page, lines)])


def main():
    pages = [page for page in sys.argv[1:] if page != '--words']
    banned = words.read_table(HERE / 'words.txt', words.MARKDOWN)
    found, total = False, 0
    for page in pages:
        lines = pathlib.Path(page).read_text(encoding='utf-8').splitlines()
        count = count_words(page, lines)
        total += count
        if '--words' in sys.argv:
            print(f'{count:6} {page}')
        faults = [*long_lines(lines), *long_sentences(lines), *banned_words(page, lines, banned)]
        for number, text in sorted(faults):
            print(f'{page}:{number}: {text}')
            found = True
    if '--words' in sys.argv:
        print(f'{total:6} in all')
    if total > MOST_WORDS:
        print(f'{total} words in all pages, at most {MOST_WORDS}: move figures to docs/notes, drop what is said twice')
        found = True
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
