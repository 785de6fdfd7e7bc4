# SPDX-License-Identifier: BSD-3-Clause
"""Prints how a real bash or zsh on a terminal completes a line at its second tab.

complete_in_shell.py bash|zsh COMPLETION_FILE LINE    prints the shell's output"""

import os
import pty
import re
import select
import sys
import time

SECONDS = 20
END = b'end-of-completion'
COMMANDS = {'bash': ['bash', '--norc', '--noprofile', '-i'], 'zsh': ['zsh', '-f', '-i']}
# Commands that load a completion, and that show long lists without asking.
LOAD = {'bash': "bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'; "
                ". '{}'",
        'zsh': "bindkey -e; fpath=(${{${{:-{}}}:h}} $fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=100000; "
               "unsetopt automenu"}


def until(fd, wanted):
    seen, end = b'', time.monotonic() + SECONDS
    while wanted not in seen and time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            seen += os.read(fd, 4096)
    return seen


def main(shell, file, line):
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM='dumb', PS1='$ ')
        os.execvp(shell, COMMANDS[shell])
    os.write(fd, f"{LOAD[shell].format(file)}; echo rea''dy\n".encode())
    until(fd, b'\nready')
    os.write(fd, line.encode() + b'\t\t')
    time.sleep(3)
    # Clear the line typed so far; it has already been echoed.
    os.write(fd, b'\x15echo ' + END[:4] + b"''" + END[4:] + b'\n')
    seen = until(fd, b'\n' + END)
    os.close(fd)
    os.waitpid(pid, 0)
    print(re.sub(r'\x1b\[[0-9;?]*[a-zA-Z]', '', seen.decode(errors='replace')).replace('\r', ''))


main(*sys.argv[1:])
