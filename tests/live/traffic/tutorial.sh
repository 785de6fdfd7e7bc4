#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs those commands of docs/guide/your-own-scheme.md that need root: a scheme from outside in an
# experiment and in a fabric.
# Full: schemes are built and compared; schemes.sh tests schemes of the tree live.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen drbsim
need_tool cc pkg-config fping
export TMPDIR=$scratch PKG_CONFIG_PATH=$build/meson-uninstalled PATH=$scratch/bin:$build/src/sim:$build/src/ctl:$PATH

cd "$scratch" || exit 1
mkdir bin
ln -s "$root/topo/fabric" bin/drbfabric
ln -s "$root/lab/run" bin/drblab
printf '#!/bin/sh\nexec "$@"\n' >bin/sudo && chmod +x bin/sudo
"$root/tests/docs/commands_of.sh" "$root/docs/guide/your-own-scheme.md"
check "the scheme of the page" bash 1.sh
for block in [2-9].sh; do
  if grep -q '^sudo ' "$block"; then
    check "$(sed -n 2p "$block")" bash -x "$block"
  fi
done
check "the report has it beside the others" grep -q '^either,' report/summary.csv
check "nothing is left" nothing_left
finish
