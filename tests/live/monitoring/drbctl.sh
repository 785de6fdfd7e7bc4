#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbctl reads every running switch, distinguishes dead from silent ones, and detects missing
# packets.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq setpriv

same() { diff <(sort <<<"$1") <(sort <<<"$2"); }


# says PATTERN COMMAND...: the command succeeds and prints a line that matches
says() {
  local pattern=$1 said
  shift
  said=$("$@" 2>&1) || { echo "failed: $said" && return 1; }
  grep -qE -- "$pattern" <<<"$said" || { echo "printed: $said" && return 1; }
}

# column KEY COMMAND...: prints the sum of a CSV column
column() {
  local key=$1
  shift
  "$@" --csv | python3 -c 'import csv, sys
print(sum(int(row[sys.argv[1]]) for row in csv.DictReader(sys.stdin)))' "$key"
}

each_line_is_json() {
  "$@" --json | python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin]
assert rows and all(isinstance(row, dict) and row["switch"] for row in rows)'
}

check "nobody runs" fails_with 1 'no switch is running' drbctl list
check "one of nobody" fails_with 1 'drb-s1-0: not running' drbctl show s1-0

up -l 2 -d 2
# Becomes root of this world without its permission to access other users' files.
stranger() { setpriv --bounding-set=-dac_override,-dac_read_search "$build/src/ctl/drbctl" "$@"; }
folder=$(ls -d /run/dpdk/drb-s1-0)
chmod 0 "$folder"
check "a switch of another user" fails_with 1 "drb-s1-0: no permission .*$folder.* sudo" stranger show s1-0
chmod 700 "$folder" && chmod 0 /run/dpdk
check "switches of another user" fails_with 1 'no running switch is accessible: no permission .*/run/dpdk, .*sudo' stranger list
check "packets of another user" fails_with 1 'drb-s1-0: no permission' stranger capture s1-0
chmod 700 /run/dpdk
check "list shows the switches of the plan" same \
  "$(drbctl list --csv | awk -F, 'NR > 1 { print $2 }')" \
  "$(drbtopo list -l 2 -d 2 --csv | awk -F, 'NR > 1 { print $1 }')"
check "all run" test "$(drbctl list --csv | grep -c ',running,')" = 6
check "links are those of the wiring formula" same \
  "$(drbctl show --all links --csv | awk -F, '$3 ~ /^u/ { print $2 "." $3 "=" $4 }')" \
  "$(drbtopo list links -l 2 -d 2 --csv | awk -F, '$1 ~ /^s/ { print $1 "." $2 "=" $3 "." $4 }')"
for view in ports routing drops worker info links; do
  check "show $view of one" says '^(switch|name) ' drbctl show s2-1 $view
  check "show $view of all as JSON" each_line_is_json drbctl show --all $view
done
# A core switch has no uplinks whose use could be measured.
check "utilisation of no uplinks" says '^utilisation +- ' drbctl show s2-1 routing
check "as JSON" bash -c "'$build/src/ctl/drbctl' show s2-1 routing --json | jq -e 'has(\"utilisation\") and .utilisation == null'"
check "of uplinks it is a number" bash -c "'$build/src/ctl/drbctl' show s1-0 routing --json | jq -e '.utilisation | type == \"number\"'"
check "list as JSON" each_line_is_json drbctl list
check "a colour that is none" fails_with 2 '--color red: must be auto, always or never' drbctl list --color red
check "a switch by its full name" says '^s1-3 ' drbctl show drb-s1-3
check "two switches" test "$(drbctl show s1-0 s1-1 info --csv | wc -l)" = 3

counted() { # counted: fifty packets and fifty replies
  local before
  before=$(column in_packets drbctl show s1-0)
  fabric exec h0 -- ping -q -c 50 -i 0.01 10.0.0.8 && [ $(($(column in_packets drbctl show s1-0) - before)) -ge 100 ]
}
decide "packets of traffic are counted" undisturbed 200 counted
check "and sent up" test "$(column up_default drbctl show s1-0 routing)" -ge 50
check "reload one" fails_with 0 'drb-s1-0 reloaded: scheme drb' drbctl reload s1-0
check "reload all" test "$(drbctl reload --all 2>&1 | grep -c ' reloaded: ')" = 6
check "reload nobody" fails_with 2 'a switch is missing' drbctl reload
check "drain a core and a port" test "$(drbctl drain s2-0 s1-3.u0 2>&1 | grep -c ': drained now: ')" = 2
check "drain nobody" fails_with 2 'a switch or a port is missing' drbctl drain
check "drain one that is not there" fails_with 1 'drb-s9-0: not running' drbctl drain s9-0.u0
check "drain a switch with hosts" fails_with 1 's1-0: not drained: its hosts' drbctl drain s1-0
check "undrain all" test "$(drbctl undrain --all 2>&1 | grep -c ': nothing is drained now')" = 6
check "reload one that is not there" fails_with 1 'drb-s9-0: not running' drbctl reload s9-0
check "conserved" drbctl check
check "as JSON, too" bash -c "'$build/src/ctl/drbctl' check --json | grep -c '\"conserved\":true,.*\"missing_packets\":0}' | grep -x 6"
check "conserved, under load" bash -c '"$0" exec h1 -- ping -q -f -c 2000 10.0.0.7 >/dev/null & sleep 0.05
  for _ in 1 2 3 4 5; do "$1" check || exit; done; wait' "$root/topo/fabric" "$build/src/ctl/drbctl"

