#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Foreign captures are replayed into a fabric: at their own times, faster, at a rate, as fast as
# possible, and repeated. Mistakes of users about replays are refused.
# Quiet: the duration of replays is measured.
# Full: it waits for the times of captures; replay.sh counts packets of other traffic.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen
need_tool jq python3 ip

make_capture() { python3 -B "$root/tests/live/traffic/make_capture.py" "$@"; }

# One sixth of 2400 packets is ARP, which is not sent. The others span this number of seconds:
packets=2000
seconds=1.17
capture=$scratch/c.pcap
make_capture "$capture" 2400
make_capture "$scratch/nano.pcap" 2400 nano
make_capture "$scratch/c.pcapng" 2400 pcapng
make_capture "$scratch/raw.pcap" 10 raw

# replay ARGUMENT...: succeeds even if packets are lost; $scratch/all has the report of all hosts
replay() {
  printf '%s\n' "$@" >"$scratch/arguments"
  watched drbgen replay "$@" --json >"$scratch/report"
  [ $? -le 1 ] || return
  jq -c 'select(.host == "all")' "$scratch/report" >"$scratch/all"
}

all_says() { cat "$scratch/all" && jq -e "$1" "$scratch/all"; }

# whole NAME LOOPS [SECONDS]: all packets were sent within this time, and all arrived
whole() {
  rm -f "$scratch/seen"
  decide "$1: all packets arrived${3:+, in $3 s}" arrived "$2" "${3:-}"
}

# arrived LOOPS [SECONDS]: judges the last replay; if that was judged before, runs the same one
# again
arrived() {
  local arguments in_time=true
  [ -z "$2" ] || in_time=".seconds > $2 * 0.97 and .seconds < $2 * 1.1"
  if [ -e "$scratch/seen" ]; then
    mapfile -t arguments <"$scratch/arguments"
    replay "${arguments[@]}" <"$capture" || return 1
  fi
  touch "$scratch/seen"
  all_says ".sent == $packets * $1 and .received == .sent and .lost == 0 and .duplicated == 0 and .misdelivered == 0
    and .not_sent == 0 and $in_time" && return
  if disturbed "$(jq -n "${2:-1} * 50")" 25; then return "$cannot_tell"; fi
  return 1
}

refused() { # refused NAME PATTERN ARGUMENT...
  local name=$1 pattern=$2
  shift 2
  check "refused: $name" fails_with 2 "$pattern" drbgen replay "$@"
}

# Mistakes in the input are found before the fabric is needed.
drbgen write -l 2 -d 2 --slots 50 --out "$scratch/traffic" 2>/dev/null
head -c 3000 "$capture" >"$scratch/cut.pcap"
head -c 20 "$capture" >"$scratch/stub.pcap"
echo "no capture" >"$scratch/text"
cp -r "$scratch/traffic" "$scratch/short"
truncate -s -5 "$scratch/short/h1.pcap"
cp -r "$scratch/traffic" "$scratch/broken"
echo '{' >"$scratch/broken/traffic.json"
refused "no input" 'nothing to replay'
refused "no such file" "$scratch/none.*No such file" "$scratch/none"
refused "no capture" "$scratch/text: no capture: neither pcap nor pcapng" "$scratch/text"
refused "a capture that ends in its header" "$scratch/stub.pcap: ends in its header" "$scratch/stub.pcap"
refused "one such capture of two" "$scratch/stub.pcap: ends" "$capture" "$scratch/stub.pcap"
refused "no Ethernet" "$scratch/raw.pcap: link type RAW" "$scratch/raw.pcap"
refused "no traffic" "$scratch/traffic.json: No such file" "$scratch"
refused "a manifest that is none" 'traffic.json: line' "$scratch/broken"
refused "a truncated capture of traffic" 'h1.pcap: ends in the middle of packet' "$scratch/short"
refused "no fabric for traffic" 'h0: no network namespace /run/netns/drb-h0' "$scratch/traffic"
refused "no fabric for captures" 'fabric drb: no hosts' "$capture"
refused "two paces" 'only one of' --pps 100 --topspeed "$capture"
refused "no pace" '--pps 0' --pps 0 "$capture"
refused "a negative multiplier" '--multiplier -1' --multiplier -1 "$capture"
refused "a pace for traffic" '--pps is for captures.*slot by slot' --pps 100 "$scratch/traffic"
refused "a slot for captures" '--slot is for a directory' --records "$scratch/r" --slot 2ms "$capture"
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

