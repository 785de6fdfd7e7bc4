#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

usage() {
  cat <<'END'
tests/run.sh [--unit] [--live [NAME...]] [--no-lint] [--full] [--strict] [--long] [--help]

Tests every part: builds with gcc (warnings are errors), unit tests, source checks, and the stories of
tests/live, each in namespaces of its own (skipped where there may be none). What measures time runs
alone, all else side by side. Cppcheck, unit tests in a build by clang with AddressSanitizer and
UndefinedBehaviorSanitizer, fuzzers for a few seconds each, tests of meson's suite long, and stories
that take long for what they add, are left for --full and named at the end. As root, installs missing
Debian packages first, and raises the kernel's limits of neighbour entries
(net.ipv*.neigh.default.gc_thresh2 and 3) until it ends.
tests/README.md says more.

  --full            leaves nothing out
  --unit            builds, unit tests, source checks and fuzzers only; of these it leaves nothing out
  --live [NAME...]  live stories only, all or those named (without .sh); it leaves nothing out of them
  --no-lint         no source checks
  --strict          what a busy machine kept from being decided has failed
  --long            --full, fuzzers for a minute each, more samples in some stories, 20
                    minutes of chaos

Ends with "N passed, N failed[, N skipped]"; exit status 0 if nothing failed, 1 if something did,
2 if the tests could not be run. Before that: what was tried more than once, what was skipped, what
is left for --full, and how long everything took. Logs: build/test-logs/.
Environment: STORY_TIMEOUT (seconds a live story may take, default 1800), DRB_TRIES (how often a check
is tried that the machine disturbs, default 6), FUZZ_SECONDS (for each fuzzer, default 2),
JOBS (default: all CPUs), SIDE_BY_SIDE (stories that run at a time, default: as many as CPUs beside builds,
then twice as many).
END
}

# story_path NAME: prints the path of a story, in whatever folder it is
story_path() { find tests/live -name "$1.sh"; }

unit=1 live=1 lint=1 full=0 stories=()
while [ $# -gt 0 ]; do
  case $1 in
    --unit) live=0 ;;
    --live)
      unit=0 lint=0
      while [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; do
        stories+=("${2%.sh}")
        shift
      done
      ;;
    --no-lint) lint=0 ;;
    --full) full=1 ;;
    --strict) export DRB_STRICT=1 ;;
    --long)
      full=1
      export DRB_LONG=1 FUZZ_SECONDS=${FUZZ_SECONDS:-60}
      export STORY_TIMEOUT=${STORY_TIMEOUT:-1800}
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      echo "tests/run.sh: unknown argument: $1" >&2
      usage >&2
      exit 2
      ;;
  esac
  shift
done
for name in "${stories[@]}"; do
  if [ -z "$(story_path "$name")" ]; then
    echo "tests/run.sh: there is no story $name.sh in tests/live" >&2
    exit 2
  fi
done
# Parts that a run of everything leaves for --full; in_full() of lib.sh adds parts of stories
left=()
unset DRB_SHORT
if [ $full = 0 ] && [ $unit = 1 ] && [ $live = 1 ]; then export DRB_SHORT=1; fi
if [ ${#stories[@]} = 0 ]; then
  for path in tests/live/*/*.sh; do
    stories+=("$(basename "$path" .sh)")
  done
fi

# A sanitizer's finding must end the program, even if it is only printed by default.
export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
. tests/lib.sh
. tests/jobs.sh
. tests/stages.sh

finish_run() {
  local passed=${total[0]} failed=${total[1]} skipped=${total[2]} line
  if [ $((passed + failed + skipped)) = 0 ]; then
    echo "no test was run"
    failed=1
  fi
  echo "== in all"
  grep -h '^# AGAIN ' "$logs"/meson-*.log "$logs"/live-*.log 2>/dev/null
  grep -hE '^ok .*# SKIP ' "$logs"/live-*.log 2>/dev/null
  mapfile -t -O ${#left[@]} left < <(sed -n 's/^# LEFT //p' "$logs"/live-*.log 2>/dev/null)
  [ ${#left[@]} = 0 ] || printf '%s, ' "${left[@]}" | sed 's/^/left for --full: /; s/, $/\n/'
  printf '%s s, ' "${seconds[@]}" | sed 's/, $/\n/'
  if [ -s "$logs/failed" ]; then
    head -n 200 "$logs/failed"
    # Repeat failures without reasons, for readers who see only the end of a log.
    sed -n 's/^\(.*\): not ok /failed: \1: /p' "$logs/failed" | cut -c -160 | tail -n 40
  fi
  echo "$SECONDS s, ${total[3]} repeated, ${total[4]} undecided on this machine," \
    "$((skipped - total[4])) not possible here"
  line="$passed passed, $failed failed"
  [ "$skipped" = 0 ] || line+=", $skipped skipped"
  echo "$line"
  [ "$failed" = 0 ]
  exit
}

# Hosts of all stories share the kernel's neighbour tables, and one `fabric check` may fill most of
# the usual 1024 entries. The kernel drops packets for which there is no entry.
raise_limits() {
  local file restore=
  for file in /proc/sys/net/ipv{4,6}/neigh/default/gc_thresh{2,3}; do
    [ -w "$file" ] && [ "$(cat "$file")" -lt 8192 ] || continue
    restore+="echo $(cat "$file") >$file; "
    echo 8192 >"$file"
  done
  # shellcheck disable=SC2064 # expanded now
  trap "$restore" EXIT
}

# A function is read as a whole before it runs, so that editing this file does not disturb a run.
run_all() {
  bash deploy/install-deps.sh || exit 2
  rm -rf "$logs" && mkdir -p "$logs" || exit 2
  # shellcheck disable=SC2034 # lanes are used by name
  first=(build_gcc) builds=() beside=() quiet=() alone=()
  raise_limits
  run_lanes first 1
  [ "${total[1]}" = 0 ] || finish_run
  if [ -n "${DRB_SHORT:-}" ]; then
    left+=("unit tests with sanitizers" "tests of suite long" fuzzers)
    builds+=("unit_tests build --no-suite long")
  elif [ $unit = 1 ]; then
    builds+=(sanitizers thread_sanitizer "unit_tests build" fuzzing)
  fi
  if [ $lint = 1 ]; then
    if [ -n "${DRB_SHORT:-}" ]; then left+=(cppcheck); fi
    builds+=(source_checks)
  fi
  if [ $live = 1 ]; then
    for name in "${stories[@]}"; do
      if [ -n "${DRB_SHORT:-}" ] && is_for_full "$name"; then
        left+=("$name")
        continue
      fi
      case $(lane_of_story "$name") in
        alone) alone+=("live_story $name") ;;
        quiet) quiet+=("live_story $name") ;;
        *) beside+=("live_story $name") ;;
      esac
    done
  fi
  # Stories wait most of the time. Quiet stories begin when all builds have ended.
  lane_ended() {
    [ "$1" = builds ] || return
    beside+=("${quiet[@]}")
    width[beside]=${SIDE_BY_SIDE:-$((2 * $(nproc)))}
  }
  run_lanes builds 2 beside "${SIDE_BY_SIDE:-$(nproc)}"
  run_lanes alone 1
  finish_run
}
run_all
