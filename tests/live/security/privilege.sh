#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Switches that forward have dropped their capabilities. Ports that go down and up, reloads,
# restarts and an orderly end still work. Unit tests that need rights run here, too.
# Full: it repeats unit tests with rights; test_confine.py tests that rights are dropped.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl
need_tool jq

# Prints the different values of this field in the status of all threads of all switches.
permitted() {
  drbctl list --csv | awk -F, 'NR > 1 { print $(NF - 1) }' | while read -r pid; do
    cat /proc/"$pid"/task/*/status
  done | awk -v field="$1" '$1 == field { print $2 }' | sort -u | tr '\n' ' '
}

promiscuous() { # promiscuous NAMESPACE INTERFACE: prints how many users require that
  ip netns exec "$1" ip -d -j link show "$2" | jq '.[0].promiscuity'
}

flap() { # flap NAMESPACE INTERFACE: takes it down, and up again
  ip -n "$1" link set "$2" down && sleep 0.3 && ip -n "$1" link set "$2" up && sleep 0.3
}

# tests/run.sh runs unit tests as a user without rights. Some tests skip themselves then, and root
# runs them here.
with_rights() { # with_rights TEST: runs all of a program, and lists what it skips
  "$build/tests/unit/$1" >"$scratch/said" 2>&1 || { cat "$scratch/said" && return 1; }
  sed -En 's/^\[ +SKIPPED \] ([a-z]\w+)$/\1/p' "$scratch/said" | sort -u >"$scratch/skipped"
}
for file in $(grep -rl --include='*.c' 'skip()' "$root/tests/unit"); do
  name=$(basename "$file" .c)
  [ -x "$build/tests/unit/$name" ] || continue
  true >"$scratch/skipped"
  check "unit test ${name#test_} with rights" with_rights "$name"
  while read -r part; do skip "unit test ${name#test_}: $part" "root lacks a right or the kernel a feature"; done <"$scratch/skipped"
done

for driver in af_packet af_xdp memif; do
  links=(--driver "$driver")
  [ $driver != memif ] || links=(--links memif)
  # With two workers, sockets are made again rather than bound again.
  [ $driver != af_packet ] || links+=(--workers 2)
  fabric up -l 2 -d 2 "${links[@]}" >"$scratch/up" 2>&1 || {
    [ $driver = af_xdp ] || cannot_run "no fabric: $(cat "$scratch/up")"
    skip "$driver" "$(tail -n 1 "$scratch/up")"
    continue
  }
  # A user namespace may have no other user.
  grep -q "4294967295$" /proc/self/uid_map &&
    check "$driver: they are not root" test "$(permitted Uid:)" = "$(id -u drbswitch 2>/dev/null || id -u nobody) "
  check "$driver: nothing is in effect" test "$(permitted CapEff:)" = "0000000000000000 "
  check "$driver: nor is anything permitted" test "$(permitted CapPrm:)" = "0000000000000000 "
  check "$driver: nor may be gained" test "$(permitted CapBnd:)" = "0000000000000000 "
  check "$driver: no new privileges" test "$(permitted NoNewPrivs:)" = "1 "
  well "$driver: every pair"
  check "$driver: a port goes down and up" flap drb-s1-0 d0
  [ $driver = memif ] || check "$driver: so does an uplink" flap drb-s1-1 u0
  well "$driver: every pair still"
  check "$driver: reload" drbctl reload --all
  check "$driver: restart" fabric replan --scheme dmodk
  well "$driver: every pair once more"
  [ $driver = memif ] || check "$driver: ports are promiscuous" \
    test "$(promiscuous drb-s1-0 d0)" -gt 0
  drbctl list --csv | awk -F, '$2 == "s1-0" { print $(NF - 1) }' >"$scratch/pid"
  kill "$(cat "$scratch/pid")"
  while kill -0 "$(cat "$scratch/pid")" 2>/dev/null; do sleep 0.05; done
  check "$driver: a switch that ends leaves its ports as they were" \
    test "$(promiscuous drb-s1-0 d0)" = 0
  check "$driver: down" fabric down
done
# Root has fewer rights in the containers of deploy/Containerfile. For instance, it may not change
# the mode of what it gave to the user drbswitch.
rights=$(sed -n 's/.*--cap-add \([A-Z_,]*\) .*/\L\1/p' "$root/deploy/Containerfile" | head -n 1)
in_container() {
  ip netns exec drb-s1-0 setpriv --bounding-set "-all,+${rights//,/,+}" --no-new-privs \
    "$build/src/switch/drbswitch" -c /run/drbswitch/drb/s1-0.yaml >"$scratch/said" 2>&1
}
all_run() { drbctl list --json | jq -se 'length == 6 and all(.state == "running")' || { cat "$scratch/said" && false; }; }
up -l 2 -d 2
check "a switch stops" fabric stop s1-0
in_container &
check "it starts with the rights of a container" soon all_run
pid_in_container=$(drbctl list --csv | awk -F, '$2 == "s1-0" { print $(NF - 1) }')
kill -9 "$pid_in_container"
in_container &
restarted() { all_run && [ "$(drbctl list --csv | awk -F, '$2 == "s1-0" { print $(NF - 1) }')" != "$pid_in_container" ]; }
check "and again after it was killed" soon restarted
kill "$(drbctl list --csv | awk -F, '$2 == "s1-0" { print $(NF - 1) }')"
wait
check "the others go" fabric down
check "nothing is left" nothing_left

# Accounts are changed in this story only. Without the account drbswitch, switches become nobody and
# report that; deploy/install-deps.sh makes the account.
if grep -q '4294967295$' /proc/self/uid_map && bash "$root/deploy/install-deps.sh" --check 2>/dev/null; then
  cp -a /etc "$scratch/etc" && mount --bind "$scratch/etc" /etc || cannot_run "no /etc of its own"
  sed -i '/^drbswitch:/d' /etc/passwd /etc/group /etc/shadow /etc/gshadow
  up -l 2 -d 2
  check "without the user, a switch says that nobody is shared" grep -q 'runs as nobody, as other programs may' \
    /run/drbswitch/drb/log/s1-0.log
  check "which goes" fabric down
  check "the user is made" bash "$root/deploy/install-deps.sh"
  up -l 2 -d 2
  check "switches become it, and say nothing of nobody" bash -c \
    "[ '$(permitted Uid:)' = '$(id -u drbswitch) ' ] && ! grep nobody /run/drbswitch/drb/log/s1-0.log"
  as_switch() { setpriv --reuid drbswitch --regid drbswitch --clear-groups "$build/src/ctl/drbctl" --runtime /run "$@"; }
  check "their user sees them" as_switch list
  check "and gives no orders" fails_with 1 'only root and members of the group' as_switch down s1-0.u0
  check "nor captures" fails_with 1 'only root and members of the group' as_switch capture s1-0 -c 1
  check "they go" fabric down
fi
finish
