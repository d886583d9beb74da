#!/bin/sh
# guest-latency.sh: the checks of `latency` and `find-period` that run inside the virtual machine, on a
# loopback and a dummy card. SPDX-License-Identifier: MIT
#
#   guest-latency.sh OUTBOARD DUPLEX OUT
#
# DUPLEX is Benchmarks/duplex.c, a plain loop for comparison. Writes results to the directory OUT;
# scripts/test-vm, on the host, checks them.

outboard=$1
duplex=$2
out=$3
rig=manifests/rigs/straight-through.yaml
export XDG_CONFIG_HOME=/dev/shm/config
export ALSA_CONFIG_PATH=/dev/shm/asoundrc
stored=$XDG_CONFIG_HOME/outboard/devices.yaml

. Tests/VM/guest-functions.sh

# One cable has a loss of 50 dB, another inverts the signal.
cat >$ALSA_CONFIG_PATH <<'END'
</usr/share/alsa/alsa.conf>
pcm.quiet { type route; slave { pcm "hw:Loopback,0,0"; channels 2 }; ttable.0.0 0.00316228; ttable.1.1 0 }
pcm.inverted { type route; slave { pcm "hw:Loopback,0,0"; channels 2 }; ttable.0.0 -0.5; ttable.1.1 0 }
END

# Loads all files before idle time is skipped.
echo keep-idle >/run/alsa-vm/action
"$outboard" latency --help >/dev/null
"$duplex" >/dev/null 2>&1
sleep 0
grep -q . /dev/null
aplay --version >/dev/null
echo skip-idle >/run/alsa-vm/action

# ---- the round trip ------------------------------------------------------------
latency() { # NAME ARGUMENT...
  name=$1
  shift
  "$outboard" latency --rounds 2 "$@" --json >"$out/$name" 2>&1
  echo "status $?" >>"$out/$name"
}
cable="--in hw:Loopback,1,0 --out hw:Loopback,0,0"
# shellcheck disable=SC2086  # $cable is several words
{
  latency latency-256x3 $cable --format S16
  latency latency-1024x2 $cable --format S32 --period 1024 --periods 2
  latency latency-256x4 $cable --format S24_3 --period 256 --periods 4
  latency latency-128x4 $cable --format FLOAT --period 128 --periods 4 --rounds 6
  latency latency-480x2 $cable --rate 44100 --period 480 --periods 2
  latency latency-channels --in hw:Loopback,1,0:3 --out hw:Loopback,0,0:3 --format S32
  latency latency-level $cable --level -60
}
latency latency-unlinked --in plughw:Loopback,1,0 --out plughw:Loopback,0,0 --period 512
latency latency-quiet --in hw:Loopback,1,0 --out quiet --format S32
latency latency-inverted --in hw:Loopback,1,0 --out inverted --format S16
latency latency-no-cable --in hw:Loopback,1,1:2 --out hw:Loopback,0,0
latency latency-one-way --in none --out hw:Loopback,0,0

# Stops the process several times, because one stop may fall between two rounds. The clock must not jump after the
# last round.
echo keep-idle >/run/alsa-vm/action
# shellcheck disable=SC2086
"$outboard" latency $cable --rounds 6 --json >"$out/latency-stopped" 2>&1 &
program=$!
await_running Loopback/pcm0p/sub0
for _ in 1 2 3; do
  sleep 0.5
  kill -STOP $program
  sleep 0.3
  kill -CONT $program
done
wait $program
echo "status $?" >>"$out/latency-stopped"
echo skip-idle >/run/alsa-vm/action

# A shell's background job ignores SIGINT, and the program does not change that.
# shellcheck disable=SC2086
env --default-signal=INT "$outboard" latency $cable --rounds 100 >"$out/latency-interrupted" 2>&1 &
program=$!
await_running Loopback/pcm0p/sub0
kill -INT $program
wait $program
echo "status $?" >>"$out/latency-interrupted"

# ---- the smallest period ---------------------------------------------------------
for period in 128 64 32 16; do
  "$duplex" hw:Dummy hw:Dummy $period 2 1 90 >>"$out/duplex"
  echo "status $? $period" >>"$out/duplex"
done
card=$(readlink /proc/asound/Dummy)
"$outboard" find-period "hw:${card#card},0" --start 128 --duration 1 --load 90 --save --json >"$out/tune" 2>&1
echo "status $?" >>"$out/tune"
cp "$stored" "$out/tune-stored"

run() { # NAME ARGUMENT...
  name=$1
  shift
  "$outboard" run --rig $rig --in hw:Dummy --out hw:Dummy --duration 1 --json "$@" >"$out/$name" 2>&1
  echo "status $?" >>"$out/$name"
}
run run-stored
run run-asked --period 64
run run-other-rate --rate 44100
sed -i 's/period: 16/period: small/' "$stored"
run run-broken
sed -i 's/period: small/period: 16/' "$stored"
env --default-signal=INT "$outboard" find-period hw:Dummy --duration 2 --load 20 --save >"$out/tune-interrupted" 2>&1 &
program=$!
tries=200
until grep -q passes "$out/tune-interrupted" || [ $tries -eq 0 ]; do
  sleep 0.1
  tries=$((tries - 1))
done
kill -INT $program
wait $program
echo "status $?" >>"$out/tune-interrupted"
cmp "$stored" "$out/tune-stored" && echo "the file is as it was" >>"$out/tune-interrupted"
"$outboard" find-period hw:Dummy --clear >"$out/tune-forget" 2>&1
"$outboard" find-period hw:Dummy --clear >>"$out/tune-forget" 2>&1
echo "status $?" >>"$out/tune-forget"
run run-forgotten

# With a buffer of 256 frames this card runs at a third of its rate, without any error.
"$outboard" find-period --in hw:Loopback,1,0 --out hw:Loopback,0,0 --format S16 --start 128 --duration 1 \
  >"$out/tune-loopback" 2>&1
echo "status $?" >>"$out/tune-loopback"
for setting in "128 2" "128 3" "128 4" "64 2" "64 3" "64 4"; do
  # shellcheck disable=SC2086  # a period and a number of periods
  "$duplex" hw:Loopback,1,0 hw:Loopback,0,0 $setting 1 50 >>"$out/duplex-loopback"
  echo "status $?" >>"$out/duplex-loopback"
done

# ---- a loopback card whose steps drift against the dummy card: fine steps ----------
echo keep-idle >/run/alsa-vm/action
modprobe -r snd-aloop
modprobe snd-aloop timer_source=Dummy.0.0
echo skip-idle >/run/alsa-vm/action
aplay -q -D hw:Dummy -t raw -f S16_LE -r 48000 -c 2 --period-size=64 --buffer-size=4096 /dev/zero &
player=$!
await_running Dummy/pcm0p/sub0
# shellcheck disable=SC2086
for periods in 2 3 4; do
  latency latency-fine-64x$periods $cable --format S16 --period 64 --periods $periods
done
kill $player
wait $player 2>/dev/null
exit 0 # the reports have the results
