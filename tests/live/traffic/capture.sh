#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Captures that somebody else made are replayed into a fabric: at their times, faster, at a rate, as
# fast as possible, repeated; and what a person can get wrong about a replay is refused.
# Quiet: how long replays take is measured.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen
need_tool jq python3 ip

make_capture() { python3 -B "$root/tests/live/traffic/make_capture.py" "$@"; }

# One sixth of 2400 packets is ARP. From the first to the last of the others:
packets=2000
seconds=1.17
capture=$scratch/c.pcap
make_capture "$capture" 2400
make_capture "$scratch/nano.pcap" 2400 nano
make_capture "$scratch/c.pcapng" 2400 pcapng
make_capture "$scratch/raw.pcap" 10 raw

# replay ARGUMENT...: exit status 0, and the report of all hosts in $scratch/all
replay() {
  printf '%s\n' "$@" >"$scratch/arguments"
  watched drbgen replay "$@" --json >"$scratch/report" || return
  jq -c 'select(.host == "all")' "$scratch/report" >"$scratch/all"
}

all_says() { cat "$scratch/all" && jq -e "$1" "$scratch/all"; }

whole() { # whole NAME LOOPS SECONDS: all that was to be sent was, in this time, and arrived
  check "$1: all packets arrived" all_says ".sent == $packets * $2 and .received == .sent
    and .lost == 0 and .duplicated == 0 and .misdelivered == 0 and .not_sent == 0"
  [ -n "${3:-}" ] || return
  check "$1: no sooner than in $3 s" all_says ".seconds > $3 * 0.97"
  rm -f "$scratch/seen"
  decide "$1: in $3 s" in_time "$3"
}

# in_time SECONDS: the last replay took no longer; once that was looked at, another one like it
in_time() {
  local arguments
  if [ -e "$scratch/seen" ]; then
    mapfile -t arguments <"$scratch/arguments"
    replay "${arguments[@]}" || return 1
  fi
  touch "$scratch/seen"
  all_says ".seconds < $1 * 1.1" && return
  if disturbed "$(jq -n "$1 * 50")"; then return "$cannot_tell"; fi
  return 1
}

refused() { # refused NAME PATTERN ARGUMENT...
  local name=$1 pattern=$2
  shift 2
  check "refused: $name" fails_with 2 "$pattern" drbgen replay "$@"
}

# What is wrong with the input is found before the fabric is looked for.
drbgen write -l 2 -d 2 --slots 50 --out "$scratch/traffic" 2>/dev/null
head -c 3000 "$capture" >"$scratch/cut.pcap"
head -c 20 "$capture" >"$scratch/stub.pcap"
echo "no capture" >"$scratch/text"
cp -r "$scratch/traffic" "$scratch/short"
truncate -s -5 "$scratch/short/h1.pcap"
cp -r "$scratch/traffic" "$scratch/broken"
echo '{' >"$scratch/broken/traffic.json"
refused "no input" 'what is to be replayed'
refused "no such file" "$scratch/none.*No such file" "$scratch/none"
refused "no capture" "$scratch/text: not a readable capture" "$scratch/text"
refused "a capture that ends in its header" "$scratch/stub.pcap: .*truncated" "$scratch/stub.pcap"
refused "a capture that ends in a packet" "$scratch/cut.pcap: packet [0-9]+: .*truncated" \
  "$scratch/cut.pcap"
refused "one such capture of two" "$scratch/cut.pcap: packet" "$capture" "$scratch/cut.pcap"
refused "no Ethernet" "$scratch/raw.pcap: link type RAW" "$scratch/raw.pcap"
refused "no traffic" "$scratch/traffic.json: No such file" "$scratch"
refused "a manifest that is none" 'traffic.json: line' "$scratch/broken"
refused "a truncated capture of traffic" 'h1.pcap: packet [0-9]+: .*truncated' "$scratch/short"
refused "no fabric for traffic" 'h0: no network namespace /run/netns/drb-h0' "$scratch/traffic"
refused "no fabric for captures" 'fabric drb: no hosts' "$capture"
refused "two paces" 'only one of' --pps 100 --topspeed "$capture"
refused "no pace" '--pps 0' --pps 0 "$capture"
refused "a negative multiplier" '--multiplier -1' --multiplier -1 "$capture"
refused "a pace for traffic" 'slot by slot' --pps 100 "$scratch/traffic"
refused "a slot for captures" '--slot' --slot 2ms "$capture"
refused "a warm-up longer than the traffic" '--warmup 50: .*50 slots' --warmup 50 "$scratch/traffic"

