#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Hosts keep their default offloads. Files arrive bit for bit over all kinds of links between
# switches, with all units of decisions, and in both IP versions. No packet arrives with a wrong
# checksum. Between packet sockets and over memif, checksums may stay unfinished, as on any veth.
# All counters count packets, not GSO packets.
# Full: it brings up many fabrics; test_gso_packet.c and test_coalesce.c test the frames.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool curl python3 iperf3 jq tcpdump ss

in_host() { "$root/topo/fabric" exec "$@"; } # keeps its process ID, unlike fabric()

serves() { # serves HOST: a file of 5 MB by HTTP, over IPv4 and IPv6
  in_host "$1" -- python3 -m http.server -b :: -d "$scratch/www" 8000 >"$scratch/http" 2>&1 &
  server=$!
  soon listens "$1" 8000
}

arrives() { # arrives CLIENT ADDRESS [OPTION OF curl...]
  rm -f "$scratch/got"
  fabric exec "$1" -- curl -gsS -m 60 "${@:3}" -o "$scratch/got" "http://$2:8000/file" &&
    cmp "$scratch/www/file" "$scratch/got"
}

# Makes an overlay as containers have it: checksums that are left to devices belong to inner
# packets.
tunnel() { # tunnel HOST ADDRESS PEER
  fabric exec "$1" -- ip link add vx0 type vxlan id 5 remote "$3" dstport "$vxlan_port" dev eth0 &&
    fabric exec "$1" -- ip address add "$2/24" dev vx0 &&
    fabric exec "$1" -- ip link set vx0 up
}
tunnels() { tunnel h0 192.168.77.1 10.0.0.8 && tunnel h7 192.168.77.2 10.0.0.1; }

begins_to_capture() { # begins_to_capture HOST
  rm -f "$scratch/tcpdump"
  in_host "$1" -- tcpdump -q -s 0 -B 65536 -w "$scratch/pcap" -i eth0 -Q in --immediate-mode tcp or udp \
    >"$scratch/tcpdump" 2>&1 &
  capturing=$!
  soon grep -q listening "$scratch/tcpdump"
}

# checksums: no packet arrived with a wrong one; memif links carry unfinished ones as they are
checksums() {
  kill -INT "$capturing"
  wait "$capturing"
  python3 -B "$root/tests/live/ports/checksums.py" "$scratch/pcap" | tee "$scratch/checksums" || return
  [ "${PIPESTATUS[0]}" = 0 ] || return
  [ "$driver" != memif ] || [ "$testpmd" ] || ! grep -q ', 0 unfinished' "$scratch/checksums"
}

has_offloads() { # has_offloads: segmentation by the device is on at h0
  fabric exec h0 -- python3 -c "
import fcntl, socket, struct, ctypes
value = ctypes.create_string_buffer(struct.pack('=II', 0x1e, 0))  # ETHTOOL_GTSO
request = struct.pack('16sP', b'eth0', ctypes.addressof(value)).ljust(40, b'\0')
fcntl.ioctl(socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x8946, request)
raise SystemExit(not struct.unpack('=II', value.raw[:8])[1])"
}

# Counts datagrams that the kernel of h7 dropped while the program that reads them waited for a CPU.
overflows() { fabric exec h7 -- awk '$1 == "Udp:" && $6 ~ /^[0-9]+$/ { print $6 }' /proc/net/snmp; }

# datagrams ADDRESS: iperf3's datagrams arrive whole, and only the machine loses any
datagrams() {
  local before receiver
  before=$(overflows)
  in_host h7 -- iperf3 -s -1 >"$scratch/server" 2>&1 &
  receiver=$!
  soon listens h7 >/dev/null
  fabric exec h0 -- iperf3 -J -u -b 8M -l 1000 -n 1M -c "$1" >"$scratch/udp"
  kill "$receiver" 2>/dev/null
  wait "$receiver" 2>/dev/null
  jq -c '.error, .end.sum' "$scratch/udp"
  jq -e --argjson full $(($(overflows) - before)) \
    '.end.sum | .lost_packets - $full < 0.05 * .packets and .packets > 800' "$scratch/udp"
}

