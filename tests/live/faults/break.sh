#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Breaks what users may break: switches are killed, paused and started; links are cut, mended and
# slowed down. Does so by single commands, and at times from a file beside a replay.
# Quiet: packets are sent in slots.
# Full: it waits for faults to heal; heal.sh tests switches that die.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbctl
need_tool jq fping logrotate

state_is() { fabric status --csv | grep -q "^$1,drb-$1,[0-9]*,$2,"; }
link_is() { drbctl show "$1" links --json | jq -es --arg p "$2" --arg s "$3" 'any(.[]; .port == $p and .state == $s)'; }
says() { local said && said=$("${@:2}" 2>&1) && echo "$said" && grep -qE -- "$1" <<<"$said"; }

for links in veth memif; do # memif comes last: later checks use it
  up -l 2 -d 2 --rate 2000pps --links $links
  check "$links: a switch is killed" says '^s2-1: killed$' fabric kill s2-1
  check "$links: it is dead" soon state_is s2-1 dead
  check "$links: once" fails_with 2 's2-1 does not run' fabric kill s2-1
  check "$links: its neighbours do without it" soon link_is s1-0 u1 down
  decide "$links: every pair does" undisturbed 200 fabric check ping
  check "$links: it is started" says 's2-1: started' fabric start s2-1
  check "$links: started twice" says 's2-1: runs already' fabric start s2-1
  check "$links: and used" soon fabric check wiring
  check "$links: a switch is paused" fabric pause s2-0
  check "$links: nobody hears of it" soon link_is s1-0 u0 down
  check "$links: a link of it is cut meanwhile" fabric cut s1-1.u0
  check "$links: it goes on" fabric resume s2-0
  check "$links: and is used" soon link_is s1-0 u0 up
  check "$links: but for the link that was cut" soon link_is s2-0 d1 down
  check "$links: until it is mended" fabric mend s1-1.u0
  check "$links: then that is used, too" soon link_is s2-0 d1 up
  check "$links: a link is cut" says 's1-0.u0 - s2-0.d0: cut|s1-0.u0 . s2-0.d0: cut' fabric cut s1-0.u0
  check "$links: at both ends" soon link_is s2-0 d0 down
  check "$links: and mended" fabric mend s2-0.d0
  check "$links: from either end" soon link_is s1-0 u0 up
  check "$links: a link is cut while one of its switches is dead" fabric kill s2-1
  check "$links: at the other" fabric cut s1-2.u1
  check "$links: the switch comes back" fabric start s2-1
  check "$links: the link does not" soon link_is s2-1 d2 down
  check "$links: until it is mended" fabric mend s1-2.u1
  check "$links: then it does" soon link_is s2-1 d2 up
  [ $links = veth ] || check "$links: no link becomes gray" fails_with 2 'a memif link .* --links veth' fabric gray s1-0.u0
  [ $links = memif ] || check "$links: down" fabric down
done
check "a host's link is cut" says 'h0.eth0 - s1-0.d0: cut' fabric cut h0
check "nobody reaches it" bash -c "! '$root/topo/fabric' exec h7 -- fping -q -r 0 10.0.0.1 fd00::1"
check "it is mended" fabric mend h0
check "the host has its addresses again" soon fabric exec h7 -- fping -q -r 0 10.0.0.1 fd00::1
check "a link gets another rate" fabric rate s1-0.u1 500pps
rate_is() { drbctl show "$1" links --json | jq -es --arg p "$2" --arg r "$3" 'any(.[]; .port == $p and .rate == $r)'; }
check "here" rate_is s1-0 u1 500pps
check "and at the other end" rate_is s2-1 d0 500pps
check "and no other" rate_is s1-0 u0 2kpps
check "another one again" fabric rate s1-0.u1 2000pps
check "holds" rate_is s1-0 u1 2kpps
check "a rate that is none" fails_with 1 'rate' fabric rate s1-0.u1 fast
check "changes nothing" rate_is s1-0 u1 2kpps
check "a link that is not there" fails_with 2 "no link 's1-0.u7'" fabric cut s1-0.u7
check "what was said" says '^s1-0: .*(ready|link|port)' fabric logs -n 50
check "by one switch" says 'drbswitch: .*port u' fabric logs s1-1
log=/run/drbswitch/drb/log/s1-0.log
# The configuration on the page, for this fabric alone.
sed -n '/^For logrotate/,/^}/{/^\//,/^}/p}' "$root/docs/guide/monitoring.md" |
  sed "s|^/run/drbswitch/\*/|/run/drbswitch/drb/|" >"$scratch/rotate"
rotated() { # the log begins again, without a hole
  logrotate -f -s "$scratch/rotated" "$scratch/rotate" && grep -aq ready "$log.1" && ! grep -aq ready "$log" &&
    drbctl reload s1-0 && soon grep -aq reloaded "$log" && ! tr -d '\n -~' <"$log" | grep -q .
}
check "logrotate cuts a log off" rotated
fabric logs -f s1-0 >"$scratch/followed" &
follower=$!
check "somebody follows it" soon grep -q reloaded "$scratch/followed"
renamed() { mv "$log" "$log.old" && drbctl reload s1-0 && soon grep -aq reloaded "$log" && ! grep -aq ready "$log"; }
for i in 1 2 3; do
  check "a log that is renamed begins again ($i)" renamed
  followed() { [ "$(grep -c reloaded "$scratch/followed")" = $((i + 1)) ]; }
  check "and is followed ($i)" soon followed
