#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes all code that reads bytes from outside.
#   tests/fuzz/run.sh [SECONDS [NAME...]]    SECONDS for each target (default 10), all targets or
#                                            those named, as many at a time as there are CPUs
# Builds with clang, AddressSanitizer and UndefinedBehaviorSanitizer in build-fuzz. Findings are
# stored in build-fuzz/found, and inputs that reach new code in build-fuzz/corpus. Prints
# "ok fuzz NAME" or "not ok fuzz NAME". Exit status 1 if anything was found, 2 if fuzzing was not
# possible.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
seconds=${1:-10}
case $seconds in '' | *[!0-9]*) echo "usage: tests/fuzz/run.sh [SECONDS [NAME...]]" >&2 && exit 2 ;; esac
shift
names=("$@")
if [ ${#names[@]} = 0 ]; then
  for source in tests/fuzz/fuzz_*.c; do
    name=${source##*/fuzz_}
    names+=("${name%.c}")
  done
fi
if [ ! -f build-fuzz/build.ninja ]; then
  CC=clang meson setup build-fuzz -Dfuzz=true -Dtests=disabled -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false >&2 || exit 2
fi
nice ninja -C build-fuzz "${names[@]/#/tests/fuzz/fuzz_}" >&2 || exit 2

# The timeout of an input is a minute of wall-clock time. It detects an endless loop, and a stalled
# machine stays below it.
export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
fuzz() { # fuzz NAME
  local name=$1 seeds log
  mkdir -p "build-fuzz/corpus/$name" "build-fuzz/found/$name"
  seeds=("tests/fuzz/corpus/$name")
  [ "$name" != config ] || seeds+=(config)
  log=build-fuzz/found/$name.log
  if "build-fuzz/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 \
    -max_len=4096 -artifact_prefix="build-fuzz/found/$name/" -print_final_stats=1 \
    "build-fuzz/corpus/$name" "${seeds[@]}" >"$log" 2>&1; then
    echo "ok fuzz $name # $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
  else
    echo "not ok fuzz $name"
    tail -n 40 "$log" | sed 's/^/#   /'
    return 1
  fi
}

failed=0 running=0
for name in "${names[@]}"; do
  if [ $running = "$(nproc)" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  # The output of one target stays together.
  { said=$(fuzz "$name"); status=$?; echo "$said"; exit $status; } &
  running=$((running + 1))
done
while [ $running -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
exit $failed
