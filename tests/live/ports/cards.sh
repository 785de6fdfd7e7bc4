#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# One switch of a fabric runs in a guest of QEMU, whose kernel gives up its network cards to the
# switch: virtio, 82540EM, and 82574L, behind an emulated IOMMU. Mistakes with cards are named.
# Alone: the guest is emulated, which takes all CPU time, like a build.
# Full: a guest takes long to boot; unit tests have the messages about cards.
here=$(dirname "$0")
# Packages are downloaded outside of the story's namespaces, where there is a network.
if [ -z "${DRB_STORY_WORLD:-}" ]; then
  export DRB_NO_GUEST=''
  if ! command -v qemu-system-x86_64 >/dev/null; then
    DRB_NO_GUEST='qemu-system-x86_64 is not installed'
  elif ! why=$("$here/guest/image" "${DRB_BUILD:-$here/../../../build}/guest" 2>&1); then
    DRB_NO_GUEST="no kernel for the guest: $why"
  fi
fi
# shellcheck source=tests/live/story.bash
. "$here/../story.bash"
need drbtopo drbswitch drbctl
need_tool fping jq iperf3
if [ -n "$DRB_NO_GUEST" ]; then
  [ -z "${DRB_STRICT:-}" ] || { not_ok "a guest with cards" && echo "# $DRB_NO_GUEST" && exit 1; }
  cannot_run "$DRB_NO_GUEST"
fi
[ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || cannot_run "a guest reads the host's files as root"
# shellcheck source=tests/live/ports/guest/guest.bash
. "$here/guest/guest.bash"

switch=build/src/switch/drbswitch
[ "$build" = "$root/build" ] || switch=$build/src/switch/drbswitch

# config NAME LINK PROCESS CARD...: writes NAME.yaml to the guest's folder: a switch with these
# keys, and with the cards as d0 d1 u0 u1
config() {
  local name=$1 n=0
  {
    echo "fabric: {layers: 2, arity: 2, name: ${fabric_name:-drb}, mtu: 9000}"
    echo "switch: {layer: 1, label: 0}"
    echo "link: {$2}"
    echo "process: {hugepages: \"yes\"$3}"
    echo "ports:"
    for card in "${@:4}"; do
      echo "  - {name: ${guest_ports[n]}, driver: pci, device: \"$card\"}"
      n=$((n + 1))
    done
  } >"$share/$name.yaml"
}

# recipe: the recipe for real cards, with the addresses and the size of this guest
recipe() {
  sed 's/0000:3b:00.0/0000:00:1a.0/; s/0000:3b:00.1/0000:00:1b.0/; s/0000:5e:00.0/0000:00:1c.0/; s/0000:5e:00.1/0000:00:1d.0/
       s/memory: 512/memory: 96/; s/cpus: "2"/cpus: "1"/' "$root/config/physical.yaml" >"$share/recipe.yaml"
}

# refused PATTERN LINK PROCESS CARD...: a switch with this configuration prints one line that
# matches, and ends with status 2
refused() {
  local said status
  config refused "driver: none$2" "$3" "${@:4}"
  said=$(guest "timeout 100 $switch -c /run/share/refused.yaml" 2>&1)
  status=$?
  echo "exit status $status, said: $said"
  [ $status = 2 ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -qE -- "$1" <<<"$said"
}

# begin NAME: the guest's switch forwards with this config
begin() {
  rm -f "$share/log"
  guest "cp /run/share/$1.yaml /run/switch.yaml
    setsid $switch -c /run/switch.yaml </dev/null >/run/share/log 2>&1 & echo \$! >/run/pid" &&
    soon grep -q ' ready: ' "$share/log" && cat "$share/log"
}
# end SIGNAL: ends the switch, so that another can begin
end() { guest "kill -$1 \$(cat /run/pid); for i in \$(seq 400); do [ -e /proc/\$(cat /run/pid) ] || exit 0; sleep 0.05; done; exit 1"; }
ctl() { guest "build/src/ctl/drbctl $*"; }
quiet() { cat "$share/log" && ! grep -E 'EAL|no carrier' "$share/log"; }
pings() { soon fabric check ping; }
conserved() { ctl check s1-0; }
# links_say FILTER WORD...: the filter yields these words, one for each port
links_say() {
  ctl show s1-0 links --json >"$scratch/links" && jq -r "$1" "$scratch/links" | diff - <(printf '%s\n' "${@:2}")
}
ring_packets() { ctl show s1-0 ports --json | jq -s 'map(.ring_packets // 0) | add'; }
nothing_in_rings() {
  local waiting
  waiting=$(ring_packets)
  echo "$waiting packets" && [ "$waiting" = 0 ]
}

# traffic IPERF3 ARGUMENT...: sends from h0 to h7 over the switch; $scratch/traffic has the result
traffic() {
  local status
  soon timeout 20 "$root/topo/fabric" exec h0 -- iperf3 -c h7 --json "$@" >"$scratch/traffic"
  status=$?
  [ $status = 0 ] || { tail -n 30 "$scratch/traffic" && ctl show s1-0 && ctl show s1-0 worker && cat "$share/log"; }
  jq -r '.end | (.sum_received // .sum) | "\(.bits_per_second / 1e6 | floor) Mbit/s, lost \(.lost_percent // 0) %"' \
    "$scratch/traffic"
  return $status
}

# cable N: pulls a cable, which the switch notices, and plugs it in again; others use other paths
# meanwhile
cable() {
  pulled "$1" || { cat "$share/log" && fabric logs s2-0 s2-1 && ctl show s1-0 links && drbctl show s2-1 links && false; }
}
pulled() {
  local port=${guest_ports[$1]}
  guest_cable "$1" false && soon grep -q "port $port: down" "$share/log" || return
  case $port in u*) pings || return ;; esac
  guest_cable "$1" true && soon eval "tail -n +1 '$share/log' | grep 'port $port: ' | tail -n 1 | grep -q 'up again'"
}

# host_mtu N HOST...: sets the MTU of hosts, and of the ports of this switch to them
host_mtu() {
  local host
  for host in "${@:2}"; do
    ip -n "drb-$host" link set eth0 mtu "$1" || return
    case $host in h[01]) in_ns ip link set "d${host#h}" mtu "$1" || return ;; esac
  done
}
# long_pings: unfragmented packets of 9000 bytes come in and go out by every card
long_pings() {
  local far near
  for far in h4 h5 h6 h7; do
    for near in 1 2; do
      fabric exec $far -- ping -q -M 'do' -s 8972 -c 2 -i 0.05 -W 5 10.0.0.$near || return
    done
  done
  ctl show s1-0 ports --json >"$scratch/ports" && cat "$scratch/ports" &&
    jq -se 'all(.[]; .in_octets > 40000 and .out_octets > 40000)' "$scratch/ports"
}
# longer_is_told HOST: the switch reports to the host that it takes 9000 bytes
longer_is_told() {
  fabric exec "$1" -- ping -M 'do' -s 9300 -c 1 -W 5 10.0.0.8 2>&1 | tee "$scratch/told" | grep -E 'mtu ?= ?9000'
}

