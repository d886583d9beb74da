#!/bin/sh
# guest-recording.sh: records sixteen channels while a chain runs in periods of 64 frames; runs inside the
# virtual machine, on a dummy card. SPDX-License-Identifier: MIT
#
#   guest-recording.sh OUTBOARD OUT [SECONDS [STARTS]]
#
# STARTS are "no yes": without the recording, and with it. The rig is OUT/sixteen.yaml. Writes the recording
# and results to the directory OUT; scripts/test-vm, on the host, checks them. Missed periods are measured in
# the machine's own time, so the load of the host does not matter.

outboard=$1
out=$2
seconds=${3:-30}
starts=${4:-no yes}
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"
mount -o remount,size=95% /dev/shm
. Tests/VM/guest-functions.sh

# ---- load all files before idle time is skipped -------------------------------
echo keep-idle >/run/alsa-vm/action
for start in $starts; do
  sed "s/autostart: yes/autostart: $start/" "$out/sixteen.yaml" >"$fast/start-$start.yaml"
  "$outboard" graph "$fast/start-$start.yaml" >/dev/null
done
sed 's/autostart: yes/autostart: no/' "$out/sixteen.yaml" >"$fast/once.yaml"
(cd "$fast" && "$outboard" run --rig once.yaml --out hw:Dummy --format S16 --rate 48000 --duration 0.2 \
  >/dev/null 2>&1)
cp --help >/dev/null
echo skip-idle >/run/alsa-vm/action

for start in $starts; do
  (cd "$fast" && exec "$outboard" run --rig start-$start.yaml --out hw:Dummy --format S16 --rate 48000 \
    --period 64 --duration "$seconds" --json >"$out/sixteen-$start" 2>"$out/sixteen-$start.errors")
  echo "status $?" >>"$out/sixteen-$start"
done
cp "$fast/sixteen.wav" "$out/sixteen.wav"
exit 0 # the reports have the results
