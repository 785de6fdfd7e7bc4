# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# tests/run.sh sources this to run jobs in parallel. A job is a function of the runner with
# arguments. Its output is shown in one piece when it ends, with its duration. It reports its checks
# with `count`.

logs=build/test-logs
declare -A running=()     # process ID -> words of the job
declare -A lane_of=()     # process ID -> lane of the job
declare -a total=(0 0 0 0 0)
seconds=()                # "NAME SECONDS", in the order of their ends
# Jobs report their end in a pipe, because `wait -n` forgets a job that ends while another is
# collected.
exec {ended}<> <(:)

# count PASSED FAILED SKIPPED [REPEATED UNDECIDED]: a job calls this to report its checks
count() { echo "$1 $2 $3 ${4:-0} ${5:-0}" >>"$job_files.counts"; }

job_name() { local words=$*; echo "${words//[ \/]/-}"; }

start_job() { # start_job LANE COMMAND...
  local lane=$1 job_files
  shift
  job_files=$logs/job-$(job_name "$@")
  rm -f "$job_files".{counts,out,time}
  (
    # shellcheck disable=SC2064 # of this subshell
    trap "echo $BASHPID >&$ended" EXIT
    TIMEFORMAT='%0R %0U %0S'
    { time "$@" >"$job_files.out" 2>&1 </dev/null {ended}>&-; } 2>"$job_files.time"
  ) &
  running[$!]="$*"
  lane_of[$!]=$lane
}

# collect_job: waits for the job that ends first, shows its output, and adds its counts to the total
collect_job() {
  local pid files words took=0 cpu=0 sys=0 i
  until read -r -t 5 -u "$ended" pid && [ -n "${running[$pid]:-}" ]; do
    for pid in "${!running[@]}"; do
      kill -0 "$pid" 2>/dev/null || break 2 # it was killed, and reported nothing
    done
  done
  words=${running[$pid]}
  ended_lane=${lane_of[$pid]}
  unset "running[$pid]" "lane_of[$pid]"
  # shellcheck disable=SC2086 # splitting is intended
  files=$logs/job-$(job_name $words)
  # The file is empty if the job was killed.
  [ ! -s "$files.time" ] || read -r took cpu sys <"$files.time"
  echo "== ${words//_/ }: $took s, $((cpu + sys)) s of CPU time"
  cat "$files.out"
  # Failures are repeated at the end, once and with reasons: the log of a whole run has thousands of
  # lines.
  awk '/^not ok / { lines = said[$0]++ ? 0 : 20 } !/^(not ok |#)/ { lines = 0 } lines-- > 0' "$files.out" |
    sed "s|^|${words//[_|]/ }: |" >>"$logs/failed"
  seconds+=("${words//_/ } $took")
  [ -s "$files.counts" ] || echo 0 1 0 0 0 >"$files.counts"
  while read -r -a counts; do
    for i in "${!counts[@]}"; do total[i]=$((total[i] + counts[i])); done
  done <"$files.counts"
  rm -f "$files".{counts,time}
}

# run_lanes ARRAY WIDTH...: runs the jobs of each array, WIDTH of them at a time. When the last job
# of an array has ended, calls lane_ended ARRAY, which may add jobs to other arrays.
lane_ended() { :; }
is_over() { # is_over LANE: for run_lanes
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
        # shellcheck disable=SC2086 # splitting is intended
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

end_tree() { # end_tree PID: ends the process and all its descendants
  local child
  for child in $(pgrep -P "$1"); do end_tree "$child"; done
  kill -TERM "$1" 2>/dev/null
}

# end_jobs: jobs do not outlive an interrupted run
end_jobs() {
  local pid
  for pid in "${!running[@]}"; do end_tree "$pid"; done
  wait
  exit 130
}
trap end_jobs INT TERM HUP
