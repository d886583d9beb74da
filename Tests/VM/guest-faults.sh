#!/bin/sh
# guest-faults.sh: faults of cards during playback, and the driver's recovery; runs inside the virtual
# machine, on a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-faults.sh DRIVER-CHECK OUT [TIMES]
#
# The USB card is unplugged and the cards are suspended TIMES times (2 by default). A row of xruns has 5 x TIMES.
# Writes results to the directory OUT; scripts/test-vm, on the host, checks them.

check=$1
out=$2
times=${3:-2}
fast=/dev/shm/outboard
mkdir -p "$fast"
. Tests/VM/guest-functions.sh

echo keep-idle >/run/alsa-vm/action
modprobe virtio_mem # for the suspension
touch "$fast/end"
"$check" devices >/dev/null
plug_usb
echo skip-idle >/run/alsa-vm/action

# Starts the driver in the background; `finish` ends it.
begin() { # NAME ARGUMENT...
  name=$1
  shift
  rm -f "$fast/end"
  "$check" run "$@" --seconds 100000 --until "$fast/end" >"$out/$name" &
  driver=$!
}
finish() {
  touch "$fast/end"
  wait $driver
  echo "status $?" >>"$out/$name"
}
plug() {
  plug_usb
  echo "back $(uptime_now)" >>"$out/$name.times"
  await_running USB/pcm0p/sub0
  echo "runs $(uptime_now)" >>"$out/$name.times"
}

# ---- unplugged and plugged in again, repeatedly ----------------------------------------
begin replugged --out hw:USB
await_running USB/pcm0p/sub0
turn=0
while [ $turn -lt "$times" ]; do
  sleep 0.5
  unplug_usb
  sleep 0.5
  plug
  turn=$((turn + 1))
done
sleep 1
finish

# ---- one of two cards is lost: the other one keeps running --------------------------------
begin replugged-follower --in hw:Dummy --out hw:Dummy --out hw:USB
await_running USB/pcm0p/sub0
sleep 1
unplug_usb
sleep 1
plug
sleep 1
finish

# ---- the primary device is lost: the other one keeps running -------------------------------
begin replugged-leader --in hw:Dummy --out hw:USB
await_running USB/pcm0p/sub0
sleep 1
unplug_usb
sleep 1
plug
sleep 1
finish

# ---- two devices that the user declares to share a clock: they stop and start together -------
begin replugged-shared --in hw:Dummy --out hw:USB --clock shared
await_running USB/pcm0p/sub0
sleep 1
unplug_usb
sleep 1
plug
sleep 1
finish

# ---- a card that is connected later -------------------------------------------------------------
unplug_usb
"$check" run --out hw:USB >"$out/gone"
begin awaited --out hw:USB --wait yes
sleep 1
plug
sleep 1
finish

# ---- many xruns: the process is stopped again and again -----------------------------------------
begin storm --in hw:Dummy --out hw:Dummy --period 128 --periods 2
await_running Dummy/pcm0p/sub0
turn=0
while [ $turn -lt $((times * 5)) ]; do
  sleep 0.05
  stop_for $driver 0.05 "$fast/storm.span"
  turn=$((turn + 1))
done
sleep 1
finish
cp "$fast/storm.span" "$out/"

# ---- suspended several times, with playback and recording -------------------------------------------
begin suspended-often --in hw:Dummy --out hw:Dummy
await_running Dummy/pcm0p/sub0
turn=0
while [ $turn -lt "$times" ]; do
  sleep 0.5
  echo suspend >/run/alsa-vm/action
  sleep 1.5
  turn=$((turn + 1))
done
finish
dmesg >"$out/suspended-often.kernel"
exit 0 # the reports have the results
