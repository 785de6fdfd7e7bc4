# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by tests/run.sh: builds, unit tests, source checks, fuzzers. Each function is a job.

jobs=${JOBS:-$(nproc)}

# Runs a check of the runner itself, a command whose output matters only if it fails.
step() { # step NAME COMMAND...
  local line
  line=$(check "$@")
  printf '%s\n' "$line"
  case $line in
    "not ok "*) count 0 1 0 && return 1 ;;
    *) count 1 0 0 ;;
  esac
}

targets=() # of build_in; empty: all

build_in() { # build_in DIR COMPILER [MESON OPTION...]
  local dir=$1 compiler=$2
  shift 2
  if [ ! -f "$dir/build.ninja" ]; then
    # An interrupted setup may have left files beside the logs.
    rm -rf "$dir"/meson-* && CC=$compiler meson setup "$dir" -Dwerror=true -Dtests=enabled "$@" || return
  else
    meson configure "$dir" -Dwerror=true -Dtests=enabled "$@" || return
  fi
  nice ninja -C "$dir" -j "$jobs" "${targets[@]}"
}

build_gcc() { step "build, gcc" build_in build gcc; }

# A build by clang, which has warnings that gcc lacks. Thus unit tests run as two compilers build
# them.
build_sanitizers() {
  step "build, clang with sanitizers" \
    build_in build-asan clang -Doptimization=1 -Ddebug=false -Dc_args=-g1 \
    -Db_sanitize=address,undefined -Db_lundef=false
}

# Leaves out tests that compute statistics and tests that read texts, which find the same in any
# build.
sanitizers() { build_sanitizers && unit_tests build-asan --no-suite statistics --no-suite texts; }

# Unit tests of programs with threads but without DPDK, and the switch, for story sanitized.
# ThreadSanitizer sees only the part of DPDK that is in headers. These have the rings and spinlocks
# through which packets and callbacks go from thread to thread, built with C11 atomics. It does not
# know fences (-Wno-tsan), but all data that our fences order are atomic themselves.
threaded=(packet_parts log_writer switch_reader telemetry_client ask gen_score gen_write gen_links apply)

build_thread_sanitizer() {
  local targets=("${threaded[@]/#/tests/unit/test_}" src/switch/drbswitch)
  local args="-g1 -DRTE_USE_C11_MEM_MODEL -DRTE_FORCE_INTRINSICS -Wno-tsan -include '$PWD/tests/fixtures/thread_sanitizer.h'"
  step "build, thread sanitizer" \
    build_in build-tsan gcc -Doptimization=1 -Ddebug=false "-Dc_args=$args" -Db_sanitize=thread -Db_lundef=false
}

thread_sanitizer() { build_thread_sanitizer && unit_tests build-tsan --no-rebuild "${threaded[@]}"; }

# Unit tests need no rights, so root gives up its own for them if other users can read the build. It
# becomes a user with no other processes: switches accept no orders from the users nobody and
# drbswitch, which daemons share.
unprivileged=(setpriv --reuid=65533 --regid=65533 --clear-groups --no-new-privs)

unit_tests() { # unit_tests DIR [OPTION OF meson test...]
  local wrapper=() counts
  local any=$1/tests/unit/test_log_writer # each build has it
  if [ ! -x "$any" ]; then
    echo "not ok unit tests: $1 was not built" && count 0 1 0
    return
  fi
  if [ "$(id -u)" = 0 ] && "${unprivileged[@]}" test -x "$PWD/$any"; then
    wrapper=(--wrapper "${unprivileged[*]}")
  fi
  rm -f "$1"/meson-logs/testlog*.json
  # Tests that install the product also write this file.
  touch "$1/meson-logs/install-log.txt" && chmod a+w "$1/meson-logs/install-log.txt"
  meson test -C "$1" "${wrapper[@]}" --num-processes "$jobs" --timeout-multiplier 3 "${@:2}" \
    >"${logs:?}/meson-$(basename "$1").log" 2>&1
  # The log is named after the wrapper if there is one.
  counts=$(python3 tests/tally.py meson "$logs/counts-$(basename "$1").csv" "$1"/meson-logs/testlog*.json) ||
    counts="0 1 0 0 0"
  echo "${counts%% *} passed"
  # shellcheck disable=SC2086
  count $counts
}

sources() { # sources PATTERN...: files of this kind, tracked or about to be
  git ls-files --cached --others --exclude-standard -- "$@" | while read -r file; do
    [ ! -f "$file" ] || echo "$file"
  done
}

scripts_of() { # scripts_of PATTERN SHEBANG: files that are named so, and those that say so in line 1
  sources "$1"
  sources topo lab deploy tests .ci config | while read -r file; do
    # shellcheck disable=SC2053 # a pattern
    [[ $file != $1 ]] || continue
    if head -n 1 "$file" | grep -qE "$2"; then echo "$file"; fi
  done
}

shell_sources() { scripts_of '*.sh' '^#!.*\b(ba)?sh\b'; }
python_sources() { scripts_of '*.py' '^#!.*python3'; }

check_format() { sources '*.c' '*.h' | xargs -r clang-format --dry-run -Werror; }

check_cppcheck() {
  nice cppcheck --quiet --std=c11 --enable=warning,performance,portability,style --inline-suppr \
    --suppressions-list=tests/cppcheck.txt --error-exitcode=1 -j "$jobs" -Isrc \
    -D_GNU_SOURCE '-DDRB_VERSION="0"' '-DSEC(x)=' '-DDRB_SCHEMES(X)=X(DRB, drb) X(DMODK, dmodk)' src tests examples
}

