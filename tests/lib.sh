# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# tests/run.sh and the stories of tests/live source this. Checks report their results by it:
#   ok NAME                      it passed
#   not ok NAME                  it failed
#   ok NAME # SKIP why           a permission, a device or a program is missing here
#   ok NAME # SKIP machine: why  the machine was too busy to decide; a failure with --strict
#   # AGAIN NAME: why            a try could not decide, and is repeated
#   # LEFT STORY: what           a plain run leaves it out, --full does not
# tests/README.md explains which one to use.

not_ok_count=0

# A python3 that is a script of pyenv takes 0.2 s before it starts Python. Name Python itself.
if [ -z "${DRB_PYTHON_FOUND:-}" ] && python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) &&
  [ "$(command -v python3)" != "$python" ]; then
  export PATH=${python%/*}:$PATH DRB_PYTHON_FOUND=1
fi

ok() { echo "ok $*"; }

not_ok() {
  echo "not ok $*"
  not_ok_count=$((not_ok_count + 1))
}

# skip NAME WHY: this machine can never try it. A busy machine is no such reason: see undecided.
skip() { echo "ok $1 # SKIP $2"; }

# undecided NAME WHY: every try was disturbed
undecided() {
  if [ -n "${DRB_STRICT:-}" ]; then
    not_ok "$1"
    echo "# undecided, and --strict wants to know: $2"
  else
    echo "ok $1 # SKIP machine: $2"
  fi
}

# again NAME WHY: a try does not count, and another one follows
again() { echo "# AGAIN $1: $2"; }

# in_full WHAT: whether to run a part of a story that takes long for its use. A plain run does not,
# and lists the part at its end. A story that is started alone does.
in_full() { [ -z "${DRB_SHORT:-}" ] || { echo "# LEFT $(basename "$0" .sh): $1" && false; }; }

as_comments() { tail -n 100 | sed 's/^/#   /'; }

# check NAME COMMAND...: passes if the command succeeds; otherwise shows its output as comments
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

# The exit status (EX_TEMPFAIL) of a command that cannot decide because the machine disturbed it.
# The last line of its output is the reason.
cannot_tell=75

# decide NAME COMMAND...: as check, for commands that a busy machine may disturb. The command
# passes, fails for good, or cannot decide and is repeated, up to DRB_TRIES times (default 6) in
# all.
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

# finish: the last line of a story; its exit status tells whether every check passed
finish() { [ "$not_ok_count" = 0 ]; }