# words ARGUMENT...: as replay, with messages in $scratch/said
words() {
  "$build/src/gen/drbgen" replay "$@" --json >"$scratch/report" 2>"$scratch/said"
  # Status 1 means that packets were lost.
  [ $? -le 1 ] || return
  jq -c 'select(.host == "all")' "$scratch/report" >"$scratch/all"
}
said() { cat "$scratch/said" && grep -qE -- "$1" "$scratch/said"; }
check "a capture that ends in a packet" words "$scratch/cut.pcap" --topspeed
check "is sent up to there" said 'cut.pcap: ends in the middle of packet [0-9]+: only packets before it are used'
check "truncated frames" words "$capture" --multiplier 2
check "are counted" all_says '.cut > 100 and .cut < .sent and .skipped == 400'
check "and named" said "$(jq -r .cut "$scratch/all") packets were truncated by the capture: the rest is sent as zeros"
check "how long it takes is said before" said "^drbgen: sends $packets packets in 0\.[56]"
gzip -c "$capture" >"$scratch/c.pcap.gz"
check "gzip" replay "$scratch/c.pcap.gz" --pps 5000
whole "gzip" 1
check "standard input" replay - --pps 5000 <"$capture"
whole "standard input" 1
make_capture "$scratch/gap.pcap" 60 gap
check "a capture with a pause of a day, which is shortened" words "$scratch/gap.pcap" --max-gap 100ms
check "ends soon" all_says '.sent == 50 and .seconds < 60'
"$build/src/gen/drbgen" replay "$scratch/gap.pcap" >/dev/null 2>"$scratch/said" &
waiting=$!
check "else it is named" soon said 'gap.pcap: packet 32 comes 24 h 0 min after the one before it: --max-gap 1s'
kill -TERM $waiting
wait $waiting

# went_round: more packets were sent than the capture holds. A few may be of other programs.
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
  wait $replay
  jq -c 'select(.host == "all")' "$scratch/report" >"$scratch/all"
  all_says ".sent > $packets and .received == .sent and .lost == 0"
}
decide "for ever, until interrupted: what was sent until then arrived" unhindered 100 25 endless
check "at the rate that was asked for, or less" all_says '.pps < 2000 * 1.05'

drbgen write -l 2 -d 2 --mac 06:00 --slots 50 --out "$scratch/mac" 2>/dev/null
refused "traffic of other addresses" 'written for hosts in 06:00.* with --mac 02:00$' "$scratch/mac"
refused "another MAC than the fabric's" 'hosts of fabric drb are in 02:00: leave --mac out' \
  "$capture" --mac 06:00
drbgen write -l 3 -d 2 --slots 50 --out "$scratch/larger" 2>/dev/null
refused "traffic of a larger fabric" 'traffic of F.3,2., 16 hosts, but fabric drb has 8' "$scratch/larger"
make_capture "$scratch/arp.pcap" 1
refused "nothing to send" 'there is no packet to send: .*1 are not IP' "$scratch/arp.pcap"
drbgen write -l 2 -d 2 --slots 1000 --out "$scratch/long" 2>/dev/null
replay_runs() { ip netns exec drb-h7 ss -lunH 'sport = :7471' | grep .; }
# second_is_refused: and the first one loses nothing
second_is_refused() {
  local running status
  drbgen replay "$scratch/long" --slot 5ms >/dev/null 2>&1 &
  running=$!
  soon replay_runs && fails_with 2 'UDP port 7471.*another replay' drbgen replay "$scratch/traffic"
  status=$?
  wait $running && return $status
}
decide "a second replay of traffic is refused, the first one goes on" unhindered 100 25 second_is_refused
ip -n drb-h5 link set eth0 down
refused "a host whose interface is down" 'h5: interface eth0 is down' "$scratch/traffic"
check "down" fabric down

