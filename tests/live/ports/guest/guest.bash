# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by cards.sh: a guest of QEMU with network cards, which replaces the switch of a fabric. It
# uses the host's root folder read-only; guest and host share $share.

share=${scratch:?}/share
guest_ns=drb-s1-0 # the links of the switch end here, and QEMU runs here
guest_ports=(d0 d1 u0 u1)
# Card N is at tap tN outside, and at PCI address 0000:00:AT.0 inside.
guest_cards=(virtio e1000 e1000e virtio virtio virtio vmxnet3)
guest_at=(1a 1b 1c 1d 1e 17 18)

in_ns() { ip netns exec "$guest_ns" "$@"; }

guest_taps() {
  local n queues
  for n in "${!guest_cards[@]}"; do
    queues=()
    [ "${guest_cards[n]}" != virtio ] || queues=(multi_queue)
    in_ns ip tuntap add "t$n" mode tap "${queues[@]}" && in_ns ip link set "t$n" arp off mtu 9000 up &&
      in_ns tc qdisc add dev "t$n" clsact || return
  done
  for n in "${guest_ports[@]}"; do
    in_ns tc qdisc add dev "$n" clsact || return
  done
}

# redirect FROM TO: frames that come in at one interface go out by the other
redirect() {
  in_ns tc filter replace dev "$1" ingress pref 1 handle 800::800 protocol all u32 match u32 0 0 \
    action mirred egress redirect dev "$2"
}

# Connects card N to this port of the switch. A bridge would not do, because it keeps hellos.
guest_wire() { # guest_wire PORT N
  redirect "$1" "t$2" && redirect "t$2" "$1"
}

# Prints QEMU's options for card N. Its transmit ring fills while the link behind is slow (sndbuf).
guest_device() { # guest_device N
  local net=tap,id=n$1,ifname=t$1,script=no,downscript=no,vhost=off at=addr=0x${guest_at[$1]},romfile=
  local modern=iommu_platform=on,disable-legacy=on,mq=on,vectors=6
  case ${guest_cards[$1]} in
    virtio) echo "-netdev $net,vnet_hdr=off,queues=2,sndbuf=70000 -device virtio-net-pci,netdev=n$1,id=nic$1,$at,$modern" ;;
    vmxnet3) echo "-netdev $net -device vmxnet3,netdev=n$1,id=nic$1,$at" ;;
    e1000) echo "-netdev $net -device e1000,netdev=n$1,id=nic$1,$at" ;;
    e1000e) echo "-netdev $net,vnet_hdr=off -device e1000e,netdev=n$1,id=nic$1,$at" ;;
  esac
}

# Starts the guest; guest_booted waits for it. The guest is emulated, because a kernel takes longer
# under KVM that is software itself. The clock is the emulator's: the processor's clock is wrong if
# the machine was busy while the guest calibrated it.
guest_start() { # guest_start IMAGE KERNEL-ARGUMENT...
  local image=$1 n devices=()
  shift
  rm -rf "$share" && mkdir -p "$share" || return
  for n in "${!guest_cards[@]}"; do
    # shellcheck disable=SC2207 # splitting is intended
    devices+=($(guest_device "$n"))
  done
  in_ns qemu-system-x86_64 -machine q35,accel=tcg -cpu max -device intel-iommu,intremap=on -smp 2 -m 768 \
    -nodefaults -no-user-config -display none -serial "file:$scratch/console" -qmp "unix:$scratch/qmp,server=on,wait=off" \
    -kernel "$image/vmlinuz" -initrd "$image/initrd.gz" \
    -append "console=ttyS0 quiet panic=-1 clocksource=hpet hugepages=96 $*" \
    -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=host,mount_tag=host \
    -fsdev "local,id=share,path=$share,security_model=none,multidevs=remap" \
    -device virtio-9p-pci,fsdev=share,mount_tag=share \
    "${devices[@]}" >"$scratch/qemu" 2>&1 &
  guest_pid=$!
}

guest_booted() {
  local end=$((EPOCHSECONDS + 300))
  until [ -e "$share/booted" ] || [ "$EPOCHSECONDS" -ge $end ] || ! kill -0 "$guest_pid"; do
    sleep 0.05
  done
  [ -e "$share/booted" ] || { cat "$scratch/qemu" && tail -n 20 "$scratch/console" && false; }
}

# guest COMMAND...: has bash in the guest run it; returns its output and its exit status
guest() {
  local n=$((++guest_orders)) end=$((EPOCHSECONDS + 120)) status
  printf '%s\n' "export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/run/bin TMPDIR=/run" "cd ${root:?}" "$*" >"$share/$BASHPID-$n.new"
  mv "$share/$BASHPID-$n.new" "$share/$BASHPID-$n.sh"
  until [ -f "$share/$BASHPID-$n.status" ]; do
    [ "$EPOCHSECONDS" -lt $end ] && kill -0 "$guest_pid" || { echo "the guest does not answer: $*" && return 1; }
    sleep 0.02
  done
  status=$(<"$share/$BASHPID-$n.status")
  cat "$share/$BASHPID-$n.out"
  return "$status"
}
guest_orders=0

qmp() { python3 -B "$root/tests/live/ports/guest/qmp.py" "$scratch/qmp" "$@"; }
guest_cable() { qmp set_link "name=nic$1" "up=$2"; } # guest_cable N true|false

# Binds the card of port N to DRIVER, or to no driver if that is "none".
guest_bind() { # guest_bind N DRIVER
  guest "device=/sys/bus/pci/devices/$(guest_address "$1")
    [ ! -e \$device/driver ] || basename \$device >\$device/driver/unbind
    [ $2 = none ] || { echo $2 >\$device/driver_override && basename \$device >/sys/bus/pci/drivers/$2/bind; }"
}
guest_address() { echo "0000:00:${guest_at[$1]}.0"; }

guest_stop() {
  qmp quit
  wait "$guest_pid"
}
