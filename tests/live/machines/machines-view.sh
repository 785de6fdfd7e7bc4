#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One view shows F(3,2) over two machines: checks, drbctl, metrics and an experiment cover both.
# Also tests what it shows when one machine is gone.
# Full: it waits for minutes; machines.sh tests two machines, test_machines.py their replies.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen drbsim
# shellcheck source=tests/live/machines/machines.bash
. "$(dirname "$0")/machines.bash"

start_machines "a b" --rate 500pps
check "up" playbook up

view() { fabric "$1" --machines $shared/plan "${@:2}"; }
# every_switch JQ COUNT: both machines have COUNT switches together, and all fulfil the condition
every_switch() { view ctl list --json | jq -se "length == $2 and all(.[]; $1)"; }
one_table() { view check wiring counters links --json | jq -se 'all(.[]; .failed == 0) and length == 7'; }
check "one table has the checks of both" one_table
check "one table has the switches of both" every_switch '.state == "running" and .trouble == ""' 20
asked_one() { view ctl show s1-7 --json | jq -se 'length == 4 and all(.[]; .machine == "b")'; }
check "a switch is found where it is" asked_one
metrics() { # metrics UP OF: OF switches are listed, and UP of them are up
  view ctl metrics >$scratch/metrics 2>$scratch/said || [ "$1" -lt "$2" ] || return
  ! command -v promtool >/dev/null || promtool check metrics <$scratch/metrics || return
  [ "$(grep -c '^drb_up{' $scratch/metrics)" = "$2" ] && [ "$(grep -c '^drb_up{.* 1$' $scratch/metrics)" = "$1" ]
}
check "one exposition has the metrics of both" metrics 20 20
# way SWITCHES: the path from a host of a to a host of b has this number of switches
way() {
  view ctl path h0 h15 udp:7:7 --json | jq -se "length == $1 and .[0].switch == \"s1-0\" and .[-1].to == \"h15.eth0\" and
    all(.[]; .state == \"up\")"
}
check "the way from one machine to the other is told" way 5
# rounds COUNT: this number of rounds of a watch list all switches
rounds() {
  view ctl watch --count "$1" --interval 100ms --json |
    jq -se "length == 20 * $1 and ([.[].machine] | unique) == [\"a\", \"b\"] and all(.[]; .out_pps >= 0)"
}
check "a watch has the switches of both in each round" rounds 2
measured() {
  view experiment --scheme drb,walk --load 0.3 --slots 250 --json | tee $scratch/measured | jq -se 'length == 2 and
    all(.[]; .sent > 0 and .lost == 0 and .mean_slots > .simulated_slots)'
}
decide "an experiment loses nothing" undisturbed 100 measured
sed 's/^/# /' $scratch/measured

# Runs a real Prometheus with the exported config, if it is installed.
# scrapes QUERY VALUE: all results of the query have this value
scrapes() {
  curl -sG http://127.0.0.1:9090/api/v1/query --data-urlencode "query=$1" | tee $scratch/scraped |
    jq -se ".[0].data.result | length > 0 and all(.[]; .value[1] == \"$2\")" || { cat $scratch/scraped && false; }
}
scraped=
if command -v prometheus >/dev/null && command -v curl >/dev/null; then
  scraped=yes
  for at in a:1 b:2; do
    on ${at%:*} "$build/src/ctl/drbctl serve --listen 10.99.0.${at#*:}:9110" >$scratch/serve-${at%:*} 2>&1 &
  done
  check "a config for Prometheus" fabric export prometheus $shared/plan
  prometheus --config.file=$shared/plan/prometheus.yml --storage.tsdb.path=$scratch/tsdb --web.listen-address=127.0.0.1:9090 \
    >$scratch/prometheus 2>&1 &
  check "Prometheus has ten switches of a" soon scrapes 'sum(drb_up{machine="a"})' 10
  check "and ten of b" soon scrapes 'sum(drb_up{machine="b"})' 10
else
  skip "Prometheus scrapes both machines" "prometheus or curl is not installed"
fi

machine_kill b
# gone: links to the machine that is gone are reported, and exactly these are down elsewhere
gone() {
  view ctl list --json >$scratch/rows 2>$scratch/said
  [ $? = 1 ] && grep -q '^drbfabric: b (10.99.0.2) does not answer: 10 switches, 8 hosts' $scratch/said &&
    [ "$(jq -r 'select(.trouble == "machine gone" and .state == "unknown").machine' $scratch/rows | uniq -c | tr -d ' ')" = 10b ] &&
    view ctl show --all links --json 2>&1 >$scratch/links | sed 's/.* to it: //; s/ /\n/g' >$scratch/ends
  diff <(sort $scratch/ends) <(jq -r 'select(.state == "down") | "\(.switch).\(.port)"' $scratch/links | sort) &&
    [ "$(wc -l <$scratch/ends)" = 8 ]
}
check "one table says who is gone, and its links are down" soon gone
check "metrics say so, too" metrics 10 20
# The path is followed up to the machine that does not answer.
no_way() {
  view ctl path h0 h15 --json >$scratch/way 2>$scratch/said
  [ $? = 1 ] && cat $scratch/said && grep -qE '^drbctl: .*: (no path leads on|not running)' $scratch/said && grep -q '^drbfabric: b (10.99.0.2) does not answer' $scratch/said
}
check "a way that ends at what is gone is told so far" no_way
[ -z "$scraped" ] || check "Prometheus sees b go" soon scrapes 'up{machine="b"}' 0
check "the rest goes down" playbook down --limit a
check "nothing is left there" nothing_left_on a
finish