check_shell() { shell_sources | xargs -r nice shellcheck -x -S warning; }

check_python() { python_sources | xargs -r flake8 --config tests/lint/flake8.cfg; }

# mypy takes two programs without .py of the same name for one module. Therefore it checks those of
# bench apart.
check_types() {
  local mypy=(mypy --config-file tests/lint/mypy.ini --scripts-are-modules)
  local paths=lab:topo:tests/live:tests/live/faults:tests/live/load:tests/mutation
  python_sources | grep -vE '^(tests/bench|lab)/' | MYPYPATH=$paths:tests/process:tests/bench xargs -r "${mypy[@]}" &&
    python_sources | grep '^tests/bench/' | MYPYPATH=$paths:tests/live/monitoring xargs -r "${mypy[@]}" &&
    python_sources | grep '^lab/' | MYPYPATH=lab xargs -r "${mypy[@]}" --strict
}

check_spelling() {
  sources | grep -vE '^tests/fuzz/corpus/|\.(svg|csv|pcap)$' |
    xargs -r codespell --ignore-words tests/lint/spelling.txt
}

check_sizes() {
  { sources '*.c' '*.h' && python_sources; } | xargs -r python3 -B tests/lint/functions.py tests/lint/sizes.txt
}
# Compares the names of all files with one another.
check_names() { sources 'src/*.c' | xargs -r python3 -B tests/lint/names.py; }

check_words() {
  sources src tests docs topo lab config examples deploy README.md CONTRIBUTING.md |
    grep -vE '^tests/fuzz/corpus/|^docs/reference/glossary.md$|^tests/lint/words.txt$|/test_runner.py$|\.svg$' |
    xargs -r python3 -B tests/lint/words.py tests/lint/words.txt
}
# Notes, decisions and changelogs are dated: they stay as they were written.
check_prose() {
  sources '*.md' | grep -vE '^docs/(notes|decisions)/|^CHANGELOG.md' | xargs -r python3 -B tests/lint/prose.py
}
# The docstring of tests/mutation/run.py is its help text, whose lines are longer.
check_comments() {
  sources '*.c' '*.h' '*.def' '*.py' '*.sh' '*.yml' '*meson.build' | grep -v '^tests/mutation/run.py$' |
    xargs -r python3 -B tests/lint/comments.py
}
check_includes() {
  python3 -B tests/lint/includes.py tests/lint/folders.txt &&
    python3 -B tests/lint/includes.py tests/lint/modules.txt topo/drbfabric
}
check_messages() { python3 -B tests/lint/messages.py . tests/lint/messages.txt; }

check_spdx() {
  local missing
  missing=$(sources '*.c' '*.h' | while read -r file; do
    head -n 1 "$file" | grep -q SPDX-License-Identifier || echo "$file"
  done)
  [ -z "$missing" ] || { echo "no SPDX line first in: $missing" && false; }
}

source_checks() {
  step clang-format check_format
  [ -n "${DRB_SHORT:-}" ] || step cppcheck check_cppcheck
  step shellcheck check_shell
  step flake8 check_python
  step mypy check_types
  step codespell check_spelling
  step "words of the glossary" check_words
  step "prose of Markdown" check_prose
  step "comments can be read" check_comments
  step "includes go one way" check_includes
  step "sizes of functions and files" check_sizes
  step "names of static functions" check_names
  step "messages have tests" check_messages
  step "licence lines" check_spdx
}

# Every parser of bytes from outside, for a few seconds each; tests/fuzz/run.sh 600 is the long run.
fuzzing() {
  local log=$logs/fuzz.log
  nice bash tests/fuzz/run.sh "${FUZZ_SECONDS:-2}" >"$log" 2>&1 || true
  grep -E '^(not )?ok ' "$log" || { echo "not ok fuzz: see $log" | tee -a "$log"; }
  count "$(grep -c '^ok ' "$log")" "$(grep -c '^not ok ' "$log")" 0
}

# Prints the results in a story's log, and the lines below those that failed.
with_reasons() {
  awk '/^(not )?ok |^cannot run/ { failed = /^not / } /^(not )?ok |^cannot run|^# AGAIN / || failed && /^#/' "$1"
}

live_story() { # live_story NAME
  local name=$1 log=$logs/live-$1.log status counts limit=${STORY_TIMEOUT:-1800}
  timeout -k 20 "$limit" bash "$(story_path "$name")" >"$log" 2>&1
  status=$?
  [ $status != 124 ] || echo "not ok $name: took more than $limit s" >>"$log"
  with_reasons "$log"
  counts=$(python3 tests/tally.py live "$logs/counts-live.csv" "$name" $status "$log") || counts="0 1 0 0 0"
  # shellcheck disable=SC2086
  count $counts
}

# lane_of_story NAME: prints the lane of a story. A story with "# Quiet: REASON" must not run beside
# builds. One with "# Alone: REASON" must not run beside other stories either.
lane_of_story() {
  case $(grep -oE -m 1 '^# (Quiet|Alone): ' "$(story_path "$1")") in
    *Quiet*) echo quiet ;;
    *Alone*) echo alone ;;
    *) echo beside ;;
  esac
}

# is_for_full NAME: true if a plain run leaves this story out, which has "# Full: REASON"
is_for_full() { grep -qE '^# Full: ' "$(story_path "$1")"; }
