#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the line coverage of unit and process tests by folder, then the functions that no test
# enters:
#   tests/coverage.sh [OPTION OR NAME FOR meson test...]
# The build is in build-coverage. A switch that confines itself, or is killed, leaves no counts.
cd "$(dirname "$0")/.." || exit
build="build-coverage"

command -v gcovr >/dev/null || { echo "coverage.sh: gcovr is missing: apt install gcovr" >&2 && exit 2; }
if [ ! -f $build/build.ninja ]; then
  # Threads count, too.
  meson setup $build -Dtests=enabled -Db_coverage=true -Doptimization=0 -Dc_args=-fprofile-update=atomic || exit 2
fi
# gcovr fails on lines of objects that are older than their sources, of tests that do not run, too.
nice ninja -C $build || exit 2
find $build -name '*.gcda' -delete
wrapper=()
if [ "$(id -u)" = 0 ]; then
  # Tests run without rights, as in tests/stages.sh. They can still write their counts.
  wrapper=(--wrapper "setpriv --reuid=65533 --regid=65533 --clear-groups --no-new-privs")
fi
mkdir -p $build/meson-logs && touch $build/meson-logs/install-log.txt
chmod -R a+rwX $build
(umask 0 && meson test -C $build --timeout-multiplier 5 "${wrapper[@]}" "$@") || echo "some tests failed" >&2
gcovr --root . --filter src/ --filter include/ --gcov-ignore-parse-errors --json $build/coverage.json $build &&
  python3 -B - $build/coverage.json <<'END'
import collections, json, sys
lines, entered = collections.defaultdict(dict), collections.defaultdict(int)
for file in json.load(open(sys.argv[1], encoding='utf-8'))['files']:
    for line in file['lines']:
        if not line.get('gcovr/noncode'):
            at = file['file'], line['line_number']
            folder = lines['/'.join(file['file'].split('/')[:3][:-1])]
            folder[at] = folder.get(at, 0) + line['count']
    for function in file.get('functions', ()):
        entered[file['file'], function['lineno'], function['name']] += function['execution_count']
lines['all'] = {at: count for folder in list(lines.values()) for at, count in folder.items()}
print(f'{"folder":24}   lines  entered')
for folder, counts in sorted(lines.items(), key=lambda item: (item[0] == 'all', item[0])):
    hit = sum(count > 0 for count in counts.values())
    print(f'{folder:24} {len(counts):7} {hit:8} {100 * hit / len(counts):5.1f} %')
for (file, line, name), count in sorted(entered.items()):
    if not count:
        print(f'{file}:{line}: {name}() is entered by no test')
END
