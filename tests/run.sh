#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
. tests/lib.sh

usage() {
  cat <<'END'
tests/run.sh [--unit] [--live [NAME...]] [--no-lint] [--help]

Runs every test: builds with gcc and clang (warnings are errors), unit tests in a normal and in an
AddressSanitizer and UndefinedBehaviorSanitizer build, source checks, fuzzers for a few seconds each
(tests/fuzz/run.sh 600 is the long run), then the stories of tests/live,
each in namespaces of its own (skipped where there may be none). Installs missing Debian packages
first (as root).

  --unit            builds, unit tests, source checks and fuzzers only
  --live [NAME...]  live stories only, all or those named (without .sh)
  --no-lint         no clang build and no source checks

Ends with "N passed, N failed[, N skipped]"; exit status 0 if nothing failed, 1 if something did,
2 if the tests could not be run. Logs: build/test-logs/.
Environment: STORY_TIMEOUT (seconds a live story may take, default 180), FUZZ_SECONDS (for each
fuzzer, default 4), DRB_SOAK_SECONDS (of the soak among the unit tests, default 4; alone:
DRB_SOAK_SECONDS=600 build/tests/unit/test_soak), JOBS (default: all CPUs).
END
}

unit=1 live=1 lint=1 stories=()
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
  if [ ! -f "tests/live/$name.sh" ]; then
    echo "tests/run.sh: there is no tests/live/$name.sh" >&2
    exit 2
  fi
done

jobs=${JOBS:-$(nproc)}
logs=build/test-logs
passed=0 failed=0 skipped=0
# A sanitizer's finding ends the program, also where it would only be printed by default.
export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

say() { echo "== $*"; }

add() { # add PASSED FAILED SKIPPED
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# One check of this script itself: a command whose output matters only when it fails.
step() { # step NAME COMMAND...
  local line
  line=$(check "$@")
  printf '%s\n' "$line"
  case $line in
    "not ok "*) add 0 1 0 && return 1 ;;
    *) add 1 0 0 ;;
  esac
}

finish_run() {
  if [ $((passed + failed)) = 0 ] && [ "$skipped" = 0 ]; then
    echo "no test was run"
    failed=1
  fi
  local line="$passed passed, $failed failed"
  [ "$skipped" = 0 ] || line+=", $skipped skipped"
  echo "$line"
  [ "$failed" = 0 ]
  exit
}

build_in() { # build_in DIR COMPILER [MESON OPTION...]
  local dir=$1 compiler=$2
  shift 2
  if [ ! -f "$dir/build.ninja" ]; then
    rm -rf "$dir" && CC=$compiler meson setup "$dir" -Dwerror=true -Dtests=enabled "$@" || return
  else
    meson configure "$dir" -Dwerror=true -Dtests=enabled "$@" || return
  fi
  nice ninja -C "$dir" -j "$jobs"
}

# Unit tests need no rights: root gives its own up for them, where others can read the build.
unprivileged=(setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs)

unit_tests() { # unit_tests DIR
  local wrapper=()
  say "unit tests in $1"
  if [ "$(id -u)" = 0 ] && "${unprivileged[@]}" test -x "$PWD/$1/tests/unit/test_addresses"; then
    wrapper=(--wrapper "${unprivileged[*]}")
  fi
  rm -f "$1"/meson-logs/testlog*.json
  meson test -C "$1" "${wrapper[@]}" --num-processes "$jobs" \
    >"$logs/meson-$(basename "$1").log" 2>&1
  local counts
  # Named after the wrapper if there is one.
  counts=$(python3 tests/tally.py meson "$1"/meson-logs/testlog*.json) || counts="0 1 0"
  echo "${counts%% *} passed"
  # shellcheck disable=SC2086
  add $counts
}

sources() { # sources PATTERN...: files of this kind, tracked or about to be
  git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
    [ ! -f "$file" ] || echo "$file"
  done
}

shell_sources() {
  sources '*.sh'
  sources topo deploy tests .ci config | while read -r file; do
    case $file in *.sh) continue ;; esac
    if head -n 1 "$file" | grep -qE '^#!.*\b(ba)?sh\b'; then echo "$file"; fi
  done
}

check_format() { sources '*.c' '*.h' | xargs -r clang-format --dry-run -Werror; }

check_cppcheck() {
  cppcheck --quiet --std=c11 --enable=warning,performance,portability,style --inline-suppr \
    --suppressions-list=tests/cppcheck.txt --error-exitcode=1 -j "$jobs" -Isrc \
    -D_GNU_SOURCE '-DDRB_VERSION="0"' '-DSEC(x)=' src tests
}

check_shell() { shell_sources | xargs -r shellcheck -x -S warning; }

python_sources() {
  sources '*.py'
  sources topo tests | while read -r file; do
    case $file in *.py) continue ;; esac
    if head -n 1 "$file" | grep -q '^#!.*python3'; then echo "$file"; fi
  done
}

check_python() {
  python_sources | xargs -r python3 -c 'import sys
for name in sys.argv[1:]:
    compile(open(name, encoding="utf-8").read(), name, "exec")'
}

check_spdx() {
  local missing
  missing=$(sources '*.c' '*.h' | while read -r file; do
    head -n 1 "$file" | grep -q SPDX-License-Identifier || echo "$file"
  done)
  [ -z "$missing" ] || { echo "no SPDX line first in: $missing" && false; }
}

live_story() { # live_story NAME
  local name=$1 log=$logs/live-$1.log status counts
  say "live story $name"
  timeout -k 20 "${STORY_TIMEOUT:-180}" bash "tests/live/$name.sh" >"$log" 2>&1 </dev/null
  status=$?
  [ $status != 124 ] || echo "not ok $name: took more than ${STORY_TIMEOUT:-180} s" >>"$log"
  grep -E '^(not )?ok |^cannot run' "$log"
  counts=$(python3 tests/tally.py live "$name" $status "$log") || counts="0 1 0"
  # shellcheck disable=SC2086
  add $counts
}

live_stories() {
  local path name
  if [ ${#stories[@]} = 0 ]; then
    for path in tests/live/*.sh; do
      [ ! -f "$path" ] || stories+=("$(basename "$path" .sh)")
    done
  fi
  for name in "${stories[@]}"; do
    live_story "$name"
  done
}

# Every parser of bytes from outside, for a few seconds each; tests/fuzz/run.sh 600 is the long run.
fuzz() {
  local log=$logs/fuzz.log
  say "fuzzing"
  bash tests/fuzz/run.sh "${FUZZ_SECONDS:-4}" >"$log" 2>&1 || true
  grep -E '^(not )?ok ' "$log" || { echo "not ok fuzz: see $log" | tee -a "$log"; }
  add "$(grep -c '^ok ' "$log")" "$(grep -c '^not ok ' "$log")" 0
}

bash deploy/install-deps.sh || exit 2
say "build with gcc"
step "build, gcc" build_in build gcc || finish_run
mkdir -p "$logs"
if [ $unit = 1 ]; then
  unit_tests build
  say "build with sanitizers"
  if step "build, sanitizers" \
    build_in build-asan gcc -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false; then
    unit_tests build-asan
  fi
fi
if [ $lint = 1 ]; then
  say "source checks"
  # For its warnings alone: nothing of it is run.
  step "build, clang" build_in build-clang clang -Doptimization=0
  step clang-format check_format
  step cppcheck check_cppcheck
  step shellcheck check_shell
  step "python compiles" check_python
  step "licence lines" check_spdx
fi
[ $unit = 0 ] || fuzz
[ $live = 0 ] || live_stories
finish_run
