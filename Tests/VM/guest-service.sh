#!/bin/sh
# guest-service.sh: the checks of the program as a service, and of `outboard doctor`, that run inside the
# virtual machine, on a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-service.sh OUTBOARD DRIVER-CHECK OUT
#
# Writes results to the directory OUT; scripts/test-vm, on the host, checks them.

outboard=$1
check=$2
out=$3
rigs=manifests/rigs
fast=/dev/shm/outboard-service
mkdir -p "$fast"

. Tests/VM/guest-functions.sh

# Loads all files before idle time is skipped.
echo keep-idle >/run/alsa-vm/action
"$outboard" graph "$rigs/tones.yaml" >/dev/null
"$outboard" doctor >/dev/null
"$check" >/dev/null
echo skip-idle >/run/alsa-vm/action

# Starts a service under a simulated service manager. Sets $program to the service's process.
start_service() { # NAME ARGUMENT...
  name=$1
  shift
  "$check" notify-listen "$fast/$name" 60 >"$out/$name-messages" &
  manager=$!
  tries=200
  until [ -S "$fast/$name" ] || [ $tries -eq 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
  done
  NOTIFY_SOCKET=$fast/$name WATCHDOG_USEC=2000000 \
    "$outboard" run --rig $rigs/tones.yaml --service "$@" >"$out/$name-journal" 2>&1 </dev/null &
  program=$!
}

stop_service() { # NAME
  kill -TERM $program
  wait $program
  echo "status $?" >>"$out/$1-journal"
  wait $manager
  echo "status $?" >>"$out/$1-messages"
}

# ---- from start to stop ------------------------------------------------------------
start_service service --out hw:Dummy
await_running Dummy/pcm0p/sub0
sleep 12
await_lines 10 WATCHDOG=1 "$out/service-messages"
stop_service service

# ---- a card that is connected, removed and reconnected ------------------------------
unplug_usb
start_service late --out hw:USB
await_lines 5 WATCHDOG=1 "$out/late-messages"
plug_usb
await_running USB/pcm0p/sub0
cat /proc/asound/USB/pcm0p/sub0/status >"$out/late-first"
sleep 2
unplug_usb
sleep 2
plug_usb
await_running USB/pcm0p/sub0
cat /proc/asound/USB/pcm0p/sub0/status >"$out/late-second"
sleep 2
stop_service late

# ---- the doctor ----------------------------------------------------------------------
"$outboard" doctor >"$out/doctor"
echo "status $?" >>"$out/doctor"
aplay -q -D hw:Dummy -t raw -f S16_LE -r 48000 -c 2 /dev/zero &
player=$!
await_running Dummy/pcm0p/sub0
"$outboard" doctor --json >"$out/doctor-held"
kill $player
wait $player 2>/dev/null
exit 0 # the reports have the results
