# SPDX-License-Identifier: BSD-3-Clause
"""A mutant: one small change of a source file, as a maintainer could make it by mistake."""

import difflib
from dataclasses import dataclass
from typing import NamedTuple


class Edit(NamedTuple):
    """Replaces bytes [start, end) of a file by text."""
    start: int
    end: int
    text: bytes
    kind: str


@dataclass(frozen=True)
class Mutant:
    """file: path from the root of the repository; line: number of the changed line, from 1."""
    file: str
    line: int
    edit: Edit

    @property
    def key(self):
        """A name that is unique among the mutants of one commit."""
        return f'{self.file}:{self.edit.start}-{self.edit.end}:{self.edit.text.decode()}'

    def applied(self, source):
        return source[:self.edit.start] + self.edit.text + source[self.edit.end:]

    def patch(self, source):
        """Returns a patch for `git apply`."""
        before, after = (text.decode(errors='replace').splitlines(keepends=True)
                         for text in (source, self.applied(source)))
        return ''.join(difflib.unified_diff(before, after, f'a/{self.file}', f'b/{self.file}'))

    def change(self, source):
        """Returns FILE: LINE BEFORE => LINE AFTER. It has no line number, so it stays the same when
        lines move."""
        first = source.rfind(b'\n', 0, self.edit.start) + 1
        last = source.find(b'\n', self.edit.end)
        last = len(source) if last < 0 else last
        before, after = source[first:last], source[first:self.edit.start] + self.edit.text + source[self.edit.end:last]
        return f'{self.file}: {_words(before)} => {_words(after)}'


def other_number(text, value):
    """Returns an expression for value + 1, or for value * 10 from 100 on: 1 hardly matters
    there."""
    return b'(' + text + (b' + 1)' if abs(value) < 100 else b' * 10)')


def _words(text):
    return ' '.join(text.decode(errors='replace').split())


def of_edits(file, source, edits):
    """Makes a mutant of each different edit, in the order of the file."""
    return [Mutant(file, source.count(b'\n', 0, edit.start) + 1, edit)
            for edit in sorted({(e.start, e.end, e.text): e for e in edits}.values())]
