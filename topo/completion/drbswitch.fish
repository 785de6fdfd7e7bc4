# SPDX-License-Identifier: BSD-3-Clause
# Completion of fish for all programs of drbswitch. Installed once for each of them, under its name.

set -g _drbswitch_complete (path resolve (status dirname)/@MODULES@/drbfabric/common/complete.py 2>/dev/null
    or realpath (status dirname)/@MODULES@/drbfabric/common/complete.py)

function _drbswitch
    set -l words (commandline -opc)
    set -l program (command -s $words[1]); or return
    python3 -B $_drbswitch_complete $program $words[2..-1] (commandline -ct) 2>/dev/null
end

for program in drbctl drbfabric drbgen drblab drbsim drbswitch drbtopo
    complete -c $program -a '(_drbswitch)'
end
