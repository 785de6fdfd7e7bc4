#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests the page of drbctl serve in a headless Chromium. It draws the fabric, shows the loads of
# drbctl watch, and marks a killed switch. It plays a recording without any switch, folds large
# fabrics, and sends no request to other sites.
# Alone: rates and frames are measured.
# Full: it starts browsers; test_page_tree.py and serve.sh test what the page gets.
# PAGE_SHOTS=docs/guide draws the pictures of docs/guide again, and writes their words into
# pictures.json. The story fails if the page says something else now.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq chromium chromedriver
/usr/bin/python3 -c 'import selenium' 2>/dev/null || cannot_run "python3-selenium is not installed"

export HOME=$scratch
site=http://127.0.0.1:9110
page() { /usr/bin/python3 -B "$root/tests/live/monitoring/page.py" ${PAGE_SHOTS:+--shots "$PAGE_SHOTS"} "$@"; }
serves() { curl -sS --max-time 5 "$site/api/state" | jq -e '.switches | length == 20'; }
# seen FILTER: holds for the one object that page.py printed
seen() {
  jq -se "length == 1 and (.[0] | $1)" "$scratch/seen" || { cat "$scratch/seen" && false; }
}

# look KIND ARGUMENT...: writes page.py's observations to $scratch/seen
look() {
  page "$@" >"$scratch/seen"
}

look_live() {
  watched look live "$site/" "$build/src/ctl/drbctl" "'$build/src/gen/drbgen' replay '$scratch/traffic'" "kill -9 $(pid_of s2-1)" \
    "'$root/topo/fabric' stop s2-3"
}

# Page and drbctl watch observe the same seconds; on a busy machine they may differ.
same_rates() {
  seen '.compared == 20 and .difference < 0.05' && return
  if disturbed 200; then return "$cannot_tell"; fi
  return 1
}

marked_soon() {
  seen '.marked_s < 2' && return
  if disturbed 200; then return "$cannot_tell"; fi
  return 1
}

draws() { # draws FPS: least frame rate of the last observation
  seen ".fps >= $1" && return
  if disturbed 30; then return "$cannot_tell"; fi
  return 1
}

quiet() { # quiet: no complaint on the console, no request to other sites
  seen '.complaints == [] and .elsewhere == []'
}

check "record: no switch is running" fails_with 1 'no switch is running' drbctl record "$scratch/none"
check "record: no file" fails_with 2 'a file to write is missing' drbctl record
drbgen write -l 3 -d 2 --traffic permutation --load 0.85 --slot 2ms --slots 9000 --out "$scratch/traffic" >/dev/null
up -l 3 -d 2 --rate 500pps
"$build/src/ctl/drbctl" serve 2>"$scratch/said" &
server=$!
check "serves" soon serves
"$build/src/ctl/drbctl" record "$scratch/run.ndjson" 2>"$scratch/recorded" &
recorder=$!
"$build/src/ctl/drbctl" record --html "$scratch/run.html" 2>/dev/null &
recorder_html=$!
check "the page is looked at" look_live
kill -INT $recorder $recorder_html
wait $recorder $recorder_html
check "20 switches and 48 links are drawn" seen '.switches == 20 and .up == 20 and .links == 48 and .hosts == 16'
decide "rates are those of drbctl watch" same_rates
check "the default path is that of drbctl path" test "$(jq -c .way "$scratch/seen")" = "$(
  drbctl path h4 h10 --json 2>/dev/null | jq -sc 'map("\(.switch).\(.port)")')"
