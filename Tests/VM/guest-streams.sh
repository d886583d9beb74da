#!/bin/sh
# guest-streams.sh: pipes between programs and cards; runs inside the virtual machine, on a loopback card.
# SPDX-License-Identifier: MIT
#
#   guest-streams.sh OUTBOARD OUT [SECONDS]
#
# From a card to a pipe, bit for bit; and `arecord | outboard`, from a cable whose clock is 200 ppm off to
# another cable. OUT/sounds has the played noise. Writes results to the directory OUT; scripts/test-vm, on
# the host, checks them.

outboard=$1
out=$2
seconds=${3:-60}
rig=manifests/rigs/straight-through.yaml
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"
. Tests/VM/guest-functions.sh

# ---- load all files before idle time is skipped -------------------------------
echo keep-idle >/run/alsa-vm/action
cp "$out/sounds/S16_LE.raw" "$fast/noise.raw"
amixer --version >/dev/null
arecord --version >/dev/null
aplay --version >/dev/null
"$outboard" graph $rig >/dev/null
"$outboard" info outboard.oscillator >/dev/null
echo skip-idle >/run/alsa-vm/action

# ---- from a card to a pipe -----------------------------------------------------
{
  "$outboard" run --rig $rig --in hw:Loopback,1,0 --format S16 --out - --container raw \
    --out-format s16 --duration 6 2>"$out/stream-out"
  echo "status $?" >>"$out/stream-out"
} | cat >"$fast/piped" &
pipe=$!
await_running Loopback/pcm1c/sub0
sleep 1
aplay -q -D hw:Loopback,0,0 -t raw -f S16_LE -r 48000 -c 2 "$fast/noise.raw"
wait $pipe
cp "$fast/piped" "$out/stream-out.recorded"

# ---- through a pipe to a card with another clock ---------------------------------
# A greater value is slower. The control belongs to the capture side.
drift() { # NAME SHIFT
  name=$1
  amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=0 "$2"
  "$outboard" run outboard.oscillator frequency=1000 level=-6 --out hw:Loopback,0,0 --format S32 \
    --period 256 --json >"$out/$name-source" &
  source=$!
  await_running Loopback/pcm0p/sub0
  {
    arecord -q -D hw:Loopback,1,0 -t raw -f S32_LE -r 48000 -c 2 --period-size 256 \
      --buffer-size 8192 2>"$out/$name-arecord"
  } | {
    "$outboard" run --rig $rig --in - --raw 48000:2:s32 --out hw:Loopback,0,1 --format S32 \
      --period 256 --duration "$seconds" --json >"$out/$name"
    echo "status $?" >>"$out/$name"
  } &
  pipe=$!
  await_running Loopback/pcm0p/sub1
  sleep $((seconds - 8))
  arecord -q -D hw:Loopback,1,1 -t raw -f S32_LE -r 48000 -c 2 -d 4 "$fast/recorded"
  wait $pipe
  kill -TERM $source
  wait $source
  cp "$fast/recorded" "$out/$name.recorded"
}
drift stream-slow 100020
drift stream-fast 99980
exit 0 # the reports have the results
