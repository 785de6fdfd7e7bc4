# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced before story.bash by stories that need Debian packages of this tree: they are in $debian, with a minimal
# Debian as base.tar.

debian=$(realpath -m "${DRB_BUILD:-$(dirname "${BASH_SOURCE[0]}")/../../../../build}/debian")
if [ -z "${DRB_STORY_WORLD:-}" ]; then
  export DRB_NO_DEBIAN=''
  why=$("$(dirname "${BASH_SOURCE[0]}")/prepare" "$debian" 2>&1)
  case $? in
    0) ;;
    77) DRB_NO_DEBIAN=$why ;;
    *)
      echo "not ok Debian packages"
      sed 's/^/# /' <<<"$why"
      exit 1
      ;;
  esac
fi

# need_debian: ends the story where there are none, as failed where that must not be
need_debian() {
  [ -n "${DRB_NO_DEBIAN:-}" ] || return 0
  [ -z "${DRB_STRICT:-}" ] || { not_ok "Debian packages" && echo "# $DRB_NO_DEBIAN" && exit 1; }
  cannot_run "$DRB_NO_DEBIAN"
}