# h1 and h2 together send more to h0 than its link carries. The fabric has other networks than the
# default, which the replay must use.
up -l 2 -d 2 --rate 500pps --queue 16 --ipv4 172.16.0.0/16 --ipv6 2001:db8:7::/64 --mac 06:11
printf '192.168.0.0/16 h1\n8.8.0.0/16 h0\n::192.168.0.0/112 h2\n::8.8.0.0/120 h0\n::8.8.1.0/120 h7\n' >"$scratch/map"
overloads() {
  fails_with_loss drbgen replay "$capture" --map "$scratch/map" --load 1.5 \
    --flow-records "$scratch/flows" --records "$scratch/records" --hgrm "$scratch/hgrm" && flows_say
}
fails_with_loss() {
  "$@"
  [ $? = 1 ]
}
# The report of flows agrees with that of packets, and lost packets were dropped at ports on their
# path.
flows_say() {
  python3 - "$scratch/flows" "$scratch/records" "$scratch/hgrm" <<'END'
import collections, csv, sys
flows, records = (list(csv.DictReader(open(path))) for path in sys.argv[1:3])
key = lambda r: tuple(r[k] for k in ('protocol', 'source', 'source_port', 'destination', 'destination_port'))
sent = collections.Counter(map(key, records))
lost = collections.Counter(key(r) for r in records if r['fate'] == 'lost')
mean = collections.defaultdict(list)
for r in records:
    if r['latency_ns']:
        mean[key(r)].append(int(r['latency_ns']))
        assert int(r['received_ns']) - int(r['sent_ns']) == int(r['latency_ns'])
assert len(flows) == len(sent) > 100
for f in flows:
    assert int(f['sent']) == sent[key(f)] and int(f['lost']) == lost[key(f)], f
    ns = mean[key(f)]
    assert not ns or abs(float(f['latency_mean_us']) - sum(ns) / len(ns) / 1e3) < 0.1, f
to_h0 = [f for f in flows if f['destination_host'] == 'h0' and int(f['lost'])]
assert len(to_h0) > 5 and all('s1-0.d0 queue_full' in f['dropped_at'] for f in to_h0), to_h0
assert not any('s1-0.d0' in f['dropped_at'] for f in flows if f['destination_host'] == 'h7'), flows
total = int(open(sys.argv[3]).read().split('Total count')[1].split('=')[1].split(']')[0])
assert total == sum(map(len, mean.values())) > 100
print(len(flows), 'flows,', sum(lost.values()), 'packets lost')
END
}
decide "a load beyond that of the links: flows and packets tell the same" unhindered 100 25 overloads
networks=()
for network in 'mac 06:11' 'ipv4 172.16.0.0/16' 'ipv6 2001:db8:7::/64'; do
  drbgen write -l 2 -d 2 --slots 500 --load 0.3 --out "$scratch/own" "${networks[@]}" 2>/dev/null
  refused "traffic for another ${network% *}" "write it again with --$network" "$scratch/own"
  networks+=("--${network% *}" "${network#* }")
done
drbgen write -l 2 -d 2 --slots 500 --load 0.3 --out "$scratch/own" "${networks[@]}" 2>/dev/null
# A generator that is stopped for a second goes on from the same packet, and reports that.
stopped_for_a_second() {
  local generator status
  "$build/src/gen/drbgen" replay "$scratch/own" --json >"$scratch/report" 2>"$scratch/said" &
  generator=$!
  sleep 0.7
  kill -STOP $generator && sleep 1 && kill -CONT $generator
  wait $generator
  status=$?
  cat "$scratch/report" "$scratch/said"
  [ $status = 0 ] && grep -q 'stood still for [01]\.[0-9] s' "$scratch/said"
}
decide "a generator that is stopped for a second loses nothing" unhindered 100 25 stopped_for_a_second
fabric rate s1-0.u0 250pps >/dev/null
drbgen replay "$scratch/own" 2>&1 >/dev/null | tee "$scratch/said"
check "a link with another rate is named" grep -q 's1-0.u0 has a rate of 250pps, most uplinks of fabric drb have 500pps (1 differ)' "$scratch/said"
check "down" fabric down
check "nothing is left" nothing_left
finish