done
kill $follower

printf '# a fault and its end\n500ms kill s2-1\n1s cut s1-3.u0\n2s mend s1-3.u0\n2s start s2-1\n' >"$scratch/faults"
drbgen write -l 2 -d 2 --load 0.3 --slots 1500 --out "$scratch/traffic" 2>/dev/null
scenario() { # scenario: status 1 means that packets were lost
  fabric scenario "$scratch/faults" --replay "$scratch/traffic" --json >"$scratch/axis" 2>"$scratch/said"
  cat "$scratch/axis"
  jq -es 'length > 5 and ([.[].time_s] == ([.[].time_s] | sort)) and
    any(.[]; .delivered_pps > 100) and any(.[]; .silent == 1) and (last.silent == 0)' "$scratch/axis"
}
decide "a scenario beside a replay" undisturbed 100 scenario
# Events that are due together are in one row, or also in the next one if the first took long.
check "names what happened when" jq -es '[.[] | select(.event != "")] |
  (first.time_s >= 0.5) and (last.time_s >= 2) and ([.[].event] | join(", ") |
  test("^s2-1 killed, s1-3.u0 - s2-0.d3 cut, s1-3.u0 - s2-0.d3 mended, s2-1 started$"))' "$scratch/axis"
check "and the replay's report, a line of JSON" bash -c "grep '^{' '$scratch/said' | jq -e '.sent > 0'"
printf '1s kill s2-1\n1s cut s1-3.u0\n2s cut h4\n2s mend h4\n50s mend s1-3.u0\n51s start s2-1\n' >"$scratch/long"
for signal in INT TERM HUP; do
  # The signal comes when four lines of the scenario are done.
  four_done() { grep -q 'h4[^"]* mended' "$scratch/axis"; }
  ended_by_signal() {
    local pid
    rm "$scratch/axis"
    # Bash has programs in the background ignore SIGINT.
    env --default-signal=INT "$root/topo/fabric" scenario "$scratch/long" --replay "$scratch/traffic" --json \
      >"$scratch/axis" 2>"$scratch/said" &
    pid=$!
    soon four_done
    kill -s $signal $pid
    wait $pid
  }
  interrupted() { # rows so far, the replay's report, and one line of what is left
    ended_by_signal
    tail -n 1 "$scratch/said"
    fabric start s2-1 && fabric mend s1-3.u0
    jq -es 'length > 2 and ([.[].event | select(. != "")] | join(", ") |
      test("^s2-1 killed, s1-3.u0 - s2-0.d3 cut, h4[^,]* cut, h4[^,]* mended$"))' "$scratch/axis" &&
      grep '^{' "$scratch/said" | jq -e '.sent > 0' && tail -n 1 "$scratch/said" | grep -x \
      "drbfabric: ended by SIG$signal; 2 events not done, from $scratch/long:5 on; not undone: s2-1 killed, s1-3.u0 - s2-0.d3 cut"
  }
  check "a scenario that SIG$signal ends" interrupted
done
echo '2 kill s2-1' >"$scratch/wrong"
check "a line that is none" fails_with 2 'wrong:1: .*TIME VERB' fabric scenario "$scratch/wrong"
links_are_up() { drbctl show s1-0 links --json | jq -es 'all(.[]; .state == "up")'; }
check "all links are up" soon links_are_up
mistake() { # mistake LINE PATTERN: it is found before the first line is carried out
  printf '# first a cut\n0s cut s1-0.u0\n%s\n' "$1" >"$scratch/wrong"
  fails_with 2 "wrong:3: $2" fabric scenario "$scratch/wrong" && links_are_up
}
check "a switch that is not there" mistake '1s kill s9-9' "kill: .*no node 's9-9'"
check "a host in place of a switch" mistake '1s pause h0' 'pause: h0 is a host'
check "a link that is not there" mistake '1s mend s1-0.u9' "mend: .*no link 's1-0.u9'"
check "a rate that is missing" mistake '1s rate s1-0.u0' 'rate: a link and a rate are wanted'
check "a rate that is none" mistake '1s rate s1-0.u0 fast' 'rate: .*--rate fast: must be a rate'
echo '0s cut s1-0.u0' >"$scratch/cut"
check "traffic that is not there" fails_with 2 'replay .*nothing: No such file' \
  fabric scenario "$scratch/cut" --replay "$scratch/nothing"
check "leaves links as they are" links_are_up
python3 -B "$root/tests/live/traffic/make_capture.py" "$scratch/c.pcap" 60
echo '192.168.1.7 h99' >"$scratch/map"
check "a map with a mistake" fails_with 2 'map:1: .*h0 to h7' fabric scenario "$scratch/cut" --replay "$scratch/c.pcap" --map "$scratch/map"
check "leaves links as they are, too" links_are_up
check "a map without a replay" fails_with 2 '--map: goes with --replay' fabric scenario "$scratch/cut" --map "$scratch/map"
echo '192.168.0.0/16 h4' >"$scratch/map"
check "a map of a capture" fabric scenario /dev/null --replay "$scratch/c.pcap" --map "$scratch/map" --flow-records "$scratch/flows"
check "is used" grep -q ',h4,' "$scratch/flows"
check "a file that is not there" fails_with 2 'drbfabric: nothing: No such file or directory$' fabric scenario nothing
check "a table for people" says 'delivered/s' fabric scenario /dev/null --duration 300ms --interval 100ms
check "all is well" soon fabric check
check "down" fabric down
check "nothing is left" nothing_left
finish
