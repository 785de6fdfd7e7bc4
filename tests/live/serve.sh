#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# drbctl serve: what it serves is what drbctl shows, Prometheus reads it, and hostile clients change nothing.
# shellcheck source=tests/live/story.bash
. "$(dirname "$0")/story.bash"
need drbtopo drbswitch drbctl drbgen
need_tool jq curl prometheus
site=http://127.0.0.1:9110

get() { curl -sS --max-time 5 "$@"; }
status_of() { get -o /dev/null -w '%{http_code}' "$@"; }
serves() { get "$site/api/state" | jq -e '.switches | length == 20'; }
query() { get --get --data-urlencode "query=$1" http://127.0.0.1:9090/api/v1/query | jq -r '.data.result[0].value[1]'; }

# What Prometheus has scraped equals what the switches say; nothing moves between the two looks.
scraped() {
  local shown scraped
  shown=$(drbctl show --all ports --json | jq -s 'map(.in_packets) | add')
  scraped=$(query 'sum(drb_port_in_packets_total)')
  echo "shown $shown, scraped $scraped"
  [ "$shown" = "$scraped" ] && [ "$shown" -gt 0 ]
}

state_shows_down() { get "$site/api/state" | jq -e '.switches[] | select(.name == "s2-1") | .up == false'; }

# Connections that send nothing, half a request, or an endless header, a thousand in all.
hostile() {
  python3 - <<'END'
import socket
clients = []
for i in range(1000):
    s = socket.create_connection(('127.0.0.1', 9110), 5)
    if i % 3 == 1:
        s.sendall(b'GET / HTTP/1.1\r\nHost: 127.0')
    elif i % 3 == 2:
        s.sendall(b'GET / HTTP/1.1\r\nX: ' + b'x' * 1000)
    clients.append(s)
print(len(clients), 'connections are open')
END
}

check "an address that is none" fails_with 2 'IPv4 or IPv6 address' drbctl serve --listen nowhere:1
check "no port" fails_with 2 'ADDRESS:PORT' drbctl serve --listen 127.0.0.1
drbgen write -l 3 -d 2 --pattern permutation --load 0.8 --slot 2ms --slots 300 --out "$scratch/traffic" >/dev/null
up -l 3 -d 2 --rate 500pps
"$build/src/ctl/drbctl" serve 2>"$scratch/said" &
server=$!
check "serves" soon serves
check "a second server on this port" fails_with 2 'cannot listen on 127.0.0.1:9110' drbctl serve
check "the page" sh -c "curl -sS $site/ | grep -q '<title>drbswitch</title>'"
files() { # every file that the page names is served
  get $site/ | grep -oE '(src|href)="[a-z]+\.(js|css)"' | cut -d'"' -f2 | while read -r file; do
    [ "$(status_of "$site/$file")" = 200 ] || { echo "$file" && return 1; }
  done
}
check "its files" files
check "nothing else" test "$(status_of $site/../etc/passwd)" = 404
check "another site's name" test "$(status_of -H 'Host: evil.example' $site/)" = 421
check "localhost is its name, too" test "$(status_of http://localhost:9110/)" = 200
check "read only" test "$(status_of -X POST -d x=1 $site/api/state)" = 405
check "formats by Accept" sh -c "curl -sS -H 'Accept: application/openmetrics-text' $site/metrics | tail -n 1 | grep -qx '# EOF'"
check "events go on" sh -c "timeout 4 curl -sSN $site/events | grep -c '^data: {' | grep -qE '^[3-9]'"

cat >"$scratch/prometheus.yml" <<'END'
global: {scrape_interval: 1s}
scrape_configs: [{job_name: drb, static_configs: [{targets: ['127.0.0.1:9110']}]}]
END
prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/tsdb" \
  --web.listen-address=127.0.0.1:9090 >"$scratch/prometheus.log" 2>&1 &
prometheus=$!
check "a replay" drbgen replay "$scratch/traffic"
check "Prometheus has the same sum" soon scraped

check "a thousand connections that ask nothing" hostile
check "still serves" serves
pid=$(drbctl list --json | jq -r 'select(.switch == "s2-1") | .pid')
kill -9 "$pid"
check "a killed switch shows" soon state_shows_down
kill $prometheus $server
wait $server
check "ends on SIGTERM" test $? = 0
check "down" fabric down
check "nothing is left" nothing_left
finish
