#!/bin/bash
# Installs the Debian packages that drbswitch needs; does nothing when all are there.
#   deploy/install-deps.sh [--cards] [--containers] [--check]
# --cards: also what tests/live/ports/cards.sh needs, an emulator. --containers: also what tests/live/install/package.sh and containers.sh
# need, to make Debian packages and run containers. --check only says which are missing (exit 1 if any).
set -euo pipefail

packages=(
  # build
  gcc libc6-dev meson ninja-build pkg-config clang linux-libc-dev
  dpdk-dev libpcap-dev libbpf-dev libyaml-dev libjansson-dev zlib1g-dev
  libevent-dev libsystemd-dev libseccomp-dev libsodium-dev libmicrohttpd-dev
  # running fabrics
  iproute2 iputils-ping fping procps python3
  # reports of drbsim paper and topo/experiment; the picture of topo/demo.sh and those of tests/bench
  python3-jinja2 python3-matplotlib
  # tests and checks
  libcmocka-dev dpdk iperf3 jq tcpdump clang libclang-rt-dev clang-format cppcheck shellcheck
  flake8 mypy codespell prometheus curl
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
# Stories start an SSH server in namespaces of their own; this machine gets none by it.
case " ${missing[*]} " in
  *" openssh-server "*) mkdir -p /etc/ssh && : >/etc/ssh/sshd_not_to_be_run ;;
esac
apt-get update -q >&2
apt-get install -q -y --no-install-recommends "${missing[@]}" >&2
