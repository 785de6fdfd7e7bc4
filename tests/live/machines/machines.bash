# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced after story.bash by stories of fabrics over several machines. A machine is mount, process, network
# and hostname namespaces with a /run and an sshd of its own; the story's world is the network between them
# and the place where Ansible runs. Everything ends with the world.

[ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || cannot_run "sshd needs real root"
need_tool ansible-playbook ssh-keygen jq tar
[ -x /usr/sbin/sshd ] || cannot_run "sshd is not installed"

# What machines and world share: machines have a /run each.
shared=/mnt
mount -t tmpfs -o mode=755 tmpfs $shared || cannot_run "cannot mount on $shared"
declare -A machine_pid # of the process that a machine ends with

# shellcheck disable=SC2154
export HOME=$scratch ANSIBLE_HOME=$scratch/ansible ANSIBLE_REMOTE_TEMP=/run/ansible ANSIBLE_PIPELINING=1 \
  ANSIBLE_LOCAL_TEMP=$scratch/ansible ANSIBLE_NOCOLOR=1 ANSIBLE_SSH_ARGS="-F $shared/ssh_config" \
  ANSIBLE_DEPRECATION_WARNINGS=0

# The network between machines: a switch that they all hang on.
ip link add underlay type bridge && ip address add 10.99.0.254/24 dev underlay && ip link set underlay up ||
  cannot_run "no bridge"
ssh-keygen -q -t ed25519 -N '' -f $shared/key && ssh-keygen -q -t ed25519 -N '' -f $shared/host
cat >$shared/ssh_config <<END
IdentityFile $shared/key
StrictHostKeyChecking no
UserKnownHostsFile /dev/null
LogLevel ERROR
ConnectTimeout 5
END
# shellcheck disable=SC2154
cat >$shared/sshd_config <<END
HostKey $shared/host
AuthorizedKeysFile $shared/key.pub
StrictModes no
UsePAM no
PidFile none
MaxStartups 100
UseDNS no
Subsystem sftp internal-sftp
PermitRootLogin yes
SetEnv DRB_BUILD=$build PATH=$PATH
END
# What a user's .bashrc says or starts is not ours to judge: some of them write files that all machines share.
cat >$shared/boot <<'END'
mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/sshd && hostname "$1" && ip link set lo up || exit
rc=$(getent passwd root | cut -d: -f6)/.bashrc
[ ! -e "$rc" ] || mount --bind /dev/null "$rc" || exit
read -r _ # its cable is plugged in
/usr/sbin/sshd -D -f /mnt/sshd_config
END

# machine_start NAME NUMBER [MTU]: boots a machine at 10.99.0.NUMBER
machine_start() {
  local name=$1 number=$2 mtu=${3:-1500} child go
  mkfifo "$shared/go-$name"
  unshare --mount --net --uts --pid --fork --kill-child --mount-proc \
    bash $shared/boot "$name" <"$shared/go-$name" >"$shared/$name.log" 2>&1 &
  machine_pid[$name]=$!
  exec {go}>"$shared/go-$name"
  child=$(soon pgrep -P "${machine_pid[$name]}")
  ip link add "to-$name" mtu "$mtu" type veth peer name eth0 mtu "$mtu" netns "$child"
  ip link set "to-$name" master underlay up
  nsenter --net="/proc/$child/ns/net" ip address add "10.99.0.$number/24" dev eth0
  nsenter --net="/proc/$child/ns/net" ip link set eth0 up
  echo plugged >&"$go"
  exec {go}>&-
  rm "$shared/go-$name"
  soon on "$name" true >/dev/null
}

# start_machines NAMES [OPTION...]: machines at 10.99.0.1, 10.99.0.2 and so on, with their parts of a plan of these
# options, and its playbook; $scratch/cables.yaml is added to the file of machines
start_machines() {
  local names name number=0
  read -ra names <<<"$1"
  shift
  for name in "${names[@]}"; do
    echo "  - {name: $name, address: 10.99.0.$((++number)), command: $root/topo/fabric}"
  done | sed '1i machines:' >"$scratch/machines.yaml"
  [ ! -e "$scratch/cables.yaml" ] || cat "$scratch/cables.yaml" >>"$scratch/machines.yaml"
  check "a plan for ${#names[@]} machines" drbtopo plan --machines "$scratch/machines.yaml" --out $shared/plan "$@"
  check "its playbook" fabric export ansible $shared/plan
  number=0
  for name in "${names[@]}"; do machine_start "$name" $((++number)); done
}

# plug_cable NAME INTERFACE: an end of the cable between machines, which goes with its machine. In between is a bridge
# that passes everything on, so that the other end stays when a machine has no power.
plug_cable() {
  if ! ip link show dev cable >/dev/null 2>&1; then
    ip link add cable type bridge group_fwd_mask 0x4000 && ip link set cable up || return
  fi
  ip link add "cable-$1" type veth peer name "$2" netns "$(pgrep -P "${machine_pid[$1]}")" &&
    ip link set "cable-$1" master cable up && ip link set "cable-$1" type bridge_slave learning off
}

# machine_kill NAME: as when its power fails
machine_kill() {
  kill -KILL "${machine_pid[$1]}"
  wait "${machine_pid[$1]}" 2>/dev/null
  soon test ! -e "/sys/class/net/to-$1" >/dev/null
}

# on NAME COMMAND...: on a machine, as somebody who is logged in there
on() {
  local name=$1
  shift
  ssh -F $shared/ssh_config "root@$(jq -r ".machines.hosts.\"$name\".ansible_host" $shared/plan/inventory.json)" "$@"
}

# playbook TAG[,TAG...] [ARGUMENT...]
playbook() {
  local tags=$1
  shift
  ansible-playbook -i $shared/plan/inventory.json $shared/plan/fabric.yaml --tags "$tags" "$@"
}

# left_on NAME: what a fabric left on a machine
left_on() {
  on "$1" 'find /run/netns /run/drbswitch* /run/dpdk -mindepth 1 2>/dev/null; pgrep -a -r D,R,S,T drbswitch;
    ip -o link show type vxlan; ls /run/drbswitch.* 2>/dev/null; true'
}

nothing_left_on() {
  local name left
  for name; do
    left=$(left_on "$name") || return 1
    [ -z "$left" ] || { echo "left on $name: $left" && return 1; }
  done
}
