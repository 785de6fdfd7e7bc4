#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs the example: ways of every length, schemes that keep nothing, ends in the right place, refuses bad input.
#   examples/check_route.sh ROUTE
set -euo pipefail

route=$1

fail() {
  echo "not ok: $*"
  exit 1
}

# The paper's check: host 4 = (1,0,0) to host 10 = (2,1,0) in F(3,2), up by (0,1), down by (2,1,0).
way=$("$route" 3 2 4 10 dmodk | grep -oE '(up by u|down by d)[0-9]+' | grep -oE '[0-9]+$' | xargs)
[ "$way" = '0 1 2 1 0' ] || fail "D-mod-k from 4 to 10 takes $way"

for scheme in drb dmodk vlb micro ecmp least; do
  for to in 1 2 5 15; do
    "$route" 3 2 0 $to $scheme 0 $to | tail -1 | grep -qx "h$to" || fail "$scheme to $to"
  done
done

# Rather than a way that the scheme would not take.
for scheme in drill bouncing walk; do
  code=0
  said=$("$route" 3 2 4 10 $scheme 2>&1) || code=$?
  [ $code = 2 ] && [[ $said = "route: $scheme keeps something"* ]] || fail "$scheme: $code, $said"
done

# redirected T: how many decisions of twenty packets leave the default
redirected() {
  for seed in {1..20}; do
    "$route" 3 4 0 127 drb "$1" "$seed"
  done | grep -c redirected || true
}
[ "$(redirected 8)" = 0 ] || fail 'redirected in spite of T = 8'
[ "$(redirected 0)" -gt "$(redirected 4)" ] || fail 'a lower T does not redirect more'

for bad in '' '3 2 4' '3 2 4 4' '3 2 4 16' '0 2 0 1' '3 2 4 10 nosuch' '3 2 4 10 drb x' '3 2 4 10 drb 2 1 1'; do
  code=0
  # shellcheck disable=SC2086  # words on purpose
  "$route" $bad >/dev/null 2>&1 || code=$?
  [ $code = 2 ] || fail "route $bad: exit status $code"
done
echo ok
