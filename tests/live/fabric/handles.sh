#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests what users do by hand: hosts by name, stopping and starting one switch. A fabric also
# reports if it cannot show what it was made for.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq

state_is() { # state_is SWITCH STATE: fabric status reports this state
  fabric status --csv | grep -q "^$1,drb-$1,[0-9]*,$2,"
}

# says PATTERN COMMAND...: the command succeeds with exactly one line on standard error, which
# matches
says() {
  local pattern=$1 said
  shift
  said=$("$@" 2>&1 >/dev/null) || { echo "failed: $said" && return 1; }
  echo "said: $said"
  [ "$(wc -l <<<"$said")" = 1 ] && grep -qE -- "$pattern" <<<"$said"
}

says_nothing() {
  local said
  said=$("$@" 2>&1 >/dev/null) && [ -z "$said" ] || { echo "said: $said" && return 1; }
}

check "a fabric without a rate" bash -c "'$root/topo/fabric' up -l 2 -d 2 2>'$scratch/up'"
check "says what drb sees" grep -E '^drbfabric: no --rate, so drb sees no queues: .*--rate 500pps$' "$scratch/up"
check "what memif links would bring" grep '^drbfabric: links between switches are veths: --links memif' "$scratch/up"
check "and no more" test "$(wc -l <"$scratch/up")" = 2
check "so does a new plan" says 'no --rate, so micro sees' fabric replan --scheme micro
check "D-mod-k looks at no queues" says_nothing fabric replan --scheme dmodk
check "with a rate nothing is said" says_nothing fabric replan --scheme drb --rate 20000pps
check "hosts have names" soon fabric exec h0 -- ping -c 1 -W 5 h7
check "in IPv4, too" soon fabric exec h0 -- ping -4 -c 1 -W 5 h7

# Packets from h0 go up the port of h7's first digit, over a core, and down to h7.
drbctl path h0 h7 --json >"$scratch/path"
check "the way from one host to another" jq -es 'map("\(.switch).\(.port)") ==
  ["s1-0.u1", "s2-1.d3", "s1-3.d1"] and .[2].to == "h7.eth0" and all(.[]; .state == "up")' "$scratch/path"
check "what it may take instead" jq -es 'map(.others) == ["u0:0", "", ""] and .[0].scheme == "drb"' "$scratch/path"
check "a way within a switch" bash -c "'$build/src/ctl/drbctl' path h0 h1 --csv | grep -q '^s1-0,d1,h1.eth0,up,'"
check "no way to a host that is not there" fails_with 2 'hosts h0 to h7' drbctl path h0 h8
check "a way needs two hosts" fails_with 2 'two hosts are wanted' drbctl path h0
check "a switch is no host" fails_with 2 "'s1-0' is not a host" drbctl path h0 s1-0

check "what is not certain is said" bash -c \
  "'$build/src/ctl/drbctl' path h0 h7 2>&1 >/dev/null | grep -q '^drbctl: not certain from s1-0: threshold-based'"
check "a flow is read strictly" fails_with 2 "'tcp:80' is not a flow" drbctl path h0 h7 tcp:80
check "ports of what has none, too" fails_with 2 "not a flow" drbctl path h0 h7 icmp:1:2

# The path that drbctl reports is the path of packets: with ecmp, for each of some flows.
fabric replan --scheme ecmp >/dev/null
# uplinks_have_sent COUNT: all uplinks together, since $scratch/before
uplinks_have_sent() {
  drbctl show s1-0 ports --json >"$scratch/after"
  jq -ns --slurpfile a "$scratch/before" --slurpfile b "$scratch/after" '
    [$b[] as $x | $a[] | select(.port == $x.port and (.port | startswith("u"))) |
      {port, sent: ($x.out_packets - .out_packets)}]' | tee "$scratch/sent"
  jq -e "map(.sent) | add >= $1" "$scratch/sent"
}
flow_goes_as_said() { # flow_goes_as_said [-6] PORT
  local six=() to=10.0.0.8 family=AF_INET count=200 port
  if [ "$1" = -6 ]; then
    six=(-6) to=fd00::8 family=AF_INET6
    shift
  fi
  drbctl path h0 h7 "udp:$1:7777" "${six[@]}" --json >"$scratch/path" || return
  jq -es 'all(.[]; .certain)' "$scratch/path" >/dev/null || return
  port=$(jq -rs '.[0].port' "$scratch/path")
  drbctl show s1-0 ports --json >"$scratch/before"
  "$root/topo/fabric" exec h0 -- python3 -c "
import socket
s = socket.socket(socket.$family, socket.SOCK_DGRAM)
s.bind(('', $1))
for _ in range($count):
    s.sendto(bytes(30), ('$to', 7777))" || return
  soon uplinks_have_sent $count && jq -e --arg port "$port" "all(.[]; (.sent >= $count) == (.port == \$port))" "$scratch/sent"
}
for source in 5001 5002 5003 5004 5005 5006; do
  check "flow $source goes as it is said" flow_goes_as_said $source
  jq -rs '.[0].port' "$scratch/path" >>"$scratch/said"
done
check "flow 5001 of IPv6, too" flow_goes_as_said -6 5001
check "not all by one uplink" test "$(sort -u "$scratch/said" | wc -l)" = 2
check "without a flow nothing is certain" bash -c \
  "'$build/src/ctl/drbctl' path h0 h7 2>&1 >/dev/null | grep -q 'depends on the flow'"
fabric replan --scheme dmodk >/dev/null
check "D-mod-k is always certain" bash -c "'$build/src/ctl/drbctl' path h0 h7 --json | jq -es 'all(.[]; .certain)'"
fabric replan --scheme drb --rate 20000pps >/dev/null

