# SPDX-License-Identifier: BSD-3-Clause
"""What a fabric may not do in a long run: rows of windows of traffic, and what is wrong with them."""

import statistics

STALL_MS = 100        # a control process was late, or a switch waited for a CPU: what is lost then tells nothing
MEMORY_KB = 1024      # that a switch's own memory may grow by, however long the run
BUFFERS = 64          # that all switches may have fewer free at rest: rings of ports keep some
LATENCY_RATIO = 1.5   # of the median latency of the last third of the windows to that of the first
WINDOWS = 6           # that are compared: fewer are no two thirds


def disturbed(row):
    return max(row['late_ms'], row['waited_ms']) > STALL_MS


def _losses(rows):
    """None is lost while the machine has time."""
    return [f"until {row['at_s']:.0f} s: {row['lost']} packets lost, {row['wrong']} came twice or elsewhere"
            for row in rows if (row['lost'] and not disturbed(row)) or row['wrong']]


def _growth(rows):
    """Since the end of the first window, in which whatever is made once was made."""
    first, last, complaints = rows[0], rows[-1], []
    for name, kb in last['memory_kb'].items():
        grown = kb - first['memory_kb'][name]
        if grown > MEMORY_KB:
            complaints.append(f'memory of {name} grew by {grown} kB, more than {MEMORY_KB}')
    if last['files'] > first['files']:
        complaints.append(f"{last['files'] - first['files']} more files are open")
    if last['free_buffers'] < first['free_buffers'] - BUFFERS:
        complaints.append(f"{first['free_buffers'] - last['free_buffers']} packet buffers are not free any more")
    return complaints


def _latency(rows):
    calm = [row['latency_us'] for row in rows if not disturbed(row)]
    if len(calm) < WINDOWS:
        return []
    third = len(calm) // 3
    first, last = statistics.median(calm[:third]), statistics.median(calm[-third:])
    return [f'latency rose from {first:.0f} to {last:.0f} us'] if last > LATENCY_RATIO * first else []


def complaints(rows):
    """rows: a window each, in order."""
    found = [f'{name} died' for name in rows[-1]['died']]
    return found + _losses(rows) + _growth(rows) + _latency(rows)


def verdict(rows):
    """(exit status, a line)"""
    if not rows:
        return 1, 'FAILED: no window of traffic came to its end'
    found, calm = complaints(rows), [row for row in rows if not disturbed(row)]
    whole = f"{rows[-1]['at_s']:.0f} s, {sum(row['sent'] for row in rows)} packets"
    if found:
        return 1, f"FAILED after {whole}: {'; '.join(found[:4])}" + (
            f' and {len(found) - 4} more' if len(found) > 4 else '')
    grown = max(kb - rows[0]['memory_kb'][name] for name, kb in rows[-1]['memory_kb'].items())
    told = f"ok: {whole}, {sum(row['lost'] for row in calm)} lost"
    if len(calm) < len(rows):
        told += (f" ({sum(row['lost'] for row in rows)} in all; the machine disturbed {len(rows) - len(calm)} of "
                 f'{len(rows)} windows)')
    return 0, told + f'; memory of a switch grew by {max(grown, 0)} kB at most'
