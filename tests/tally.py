#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts test cases: prints "PASSED FAILED SKIPPED REPEATED UNDECIDED" and shows the output of what
failed. UNDECIDED, those that a busy machine kept from being decided, are among the skipped.

tally.py meson FILE build/meson-logs/testlog.json    the programs of `meson test`
tally.py live FILE NAME EXIT_STATUS LOG              one story of tests/live
Both read lines "ok ..." and "not ok ..."; tests/lib.sh lists the other lines. FILE gets a line of
CSV for each program: name, the five counts, seconds.
"""
import csv
import json
import re
import sys
from typing import NamedTuple

SHOWN_LINES = 200
# Exit status of a program that cannot run on this machine.
CANNOT_RUN = 77


class Counts(NamedTuple):
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    repeated: int = 0
    undecided: int = 0


SKIPPED = re.compile(r"(not )?ok\b.*#\s*skip(?P<machine> machine:)?", re.IGNORECASE)
# tests/jobs.sh finds failures by the same form: "not ok: why", which scripts print, is no case.
FAILED = re.compile(r"not ok( |$)")


def tally(text, status, one_case=False):
    """Counts of one program that ended with this status.

    one_case: the program may report by its exit status alone.
    """
    passed = failed = skipped = repeated = undecided = 0
    planned = 0
    for line in text.splitlines():
        if plan := re.match(r"1\.\.(\d+)", line):
            planned = int(plan[1])
        elif skip := SKIPPED.match(line):
            skipped += 1  # cmocka says "not ok N # SKIP name"
            undecided += skip["machine"] is not None
        elif FAILED.match(line):
            failed += 1
        elif re.match(r"ok\b", line):
            passed += 1
        elif line.startswith("# AGAIN "):
            repeated += 1
    # A program that dies takes the cases it did not come to with it.
    failed += max(0, planned - passed - failed - skipped)
    if failed == 0 and status == CANNOT_RUN:
        return Counts(passed, 0, skipped or 1, repeated, undecided)
    if one_case and status == 0 and passed + failed + skipped == 0:
        return Counts(passed=1)
    if failed == 0 and (status != 0 or passed + skipped == 0):
        failed = 1
    return Counts(passed, failed, skipped, repeated, undecided)


def failed_cases(lines):
    """Yields lines "not ok" and the comments that follow them."""
    failed = False
    for line in lines:
        failed = bool(FAILED.match(line)) or (failed and line.startswith("#"))
        if failed:
            yield line


def show(name, status, text, failed):
    lines = text.splitlines()
    told = sum(bool(FAILED.match(line)) and not SKIPPED.match(line) for line in lines)
    if failed > told:  # as any other failure, for who looks for those
        print(f"not ok {name}: {failed - told} cases without a result, exit status {status}", file=sys.stderr)
    print(f"---- {name}: exit status {status}", file=sys.stderr)
    left_out = lines[:-SHOWN_LINES]
    # Messages on standard error follow the cases, and may push a failed case out of the last lines.
    if left_out:
        print(f"({len(left_out)} lines left out, except failed cases)", file=sys.stderr)
        print("\n".join(failed_cases(left_out)), file=sys.stderr)
    print("\n".join(lines[-SHOWN_LINES:]), file=sys.stderr)
    print(f"---- end of {name}", file=sys.stderr)


def meson_programs(path):
    """(name, exit status, output, may it report by its exit status alone, seconds) of each."""
    with open(path, encoding="utf-8") as log:
        for line in log:
            run = json.loads(line)
            # Meson itself says that a program which should report its cases did not.
            yield (run["name"], run["returncode"],
                   (run.get("stdout") or "") + (run.get("stderr") or ""), run["result"] == "OK",
                   run["duration"])


def live_program(name, status, path):
    with open(path, encoding="utf-8", errors="replace") as log:
        yield name, int(status), log.read(), False, ""


def main():
    kind, table, *rest = sys.argv[1:]
    programs = meson_programs(*rest) if kind == "meson" else live_program(*rest)
    total = Counts()
    with open(table, "a", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        for name, status, text, one_case, seconds in programs:
            counts = tally(text, status, one_case)
            if counts.failed:
                show(name, status, text, counts.failed)
            rows.writerow([name, *counts, seconds and round(seconds, 1)])
            total = Counts(*(a + b for a, b in zip(total, counts)))
    print(*total)


if __name__ == "__main__":
    main()