routing_is() { drbctl show "$1" routing --json | jq -e "[.scheme, .threshold] == [\"$2\", \"$3\"]"; }
drbctl_set() { drbctl set "$@" 2>/dev/null; }
check "another threshold" drbctl_set s1-0 threshold=3.5
check "holds at once" routing_is s1-0 drb 3.5
check "for this switch alone" routing_is s1-1 drb 2
check "another scheme for all" drbctl_set --all scheme=walk
check "keeps the threshold" routing_is s1-0 walk 3.5
check "reaches all" routing_is s2-3 walk 2
check "reload goes by the config again" drbctl reload s1-0
check "which nobody has edited" routing_is s1-0 drb 2
drbctl_set --all scheme=drb
check "what was set is said" fails_with 0 'drb-s1-0: scheme drb -> walk, threshold 2 -> 3$' \
  drbctl set s1-0 threshold=3 scheme=walk
check "also that it was so before" fails_with 0 'drb-s1-0: scheme walk -> drb, threshold 3 as before$' \
  drbctl set s1-0 threshold=3 scheme=drb
check "also of the rest of the config" fails_with 0 'drb-s1-0: threshold 3 -> 2$' drbctl set s1-0 threshold=2
for mistake in 'threshold=-1:threshold' 'scheme=best:drb, dmodk' 'seed=2:cannot change' 'rate=5pps:no key of routing' \
  'threshold=:KEY=VALUE'; do
  check "set ${mistake%:*}" fails_with 1 "s1-0: set: .*${mistake##*:}" drbctl set s1-0 "${mistake%:*}"
done
check "what all refuse is said once" fails_with 1 "s1-0 and 5 more switches: set: T is no key of routing" drbctl set --all T=3
check "nothing of that holds" routing_is s1-0 drb 2
drbctl_set s1-0 scheme=drb:threshold=1
check "beside a scheme's own threshold there is no other" \
  fails_with 1 's1-0: set: routing.threshold: scheme drb:threshold=1 has its own: set a scheme' drbctl set s1-0 threshold=3
drbctl_set s1-0 scheme=drb
check "which goes with it" routing_is s1-0 drb 2
config=/run/drbswitch/drb/s1-0.yaml
check "what was set is not in the config" bash -c "! grep -q 'threshold: 3.5' $config"
check "set what?" fails_with 2 'nothing to set' drbctl set s1-0
check "set where?" fails_with 2 'a switch is missing' drbctl set threshold=3

check "a switch is stopped" fabric stop s2-1
# around FROM TO SWITCH: the path ends at the host, over usable ports, and avoids the switch
around() {
  drbctl path "$1" "$2" --json 2>"$scratch/said" | tee "$scratch/path" | jq -es --arg to "$2.eth0" --arg no "$3" \
    'last.to == $to and all(.[]; .state == "up" and .switch != $no)' || { cat "$scratch/path" "$scratch/said" && false; }
}
# Packets from h0 would pass the switch on their up path, packets from h3 on their down path.
check "the way is not over it" soon around h0 h7 s2-1
check "which is not certain" grep -q 'not certain from s1-0: .*' "$scratch/said"
check "packets take it" fabric exec h0 -- fping -q 10.0.0.8
check "it is stopped then, as asked for" state_is s2-1 stopped
check "the others are not" state_is s2-0 running
# listed SWITCH: prints its state, and whether it has a process
listed() {
  drbctl list --json | jq -r --arg s "$1" 'select(.switch == $s) | "\(.fabric) \(.code) \(.ports) \(.state) \(.pid > 0)"'
}
check "drbctl lists it as stopped" test "$(listed s2-1)" = "drb (1) 4 stopped false"
check "the others as running" test "$(listed s2-0)" = "drb (0) 4 running true"
check "all of them" test "$(drbctl list --csv | wc -l)" = 7
check "only this one is stopped" test "$(drbctl list --fabric drb | grep -c ' stopped ')" = 1
check "stopped twice" bash -c "'$root/topo/fabric' stop s2-1 | grep -q 'did not run'"
check "is stopped still" state_is s2-1 stopped
check "it is started again" fabric restart s2-1
check "it runs then" state_is s2-1 running
check "its neighbours use it" soon fabric check wiring
check "it is killed" fabric kill s2-1
check "which is another state" soon state_is s2-1 dead
check "started once more" fabric start s2-1
check "it runs again" state_is s2-1 running
before=$(fabric status --csv | sed -n 's/^s1-0,[^,]*,\([0-9]*\),.*/\1/p')
check "switches that run are started anew" fabric restart s1-0 s1-1 s1-0
check "as another process" bash -c "
  '$root/topo/fabric' status --csv | grep '^s1-0,' | grep -v ',$before,' | grep -q running"

fabric stop s1-2 >/dev/null
fabric exec s1-2 -- "$build/src/switch/drbswitch" -c /run/drbswitch/drb/s1-2.yaml &
by_hand=$!
check "one that was started by hand is known" soon state_is s1-2 running
check "drbctl lists it once" test "$(listed s1-2)" = "drb (2) 4 running true"
check "and ends when it is stopped" fabric stop s1-2
wait $by_hand
check "with status 0" test $? = 0
check "restart starts it" fabric restart s1-2
check "a host is no switch" fails_with 2 'h3 is a host: only switches are processes' fabric restart h3
check "a switch that is not there" fails_with 2 "no node 's9-9'" fabric stop s9-9
check "all is well" soon fabric check
ip netns delete drb-h2
check "a host whose namespace is gone" fails_with 1 'cannot enter namespace drb-h2: it is not there, or not any more' fabric exec h2 -- true
fabric down >/dev/null
check "no fabric, no restart" fails_with 2 'not up' fabric restart s1-0
check "nothing is left" nothing_left
finish