no_drops() { # no_drops: no frame was dropped because of its form
  drbctl show --all drops --json | jq -se 'map(.bad_gso + .oversize + .bad_frame) | add == 0'
}

# cut: GSO packets were cut and coalesced, as s1-3 sent GSO packets to the host
cut() {
  drbctl show s1-3 worker --json | jq -e '.gso_packets > 1000'
}

packets_of() { drbctl show s1-0 ports --json | jq -s 'map(select(.port == "d0").in_packets) | add'; }

# Every frame on a veth between switches is IP, ARP or a hello. With offloads off, it is one packet.
# With offloads on, it may be a GSO packet of TCP or UDP, as on any Linux bridge.
watches_links() {
  local port
  watching=()
  for port in u0 u1; do
    rm -f "$scratch/watch"
    "$root/topo/fabric" exec s1-0 -- tcpdump -s 0 -B 65536 -w "$scratch/$port" -i $port --immediate-mode \
      >"$scratch/watch" 2>&1 &
    watching+=($!)
    soon grep -q listening "$scratch/watch"
  done
}
# unwatch_links: ends it. No check does that: it runs in a subshell, which cannot wait.
unwatch_links() {
  kill -INT "${watching[@]}"
  wait "${watching[@]}"
  { cat "$scratch/u0" && tail -c +25 "$scratch/u1"; } >"$scratch/link" # without another header
}
frames() { tcpdump -nr "$scratch/link" --count "$@" 2>/dev/null | tr -cd 0-9; } # frames [FILTER]
link_has() { # link_has plain|GSO: frames of which form were on the links watched
  local all known long hellos
  all=$(frames) long=$(frames greater 1515) hellos=$(frames ether proto 0x88b5)
  known=$(frames 'ip or ip6 or arp or ether proto 0x88b5')
  echo "$all frames, $known of a known type, $long of GSO packets, $hellos hellos"
  [ "$known" = "$all" ] && [ "$hellos" -gt 0 ] || return
  case $1 in
    plain) [ "$long" = 0 ] && [ "$all" -gt 1000 ] ;;
    GSO) [ "$long" -gt 20 ] && python3 -B "$root/tests/live/ports/checksums.py" "$scratch/link" ;;
  esac
}
form_of() { # form_of DRIVER UNIT: what its links have; nothing if that depends on chance
  case $1,$2 in
    af_packet,flow) if [ "$may_load" ]; then echo GSO; else echo plain; fi ;;
    af_xdp,packet) echo plain ;;
  esac
}

