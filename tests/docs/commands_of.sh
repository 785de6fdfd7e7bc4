#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The blocks of a page that begin with ```c NAME become files of that name, here; those that begin with ```sh become
# here 1.sh, 2.sh, ...
#   commands_of.sh PAGE
set -euo pipefail

awk '
  /^```c / { to = $2; next }
  /^```sh$/ { to = ++blocks ".sh"; print "set -e" >to; next }
  /^```/ { to = ""; next }
  to { print >to }' "$1"
