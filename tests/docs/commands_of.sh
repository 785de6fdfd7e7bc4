#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Writes the blocks of a page that begin with ```c NAME to files of that name in this folder. Writes
# those that begin with ```sh to 1.sh, 2.sh, ...
#   commands_of.sh PAGE
set -euo pipefail

awk '
  /^```c / { to = $2; next }
  /^```sh$/ { to = ++blocks ".sh"; print "set -e" >to; next }
  /^```/ { to = ""; next }
  to { print >to }' "$1"