drops() { drbctl watch -i 50ms -c 1 --json | jq -s 'map(.drops) | add'; }
before=$(drops)
# Send a packet here, because those that kernels send on their own may come later.
fabric exec h0 -- ping -q -c 2 -i 0.1 -W 0.1 -I eth0 224.0.0.9 >/dev/null
check "multicast is no loss" test "$(drops)" = "$before"
check "what is no loss is named" bash -c "'$build/src/ctl/drbctl' show s1-0 2>&1 | grep 'of these drops are multicast that no switch answers'"
check "nothing was dropped" bash -c "'$build/src/ctl/drbctl' show s2-1 drops 2>&1 | grep 'nothing was dropped'"
check "options before the verb" test "$(drbctl --json --fabric drb list | jq -s length)" = 6
check "which may be meant otherwise" fails_with 2 'options must follow the verb: drbctl drain --fabric' drbctl --fabric drain list
check "of drbfabric" bash -c "'$root/topo/fabric' --json status | jq -es 'length == 14'"
check "which may be meant otherwise" fails_with 2 'options must follow the verb: .*fabric up --fabric' fabric --fabric up status
check "watch, plain" test "$(drbctl watch -i 50ms -c 3 | grep -c '^switch')" = 3
check "watch as CSV is one table" test "$(drbctl watch -i 50ms -c 3 --csv s1-0 s1-1 | wc -l)" = 7
if command -v script >/dev/null; then
  # fits COMMAND: no line of its output is longer than the 80 columns of a terminal
  fits() {
    script -qec "stty cols 80 rows 24; $* 2>/dev/null" /dev/null | sed $'s/\r//; s/\e\\[[0-9;]*[HJm]//g' >"$scratch/shown"
    awk 'length > 80 { print; bad = 1 } END { exit bad || NR < 2 }' "$scratch/shown"
  }
  shows() { grep -qE "$1" "$scratch/shown"; }
  ctl=$build/src/ctl/drbctl
  for view in list check "show s1-0" "show --all" "show s1-0 drops" "show --all drops" "show s1-0 links" "show s1-0 routing" \
    "show s1-0 worker" "show s1-0 info" "show --all info" "path h0 h7" "watch -i 50ms -c 1" "--fabric drb list"; do
    check "drbctl $view fits" fits "$ctl $view"
  done
  for command in "topo/fabric status" "topo/fabric check" "topo/fabric --csv status" "${ctl%/*/*}/plan/drbtopo list links -l 2 -d 2" \
    "${ctl%/*/*}/plan/drbtopo schemes" "${ctl%/*/*}/sim/drbsim packet -l 2 -d 2 --slots 50 --stats 50 --scheme all" \
    "${ctl%/*/*}/gen/drbgen replay $scratch/traffic"; do
    [ -d "$scratch/traffic" ] || drbgen write -l 2 -d 2 --load 0.3 --slots 20 --out "$scratch/traffic"
    check "${command##*/} fits" fits "cd $root; $command"
  done
  check "what is left out is named" bash -c "script -qec 'stty cols 80; $ctl show s1-0' /dev/null | grep -c '^Left out .--wide shows all.: .*queue'"
  check "and shown" bash -c "script -qec 'stty cols 80; $ctl show s1-0 --wide' /dev/null | grep -c ' in bytes .* ring pkts'"
  fits "$ctl show s1-0 drops"
  check "drops that are zero are left out" bash -c "! grep -E ' 0 ' '$scratch/shown'"
  screen=$(script -qec "$build/src/ctl/drbctl watch -i 50ms -c 2" /dev/null)
  check "watch stays in place on a terminal" test "$(grep -c $'\033\\[H' <<<"$screen")" = 2
else
  skip "watch stays in place on a terminal" "script is not installed"
fi

refused() { check "$1" fails_with 2 "${@:2}"; }
refused "no verb" 'list, show, path, trace, watch, check, events, capture, metrics, serve, record, reload, set, drain, undrain, down or up' drbctl
refused "an unknown verb" "'lost'" drbctl lost
refused "no switch" 'a switch is missing' drbctl show
refused "no switch but a word" "'core' is neither a switch, like s2-5, nor one of ports, routing" drbctl show core
refused "a host" "'h3' is a host" drbctl show h3
refused "a switch and all" 'must be one of them' drbctl show --all s1-0
refused "two views" 'must be one of them' drbctl show s1-0 ports drops
refused "a fabric that is a path" 'not a fabric name' drbctl list --fabric ../x
refused "an interval without unit" '--interval' drbctl watch -i 5
check "a switch that is not there" fails_with 1 'drb-s2-9: not running' drbctl show s2-9
check "another fabric" fails_with 1 "'lab'" drbctl list --fabric lab
check "a full disk" fails_with 1 'standard output' bash -c '"$0" list >/dev/full' "$build/src/ctl/drbctl"

