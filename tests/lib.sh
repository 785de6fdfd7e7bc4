# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by tests/run.sh and by the stories of tests/live: how a check reports its result.
#   ok NAME                      it passed
#   not ok NAME                  it failed
#   ok NAME # SKIP why           a right, a device or a program is missing here
#   ok NAME # SKIP machine: why  the machine was too busy to tell; --strict makes it a failure
#   # AGAIN NAME: why            a first try could not tell, and is repeated
#   # LEFT STORY: what           a plain run leaves it out; --full has it
# tests/README.md explains which one to use.

not_ok_count=0

ok() { echo "ok $*"; }

not_ok() {
  echo "not ok $*"
  not_ok_count=$((not_ok_count + 1))
}

# skip NAME WHY: what this machine can never try. A busy machine is no reason: see undecided.
skip() { echo "ok $1 # SKIP $2"; }

# undecided NAME WHY: every try was disturbed.
undecided() {
  if [ -n "${DRB_STRICT:-}" ]; then
    not_ok "$1"
    echo "# undecided, and --strict wants to know: $2"
  else
    echo "ok $1 # SKIP machine: $2"
  fi
}

# again NAME WHY: a try counted for nothing; there is another one.
again() { echo "# AGAIN $1: $2"; }

# in_full WHAT: whether this run has a part of a story that takes long for what it adds. A plain run does not,
# and names it at its end; a story that is started by itself does.
in_full() { [ -z "${DRB_SHORT:-}" ] || { echo "# LEFT $(basename "$0" .sh): $1" && false; }; }

as_comments() { tail -n 100 | sed 's/^/#   /'; }

# check NAME COMMAND...: passes if the command succeeds; its output is shown as comments if not.
check() {
  local name=$1 output status
  shift
  output=$("$@" 2>&1)
  status=$?
  grep '^# AGAIN ' <<<"$output"
  if [ $status = 0 ]; then
    ok "$name"
  else
    not_ok "$name"
    echo "# exit status $status of: $*"
    printf '%s\n' "$output" | as_comments
  fi
}

# Exit status of a command that cannot tell because the machine disturbed it (EX_TEMPFAIL); the last
# line that it prints says what did.
cannot_tell=75

# decide NAME COMMAND...: as check, for what a busy machine may disturb. The command passes, fails for
# good, or cannot tell and is repeated, up to DRB_TRIES times (default 6) in all.
decide() {
  local name=$1 tries=${DRB_TRIES:-6} try output status why
  shift
  for ((try = 1; try <= tries; try++)); do
    output=$("$@" 2>&1)
    status=$?
    case $status in
      0)
        ok "$name"
        return
        ;;
      "$cannot_tell")
        why=$(tail -n 1 <<<"$output")
        [ $try = "$tries" ] || again "$name" "$why"
        ;;
      *)
        not_ok "$name"
        echo "# exit status $status of: $*"
        printf '%s\n' "$output" | as_comments
        return
        ;;
    esac
  done
  undecided "$name" "none of $tries tries could tell: $why"
}

# Last line of a story: its exit status says whether every check passed.
finish() { [ "$not_ok_count" = 0 ]; }
