#!/bin/sh
# guest-faults.sh: what befalls cards while they play, and how the driver gets over it; runs inside
# the virtual machine, on a loopback, a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-faults.sh DRIVER-CHECK OUT [TIMES]
#
# TIMES is how often the USB card is unplugged and how many xruns a storm has; 3 by default. Writes
# what was seen to the folder OUT; scripts/test-vm, on the host, judges it.

check=$1
out=$2
times=${3:-3}
fast=/dev/shm/outboard
mkdir -p "$fast"
. Tests/VM/guest-functions.sh

modprobe virtio_mem # for the suspension
for program in aplay arecord setpriv; do $program --version >/dev/null; done
"$check" devices >/dev/null
echo skip-idle >/run/alsa-vm/action

# Starts the driver in the background; `finish` ends it.
begin() { # NAME ARGUMENT...
  name=$1
  shift
  rm -f "$fast/end"
  "$check" run "$@" --seconds 1000 --until "$fast/end" >"$out/$name" &
  driver=$!
}
finish() {
  touch "$fast/end"
  wait $driver
  echo "status $?" >>"$out/$name"
}
uptime_now() { read -r uptime _ </proc/uptime && echo "$uptime"; }
await() { # a file that is there, or not: [!] FILE
  tries=20000
  if [ "$1" = "!" ]; then
    while [ -e "$2" ] && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
  else
    while [ ! -e "$1" ] && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
  fi
}
unplug() {
  echo unplug-usb >/run/alsa-vm/action
  await ! /proc/asound/USB
}
plug() {
  echo plug-usb >/run/alsa-vm/action
  await /proc/asound/USB/pcm0p
  echo "back $(uptime_now)" >>"$out/$name.times"
}

# ---- unplugged and plugged in again, time after time -----------------------------------
begin replugged --out hw:USB
await_running USB/pcm0p/sub0
turn=0
while [ $turn -lt "$times" ]; do
  sleep 0.5
  unplug
  sleep 0.5
  plug
  await_running USB/pcm0p/sub0
  echo "runs $(uptime_now)" >>"$out/$name.times"
  turn=$((turn + 1))
done
sleep 1
finish

# ---- one of two cards: the other one plays on --------------------------------------------
begin replugged-follower --in hw:Dummy --out hw:Dummy --out hw:USB
await_running USB/pcm0p/sub0
sleep 1
unplug
sleep 1
plug
await_running USB/pcm0p/sub0
sleep 1
finish

# ---- the card that gives the pace goes: the other one plays on ------------------------------
begin replugged-leader --in hw:Dummy --out hw:USB
await_running USB/pcm0p/sub0
sleep 1
unplug
sleep 1
plug
await_running USB/pcm0p/sub0
sleep 1
finish

# ---- one clock for both, by the user's word: they come and go together ------------------------
begin replugged-shared --in hw:Dummy --out hw:USB --clock shared
await_running USB/pcm0p/sub0
sleep 1
unplug
sleep 1
plug
await_running USB/pcm0p/sub0
sleep 1
finish

# ---- a card that is not there yet ---------------------------------------------------------------
unplug
begin awaited --out hw:USB --wait yes
sleep 1
plug
await_running USB/pcm0p/sub0
sleep 1
finish

# ---- a storm: the process is stopped again and again ---------------------------------------------
begin storm --in hw:Dummy --out hw:Dummy --period 128 --periods 2
await_running Dummy/pcm0p/sub0
turn=0
while [ $turn -lt $((times * 5)) ]; do
  sleep 0.05
  kill -STOP $driver
  sleep 0.05
  kill -CONT $driver
  turn=$((turn + 1))
done
sleep 1
finish

# ---- suspended, playing and recording, several times ------------------------------------------------
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

# ---- the far end of a loopback cable takes another rate ----------------------------------------------
rate_change() { # NAME ARGUMENT...
  begin "$@" --in hw:Loopback,1,0
  await_running Loopback/pcm1c/sub0
  sleep 1
  # With pcm_notify a player may come with a rate of its own, and then the cable has no other.
  aplay -q -D hw:Loopback,0,0 -t raw -f S32_LE -r 44100 -c 2 -d 4 /dev/zero
  sleep 0.5
  finish
}
rate_change rate-followed
rate_change rate-kept --rate 48000
exit 0 # the reports say the rest
