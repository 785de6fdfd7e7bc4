# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Stories that need Debian packages of this tree source this before story.bash. The packages are in
# $debian, with a minimal Debian as base.tar.

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

# need_debian: ends the story if there are no packages; with --strict, that is a failure
need_debian() {
  [ -n "${DRB_NO_DEBIAN:-}" ] || return 0
  [ -z "${DRB_STRICT:-}" ] || { not_ok "Debian packages" && echo "# $DRB_NO_DEBIAN" && exit 1; }
  cannot_run "$DRB_NO_DEBIAN"
}