# The number of frames of 9000 bytes that arrive at a card while the switch receives nothing. It
# exceeds the buffers of the switch, but fits into the host's tap.
stall_frames=900
# counted PORT EXPRESSION: evaluates the expression on the port's counters
counted() { ctl show s1-0 ports --json | jq "select(.port == \"$1\") | $2"; }
all_counted() { # all_counted PORT COUNT
  local n
  n=$(counted "$1" '.in_packets + .in_missed')
  echo "$1: $n received or missed, $2 were sent"
  [ "$n" = "$2" ]
}
still_counted() { all_counted "$1" "$(<"$scratch/count-$1")"; }
# tap_gave N: prints how many frames the host's tap gave to card N
tap_gave() { in_ns cat "/sys/class/net/t$1/statistics/tx_packets"; }
card_took() { [ "$(tap_gave "$1")" -ge "$2" ]; }

# stalled N EXPRESSION: frames that arrive at card N while the switch is stopped are received later
# or counted as missed. The expression holds for the number of missed frames.
stalled() {
  local port=${guest_ports[$1]} count given dropped missed
  local drops=/sys/class/net/t$1/statistics/tx_dropped
  in_ns tc filter del dev "$port" ingress # no other frames arrive
  missed=$(counted "$port" .in_missed) given=$(tap_gave "$1") dropped=$(in_ns cat "$drops")
  count=$(($(counted "$port" '.in_packets + .in_missed') + stall_frames))
  echo $count >"$scratch/count-$port"
  guest "kill -STOP \$(cat /run/pid)" &&
    in_ns python3 -B "$root/tests/live/ports/guest/send_frames.py" "t$1" $stall_frames 9000 || return
  # A card that drops frames has taken all of them. Other cards leave frames without a buffer in the
  # tap.
  [ "$2" = '. == 0' ] || soon card_took "$1" $((given + stall_frames)) || return
  guest "kill -CONT \$(cat /run/pid)" && soon all_counted "$port" $count || return
  missed=$(counted "$port" ".in_missed - $missed")
  echo "missed $missed; the tap gave the card $(($(tap_gave "$1") - given)) and dropped $(($(in_ns cat "$drops") - dropped))"
  [ "$(in_ns cat "$drops")" = "$dropped" ] && card_took "$1" $((given + stall_frames)) && jq -ne "$missed | $2"
}

