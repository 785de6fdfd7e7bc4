# SPDX-License-Identifier: BSD-3-Clause
"""Runs the plans of drbtopo: namespaces, links and one drbswitch process per switch."""


class Failure(Exception):
    """Ends the program with one line on standard error and this exit code."""

    def __init__(self, text, code=1):
        super().__init__(text)
        self.code = code


def usage(text):
    """A Failure that the user can correct: bad usage or input. Its exit code is 2."""
    return Failure(text, 2)
