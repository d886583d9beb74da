# setup.sh: installs and builds for the checks in the virtual machine; part of scripts/test-vm and
# scripts/soak.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034

alsa_vm=scripts/alsa-vm
failures=0
source Tests/VM/assertions.sh

# Stops machines that still run in the background, which ignore Ctrl-C, and removes the directory.
clean_up() {
  local machines
  # A signal is lost if it comes before a new process has started its program, so it is sent until all have ended.
  while machines=$(jobs -pr) && [[ -n $machines ]]; do
    # shellcheck disable=SC2086  # several process ids
    kill $machines
    sleep 1
  done 2>/dev/null
  [[ -n ${KEEP:-} ]] || rm -rf "$out"
}

# Creates the directory `out`, installs the packages of the machine, and builds `outboard` and `check`; exits
# if that fails.
prepare() {
  out=$(mktemp -d --suffix=-outboard-vm) || exit 2
  trap clean_up EXIT
  trap 'exit 130' INT TERM
  if ! "$alsa_vm" --prepare >/dev/null 2>&1 || ! command -v aplay >/dev/null; then
    echo "${0##*/}: installing the packages for the virtual machine"
    "$alsa_vm" --install >"$out/install" 2>&1 || { cat "$out/install" && exit 2; }
  fi
  # Builds the program and its modules as they are installed, and driver-check in the same way, so that shared code
  # is compiled once.
  make --no-print-directory build >"$out/build" 2>&1 || { cat "$out/build" && exit 1; }
  local options
  read -ra options < <(make --silent --no-print-directory build-flags)
  swift build "${options[@]}" --product driver-check >"$out/build" 2>&1 || { cat "$out/build" && exit 1; }
  outboard=$(swift build --configuration release --show-bin-path)/outboard
  check=${outboard%/*}/driver-check
}

# Prints a rig of sixteen tones. One of them goes through a chain to the loudspeaker, all of them to a recorder.
sixteen_channels() {
  local tone
  printf 'outboard: 1\nnodes:\n'
  for ((tone = 1; tone <= 16; tone++)); do
    printf '  t%d: {plugin: outboard.oscillator, parameters: {frequency: %d, level: -12}}\n' \
      $tone $((100 + 37 * tone))
  done
  printf '  low: {plugin: outboard.parametric-eq}\n  even: {plugin: outboard.compressor}\n'
  printf '  hall: {plugin: outboard.reverb}\n  tape: {builtin: recorder, file: sixteen.wav,'
  printf ' channels: 16, format: FLOAT, autostart: yes}\nconnections:\n  - t1 -> low -> even -> hall -> out\n'
  for ((tone = 1; tone <= 16; tone++)); do printf '  - t%d:1 -> tape:%d\n' $tone $tone; done
}
