#!/bin/bash
# Installs the Debian packages that drbswitch needs, and makes the user that switches become. Does
# nothing if all are present.
#   deploy/install-deps.sh [--cards] [--containers] [--check]
# --cards: also an emulator, for tests/live/ports/cards.sh. --containers: also programs that make
# Debian packages and run containers, for tests/live/install/package.sh and
# tests/live/machines/containers.sh. --check only prints missing packages (exit status 1 if there
# are any).
set -euo pipefail

packages=(
  # build
  gcc libc6-dev meson ninja-build pkg-config clang linux-libc-dev
  dpdk-dev libpcap-dev libbpf-dev libyaml-dev libjansson-dev zlib1g-dev
  libevent-dev libsystemd-dev libseccomp-dev libsodium-dev libmicrohttpd-dev
  # running fabrics
  iproute2 iputils-ping fping procps python3
  # reports of drblab; the picture of topo/demo.sh and those of tests/bench
  python3-jinja2 python3-matplotlib
  # the laboratory and its tests, which build a wheel and use MPI, Dask and a notebook
  python3-numpy python3-pandas python3-scipy
  python3-mesonpy python3-pip python3-venv python3-mpi4py openmpi-bin python3-distributed
  python3-nbclient python3-nbformat python3-ipykernel
  # tests and checks
  libcmocka-dev dpdk logrotate iperf3 jq tcpdump strace clang libclang-rt-dev python3-clang gcovr clang-format cppcheck shellcheck
  flake8 mypy codespell abigail-tools prometheus curl
  mandoc bash-completion zsh fish mininet iperf telnet
  ansible-core openssh-server python3-jsonschema python3-yaml
  chromium chromium-driver python3-selenium tshark mkdocs
)

while true; do
  case ${1:-} in
    --cards) packages+=(qemu-system-x86) ;;
    --containers) packages+=(build-essential debhelper dh-python lintian mmdebstrap podman crun) ;;
    *) break ;;
  esac
  shift
done

# Make the user that deploy/sysusers.conf makes if the Debian package is installed.
if [ "$(id -u)" = 0 ] && [ "${1:-}" != --check ] && ! getent passwd drbswitch >/dev/null; then
  echo "making the user drbswitch" >&2
  useradd --system --user-group --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin \
    --comment 'Fat-tree switches (DRB)' drbswitch
fi

missing=()
for p in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "${1:-}" = --check ]; then
  echo "missing packages: ${missing[*]}" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "missing packages: ${missing[*]}" >&2
  echo "run as root: $0" >&2
  exit 2
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
# Some tests start an SSH server in their own namespaces; this file keeps the machine from running
# one.
case " ${missing[*]} " in
  *" openssh-server "*) mkdir -p /etc/ssh && : >/etc/ssh/sshd_not_to_be_run ;;
esac
apt-get update -q >&2
apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
