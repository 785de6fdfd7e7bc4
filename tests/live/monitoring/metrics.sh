#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Monitoring systems get the same figures from drbctl metrics as users from drbctl show.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq promtool

linted() { drbctl metrics | tee "$scratch/metrics" | promtool check metrics; }

# sum_of METRIC: prints its sum over all series
sum_of() {
  drbctl metrics | awk -v metric="$1{" 'index($0, metric) == 1 { sum += $NF } END { printf "%.0f\n", sum }'
}

# same_sum METRIC COLUMN: metrics and drbctl show agree
same_sum() {
  local metric shown
  metric=$(sum_of "$1") && shown=$(drbctl show --all ports --json | jq -s "map(.$2) | add")
  echo "$1: $metric, drbctl show: $shown"
  [ "$metric" = "$shown" ] && [ "$shown" -gt 0 ]
}

up_is() { drbctl metrics | grep -qF "drb_up{fabric=\"drb\",switch=\"$1\",layer=\"${1:1:1}\"} $2"; }

check "no switch is running" fails_with 1 'no switch is running' drbctl metrics
check "nothing to watch" fails_with 1 'no switch is running' drbctl watch
drbgen write -l 3 -d 2 --traffic permutation --load 0.8 --slot 2ms --slots 300 --out "$scratch/traffic" >/dev/null
up -l 3 -d 2 --rate 500pps
decide "a replay" undisturbed 100 drbgen replay "$scratch/traffic"
# Counters of packets exclude hellos, so they do not change between two replays.
check "promtool has nothing to say" linted
check "nor anything to print" test -z "$(promtool check metrics <"$scratch/metrics" 2>&1)"
monitoring=$root/deploy/monitoring
check "rules: promtool takes them" promtool check config "$monitoring/prometheus.yml"
check "rules: they do what they say" promtool test rules "$monitoring/drb.rules.test.yml"
check "board and rules: every metric is there" python3 -B "$root/tests/live/monitoring/board.py" "$monitoring/drb-board.json" \
  "$monitoring/drb.rules.yml" "$scratch/metrics" "$scratch/queries.yml"
schema=${DRB_SCHEMAS:-/nowhere}/dashboard.jsonschema.json
if [ -f "$schema" ]; then
  check "board: Grafana's schema takes it" python3 -B "$root/tests/live/monitoring/board.py" "$monitoring/drb-board.json" \
    "$monitoring/drb.rules.yml" "$scratch/metrics" /dev/null "$schema"
else
  skip "board: Grafana's schema takes it" "no dashboard.jsonschema.json: DRB_SCHEMAS must name a folder with it"
fi
check "board: promtool takes its queries" promtool check rules "$scratch/queries.yml"
check "packets received" soon same_sum drb_port_in_packets_total in_packets
check "bytes sent" soon same_sum drb_port_out_bytes_total out_octets
sum_is() { [ "$(sum_of "$1")" = "$2" ]; }
check "every switch is up" soon sum_is drb_up 20
check "every link is up" soon sum_is drb_port_up 80
pid=$(drbctl list --json | jq -r 'select(.switch == "s2-1") | .pid')
kill -9 "$pid"
check "a killed switch is down" soon up_is s2-1 0
check "the others are there" soon sum_is drb_up 19
check "another is stopped" fabric stop s2-2
check "which is down, too" up_is s2-2 0
check "18 are there" soon sum_is drb_up 18
check "csv is refused" fails_with 2 "unrecognized option '--csv'" drbctl metrics --csv
check "down" fabric down
check "nothing is left" nothing_left
finish
