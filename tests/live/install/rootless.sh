#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An ordinary user brings a fabric up, with user, mount and network namespaces and without
# hugepages.
root=$(cd "$(dirname "$0")/../../.." && pwd)
if [ "$(id -u)" = 0 ] && [ -z "${DRB_STORY_WORLD:-}" ]; then
  # Root becomes the user nobody, who can only read.
  nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  if ! "${nobody[@]}" test -x "$root/topo/rootless" -a -r "$root/topo/drbfabric/fabric/fabrics.py"; then
    echo "cannot run here: an ordinary user cannot read $root" >&2
    exit 77
  fi
  HOME=/tmp exec "${nobody[@]}" bash "$0" "$@"
fi
# shellcheck source=tests/live/story.bash
. "$root/tests/live/story.bash"
need drbtopo drbswitch drbctl
need_tool fping ping

kernel_user() { # kernel_user: prints our user number outside of the namespace
  awk '{ print $2 }' /proc/self/uid_map
}

check "the user is an ordinary one" test "$(kernel_user)" != 0
up -l 3 -d 2
check "a switch says once that it cannot send GSO packets" \
  bash -c "[ \"\$('$root/topo/fabric' logs s1-0 | grep -c 'GSO packets take CAP_BPF')\" = 1 ]"
well "wiring, pings, counters" wiring ping counters links
check "exec" soon fabric exec h4 -- ping -c 1 -W 2 10.0.0.11
check "exec sees the interfaces of the node in /sys too" \
  sh -c "'$root/topo/fabric' exec h4 -- ls /sys/class/net | grep -qx eth0"
check "down" fabric down
check "nothing is left" nothing_left
finish
