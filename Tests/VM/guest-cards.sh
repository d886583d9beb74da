#!/bin/sh
# guest-cards.sh: the checks of the ALSA driver that run inside the virtual machine, on a loopback,
# a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-cards.sh DRIVER-CHECK OUT
#
# OUT/sounds has the played files. Writes results to the directory OUT; scripts/test-vm, on the host, checks them.

# Cards: loopback, dummy with one substream, usb.

check=$1
out=$2
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"

run() { "$check" run "$@"; }
. Tests/VM/guest-functions.sh

# ---- load all files before idle time is skipped -------------------------------
formats="S16_LE S16_BE S24_LE S24_BE S24_3LE S24_3BE S32_LE S32_BE FLOAT_LE FLOAT_BE"
cp "$out"/sounds/*.raw "$fast/"
"$check" devices >/dev/null
modprobe virtio_mem # for the suspension
for program in aplay arecord; do $program --version >/dev/null; done
echo skip-idle >/run/alsa-vm/action

# ---- the device list, and error messages ---------------------------------------
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
straight_through() { # NAME FORMAT INPUT ARGUMENT...
  name=$1
  format=$2
  input=$3
  shift 3
  arecord -q -D hw:Loopback,1,1 -t raw -f "$format" -r 48000 -c 2 -d 6 "$fast/recorded" &
  recorder=$!
  run --in "$input" --out hw:Loopback,0,1 --format "$(format_name "$format")" --seconds 5 "$@" \
    >"$out/loopback-$name" &
  driver=$!
  await_cable
  sleep 0.5
  aplay -q -D hw:Loopback,0,0 -t raw -f "$format" -r 48000 -c "${channels:-2}" \
    "$fast/${played:-$format}.raw"
  wait "$driver" "$recorder"
  cp "$fast/recorded" "$out/$name.recorded"
}
for format in $formats; do
  straight_through "$format" "$format" hw:Loopback,1,0 --access mmapInterleaved
done
straight_through copied S32_LE hw:Loopback,1,0 --access rwInterleaved
straight_through swapped S32_LE hw:Loopback,1,0:2,1
channels=4 played=four
straight_through picked S32_LE hw:Loopback,1,0:3-4
unset channels played

# ---- full duplex, one direction ---------------------------------------------------
for period in 64 128 256; do
  run --in hw:Dummy --out hw:Dummy --period $period --periods 2 --seconds 5 \
    >"$out/duplex-$period"
done
run --in hw:Dummy --seconds 2 >"$out/capture-only"
run --out hw:Dummy --seconds 2 >"$out/playback-only"
run --in hw:Loopback,1,0 --out hw:Dummy --period 256 --periods 4 --seconds 5 >"$out/two-cards"

# ---- through alsa-lib's plug-ins ---------------------------------------------------
run --in default --out default --seconds 3 >"$out/default"
run --in plughw:Dummy --out plughw:Dummy --rate 44100 --seconds 3 >"$out/plughw"
run --in plughw:Dummy --rate 96000 --format S24_3 --seconds 3 >"$out/converted"

# ---- a user without permissions ----------------------------------------------------
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

# The process runs in the background without a shell function around it, so that it gets the signals.
"$check" run --in hw:Dummy --out hw:Dummy --seconds 4 >"$out/stopped" &
driver=$!
# On a busy host, loading the program may take a second of the machine's time.
await_running Dummy/pcm0p/sub0
sleep 0.5
stop_for $driver 1 "$out/stopped.span"
wait $driver

"$check" run --in hw:Dummy --out hw:Dummy --seconds 6 >"$out/suspended" &
driver=$!
await_running Dummy/pcm0p/sub0
sleep 0.5
echo suspend >/run/alsa-vm/action
wait $driver
dmesg >"$out/suspended.kernel"

# The position of the loopback card moves in steps of 192 frames, so it never advances in this buffer.
run --in hw:Loopback,1,0 --period 192 --periods 2 --seconds 6 >"$out/silent"
exit 0 # the reports have the results
