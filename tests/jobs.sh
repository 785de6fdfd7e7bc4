# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by tests/run.sh: jobs that run side by side. A job is a function of the runner and its
# arguments; what it prints is shown when it ends, in one piece, with how long it took. It reports its
# checks with `count`.

logs=build/test-logs
declare -A running=()     # process id -> words of the job
declare -A lane_of=()     # process id -> lane it runs in
declare -a total=(0 0 0 0 0)
seconds=()                # "NAME SECONDS", in the order in which they ended
# Jobs that end say so in a pipe: `wait -n` forgets one that ends while another is collected.
exec {ended}<> <(:)

# count PASSED FAILED SKIPPED [REPEATED UNDECIDED]: by a job, of itself
count() { echo "$1 $2 $3 ${4:-0} ${5:-0}" >>"$job_files.counts"; }

job_name() { local words=$*; echo "${words//[ \/]/-}"; }

start_job() { # start_job LANE COMMAND...
  local lane=$1 job_files
  shift
  job_files=$logs/job-$(job_name "$@")
  rm -f "$job_files".{counts,out,time}
  (
    # shellcheck disable=SC2064 # of this shell
    trap "echo $BASHPID >&$ended" EXIT
    TIMEFORMAT='%0R %0U %0S'
    { time "$@" >"$job_files.out" 2>&1 </dev/null {ended}>&-; } 2>"$job_files.time"
  ) &
  running[$!]="$*"
  lane_of[$!]=$lane
}

collect_job() { # waits for one job, whichever ends first, shows what it printed and adds its counts up
  local pid files words took=0 cpu=0 sys=0 i
  until read -r -t 5 -u "$ended" pid && [ -n "${running[$pid]:-}" ]; do
    for pid in "${!running[@]}"; do
      kill -0 "$pid" 2>/dev/null || break 2 # it was killed, and said nothing
    done
  done
  words=${running[$pid]}
  ended_lane=${lane_of[$pid]}
  unset "running[$pid]" "lane_of[$pid]"
  # shellcheck disable=SC2086 # words
  files=$logs/job-$(job_name $words)
  [ ! -s "$files.time" ] || read -r took cpu sys <"$files.time" # none: it was killed
  echo "== ${words//_/ }: $took s, $((cpu + sys)) s of CPU time"
  cat "$files.out"
  # What failed is said again at the end, with its reasons, once: a log of a whole run has thousands of lines.
  awk '/^not ok / { lines = said[$0]++ ? 0 : 20 } !/^(not ok |#)/ { lines = 0 } lines-- > 0' "$files.out" |
    sed "s|^|${words//[_|]/ }: |" >>"$logs/failed"
  seconds+=("${words//_/ } $took")
  [ -s "$files.counts" ] || echo 0 1 0 0 0 >"$files.counts"
  while read -r -a counts; do
    for i in "${!counts[@]}"; do total[i]=$((total[i] + counts[i])); done
  done <"$files.counts"
  rm -f "$files".{counts,time}
}

# run_lanes ARRAY WIDTH...: the jobs of each array, so many of it at a time. When the last job of an array
# has ended, lane_ended ARRAY is called, which may add jobs to others.
lane_ended() { :; }
is_over() { # is_over LANE, of run_lanes
  local -n waiting=$1
  [ $((${#waiting[@]} + busy[$1])) = 0 ]
}
run_lanes() {
  local -A width=() busy=()
  local -a lanes=()
  local lane started
  while [ $# -gt 0 ]; do
    lanes+=("$1") width[$1]=$2 busy[$1]=0
    shift 2
  done
  for lane in "${lanes[@]}"; do
    is_over "$lane" && lane_ended "$lane"
  done
  while :; do
    for lane in "${lanes[@]}"; do
      local -n jobs_left=$lane
      while [ ${#jobs_left[@]} -gt 0 ] && [ "${busy[$lane]}" -lt "${width[$lane]}" ]; do
        started=${jobs_left[0]}
        jobs_left=("${jobs_left[@]:1}")
        # shellcheck disable=SC2086 # words
        start_job "$lane" $started
        busy[$lane]=$((busy[$lane] + 1))
      done
    done
    [ ${#running[@]} -gt 0 ] || return
    collect_job
    busy[$ended_lane]=$((busy[$ended_lane] - 1))
    is_over "$ended_lane" && lane_ended "$ended_lane"
  done
}

end_tree() { # end_tree PID: and all that it started
  local child
  for child in $(pgrep -P "$1"); do end_tree "$child"; done
  kill -TERM "$1" 2>/dev/null
}

# Jobs do not outlive an interrupted run.
end_jobs() {
  local pid
  for pid in "${!running[@]}"; do end_tree "$pid"; done
  wait
  exit 130
}
trap end_jobs INT TERM HUP
