#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# DPDK's own client reads the stats sockets. tests/unit/switch/control/test_replies.c tests all
# replies.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch
need_tool dpdk-telemetry.py jq

# ask SWITCH COMMAND: prints the reply, without the client's greeting
ask() {
  echo "$2" | dpdk-telemetry.py -f "drb-$1" | sed -n '/^{"\//p'
}

reply_has() { # reply_has SWITCH COMMAND FILTER
  ask "$1" "$2" | tee "$scratch/reply" | jq -e --arg c "${2%%,*}" ".[\$c] | $3"
}

up -l 3 -d 2 --rate 500pps --scheme drb --threshold 1.5
check "the sockets are listed" sh -c 'dpdk-telemetry.py -l | grep -q drb-s3-3'
check "/drb/info" reply_has s2-5 /drb/info '.name == "s2-5" and .code == [2,1] and .ready == 1 and .ports == 4'
check "/drb/port" soon reply_has s2-5 /drb/port,d1 \
  '.name == "d1" and .peer == "s1-5.u1" and .rate == "500pps" and .queue == 512 and .state == "up"'
check "/drb/all" reply_has s2-5 /drb/all '.time_ns == .worker.time_ns and .info.name == "s2-5" and .ports[1].peer == "s1-5.u1"'
check "/drb/all is long" test "$(wc -c <"$scratch/reply")" -gt 4000
check "what is no command" reply_has s2-5 /drb/nothing '. == null'
check "all commands" reply_has s2-5 / 'contains(["/drb/info", "/ethdev/list", "/help"])'
check "help" reply_has s2-5 /help,/drb/drops '."/drb/drops" == "Dropped packets by reason"'
# These are requests of exporters that know only DPDK's own commands.
check "/info" reply_has s2-5 /info '(.version | startswith("DPDK")) and .pid > 0 and .max_output_len > 16384'
check "/ethdev/list" reply_has s2-5 /ethdev/list '. == [0, 1, 2, 3]'
check "/ethdev/info" reply_has s2-5 /ethdev/info,1 '.name == "d1" and .peer == "s1-5.u1"'
check "/ethdev/stats" reply_has s2-5 /ethdev/stats,1 '.ipackets == 0 and .obytes == 0 and .imissed == 0'
check "/ethdev/xstats" reply_has s2-5 /ethdev/xstats,1 '.in_packets == 0 and .queue_max_packets == 0'
check "/ethdev/link_status" soon reply_has s2-5 /ethdev/link_status,3 '.status == "UP"'
check "no such device" reply_has s2-5 /ethdev/stats,4 '. == null'
check "down" fabric down
finish