may_load=1
[ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || may_load=
has_vxlan=1
vxlan_port=4789
ip link add vx-try type vxlan id 1 dstport $vxlan_port 2>/dev/null && ip link del vx-try || has_vxlan=
testpmd=
mkdir "$scratch/www"
head -c 5000000 /dev/urandom >"$scratch/www/file"

for driver in af_packet af_xdp memif; do
  if [ $driver = af_xdp ] && [ ! $may_load ]; then
    skip "$driver" "programs cannot be loaded in a user namespace"
    continue
  fi
  for unit in packet flow flowlet; do
    up_over $driver -l 2 -d 2 --unit $unit
    check "$driver, $unit: all ports are usable" soon usable 24
    [ $driver$unit != af_packetpacket ] || check "hosts have their offloads" has_offloads
    serves h0
    begins_to_capture h7
    form=$(form_of $driver $unit)
    [ ! "$form" ] || watches_links
    for address in 10.0.0.1 '[fd00::1]'; do
      check "$driver, $unit: a file comes from $address bit for bit" arrives h7 "$address"
    done
    check "$driver, $unit: no checksum that arrived is wrong" checksums
    if [ "$form" ]; then
      unwatch_links
      check "$driver, $unit: tcpdump sees $form frames between switches" link_has "$form"
    fi
    if [ $has_vxlan ]; then
      tunnels
      check "$driver, $unit: a file comes through VXLAN bit for bit" arrives h7 192.168.77.1
    else
      skip "$driver, $unit: VXLAN" "this kernel has none"
    fi
    decide "$driver, $unit: UDP" undisturbed 50 datagrams 10.0.0.8
    check "$driver, $unit: nothing was dropped for its form" no_drops
    # Twice 5 MB are some 7000 segments, whatever GSO packets the host made of them.
    check "$driver, $unit: counters count segments" test "$(packets_of)" -gt 7000
    [ $driver = af_xdp ] || check "$driver, $unit: the receiver's kernel gets GSO packets" cut
    check "$driver, $unit: packets are conserved" fabric check counters
    kill "$server"
    wait "$server" 2>/dev/null
    check "down" fabric down
  done
done

# testpmd, a memif peer that is no switch, replaces s2-0 and passes on frames unchanged. For it,
# both switches finish checksums, so that hosts behind it need not know which ones were unfinished.
sockets=/run/drbswitch/drb/memif
by_testpmd() { drbctl show s1-3 ports --json | jq -se 'map(select(.port == "u0"))[0].out_packets > 3000'; }
need_tool dpdk-testpmd
up -l 2 -d 2 --links memif --unit flow --scheme dmodk --hello off
check "plain peer: all ports are usable" soon usable 24
fabric stop s2-0
dpdk-testpmd "--lcores=0@(0-1),1@(0-1)" --no-huge --no-shconf --no-pci --file-prefix=plain -m 256 \
  --vdev=net_memif0,role=client,socket-abstract=no,socket=$sockets/drb-s1-0-u0.memif \
  --vdev=net_memif1,role=client,socket-abstract=no,socket=$sockets/drb-s1-3-u0.memif \
  -- --forward-mode=io --total-num-mbufs=4096 --stats-period=60 >"$scratch/testpmd" 2>&1 &
testpmd=$!
check "plain peer: it passes packets on" soon fabric exec h7 -- ping -c 1 -W 1 10.0.0.1
serves h7
begins_to_capture h0
for address in 10.0.0.8 '[fd00::8]'; do
  check "plain peer: a file comes from $address bit for bit" arrives h0 "$address"
done
check "plain peer: no checksum that arrived is wrong" checksums
check "plain peer: nor unfinished" grep ', 0 unfinished' "$scratch/checksums"
check "plain peer: the file went by it" by_testpmd
kill "$server" "$testpmd"
wait "$server" "$testpmd" 2>/dev/null
check "down" fabric down

up -l 2 -d 2 --unit flow --offloads off
check "offloads off: all ports are usable" soon usable 24
serves h0
watches_links
check "offloads off: a file comes bit for bit" arrives h7 10.0.0.1
unwatch_links
check "offloads off: tcpdump sees plain frames between switches" link_has plain
kill "$server"
wait "$server" 2>/dev/null
check "down" fabric down

# A path over three switches is used, then one over five, of which one dies meanwhile.
head -c 100000000 /dev/urandom >"$scratch/www/file"
for driver in af_packet memif; do
  up_over $driver -l 3 -d 2 --unit flow
  check "$driver, F(3,2): all ports are usable" soon usable 80
  serves h0
  check "$driver: 100 MB arrive through three switches" arrives h2 10.0.0.1
  arrives h15 10.0.0.1 --limit-rate 100M >"$scratch/arrives" &
  transfer=$!
  sleep 0.2
  fabric stop s3-0
  wait "$transfer"
  check "$driver: 100 MB arrive through five switches while one dies" test $? = 0
  check "$driver: nothing was dropped for its form" no_drops
  kill "$server"
  wait "$server" 2>/dev/null
  check "down" fabric down
done
finish
