# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by tests/run.sh and by the stories of tests/live: how a check reports its result.
# A check is one line, "ok NAME" or "not ok NAME"; "ok NAME # SKIP why" for what cannot be tried here.

not_ok_count=0

ok() { echo "ok $*"; }

not_ok() {
  echo "not ok $*"
  not_ok_count=$((not_ok_count + 1))
}

skip() { echo "ok $1 # SKIP $2"; }

# check NAME COMMAND...: passes if the command succeeds; its output is shown as comments if not.
check() {
  local name=$1 output status
  shift
  output=$("$@" 2>&1)
  status=$?
  if [ $status = 0 ]; then
    ok "$name"
  else
    not_ok "$name"
    echo "# exit status $status of: $*"
    printf '%s\n' "$output" | tail -n 100 | sed 's/^/#   /'
  fi
}

# Last line of a story: its exit status says whether every check passed.
finish() { [ "$not_ok_count" = 0 ]; }
