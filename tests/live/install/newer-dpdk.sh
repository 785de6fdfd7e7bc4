#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and tests this tree in Debian 13 with that release's DPDK: unit tests, processes, and
# fabrics over those drivers whose internals the code relies on. Runs only with --long, because it
# unpacks a Debian and builds everything.
# Alone: programs are built.
if [ -z "${DRB_LONG:-}" ]; then
  echo "ok a newer DPDK # SKIP everything is built again, which takes minutes: --long"
  exit
fi
here=$(dirname "$0")
# Packages are downloaded outside of the story's namespaces, where there is a network.
if [ -z "${DRB_STORY_WORLD:-}" ]; then
  export DRB_NO_DEBIAN=''
  why=$("$here/debian/newer" "${DRB_BUILD:-$here/../../../build}/debian" 2>&1) || DRB_NO_DEBIAN=$why
fi
# shellcheck source=tests/live/story.bash
. "$here/../story.bash"
if [ -n "$DRB_NO_DEBIAN" ]; then
  [ -z "${DRB_STRICT:-}" ] || { not_ok "a newer DPDK" && echo "# $DRB_NO_DEBIAN" && exit 1; }
  cannot_run "$DRB_NO_DEBIAN"
fi
[ "$(awk '{ print $2 }' /proc/self/uid_map)" = 0 ] || cannot_run "a Debian is entered as root"

newer=$build/debian/newer
mount --bind "$newer" "$newer" # ip netns requires / to be a mount point
for folder in dev sys; do
  mount --rbind /$folder "$newer/$folder" || cannot_run "no /$folder of its own"
done
for folder in run tmp; do
  mount -t tmpfs tmpfs "$newer/$folder" || cannot_run "no /$folder of its own"
done
mount -t proc proc "$newer/proc" || cannot_run "no /proc of its own"
inside() { # inside COMMAND...: runs it in Debian 13, in the tree's folder
  chroot "$newer" env -i -C /src PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 "$@"
}

rm -rf "$newer/src" && mkdir "$newer/src"
git -C "$root" ls-files -z --cached --others --exclude-standard | (cd "$root" && xargs -0 ls -d --zero 2>/dev/null) |
  tar -C "$root" -c --null -T - | tar -C "$newer/src" -x
version=$(inside pkg-config --modversion libdpdk)
echo "# DPDK $version"
check "it is newer than what this machine has" test "$version" != "$(pkg-config --modversion libdpdk)"
check "it is set up, with warnings as errors" inside meson setup --werror build
check "it builds" inside ninja -C build
[ "$not_ok_count" = 0 ] || exit 1
check "unit tests" inside meson test -C build --no-rebuild --timeout-multiplier 3 --suite unit
check "processes" inside meson test -C build --no-rebuild --timeout-multiplier 3 --suite process
for path in ports/drivers faults/break ports/steer; do
  story=${path#*/}
  inside bash "tests/live/$path.sh" >"$scratch/said" 2>&1
  status=$?
  sed "s/^ok /&$story: /; s/^not ok /&$story: /" "$scratch/said"
  check "$story" test $status = 0
done
finish
