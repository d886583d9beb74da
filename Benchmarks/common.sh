# common.sh: shared parts of the benchmarks; sourced, not run. SPDX-License-Identifier: MIT

set -euo pipefail
# Names a failed command that prints no message.
set -E
trap 'echo "${0##*/}: line $LINENO: this failed: $BASH_COMMAND" >&2' ERR
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${OUTBOARD:-$here/../.build/release/outboard}
rounds=${ROUNDS:-15}

work=$(mktemp -d)
cleanup=()
trap 'for step in "${cleanup[@]:+${cleanup[@]}}"; do eval "$step"; done; rm -rf "$work"' EXIT
# The plugin cache is used for this run only.
export XDG_CACHE_HOME=$work/cache
# Qt plugins abort if there is no display.
export QT_QPA_PLATFORM=offscreen

if [ ! -x "$program" ]; then
  echo "${0##*/}: there is no $program; run make build first, or set OUTBOARD." >&2
  exit 2
fi

# The program as it is installed, without debug symbols.
strip -o "$work/outboard" "$program"
outboard=$work/outboard

# compile NAME [FLAG ...]: compiles Benchmarks/NAME.c to $work/NAME.
compile() {
  local name=$1
  shift
  cc -O2 -Wall -Wextra -Werror -o "$work/$name" "$here/$name.c" "$@"
}
compile interleave

# have TOOL PACKAGE: returns whether a tool is installed, and prints a message if it is not.
have() {
  command -v "$1" >/dev/null && return 0
  echo "(without $1: apt-get install $2)"
  return 1
}

# installed_bundle NAME PACKAGE: prints the path of an LV2 bundle; ends the benchmark if it is missing.
installed_bundle() {
  local folder
  for folder in /usr/lib/*-linux-gnu/lv2 /usr/lib/lv2 /usr/local/lib/lv2; do
    if [ -f "$folder/$1/manifest.ttl" ]; then
      echo "$folder/$1"
      return
    fi
  done
  echo "${0##*/}: this needs the plugins of $2: apt-get install $2" >&2
  exit 2
}

compile noise

# noise FRAMES CHANNELS FILE: writes a WAV file of 16-bit noise at 48 kHz, the same on each run.
noise() { "$work/noise" "$@"; }
