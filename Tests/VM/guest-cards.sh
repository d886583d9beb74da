#!/bin/sh
# guest-cards.sh: the checks of the ALSA driver that run inside the virtual machine, on a loopback,
# a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-cards.sh DRIVER-CHECK OUT
#
# Writes what was seen to the folder OUT; scripts/test-vm, on the host, judges it.

# Cards: loopback, dummy with one substream, usb.

check=$1
out=$2
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"

run() { "$check" run "$@"; }
. Tests/VM/guest-functions.sh

# ---- everything is loaded before idle time is skipped ------------------------
for bytes in 2 3 4; do
  "$check" noise "$fast/$bytes.raw" $((480000 * 2 * bytes)) $bytes
done
modprobe virtio_mem # for the suspension
for program in aplay arecord; do $program --version >/dev/null; done
echo skip-idle >/run/alsa-vm/action

# ---- the listing, and refusals in words ----------------------------------------
"$check" devices >"$out/devices"
{
  run --in hw:Nowhere
  run --in hw:Dummy,7
  run --out hw:Dummy --rate 96000
  run --out hw:Dummy --format S32
  run --in hw:USB
  run --out nonsense
} >"$out/refusals"
run --out hw:Dummy --out-channels 7 --period 8 --seconds 0.1 >"$out/notes"

# ---- bit for bit through the loopback card -------------------------------------
straight_through() { # FORMAT BYTES-OF-A-SAMPLE OURS NAME ACCESS
  arecord -q -D hw:Loopback,1,1 -t raw -f "$1" -r 48000 -c 2 -d 14 "$fast/$2.recorded" &
  recorder=$!
  run --in hw:Loopback,1,0 --out hw:Loopback,0,1 --format "$3" --access "$5" --seconds 13 \
    >"$out/loopback-$4" &
  driver=$!
  await_cable
  sleep 0.5
  aplay -q -D hw:Loopback,0,0 -t raw -f "$1" -r 48000 -c 2 "$fast/$2.raw"
  wait "$driver" "$recorder"
  cp "$fast/$2.recorded" "$out/$4.recorded"
}
straight_through S16_LE 2 S16 S16 mappedInterleaved
straight_through S24_3LE 3 S24_3 S24_3 mappedInterleaved
straight_through S32_LE 4 S32 S32 mappedInterleaved
straight_through S32_LE 4 S32 copied copiedInterleaved

# ---- full duplex, one way --------------------------------------------------------
for period in 64 128 256; do
  run --in hw:Dummy --out hw:Dummy --period $period --periods 2 --seconds 10 \
    >"$out/duplex-$period"
done
run --in hw:Dummy --seconds 2 >"$out/capture-only"
run --out hw:Dummy --seconds 2 >"$out/playback-only"
run --in hw:Loopback,1,0 --out hw:Dummy --period 256 --periods 4 --seconds 5 >"$out/two-cards"

# ---- through alsa-lib's plug-ins ---------------------------------------------------
run --in default --out default --seconds 3 >"$out/default"
run --in plughw:Dummy --out plughw:Dummy --rate 44100 --seconds 3 >"$out/plughw"
run --in plughw:Dummy --rate 96000 --format S24_3 --seconds 3 >"$out/converted"

# ---- a user without rights ---------------------------------------------------------
run_as_nobody() {
  setpriv --reuid=65534 --regid=65534 --clear-groups "$check" run "$@"
}
run_as_nobody --out hw:Dummy >"$out/nobody"
run_as_nobody --out null --seconds 0.1 >"$out/unprivileged"

# ---- faults ------------------------------------------------------------------------
aplay -q -D hw:Dummy -t raw -f S16_LE -r 48000 -c 2 /dev/zero &
player=$!
sleep 0.5
run --out hw:Dummy --seconds 1 >"$out/busy"
"$check" devices >"$out/devices-busy"
kill $player
wait $player 2>/dev/null

# The process itself in the background, not a shell around it: it gets the signals.
"$check" run --in hw:Dummy --out hw:Dummy --seconds 4 >"$out/stopped" &
driver=$!
sleep 1
stop_for_a_second $driver "$out/stopped.span"
wait $driver

"$check" run --in hw:Dummy --out hw:Dummy --seconds 6 >"$out/suspended" &
driver=$!
sleep 1
echo suspend >/run/alsa-vm/action
wait $driver
dmesg | grep -c "PM: suspend exit" >"$out/suspensions"

# The host acts in its own time, and idle time is skipped here: hence the long run, which the
# removal ends.
"$check" run --out hw:USB --seconds 100 >"$out/unplugged" &
driver=$!
sleep 1
echo unplug-usb >/run/alsa-vm/action
wait $driver
echo "status $?" >>"$out/unplugged"
run --out hw:USB >"$out/gone"

echo plug-usb >/run/alsa-vm/action
tries=10000
while [ ! -e /proc/asound/USB/pcm0p ] && [ $tries -gt 0 ]; do
  sleep 0.1
  tries=$((tries - 1))
done
sleep 1
"$check" run --in hw:Dummy --out hw:USB --seconds 100 >"$out/unplugged-duplex" &
driver=$!
sleep 1
echo unplug-usb >/run/alsa-vm/action
wait $driver

# The loopback card's clock moves by 192 frames, so that this buffer never shows any.
run --in hw:Loopback,1,0 --period 192 --periods 2 --seconds 6 >"$out/silent"
exit 0 # the reports say the rest