up -l 2 -d 2 --mtu 9000
all_hosts=(h0 h1 h2 h3 h4 h5 h6 h7)
host_mtu 1500 "${all_hosts[@]}"
check "the switch stops for the guest" fabric stop s1-0
check "taps" guest_taps
for n in 0 1 2 3; do guest_wire "${guest_ports[n]}" $n; done
ip netns exec drb-h7 iperf3 -s >"$scratch/server" 2>&1 &
server=$!
guest_start "$build/guest" intel_iommu=on
check "the guest boots" guest_booted
[ "$not_ok_count" = 0 ] || exit 1

# Mistakes are reported with their cures.
e1000=0000:00:1b.0
check "the kernel has the card" refused \
  "card $e1000 is bound to the kernel's driver e1000, interface eth[0-9]: dpdk-devbind.py --bind=vfio-pci $e1000" '' '' 00:1B.0
check "no such card" refused 'port d0: no PCI device "0000:00:0a.0"' '' '' 00:0A.0
check "no network card" refused 'is no network card but a device of class 0x060100' '' '' 0000:00:1f.0
check "two spellings of one card" refused 'ports d0 and d1 use the same' '' '' 00:1B.0 $e1000
guest_bind 1 none
check "no driver has the card" refused "card $e1000 is bound to no driver: modprobe vfio-pci" '' '' $e1000
guest_bind 1 uio_pci_generic
check "uio has the card" refused 'is bound to uio_pci_generic, which does without the IOMMU' '' '' $e1000
for n in "${!guest_cards[@]}"; do guest_bind "$n" vfio-pci; done
check "no driver in this build, and nothing after that" refused \
  'port d1: no driver in this build takes card 0000:00:18.0 \(15ad:07b0\)' '' '' 0000:00:1a.0 00:18.0
check "too few queues for the workers" refused 'process.workers: port d0: .* 2 transmit queues, too few for 3 workers' \
  '' ', workers: 3' 0000:00:1a.0
check "too few hugepages" refused 'process.hugepages: 600 MiB are needed and 192 MiB of hugepages are free' \
  '' ', memory: 600' $e1000

config mixed 'occupancy: ring, driver: pci' '' 0000:00:1a.0 $e1000 0000:00:1c.0 00:1D.0
recipe
check "config/physical.yaml: forwards" begin recipe
check "nothing else is said" quiet
check "poll: every pair" pings
# The rate of a port is the one that its link negotiated; virtio does not report one.
check "rates are those of links" links_say '.rate' none 1Gbit 1Gbit none
check "poll: TCP" traffic -t 1
check "poll: conserved" conserved
fabric_name=other
check "another process has the card" refused "card $e1000 is in use by another process \(fuser -v /dev/vfio/" '' '' $e1000
fabric_name=
check "poll: ends" end TERM

check "sleep: forwards" begin mixed
check "nothing else is said here either" quiet
check "sleep: every pair" pings
check "hosts send packets of 9000 octets" host_mtu 9000 "${all_hosts[@]}"
check "they come whole by every card" long_pings
check "two hosts send longer ones" host_mtu 9400 h0 h1
check "virtio: they are told" longer_is_told h0
check "82540EM, which puts them into two buffers: they are told" longer_is_told h1
check "TCP of such packets" traffic -t 1
check "hosts do as before" host_mtu 1500 "${all_hosts[@]}"
check "82540EM and 82574L tell what is in their rings, virtio does not" links_say '.occupancy' queue ring ring queue
check "nothing stays in them" soon nothing_in_rings
for n in 0 1 2 3; do
  check "the cable of ${guest_ports[n]} (${guest_cards[n]}) off and on" cable $n