check "the keyboard chooses" seen '.keyboard'
check "a capture that runs is shown" seen '.capture'
check "a phone needs no scrolling aside" seen '.phone_overflow <= 0'
decide "a killed switch is marked within 2 s" marked_soon
check "so are its links, and the event" seen '.dead_links == 4 and .dead_switches == 1 and .event'
check "the redirected share is a number" seen '.redirected | test("^[0-9]+ %$")'
check "one that ended in order is marked, too" seen '.up_then == "18 of 20"'
pictures=$root/docs/guide/pictures.json
drawn() { # drawn: the pictures of the guide have the words of the page
  jq -s '.[0].words' "$scratch/seen" >"$scratch/words"
  [ -z "${PAGE_SHOTS:-}" ] || cp "$scratch/words" "$PAGE_SHOTS/pictures.json"
  diff "$pictures" "$scratch/words" ||
    { echo "draw them again: PAGE_SHOTS=docs/guide bash tests/live/monitoring/page.sh" && false; }
}
check "the guide's pictures show the page as it is" drawn
check "a page that lost its connection fetches what it missed" seen '.since_lost > 2 and .missed == 0'
check "a page that is opened then begins with the past" seen '.remembered and .remembered_s > 10'
check "no complaint, no request to elsewhere" quiet
kill $server
wait $server
check "down" fabric down

check "the recorder ended by itself" grep -q 'polls$' "$scratch/recorded"
busiest() { # the busiest link of the recording has sent what its switch counted from the first look to the last
  local switch port packets
  IFS=, read -r _ switch port _ packets _ < <(/usr/bin/python3 -B "$root/lab/run" links "$scratch/run.ndjson" --csv | sed -n 2p)
  jq -se --arg switch "$switch" --arg port "$port" --argjson packets "$packets" '
    (.[0].port_counters | index("out_packets")) as $at
    | [.[].switches[] | select(.name == $switch) | .ports // [] | .[] | select(.name == $port) | .count[$at]]
    | $packets > 0 and .[-1] - .[0] == $packets' "$scratch/run.ndjson"
}
check "drblab links sums up a recording" busiest
check "a recording is a state a line" jq -se 'length > 5 and all(.[]; .switches | length == 20)' "$scratch/run.ndjson"
check "one file plays without server or switches" watched look play "file://$scratch/run.html"
check "it shows what was" seen '.switches == 20 and .looks > 5 and .delivered > 3000'
check "it says that it has ended" seen '(.at_end | test("([0-9]|[AP]M), end of the recording$")) and (.before | test("[0-9]$|[AP]M$"))'
check "it asks for nothing" quiet
"$build/src/ctl/drbctl" serve 2>/dev/null &
server=$!
check "a page without a fabric" soon curl -sSf "$site/"
check "the page opens a recording" look play "$site/" "$scratch/run.ndjson"
check "and shows what was" seen '.switches == 20 and .looks > 5 and .delivered > 3000'
check "it says that it is whole" seen '.said | test("^recording run.ndjson, [0-9]+ polls$")'
check "and that it has ended" seen '(.at_end | endswith(", end of the recording")) and (.before | contains("end") | not)'
head -c -100 "$scratch/run.ndjson" >"$scratch/cut.ndjson"
check "it opens one that was cut" look play "$site/" "$scratch/cut.ndjson"
check "and says so" seen '.looks > 5 and (.said | test("^recording cut.ndjson, [0-9]+ polls; cut off there: line [0-9]+ is no state"))'
drbtopo list links -l 3 -d 4 --json | python3 -B "$root/tests/live/monitoring/make_recording.py" 3 4 30 >"$scratch/f34.ndjson"
drbtopo list links -l 3 -d 8 --json | python3 -B "$root/tests/live/monitoring/make_recording.py" 3 8 6 >"$scratch/f38.ndjson"
watched look play --frames-s 4 "$site/" "$scratch/f34.ndjson"
decide "F(3,4): 30 frames a second" draws 30
check "F(3,4): all is drawn, folded" seen '.switches == 80 and .folded == 12 and .unfolded_switches == 8'
check "F(3,8): pods fold" look play "$site/" "$scratch/f38.ndjson"
check "F(3,8): 16 pods, 8 groups, one unfolds" seen '.switches == 320 and .folded == 24 and .unfolded_switches == 16'
check "no complaint, no request to elsewhere, again" quiet
kill $server
wait $server
check "nothing is left" nothing_left
finish
