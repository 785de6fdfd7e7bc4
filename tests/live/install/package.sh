#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages in a clean Debian that never saw this tree. All that README shows
# works in one command each, and a purge leaves nothing. Runs only with --long, because it builds
# packages and the demo compares schemes.
# Alone: the demo measures.
if [ -z "${DRB_LONG:-}" ]; then
  echo "ok Debian packages # SKIP they take minutes: --long"
  exit
fi
# shellcheck source=tests/live/install/debian/debian.bash
. "$(dirname "$0")/debian/debian.bash"
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need_tool jq
need_debian

check "lintian finds no errors" lintian --fail-on error --allow-root "$debian"/drbswitch*.deb

clean=$scratch/clean
mkdir "$clean"
mount --bind "$clean" "$clean" # ip netns requires / to be a mount point
tar -C "$clean" --exclude ./dev -xf "$debian/base.tar"
mkdir -p "$clean/dev"
for folder in dev sys; do
  mount --rbind /$folder "$clean/$folder" || cannot_run "no /$folder of its own"
done
for folder in run tmp; do
  mount -t tmpfs tmpfs "$clean/$folder" || cannot_run "no /$folder of its own"
done
mount -t proc proc "$clean/proc" || cannot_run "no /proc of its own"

# Reports and caches of libraries are written to /tmp.
inside() { chroot "$clean" env -i -C /tmp PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 "$@"; }
# Lists every file except those that dpkg and caches keep, and accounts. As other packages, this one
# leaves its account, which may own files.
files() {
  (cd "$clean" && find . -xdev \( -path ./run -o -path ./tmp -o -path ./var/lib/dpkg -o -path ./var/cache -o -path ./var/log \
    -o -path './etc/passwd*' -o -path './etc/group*' -o -path './etc/shadow*' -o -path './etc/gshadow*' \) \
    -prune -o -type f -printf '%p %m %s\n' -o -printf '%p %m\n' | grep -v '^./etc/ld.so.cache ' | sort)
}
# dpkg -V prints nothing for files that are still as installed.
untouched() { [ -z "$(inside dpkg -V drbswitch drbswitch-doc drbswitch-mininet python3-drblab 2>&1 | tee /dev/stderr)" ]; }
says() { # says PATTERN COMMAND...
  local pattern=$1 said
  shift
  said=$("$@" 2>&1) || { echo "$said" && return 1; }
  echo "$said"
  grep -qE -- "$pattern" <<<"$said"
}

files >"$scratch/before"
cp "$clean/etc/passwd" "$scratch/passwd"
cp "$debian"/{drbswitch,drbswitch-doc,drbswitch-mininet,python3-drblab}_*.deb "$clean/tmp/"
# Nothing can be downloaded here, so the packages must name all dependencies.
check "they install" inside sh -c 'dpkg -i /tmp/*.deb'
check "the checkout is not there" test ! -e "$clean$root/meson.build"
check "every library is found" says drbswitch inside drbswitch --version
# shellcheck disable=SC2016 # expanded inside
check "the unit's program is there" inside sh -c \
  'test -x "$(sed -n "s/^ExecStart=.\([^ ]*drbswitch\). .*/\1/p" /lib/systemd/system/drbswitch@.service)"'
check "zsh finds its completion" test -s "$clean/usr/share/zsh/vendor-completions/_drbswitch"
check "the first test" says 'Winner: ' inside drblab demo
# These lines are from docs/guide/install.md. The switch keeps its output open.
check "one switch, its hosts in namespaces" says ' 0% packet loss' inside bash -c \
  'cd /tmp && drbtopo commands -l 3 -d 2 --fabric one s1-0 | bash >said 2>&1; cat said'
gone() { ! pgrep -r R,S,D -x drbswitch; }
# Safe only if the process namespace contains no processes but the story's.
grep -q rootless /proc/1/cmdline || cannot_run "no process namespace of its own"
pgrep -x drbswitch | xargs -r kill
soon gone >/dev/null
for name in $(inside ip netns list | awk '{ print $1 }'); do inside ip netns delete "$name"; done
check "a fabric" inside drbfabric up -l 3 -d 2 --rate 500pps
check "every pair, every link" soon inside drbfabric check
check "drbctl sees it" inside drbctl check
replay() { inside drbgen write --out /tmp/traffic && inside drbgen replay /tmp/traffic --json | jq -e '.sent > 10000 and .lost == 0'; }
check "a replay loses nothing" replay
check "it goes" inside drbfabric down
check "an experiment" inside drblab experiment --scheme drb --load 0.5 --runs 1 --slots 100 --repeat 0 --stretch 0 --out /tmp/report
check "in Mininet" says '0% dropped' inside mn --custom /usr/share/drbswitch/mininet/drb.py --topo fattree,3,2 --switch drb \
  --test pingall
check "nothing but a folder for sockets is left of it" test -z "$(find "$clean/run" -mindepth 2 -path '*drb*')"
check "installed files are as they were" untouched

printf 'fabric: {layers: 2, arity: 2}\nswitch: {layer: 1, label: 0}\n' >"$clean/etc/drbswitch/s1-0.yaml"
check "they are removed" inside dpkg -r python3-drblab drbswitch-mininet drbswitch-doc drbswitch
check "configs stay" test -e "$clean/etc/drbswitch/s1-0.yaml"
rm "$clean/etc/drbswitch/s1-0.yaml"
check "no program stays" bash -c "! ls '$clean'/usr/bin/drb*"
check "they are purged" inside dpkg -P drbswitch-mininet drbswitch-doc drbswitch
files >"$scratch/after"
check "nothing is left" diff "$scratch/before" "$scratch/after"
other_accounts() { diff "$scratch/passwd" "$clean/etc/passwd" | grep '^[<>]' | grep -v '^> drbswitch:x:.*:/usr/sbin/nologin$'; }
check "but an account, which cannot log in" test -z "$(other_accounts)"
finish