done
check "all is well again" pings
guest 'sed -i "s/driver: pci}/driver: pci, rate: 9.9Mbit}\nrouting: {unit: flowlet, flow_max: 100000}/" /run/switch.yaml'
check "reload" ctl reload s1-0
guest 'sed -i "s/flow_max: 100000/flow_max: 2000000/;s/unit: flowlet/unit: flow/" /run/switch.yaml
  echo 0 >/proc/sys/vm/nr_hugepages'
short_of_memory() { ! ctl reload s1-0 >"$scratch/said" && cat "$scratch/said" && grep -q 'no memory for it while' "$scratch/said"; }
check "hugepages do not suffice for a reload" short_of_memory
guest 'echo 96 >/proc/sys/vm/nr_hugepages'
check "reloads are quiet, too" bash -c "! grep EAL '$share/log'"
check "conserved" conserved

# A switch receives nothing for a while. QEMU drops a frame if the card has a buffer only for the
# frame's beginning, which happens with the 82540EM. Otherwise it leaves frames without buffers in
# the tap.
check "82540EM: what it dropped is counted" stalled 1 ". > $stall_frames / 2 and . < $stall_frames"
check "82574L: all is received" stalled 2 '. == 0'
check "virtio: all is received" stalled 0 '. == 0'
check "82540EM: counted once" still_counted d1
check "conserved with drops" conserved
check "is killed" end KILL
guest_wire d0 0

# The link behind a card is slower than the card reports.
guest_wire d1 4 && guest_wire u0 5
config slow 'driver: pci' '' 0000:00:1a.0 0000:00:1e.0 0000:00:17.0 00:1D.0
in_ns tc qdisc add dev u1 root tbf rate 10mbit burst 20kb limit 1mb
check "forwards again" begin slow
check "every pair over virtio" pings

# arrived: UDP packets at h7, whether a program receives them or not
arrived() {
  fabric exec h7 -- awk '/^Udp: [0-9]/ { n += $2 + $3 + $4 } /^Udp6(InDatagrams|NoPorts|InErrors) / { n += $2 }
    END { print n }' /proc/net/snmp /proc/net/snmp6
}
# iperf3 counts packets under way at its end as lost; some 80 packets wait for such a link.
slow() {
  local before lost mean pinging begins=$(($(wc -l <"$share/log") + 1))
  before=$(arrived)
  fabric exec h0 -- fping -q -c 30 -p 100 h7 >"$scratch/pings" 2>&1 &
  pinging=$!
  traffic -u -b 15M -l 1200 -t 3 || return
  wait $pinging
  fabric exec h0 -- fping -q -c 5 -p 100 h7 # pass the link after the last of them
  lost=$(jq ".end.sum.packets | 100 * (. - $(arrived) + $before) / ." "$scratch/traffic")
  echo "lost $lost %"
  tail -n +$begins "$share/log" >"$scratch/meanwhile"
  cat "$scratch/pings" "$share/log"
  mean=$(sed -nE 's|.*min/avg/max = [0-9.]+/([0-9.]+)/.*|\1|p' "$scratch/pings")
  jq -ne "$lost < 1 and ${mean:-1000} < 100" && ! grep -q ': down' "$scratch/meanwhile"
}
decide "a slow link: under 100 ms, under 1 % lost, not down" undisturbed 100 slow
guest 'sed -i "s/driver: pci}/driver: pci, rate: 9.9Mbit}/" /run/switch.yaml'
check "its rate is given" ctl reload s1-0
decide "a slow link with its rate likewise" undisturbed 100 slow
in_ns tc qdisc del dev u1 root
wakes() {
  ctl show s1-0 worker --json >"$scratch/worker" && jq -e '
    (.sleeps / ((.sleep_ns + .busy_ns) / 1e9)) | ., . < 300' "$scratch/worker"
}
end TERM

config workers 'driver: pci' ', workers: 2' 0000:00:1a.0 0000:00:1e.0 0000:00:17.0 00:1D.0
check "two workers forward" begin workers
check "two workers: every pair" pings
check "interrupts wake them, not time" wakes
check "two workers: TCP" traffic -t 1 -P 4
check "two workers: conserved" conserved
check "two workers end" end TERM
check "two workers were quiet" quiet

guest_stop

guest_start "$build/guest" intel_iommu=off
check "a guest without an IOMMU" guest_booted
check "no IOMMU" refused "card $e1000 is behind no IOMMU, which vfio-pci needs" '' '' $e1000
guest_stop
kill $server && wait $server
check "down" fabric down
check "nothing is left" nothing_left
finish
