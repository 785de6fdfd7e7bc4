#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs F(2,2) in containers of real podman, one for each switch and host. Their image is made of
# Debian packages only. Links are made after switches have started and wait for them; then all pairs
# answer. Runs only with --long, because it builds packages.
# Quiet: fourteen containers start.
if [ -z "${DRB_LONG:-}" ]; then
  echo "ok containers # SKIP packages are built, which takes minutes: --long"
  exit
fi
# shellcheck source=tests/live/install/debian/debian.bash
. "$(dirname "$0")/../install/debian/debian.bash"
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbctl
need_tool jq
need_debian
for tool in podman crun; do
  command -v $tool >/dev/null || DRB_NO_DEBIAN="$tool is not installed: deploy/install-deps.sh --containers"
done
need_debian

# If both versions of control groups are mounted, crun uses neither. Here it sees only version 2,
# and is configured to use none.
mount -t cgroup2 none /sys/fs/cgroup || cannot_run "no cgroup2"
# By default, podman raises limits of files and processes above what this process may set.
processes=$(ulimit -Hu)
[ "$processes" != unlimited ] && processes=$((processes / 2)) || processes=30000
export CONTAINERS_CONF=$scratch/containers.conf CONTAINERS_STORAGE_CONF=$scratch/storage.conf
cat >"$CONTAINERS_CONF" <<END
[containers]
cgroups = "disabled"
default_ulimits = ["nofile=$(ulimit -Hn):$(ulimit -Hn)", "nproc=$processes:$processes"]
[engine]
runtime = "crun"
cgroup_manager = "cgroupfs"
events_logger = "file"
END
# Images and containers are in memory, and disappear with the story.
printf '[storage]\ndriver = "overlay"\ngraphroot = "%s/store"\nrunroot = "%s/run"\n' "$scratch" "$scratch" >"$CONTAINERS_STORAGE_CONF"
export TMPDIR=$scratch

check "a minimal Debian as image" podman import "$debian/base.tar" debian-base
check "the image, from packages" podman build --isolation chroot --network host -f "$root/deploy/Containerfile" \
  --build-arg BASE=localhost/debian-base -t drbswitch "$debian"
check "it is the program" podman run --rm --network none drbswitch --version

plan=$scratch/plan
check "a plan" drbtopo plan -l 2 -d 2 --rate 20000pps --out "$plan"
check "as compose" fabric export compose "$plan"
cd "$plan" || exit
check "containers start" ./containers.sh start
running() { [ "$(podman ps -q | wc -l)" = 14 ]; }
check "one for each switch and host" soon running
waits() { podman logs "drb-$1" 2>&1 | grep -q 'interface'; }
for switch in s1-0 s2-1; do
  check "$switch waits for its interfaces" soon waits $switch
done
said_ready() { podman logs drb-s1-0 2>&1 | grep -w ready; }
not_ready() { ! said_ready; }
check "none is ready without links" not_ready
check "links are made" ./containers.sh wire
ready() { [ "$(drbctl list --json | jq -s 'map(select(.state == "running")) | length')" = 6 ]; }
check "all switches are ready, outside seen by drbctl" soon ready
check "as they say" said_ready
hosts=(10.0.0.{1..8})
all_pairs() { # all_pairs: every host gets an answer from every other
  local host
  for host in {0..7}; do
    podman exec "drb-h$host" sh -c 'for to; do ping -q -c 1 -W 3 "$to" || exit; done' - "${hosts[@]}" || return
  done
}
check "all pairs answer" soon all_pairs
check "in IPv6, too" soon podman exec drb-h0 ping -6 -c 1 -W 5 fd00::8
check "packets went over every layer" bash -c \
  "'$build/src/ctl/drbctl' show s2-0 ports --json | jq -se 'map(.in_packets) | add > 0'"
check "rights are laid down" bash -c "
  grep -qE '^CapEff:\s*0+$' /proc/\$(podman inspect -f '{{.State.Pid}}' drb-s1-0)/status"
check "one container dies" podman kill drb-s2-0
check "all pairs answer without it" soon all_pairs
check "what a script cannot do is usage" fails_with 2 'must be start, wire or stop' ./containers.sh draw
check "they are taken down" ./containers.sh stop
check "no container is left" test -z "$(podman ps -aq)"
rm -rf /run/dpdk/drb-s2-0 # it was killed
check "nothing is left" nothing_left
finish
