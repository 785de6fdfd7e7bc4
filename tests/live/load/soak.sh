#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A long run in short (tests/bench/soak): it reports when its time is over, when it is interrupted, and what is wrong.
# Quiet: no packet may be lost.
# Full: it finds in hours what it does not in seconds.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool gnuplot pgrep

soak=("$root/tests/bench/soak" --window 3s)
rows() { cat "$1/soak.csv" && [ "$(wc -l <"$1/soak.csv")" -gt "$2" ]; } # rows DIR COUNT: so many at least
last_line() { tail -n 1 "$1" | grep -E -- "$2" || { cat "$1" && false; }; }

# begin NAME ARGUMENT...: in the background; returns when traffic runs
begin() {
  local name=$1
  shift
  "${soak[@]}" --out "$scratch/$name" --duration 3600s "$@" >"$scratch/$name.said" 2>&1 &
  pid=$!
  soon pgrep -f "drbgen replay.*bench-soak" >/dev/null
}

check "some windows" "${soak[@]}" --duration 10s --out "$scratch/short" -- --scheme walk
check "they are in the CSV file" rows "$scratch/short" 3
check "and in the picture" grep -q 'free buffers' "$scratch/short/soak.svg"
check "nothing is left" nothing_left

begin interrupted
check "a window is over" soon rows "$scratch/interrupted" 1
sleep 1 # a part of another
kill -INT $pid
wait $pid
check "interrupted: it ends as if its time were over" test $? = 0
check "interrupted: it reports" last_line "$scratch/interrupted.said" '^ok: [0-9]+ s, [0-9]{5,} packets, 0 lost'
check "interrupted: a row" rows "$scratch/interrupted" 1
check "interrupted: nothing is left" nothing_left

begin dead
check "a switch is killed" fabric kill s3-0 --fabric bench-soak
wait $pid
check "a switch died: exit status" test $? = 1
check "a switch died: it says so" last_line "$scratch/dead.said" '^FAILED after [0-9]+ s.*s3-0 died'
check "a switch died: nothing is left" nothing_left
finish
