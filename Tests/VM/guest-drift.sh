#!/bin/sh
# guest-drift.sh: two cards with different clocks; runs inside the virtual machine, on a loopback card.
# SPDX-License-Identifier: MIT
#
#   guest-drift.sh DRIVER-CHECK OUTBOARD OUT [SECONDS]
#
# A tone is played into one cable, whose clock is 200 ppm off, copied to another cable, and recorded at the end of
# that. Writes results to the directory OUT; scripts/test-vm, on the host, checks them.
#
# Both ends of the first cable have the same period. With different periods a shifted loopback card runs
# alternately 100 ppm faster and slower, for ten seconds each (docs/internals/adaptive-resampling.md), and the
# fill level varies.

check=$1
outboard=$2
out=$3
seconds=${4:-60}
fast=/dev/shm/outboard
mkdir -p "$fast"
. Tests/VM/guest-functions.sh

echo keep-idle >/run/alsa-vm/action
amixer --version >/dev/null
arecord --version >/dev/null
"$check" devices >/dev/null
"$outboard" info outboard.oscillator >/dev/null
echo skip-idle >/run/alsa-vm/action

# A greater value is slower. The control belongs to the capture side.
drift() { # NAME SHIFT ARGUMENT...
  name=$1
  amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=0 "$2"
  shift 2
  "$outboard" run outboard.oscillator frequency=1000 level=-6 --out hw:Loopback,0,0 --format S32 \
    --period 256 --json >"$out/$name-source" &
  source=$!
  await_running Loopback/pcm0p/sub0
  "$check" run --in hw:Loopback,1,0 --out hw:Loopback,0,1 --clock independent --format S32 \
    --period 256 --seconds "$seconds" "$@" >"$out/$name" &
  driver=$!
  await_running Loopback/pcm0p/sub1
  sleep $((seconds - 8))
  arecord -q -D hw:Loopback,1,1 -t raw -f S32_LE -r 48000 -c 2 -d 4 "$fast/recorded"
  wait $driver
  echo "status $?" >>"$out/$name"
  kill -TERM $source
  wait $source
  cp "$fast/recorded" "$out/$name.recorded"
}
drift drift-slow 100020
drift drift-fast 99980
exit 0 # the reports have the results
