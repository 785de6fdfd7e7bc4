# SPDX-License-Identifier: BSD-3-Clause
# Completion of bash for all programs of drbswitch. Installed once for each of them, under its name.

_drbswitch_folder=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

_drbswitch() {
  local word IFS=$'\n' program
  program=$(type -P -- "${COMP_WORDS[0]}") || return
  COMPREPLY=()
  while read -r word; do
    COMPREPLY+=("$word")
  done < <(python3 -B "$_drbswitch_folder/@MODULES@/drbfabric/common/complete.py" "$program" \
    "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # More may follow what ends with a dot: a port.
  [[ ${COMPREPLY[0]} != *. ]] || compopt -o nospace
}

complete -o default -F _drbswitch drbctl drbfabric drbgen drblab drbsim drbswitch drbtopo
