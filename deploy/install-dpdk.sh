#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds a release of DPDK and installs it into a folder of its own, beside the distribution's.
#   deploy/install-dpdk.sh VERSION FOLDER
# Build drbswitch against it by PKG_CONFIG_PATH=FOLDER/lib/pkgconfig meson setup build.
set -euo pipefail

if [ $# != 2 ]; then
  echo "usage: $0 VERSION FOLDER, such as 25.11 /opt/dpdk" >&2
  exit 2
fi
version=$1 folder=$(realpath -m "$2")
if ! python3 -c 'import elftools' 2>/dev/null; then
  if [ "$(id -u)" != 0 ]; then
    echo "missing package: python3-pyelftools" >&2
    exit 2
  fi
  apt-get install -y --no-install-recommends python3-pyelftools >&2
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

curl -fsSL "https://fast.dpdk.org/rel/dpdk-$version.tar.xz" >"$scratch/dpdk.tar.xz"
mkdir "$scratch/dpdk"
tar -xf "$scratch/dpdk.tar.xz" -C "$scratch/dpdk" --strip-components 1
# Without classes of drivers that a switch never links.
meson setup "$scratch/build" "$scratch/dpdk" --prefix "$folder" --libdir lib -Dplatform=generic -Dtests=false \
  -Ddisable_drivers='baseband/*,compress/*,crypto/*,dma/*,event/*,gpu/*,ml/*,raw/*,regex/*,vdpa/*'
ninja -C "$scratch/build" install
