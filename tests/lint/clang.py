#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""clang's warnings about every file that gcc compiles are errors.

clang.py BUILD [JOBS]    exit status 1 and clang's messages for each file that it complains of

Takes the commands from BUILD/compile_commands.json; clang parses and checks, and generates no code: a build
by clang, which nobody would run, costs twice the time."""

import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys

CHECK = ['clang', '-fsyntax-only', '-Werror', '-Wno-unknown-warning-option']
WITH_VALUE = ('-o', '-MF', '-MQ', '-MT')  # where output and dependencies go
LEFT_OUT = ('-M', '-g', '-O', '-c')


def check_of(command):
    """The command that checks what COMMAND, of gcc or of ccache before it, compiles."""
    words = shlex.split(command)
    first = 2 if words[0].endswith('ccache') else 1
    kept, skip = [], False
    for word in words[first:]:
        if skip or word in WITH_VALUE:
            skip = not skip
        elif not word.startswith(LEFT_OUT):
            kept.append(word)
    return CHECK + kept


def complaints(entry):
    """What clang says of a file; nothing if it has nothing to say."""
    done = subprocess.run(check_of(entry['command']), cwd=entry['directory'], capture_output=True, text=True,
                          check=False)
    return done.stderr if done.returncode else ''


def main():
    """Exit status 1 if clang complains."""
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    entries = json.loads(pathlib.Path(sys.argv[1], 'compile_commands.json').read_text(encoding='utf-8'))
    entries = [entry for entry in entries if entry['file'].endswith('.c')]
    if not entries:
        sys.exit(f'{sys.argv[1]}/compile_commands.json names no file')
    with concurrent.futures.ThreadPoolExecutor(int(sys.argv[2]) if len(sys.argv) == 3 else 1) as pool:
        said = [text for text in pool.map(complaints, entries) if text]
    print(''.join(said), end='')
    sys.exit(bool(said))


if __name__ == '__main__':
    main()
