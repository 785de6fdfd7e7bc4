#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbsim run: points of all models have unchanged figures. If figures change for a good reason,
# `tests/sim/points.sh build/src/sim/drbsim --update` writes the new ones.
#   tests/sim/points.sh DRBSIM [--update]
set -euo pipefail

sim=$(realpath "$1")
cd "$(dirname "$0")/../.."
failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ "${2:-}" = --update ]; then
  "$sim" run -j 1 tests/sim/points.jsonl >tests/sim/points.rows
  exit
fi
fail() { echo "not ok: $1" && failed=1; }

"$sim" run -j 1 tests/sim/points.jsonl >"$dir/rows"
diff tests/sim/points.rows "$dir/rows" >"$dir/diff" || fail "figures: $(head -c 2000 "$dir/diff")"

# Rows depend neither on the number of threads nor on points that share draws. Any id is accepted.
shuf --random-source=tests/sim/points.rows tests/sim/points.jsonl | "$sim" run -j 3 - | sort >"$dir/shuffled"
sort "$dir/rows" | cmp - "$dir/shuffled" || fail "rows depend on the order of points"
for scheme in drb micro dmodk walk; do
  for seed in 1 2 3 4; do
    echo "{\"id\": \"$scheme $seed\", \"model\": \"packet\", \"scheme\": \"$scheme\", \"seed\": $seed, \"slots\": 200, \"stats\": 100}"
  done
done >"$dir/schemes"
sort -t'"' -k10 "$dir/schemes" | "$sim" run -j 1 | sort >"$dir/together"
while read -r line; do echo "$line" | "$sim" run; done <"$dir/schemes" | sort | cmp - "$dir/together" ||
  fail "points that share their draws have other figures"

# Rows of the lines before a bad one are written. The message names file, line and key.
bad() { # bad WORDS LINE
  local code=0
  { head -n 2 tests/sim/points.jsonl && echo "$2" && sed -n 3p tests/sim/points.jsonl; } >"$dir/bad"
  "$sim" run "$dir/bad" >"$dir/out" 2>"$dir/err" || code=$?
  if [ $code != 2 ] || [ "$(wc -l <"$dir/out")" != 2 ] || [ "$(wc -l <"$dir/err")" != 1 ] ||
    ! grep -q "^drbsim: $dir/bad:3: $1" "$dir/err"; then
    fail "$2 gave exit code $code and: $(cat "$dir/err")"
  fi
}
bad 'load: 1.5: must be a number from 0 to 1$' '{"model": "packet", "load": 1.5}'
bad 'load: 1: must be a number above 0 and below 1$' '{"model": "packet", "load": 1}'
bad 'model ping: must be one of packet, flow' '{"model": "ping"}'
bad 'model: must be one of' '{"load": 0.5}'
bad 'rho: model packet has no such option' '{"model": "packet", "rho": 0.5}'
bad 'arity: must be one number or text$' '{"model": "packet", "arity": [2, 4]}'
bad 'give_up: must be true or false$' '{"model": "packet", "give_up": 1}'
bad 'ack_room: 2: must be a number from 0 to 1$' '{"model": "transfer", "ack_room": 2}'
bad 'no JSON: ' '{"model": "packet"'
bad 'must be a JSON object' '[]'
bad 'id: must be' '{"id": {}, "model": "packet"}'
bad 'fail: s2-99.u0: must be link:N, switch:N, or ' '{"model": "packet", "fail": "link:1,s2-99.u0"}'

# Dead links given by name have the same effect as drawn links with these names.
drawn=$(echo '{"model": "packet", "fail": "link:2,switch:1", "arity": 4, "load": 0.5, "seed": 3}' | "$sim" run)
names=$(sed 's/.*"failed":"\([^"]*\)".*/\1/; s/ /,/g' <<<"$drawn")
echo "{\"model\": \"packet\", \"fail\": \"$names\", \"arity\": 4, \"load\": 0.5, \"seed\": 3}" | "$sim" run |
  cmp - <(echo "$drawn") || fail "dead links by name: $names"

# A point that needs too much memory has a row with this error, and the others run.
code=0
{ echo '{"model": "packet", "layers": 4, "arity": 100}' && head -n 1 tests/sim/points.jsonl; } |
  "$sim" run --memory 1 >"$dir/out" || code=$?
if [ $code != 1 ] || ! grep -q '"id":1,"model":"packet","error":"takes .* GiB' "$dir/out" || [ "$(wc -l <"$dir/out")" != 2 ]; then
  fail "memory: exit code $code, $(cat "$dir/out")"
fi

# A signal leaves the finished rows, and a line that counts them.
{ head -n 3 tests/sim/points.jsonl && echo '{"model": "packet", "arity": 8, "slots": 1000000}'; } >"$dir/long"
for signal in INT:130 TERM:143 HUP:129; do
  code=0
  timeout --foreground --preserve-status -s ${signal%:*} 3 "$sim" run -j 2 - <"$dir/long" >"$dir/out" 2>"$dir/err" || code=$?
  if [ $code != ${signal#*:} ] || [ "$(wc -l <"$dir/out")" != 3 ] || ! grep -q 'interrupted: 3 of the 4 points read are done$' "$dir/err"; then
    fail "SIG$signal: exit code $code, $(cat "$dir/err")"
  fi
done

"$sim" run --models | python3 -c '
import json, sys
models = {model["name"]: model for model in json.load(sys.stdin)["models"]}
packet = {option["name"]: option for option in models["packet"]["options"]}
assert packet["load"] == {"name": "load", "type": "real", "unit": "packets per host and slot", "default": 0.9,
                          "min": 0, "max": 1, "help": packet["load"]["help"]}, packet["load"]
assert packet["detail"]["type"] == "boolean" and packet["detail"]["default"] is False
assert {"id", "model"}.isdisjoint(packet)
for line in open("tests/sim/points.rows"):
    row = json.loads(line)
    columns = {column["name"] for column in models[row["model"]]["columns"]}
    parts = {part["name"] for part in models[row["model"]]["parts"]}
    for name in set(row) - {"id", "model", "warning"} - parts:
        assert name in columns or any(char.isdigit() and name.replace(char, "M", 1) in columns for char in name), name
' || fail "--models does not have what rows have"
[ $failed = 0 ] && echo ok
exit $failed
