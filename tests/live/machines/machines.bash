# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Stories of fabrics over several machines source this after story.bash. A machine consists of
# mount, process, network and hostname namespaces, with its own /run and sshd. The story's world is
# the network between machines, and runs Ansible. Everything ends with the world.

[ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || cannot_run "sshd needs real root"
need_tool ansible-playbook ssh-keygen jq tar
[ -x /usr/sbin/sshd ] || cannot_run "sshd is not installed"

# Machines and world share this folder. Each machine has its own /run.
shared=/mnt
mount -t tmpfs -o mode=755 tmpfs $shared || cannot_run "cannot mount on $shared"
declare -A machine_pid # process IDs; the machine ends with its process

# shellcheck disable=SC2154
export HOME=$scratch ANSIBLE_HOME=$scratch/ansible ANSIBLE_REMOTE_TEMP=/run/ansible ANSIBLE_PIPELINING=1 \
  ANSIBLE_LOCAL_TEMP=$scratch/ansible ANSIBLE_NOCOLOR=1 ANSIBLE_SSH_ARGS="-F $shared/ssh_config" \
  ANSIBLE_DEPRECATION_WARNINGS=0

# The network between machines is a bridge that connects them all.
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
SetEnv DRB_BUILD=$build PATH=$PATH TMPDIR=/run/tmp
END
# On every second machine we log in as another user, who becomes root by ssh to the same machine, as
# other users do by sudo.
sed "s|$shared/key|/run/operator/key|" $shared/ssh_config >$shared/operator_config
# Hide root's .bashrc: its output is not under test, and some write files that all machines share.
cat >$shared/boot <<'END'
mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/sshd && mkdir -m 1777 /run/ansible /run/tmp && hostname "$1" &&
  ip link set lo up || exit
install -d -o 4321 -g 4321 /run/operator && install -o 4321 -m 600 /mnt/key /run/operator/ || exit
{ cat /etc/passwd && echo operator:x:4321:4321::/run/operator:/bin/bash; } >/run/passwd
mount --bind /run/passwd /etc/passwd || exit
rc=$(getent passwd root | cut -d: -f6)/.bashrc
[ ! -e "$rc" ] || mount --bind /dev/null "$rc" || exit
read -r _ # waits until its cable is plugged in
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

# start_machines NAMES [OPTION...]: starts machines at 10.99.0.1, 10.99.0.2 and so on, with their
# parts of a plan with these options, and its playbook. $scratch/cables.yaml is added to the list of
# machines.
start_machines() {
  local names name who number=0
  read -ra names <<<"$1"
  shift
  for name in "${names[@]}"; do
    case $((++number % 2)) in
      1) who="command: $root/topo/fabric" ;;
      0) who="ssh_user: operator, command: ssh -F $shared/operator_config root@127.0.0.1 $root/topo/fabric" ;;
    esac
    echo "  - {name: $name, address: 10.99.0.$number, $who}"
  done | sed '1i machines:' >"$scratch/machines.yaml"
  [ ! -e "$scratch/cables.yaml" ] || cat "$scratch/cables.yaml" >>"$scratch/machines.yaml"
  check "a plan for ${#names[@]} machines" drbtopo plan --machines "$scratch/machines.yaml" --out $shared/plan "$@"
  check "its playbook" fabric export ansible $shared/plan
  number=0
  for name in "${names[@]}"; do machine_start "$name" $((++number)); done
}

# plug_cable NAME INTERFACE: plugs an end of the cable between machines into a machine. A bridge in
# the middle passes everything on: without it, the other end would disappear with the machine.
plug_cable() {
  if ! ip link show dev cable >/dev/null 2>&1; then
    ip link add cable type bridge group_fwd_mask 0x4000 && ip link set cable up || return
  fi
  ip link add "cable-$1" type veth peer name "$2" netns "$(pgrep -P "${machine_pid[$1]}")" &&
    ip link set "cable-$1" master cable up && ip link set "cable-$1" type bridge_slave learning off
}

# machine_kill NAME: ends a machine as a power failure would
machine_kill() {
  kill -KILL "${machine_pid[$1]}"
  wait "${machine_pid[$1]}" 2>/dev/null
  soon test ! -e "/sys/class/net/to-$1" >/dev/null
}

# on NAME COMMAND...: runs a command on a machine over ssh
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

# left_on NAME: prints what a fabric has left on a machine
left_on() {
  on "$1" 'find /run/netns /run/drbswitch* /run/dpdk /run/tmp -mindepth 1 2>/dev/null; pgrep -a -r D,R,S,T drbswitch;
    ip -o link show type vxlan; true'
}

nothing_left_on() {
  local name left
  for name; do
    left=$(left_on "$name") || return 1
    [ -z "$left" ] || { echo "left on $name: $left" && return 1; }
  done
}
