#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbctl serve serves what drbctl shows, Prometheus can read it, and hostile clients change nothing.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/../story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq curl prometheus
site=http://127.0.0.1:9110

get() { curl -sS --max-time 60 "$@"; }
status_of() { get -o /dev/null -w '%{http_code}' "$@"; }
serves() { get "$site/api/state" | jq -e '.switches | length == 20'; }
query() { get --get --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query | jq -r '.data.result[0].value[1]'; }

# Prometheus has the same sum as the switches. No counter changes between the two readings.
scraped() {
  local shown scraped
  shown=$(drbctl show --all ports --json | jq -s 'map(.in_packets) | add')
  scraped=$(query 'sum(drb_port_in_packets_total)')
  echo "shown $shown, scraped $scraped"
  [ "$shown" = "$scraped" ] && [ "$shown" -gt 0 ]
}

state_shows_down() { get "$site/api/state" | jq -e '.switches[] | select(.name == "s2-1") | .up == false'; }

# Beside hostile clients of all kinds, replies stay quick, and the server's memory is bounded.
memory_mb() { awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$server/status"; }
slowest_ms() { # slowest_ms: of 40 replies, each on its own connection
  for ((i = 0; i < 20; i++)); do
    for path in / /api/state; do
      get --fail -o /dev/null -w '%{time_total}\n' "$site$path" || return
    done
  done | sort -n | awk 'END { printf "%d\n", $1 * 1000; exit NR != 40 }'
}
serves_beside() { # serves_beside: within a second
  local ms
  ms=$(slowest_ms) && echo "slowest of 40 answers: $ms ms" && [ "$ms" -lt 1000 ]
}
lost_none() { jq -e '.lost == 0 and .sent > 1000' "$scratch/report"; }
replay() { drbgen replay "$scratch/traffic" --json >"$scratch/report"; }
replay_in_peace() { replay && lost_none; }

check "no address" fails_with 2 'IPv4 or IPv6 address' drbctl serve --listen nowhere:1
check "no port" fails_with 2 'ADDRESS:PORT' drbctl serve --listen 127.0.0.1
drbgen write -l 3 -d 2 --traffic permutation --load 0.8 --slot 2ms --slots 300 --out "$scratch/traffic" >/dev/null
up -l 3 -d 2 --rate 500pps --links memif
"$build/src/ctl/drbctl" serve 2>"$scratch/said" &
server=$!
check "serves" soon serves
grep -q '4294967295$' /proc/self/uid_map && check "not as root" \
  test "$(awk '$1 == "Uid:" { print $2 }' "/proc/$server/status")" = "$(id -u drbswitch 2>/dev/null || id -u nobody)"
check "it runs on" kill -0 $server
check "a second server on this port" fails_with 2 'cannot listen on 127.0.0.1:9110' timeout 60 "$build/src/ctl/drbctl" serve
check "the page" sh -c "curl -sS $site/ | grep -q '<title>drbswitch</title>'"
files() { # files: every file that the page names is served
  get $site/ | grep -oE '(src|href)="[a-z]+\.(js|css)"' | cut -d'"' -f2 | while read -r file; do
    [ "$(status_of "$site/$file")" = 200 ] || { echo "$file" && return 1; }
  done
}
check "its files" files
check "nothing else" test "$(status_of --path-as-is $site/../etc/passwd)" = 404
check "another site's name" test "$(status_of -H 'Host: evil.example' $site/)" = 421
links() { # links: the state lists them as drbtopo does
  get $site/api/state | jq -r '.fabrics[].links[] | join(" ")' | sort >"$scratch/links"
  drbtopo list links -l 3 -d 2 --json | jq -r '"\(.lower).\(.lower_port) \(.upper).\(.upper_port)"' | sort | diff - "$scratch/links"
}
check "it has the links of drbtopo" links
check "localhost is its name, too" test "$(status_of http://localhost:9110/)" = 200
check "read only" test "$(status_of -X POST -d x=1 $site/api/state)" = 405
check "metrics are Prometheus text" sh -c "curl -sS -o /dev/null -w '%{content_type}' $site/metrics | grep -q '^text/plain; version=0.0.4;'"
# headers_only PATH: HEAD has the headers of GET, and no byte after them
headers_only() {
  exec 7<>/dev/tcp/127.0.0.1/9110
  printf 'HEAD %s HTTP/1.1\r\nHost: 127.0.0.1:9110\r\nConnection: close\r\n\r\n' "$1" >&7
  timeout 60 cat <&7 | tr -d '\r' >"$scratch/head"
  exec 7<&-
  cat "$scratch/head"
  head -n 1 "$scratch/head" | grep -q '200 OK' && [ "$(grep -nx '' "$scratch/head" | cut -d: -f1)" = "$(wc -l <"$scratch/head")" ]
}
check "HEAD of events" headers_only /events
check "says what they are" grep -qx 'Content-Type: text/event-stream' "$scratch/head"
check "HEAD of metrics" headers_only /metrics
check "events go on" sh -c "timeout 60 curl -sSN $site/events | grep -m 3 -c '^data: {' | grep -qx 3"

cat >"$scratch/prometheus.yml" <<'END'
global: {scrape_interval: 1s}
scrape_configs: [{job_name: drb, static_configs: [{targets: ['127.0.0.1:9110']}]}]
END
prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" \
  --web.listen-address=127.0.0.1:9090 >"$scratch/prometheus.log" 2>&1 &
prometheus=$!
decide "a replay" undisturbed 100 replay_in_peace
check "Prometheus has the same sum" soon scraped

before=$(memory_mb)
mkfifo "$scratch/until"
python3 -B "$root/tests/live/security/hostile_http.py" 127.0.0.1 9110 <"$scratch/until" >"$scratch/hostile" &
hostile=$!
exec 8>"$scratch/until"
check "hostile clients of eight kinds" soon test -s "$scratch/hostile"
echo "# $(cat "$scratch/hostile")"
check "the page beside them" sh -c "curl -sS --max-time 60 $site/ | grep -q '<title>drbswitch</title>'"
decide "answers beside them take less than a second" undisturbed 200 serves_beside
check "every switch is seen beside them" serves
decide "a replay beside them loses nothing" undisturbed 100 replay_in_peace
check "its memory is bounded" test $(($(memory_mb) - before)) -lt 200
echo "# $((($(memory_mb)) - before)) MB more than before"
exec 8>&-
wait $hostile
check "they end" test $? = 0
check "still serves" serves

# Prints the slowest of 20 scrapes within five seconds, the number of polls meanwhile, and the
# longest time between two polls. Times are in ms.
looks() {
  timeout 5 curl -sSN $site/events | grep -o '"unix_ms":[0-9]*' | cut -d: -f2 >"$scratch/looks" &
  for ((i = 0; i < 20; i++)); do
    get --fail -o /dev/null -w '%{time_total}\n' $site/metrics || return
  done | sort -n | tail -n 1 | awk '{ printf "%d ", $1 * 1000 }'
  wait $!
  awk 'NR > 1 && $1 - last > gap { gap = $1 - last } { last = $1 } END { print NR, gap }' "$scratch/looks"
}
keeps_looking() {
  local slowest count gap
  read -r slowest count gap < <(looks)
  echo "$count looks in 5 s, at most $gap ms apart; slowest of 20 scrapes: $slowest ms"
  [ "$count" -ge 4 ] && [ "$gap" -lt 1300 ] && [ "$slowest" -lt 500 ]
}
# metric_is SWITCH VALUE: /metrics has this value of drb_up
metric_is() { get $site/metrics | grep -qF "drb_up{fabric=\"drb\",switch=\"$1\",layer=\"2\"} $2"; }
ended_is() { get "$site/api/state" | jq -e ".switches[] | select(.name == \"$1\") | .ended == $2"; }
pid=$(drbctl list --json | jq -r 'select(.switch == "s2-1") | .pid')
kill -STOP "$pid"
check "a switch that hangs shows" soon state_shows_down
check "in metrics" metric_is s2-1 0
decide "looks come once a second all the same" undisturbed 100 keeps_looking
kill -CONT "$pid"
check "it goes on" soon metric_is s2-1 1
check "one is stopped" fabric stop s2-2
check "which shows in metrics" soon metric_is s2-2 0
check "and is no accident" ended_is s2-2 true
check "all others are there" test "$(get $site/metrics | grep -c '^drb_up{.* 1$')" = 19
kill -9 "$pid"
check "a killed switch shows" soon state_shows_down
check "which is no order" ended_is s2-1 false
kill $prometheus $server
wait $server
check "ends on SIGTERM" test $? = 0
check "down" fabric down
check "nothing is left" nothing_left
finish
