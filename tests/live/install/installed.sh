#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Everything that `meson install` puts under a DESTDIR works from there when the checkout is hidden:
# a fabric, a replay, checks, an experiment, and the demo's refusal of mistakes.
# Quiet: packets are sent in slots.
# Full: it installs everything, and measures; other stories test the same in the checkout.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbgen drbctl drbsim
need_tool meson jq fping

export TMPDIR=$scratch
dest=$scratch/dest
check "meson install" meson install -C "$build" --no-rebuild --destdir "$dest"
prefix=$dest$(meson introspect "$build" --buildoptions | jq -r '.[] | select(.name == "prefix").value')
etc=$dest$(meson introspect "$build" --buildoptions | jq -r '"/" + (.[] | select(.name == "sysconfdir").value)')
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
unset DRB_BUILD

for program in drbswitch drbtopo drbgen drbctl drbsim drbfabric drblab drbrootless; do
  check "$program is there" test -x "$prefix/bin/$program"
done
for page in $(cd "$root" && find docs -name '*.md' && find examples -type f ! -name check.sh ! -name meson.build); do
  check "$page is there" cmp "$root/$page" "$prefix/share/doc/drbswitch/$page"
done
for file in prometheus.yml drb.rules.yml drb-board.json; do
  check "monitoring: $file" cmp "$root/deploy/monitoring/$file" "$prefix/share/drbswitch/monitoring/$file"
done
check "example configs" test -e "$prefix/share/doc/drbswitch/config/f32/switch.yaml"
check "a place for configs" test -d "$prefix/../etc/drbswitch" -o -d "$etc/drbswitch" -o -d "$prefix/etc/drbswitch"
modules=$(cd "$root/topo/drbfabric" && echo *.py)
check "every module" bash -c "cd '$prefix/share/drbswitch/drbfabric' && ls $modules"

for page in drbctl.1 drbswitch.8 drbswitch.yaml.5; do
  check "manual page $page" test -s "$prefix/share/man/man${page##*.}/$page"
done
cp "$root/tests/live/install/complete_in_shell.py" "$scratch/"

# From here on, neither sources nor build are visible.
mkdir "$scratch/empty"
for folder in "$root" "$build"; do
  [ ! -d "$folder" ] || mount --bind "$scratch/empty" "$folder" || cannot_run "cannot hide $folder"
done
cd / || exit
check "the checkout is hidden" test ! -e "$root/meson.build" -a ! -e "$build/build.ninja"

fabric() { "$prefix/bin/drbfabric" "$@"; }
drbctl() { "$prefix/bin/drbctl" "$@"; }
drbgen() { "$prefix/bin/drbgen" "$@"; }

unit=$(find "$dest" -name 'drbswitch@.service')
check "the unit starts the program with a config, both as configured" bash -c "
  grep -qx 'ExecStart=\"'\"\${1#$dest}\"'/bin/drbswitch\" -c \".*/etc/drbswitch/%i.yaml\"' '$unit'" - "$prefix"
check "the demo's mistakes are usage" fails_with 2 '--load' "$prefix/bin/drblab" demo --load 2
up -l 3 -d 2 --rate 500pps
check "every pair, every link" soon fabric check
check "drbctl sees it" drbctl check
shows() { # shows SHELL LINE: prints what a real shell offers as completion
  case $1 in
    bash) set -- "$@" "$prefix/share/bash-completion/completions/drbctl" ;;
    zsh) set -- "$@" "$prefix/share/zsh/site-functions/_drbswitch" ;;
    fish)
      PATH=$prefix/bin:$PATH fish --no-config -c "source '$prefix/share/fish/vendor_completions.d/${2%% *}.fish'
        complete -C '$2'"
      return
      ;;
  esac
  PATH=$prefix/bin:$PATH python3 -B "$scratch/complete_in_shell.py" "$1" "$3" "$2"
}
# completes SHELL LINE WORD...: the shell offers these words
completes() {
  local said word
  said=$(shows "$1" "$2")
  echo "$said"
  shift 2
  for word; do
    grep -qE -- "(^|[ \$])$word( |$)" <<<"$said" || return 1
  done
}
if command -v zsh >/dev/null && [ "${prefix#"$dest"}" = /usr/local ]; then
  check "zsh looks there by itself" bash -c "zsh -fc 'print -l \$fpath' | grep -qx /usr/local/share/zsh/site-functions"
fi
for shell in bash zsh fish; do
  if ! command -v $shell >/dev/null; then
    skip "$shell completes" "$shell is not installed"
    continue
  fi
  check "$shell completes verbs" completes $shell 'drbctl s' show serve set
  check "$shell: switches that run" completes $shell 'drbctl show s3-' s3-0 s3-1 s3-2 s3-3
  check "$shell: their ports" completes $shell 'drbctl drain s1-2.' s1-2.d0 s1-2.u1
  check "$shell: what their counters are about" completes $shell 'drbctl show s1-0 d' drops
done
check "ports to capture at" completes bash 'drbctl capture s2-1.' s2-1.d1 s2-1.u0
check "hosts to trace between" completes bash 'drbctl trace h1' h1 h15
check "switches whose links are cut" completes bash 'drbfabric cut s3-' 's3-0\.' 's3-3\.'
check "their links" completes bash 'drbfabric cut s1-1.' s1-1.d0 s1-1.u1
check "links of hosts" completes bash 'drbfabric mend h1' h1 h15
check "switches after an option that wants nothing" completes bash 'drbfabric logs -f s3-' s3-0 s3-3
check "values of an option" completes bash 'drbfabric up --offloads o' on off
check "of those that drbtopo has, too" completes bash 'drbfabric up --links ' veth memif
check "formats" completes bash 'drbfabric export com' compose
check "no switches where a file is wanted" bash -c "! python3 -B '$prefix/share/drbswitch/drbfabric/common/complete.py' '$prefix/bin/drbctl' \
  capture s2-1 -w '' | grep ."
check "options" completes bash 'drbfabric check --s' --sample --seed
drbgen write --load 0.5 --slots 200 --out "$scratch/traffic" 2>/dev/null
check "a replay loses nothing" drbgen replay "$scratch/traffic"
check "packets are conserved" fabric check counters links
check "a host's program" soon fabric exec h4 -- ping -c 1 -W 5 h10
check "down" fabric down --json
check "an experiment" "$prefix/bin/drblab" experiment --scheme drb --load 0.5 --runs 1 --slots 100 --repeat 0 --stretch 0 \
  --out "$scratch/report"
check "with a report" test -s "$scratch/report/report.html"
check "a study of the laboratory" "$prefix/bin/drblab" hosts --quick --seeds 1 --out "$scratch/study"
check "with a picture" test -s "$scratch/study/hosts-F3-4-dctcp.svg"
check "namespaces of its own, from there" "$prefix/bin/drbrootless" true
check "nothing was written beside the modules" bash -c "! find '$dest' -name '__pycache__' | grep ."
check "nothing is left" nothing_left
finish