up -l 2 -d 2 --links memif
check "over memif" replay "$capture"
whole "over memif" 1 "$seconds"
check "over memif: down" fabric down
up -l 2 -d 2
check "at its times" replay "$capture"
whole "at its times" 1 "$seconds"
check "at its times: ARP is not sent" all_says '.skipped == 400'
check "at its times: no kernel answers" all_says '.others == 0'
check "at its times: it is known how long packets took" all_says '.latency_samples > .sent * 0.9 and .latency_mean_us > 0'
check "at its times: every host takes part" jq -es 'map(select(.host != "all" and
  .sent + .received > 0)) | length == 8' "$scratch/report"
jq -c '[.host, .sent]' "$scratch/report" >"$scratch/mapping"
check "nanoseconds" replay "$scratch/nano.pcap"
whole "nanoseconds" 1 "$seconds"
jq -c '[.host, .sent]' "$scratch/report" >"$scratch/mapping2"
check "the same addresses map to the same hosts" cmp "$scratch/mapping" "$scratch/mapping2"
check "pcapng" replay "$scratch/c.pcapng"
whole "pcapng" 1 "$seconds"
check "another seed" replay "$capture" --seed 2 --multiplier 10
jq -c '[.host, .sent]' "$scratch/report" >"$scratch/mapping2"
check "another seed maps otherwise" sh -c "! cmp -s '$scratch/mapping' '$scratch/mapping2'"
check "half as fast" replay "$capture" --multiplier 0.5
whole "half as fast" 1 "$(jq -n "$seconds * 2")"
check "three times, four times as fast" replay "$capture" --multiplier 4 --loop 3
whole "three times, four times as fast" 3 "$(jq -n "$seconds * 3 / 4")"
check "5000 a second, three times" replay "$capture" --pps 5000 --loop 3
whole "5000 a second, three times" 3 1.2
check "as fast as possible" replay "$capture" --topspeed
whole "as fast as possible" 1
check "two captures at once" replay "$capture" "$scratch/nano.pcap" --multiplier 2
whole "two captures at once" 2

# Until more was sent than the capture holds; a few packets may be other programs'.
went_round() { [ "$(($(all_hosts_sent) - sent_before))" -gt $((packets * 5 / 4)) ]; }
all_hosts_sent() {
  local h sum=0
  for h in 0 1 2 3 4 5 6 7; do
    sum=$((sum + $(ip netns exec drb-h$h cat /sys/class/net/eth0/statistics/tx_packets)))
  done
  echo $sum
}
endless() {
  sent_before=$(all_hosts_sent)
  "$build/src/gen/drbgen" replay "$capture" --pps 2000 --loop 0 --json >"$scratch/report" &
  local replay=$!
  soon went_round || return
  kill -TERM $replay
  wait $replay || return
  jq -c 'select(.host == "all")' "$scratch/report" >"$scratch/all"
}
check "for ever, until interrupted" endless
check "what was sent until then arrived" all_says ".sent > $packets and .received == .sent and .lost == 0"
check "at the rate that was asked for, or less" all_says '.pps < 2000 * 1.05'

drbgen write -l 2 -d 2 --mac 06:00 --slots 50 --out "$scratch/mac" 2>/dev/null
refused "traffic of other addresses" 'h0: eth0 has address 02:00.*06:00' "$scratch/mac"
drbgen write -l 3 -d 2 --slots 50 --out "$scratch/larger" 2>/dev/null
refused "traffic of a larger fabric" 'traffic of F.3,2., 16 hosts, but fabric drb has 8' "$scratch/larger"
make_capture "$scratch/arp.pcap" 1
refused "nothing to send" 'there is no packet to send: .*1 are not IP' "$scratch/arp.pcap"
drbgen write -l 2 -d 2 --slots 1000 --out "$scratch/long" 2>/dev/null
drbgen replay "$scratch/long" --slot 5ms >/dev/null 2>&1 &
running=$!
replay_runs() { ip netns exec drb-h7 ss -lunH 'sport = :7471' | grep .; }
check "a replay runs" soon replay_runs
refused "a second replay of traffic" 'UDP port 7471.*another replay' "$scratch/traffic"
wait $running
check "the first one was not disturbed" test $? = 0
ip -n drb-h5 link set eth0 down
refused "a host whose interface is down" 'h5: interface eth0 is down' "$scratch/traffic"
check "down" fabric down
check "nothing is left" nothing_left
finish