pid=$(pid_of s2-0)
kill -STOP "$pid"
fails_quietly() { ! "$@" >"$scratch/said" 2>&1 && ! grep '^drbctl: ' "$scratch/said"; }
check "a hung switch is an error" fails_quietly drbctl list
check "its row says so" grep -qE '^drb +s2-0 .* hung +answers nothing' "$scratch/said"
check "the last line counts it" test "$(tail -n 1 "$scratch/said")" = "6 switches: 5 running, 1 hung"
check "show says so" fails_with 1 'drb-s2-0: hung, answers nothing' drbctl show s2-0
kill -CONT "$pid"
check "it answers again" says '^s2-0 ' drbctl show s2-0
kill -KILL "$pid"
# Its threads end one after another; with the last one, the socket closes.
check "a dead switch is named as that" soon fails_with 1 'drb-s2-0: dead, killed' drbctl show s2-0
fabric down >/dev/null

# One of twenty is killed and one is stopped: all programs have a row for each, in the same words.
up -l 3 -d 2
well "all links are up"
kill -KILL "$(pid_of s2-1)" && kill -STOP "$(pid_of s3-2)"
# the_same STATUS COMMAND...: it has this status and prints 20 lines "SWITCH STATE", two not running
the_same() {
  local status=$1 said got
  shift
  said=$("$@" 2>/dev/null)
  got=$?
  [ $got = "$status" ] && [ "$(wc -l <<<"$said")" = 20 ] && [ "$(grep -v ' running$' <<<"$said")" = $'s2-1 dead\ns3-2 hung' ] ||
    { echo "status $got: $said" && return 1; }
}
rows_of() { drbctl "$@" --json | jq -r '"\(.switch) \(.state)"' && return "${PIPESTATUS[0]}"; }
states_in_metrics() { drbctl metrics | sed -n 's/^drb_switch_state{.*switch="\([^"]*\)",.*state="\([^"]*\)"} 1$/\1 \2/p'; }
states_in_status() { fabric status --json | jq -r 'select(.node | startswith("s")) | "\(.node) \(.state)"' && return "${PIPESTATUS[0]}"; }
check "list has both" soon the_same 1 rows_of list
check "with status 1" fails_quietly drbctl list
check "when and how" test "$(grep -cE ' (dead +killed at|hung +answers nothing since) [0-9:]{8} ' "$scratch/said")" = 2
check "counted in the last line" test "$(tail -n 1 "$scratch/said")" = "20 switches: 18 running, 1 hung, 1 dead"
check "watch, too" the_same 1 rows_of watch -c 1 -i 50ms
check "check, too" the_same 1 rows_of check
check "metrics, too" the_same 0 states_in_metrics
check "drbfabric status, too" the_same 1 states_in_status
if command -v script >/dev/null; then
  screen=$(script -qec "stty cols 80 rows 16; $build/src/ctl/drbctl watch -i 50ms -c 1" /dev/null | tr -d '\r')
  check "watch fits its window" test "$(wc -l <<<"$screen")" -le 15
  check "with the worst first" test "$(sed -n '2,3s/ .*//p' <<<"$screen" | xargs)" = "s2-1 s3-2"
  check "says what it leaves out" grep -qx 'and 10 more (--wide shows all)' <<<"$screen"
  check "and has a line for all" grep -qE '^20 switches: 18 running, 1 hung, 1 dead; [0-9]+ pkt/s to hosts, .*drops/s$' <<<"$screen"
fi
fabric down >/dev/null

fake() { # fake FABRIC INSTANCE LOST UNNAMED
  local socket=/run/dpdk/$1-s1-0/dpdk_telemetry.v2
  python3 "$root/tests/live/monitoring/fake_switch.py" "$socket" "$2" "$3" "$4" &
  soon test -S "$socket"
}

fake whole whole-s1-0 0 0
fake losing losing-s1-0 3 0
fake silent silent-s1-0 0 2
fake posing drb-s1-0 0 0
fake foreign other 0 0
check "conserved again" drbctl check --fabric whole
check "lost packets are found" fails_with 1 '3 packets are gone' drbctl check --fabric losing
check "drops without a reason are found" fails_with 1 '0 of 2 dropped' drbctl check --fabric silent
check "a process under another's name" fails_with 1 'cannot be understood' \
  drbctl list --fabric posing
check "a DPDK process that is no switch" fails_with 1 'no switch' drbctl list --fabric foreign
finish
