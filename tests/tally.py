#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts test cases: prints "PASSED FAILED SKIPPED" and shows the output of what failed.

tally.py meson build/meson-logs/testlog.json    the programs of `meson test`
tally.py live NAME EXIT_STATUS LOG              one story of tests/live
Both print lines "ok ..." and "not ok ..."; "# SKIP" marks what could not be tried.
"""
import json
import re
import sys

SHOWN_LINES = 200
# Exit status of a program that cannot run on this machine.
CANNOT_RUN = 77


def tally(text, status, one_case=False):
    """(passed, failed, skipped) of one program that ended with this status.

    one_case: the program may report by its exit status alone.
    """
    passed = failed = skipped = 0
    planned = 0
    for line in text.splitlines():
        if plan := re.match(r"1\.\.(\d+)", line):
            planned = int(plan[1])
        elif re.match(r"(not )?ok\b", line) and re.search(r"#\s*skip", line, re.IGNORECASE):
            skipped += 1  # cmocka says "not ok N # SKIP name"
        elif re.match(r"not ok\b", line):
            failed += 1
        elif re.match(r"ok\b", line):
            passed += 1
    # A program that dies takes the cases it did not come to with it.
    failed += max(0, planned - passed - failed - skipped)
    if failed == 0 and status == CANNOT_RUN:
        return passed, 0, skipped or 1
    if one_case and status == 0 and passed + failed + skipped == 0:
        return 1, 0, 0
    if failed == 0 and (status != 0 or passed + skipped == 0):
        failed = 1
    return passed, failed, skipped


def show(name, status, text):
    lines = text.splitlines()
    print(f"---- {name}: exit status {status}", file=sys.stderr)
    if len(lines) > SHOWN_LINES:
        print(f"({len(lines) - SHOWN_LINES} lines left out)", file=sys.stderr)
    print("\n".join(lines[-SHOWN_LINES:]), file=sys.stderr)
    print(f"---- end of {name}", file=sys.stderr)


def main():
    if sys.argv[1] == "meson":
        with open(sys.argv[2], encoding="utf-8") as log:
            runs = [json.loads(line) for line in log]
        # Meson itself says that a program which should report its cases did not.
        programs = [(run["name"], run["returncode"],
                     (run.get("stdout") or "") + (run.get("stderr") or ""),
                     run["result"] == "OK") for run in runs]
    else:
        with open(sys.argv[4], encoding="utf-8", errors="replace") as log:
            programs = [(sys.argv[2], int(sys.argv[3]), log.read(), False)]
    total = [0, 0, 0]
    for name, status, text, one_case in programs:
        counts = tally(text, status, one_case)
        if counts[1]:
            show(name, status, text)
        total = [a + b for a, b in zip(total, counts)]
    print(*total)


if __name__ == "__main__":
    main()
