#!/bin/sh
# guest-program.sh: the checks of the program itself that run inside the virtual machine, on a
# loopback, a dummy and a USB card. SPDX-License-Identifier: MIT
#
#   guest-program.sh OUTBOARD OUT
#
# Follows guest-cards.sh in the same machine, which copies the played files. Writes results to the
# directory OUT; scripts/test-vm, on the host, checks them. It removes all sound cards at its end.

outboard=$1
out=$2
rigs=manifests/rigs
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"

run() { "$outboard" run "$@"; }

. Tests/VM/guest-functions.sh

# ---- load all files before idle time is skipped -------------------------------
echo keep-idle >/run/alsa-vm/action
for rig in mic-chain tones mic-reverb mic-reverb-lv2; do
  "$outboard" graph "$rigs/$rig.yaml" >/dev/null
done
script --version >/dev/null
echo skip-idle >/run/alsa-vm/action

# ---- bit for bit through the loopback card -------------------------------------
straight_through() { # FORMAT
  arecord -q -D hw:Loopback,1,1 -t raw -f "$1" -r 48000 -c 2 "$fast/recorded" &
  recorder=$!
  run --rig $rigs/straight-through.yaml --in hw:Loopback,1,0 --out hw:Loopback,0,1 \
    --format "$(format_name "$1")" --duration 6 --json >"$out/program-$1" &
  program=$!
  await_cable
  sleep 1
  aplay -q -D hw:Loopback,0,0 -t raw -f "$1" -r 48000 -c 2 "$fast/$1.raw"
  wait "$program"
  echo "status $?" >>"$out/program-$1"
  kill "$recorder"
  wait "$recorder"
  cp "$fast/recorded" "$out/program-$1.recorded"
}
for format in S16_LE S24_3LE S32_LE; do straight_through $format; done

# ---- a tone through chains -------------------------------------------------------
through() { # NAME ARGUMENT...
  name=$1
  shift
  arecord -q -D hw:Loopback,1,1 -t raw -f S16_LE -r 48000 -c 2 "$fast/recorded" &
  recorder=$!
  run "$@" --in hw:Loopback,1,0 --out hw:Loopback,0,1 --format S16 --duration 8 --json \
    >"$out/$name" &
  program=$!
  await_cable
  sleep 0.2
  aplay -q -D hw:Loopback,0,0 -t raw -f S16_LE -r 48000 -c 2 "$fast/tone.raw"
  wait "$program"
  kill "$recorder"
  wait "$recorder"
  cp "$fast/recorded" "$out/$name.recorded"
}
through gain outboard.gain gain=-6
through lv2 outboard.gain gain=-6 http://lv2plug.in/plugins/eg-amp gain=-3
through panned --rig $rigs/mixer-pan.yaml

# ---- the rigs ----------------------------------------------------------------------
for rig in straight-through mixer-pan mic-chain mic-reverb mic-reverb-lv2; do
  run --rig $rigs/$rig.yaml --in hw:Dummy --out hw:Dummy --duration 3 --json >"$out/rig-$rig"
  echo "status $?" >>"$out/rig-$rig"
done
run --rig $rigs/tones.yaml --out hw:Dummy --duration 3 --json >"$out/rig-tones"
echo "status $?" >>"$out/rig-tones"

run --rig $rigs/analyser.yaml --in hw:Loopback,1,0 --format S16 --duration 4 --json \
  >"$out/rig-analyser" &
program=$!
await_running Loopback/pcm1c/sub0
aplay -q -D hw:Loopback,0,0 -t raw -f S16_LE -r 48000 -c 2 "$fast/tone.raw" &
player=$!
wait $program
echo "status $?" >>"$out/rig-analyser"
wait $player
run --rig $rigs/analyser.yaml --in hw:Dummy --duration 3 >"$out/analyser-lines" \
  2>"$out/analyser-words" &
program=$!
await_running Dummy/pcm0c/sub0
cat /proc/asound/Dummy/pcm0p/sub0/status >"$out/analyser-output"
wait $program

# ---- signals and exit ----------------------------------------------------------------
# A shell's background job ignores SIGINT, and the program does not change that.
arecord -q -D hw:Loopback,1,1 -t raw -f S16_LE -r 48000 -c 2 "$fast/recorded" &
recorder=$!
env --default-signal=INT "$outboard" run outboard.oscillator waveform=Sine frequency=1000 level=-12 \
  --in none --out hw:Loopback,0,1 --format S16 >"$out/interrupted" 2>&1 &
program=$!
await_cable
sleep 2
# The program writes the record of the session at its end, and waiting for that file would make the clock jump to the next
# timer.
echo keep-idle >/run/alsa-vm/action
read -r before _ </proc/uptime
kill -INT $program
wait $program
status=$?
read -r after _ </proc/uptime
echo skip-idle >/run/alsa-vm/action
printf '%s\n' "status $status" "took $before $after" >>"$out/interrupted"
sleep 0.5
kill $recorder
wait $recorder
cp "$fast/recorded" "$out/interrupted.recorded"

# With nohup, SIGHUP is ignored and must stay so.
nohup "$outboard" run --rig $rigs/tones.yaml --out hw:Dummy --duration 3 --json \
  >"$out/nohup" 2>/dev/null &
program=$!
await_running Dummy/pcm0p/sub0
kill -HUP $program
wait $program
echo "status $?" >>"$out/nohup"

# On a terminal, stopped with Ctrl-C as a user does.
{
  await_running Dummy/pcm0p/sub0
  sleep 2
  printf '\003'
  sleep 1
} | timeout 60 env --default-signal=INT script -qec \
  "exec $outboard run --rig $rigs/mic-chain.yaml --in hw:Dummy --out hw:Dummy" /dev/null >"$out/terminal"
echo "status $?" >>"$out/terminal"
script -qec "$outboard run --rig $rigs/analyser.yaml --in hw:Dummy --duration 1" /dev/null \
  </dev/null >"$out/terminal-analyser"

# ---- make run, the device list ------------------------------------------------------------
env --default-signal=INT scripts/run "$outboard" >"$out/make-run" 2>&1 &
program=$!
await_running Loopback/pcm0p/sub0
kill -INT $program
wait $program
echo "status $?" >>"$out/make-run"
"$outboard" devices >"$out/program-devices"
"$outboard" devices --json >"$out/program-devices.json"

# ---- faults --------------------------------------------------------------------------------
refuse() {
  run "$@" --rig $rigs/straight-through.yaml --duration 1 2>&1
  echo "status $?"
}
aplay -q -D hw:Dummy -t raw -f S16_LE -r 48000 -c 2 /dev/zero &
player=$!
await_running Dummy/pcm0p/sub0
refuse --in hw:Dummy --out hw:Dummy >"$out/program-busy"
"$outboard" devices >"$out/program-devices-busy"
kill $player
wait $player 2>/dev/null
{
  refuse --in hw:Nowhere --out hw:Dummy
  refuse --in hw:Dummy --out hw:Dummy --rate 96000
  refuse --in hw:Dummy --out hw:Dummy --format S32
  refuse --in none --out none
} >"$out/program-refusals"
refuse --in hw:Dummy --out hw:Dummy --format S31 --json >"$out/program-unknown-format"
refuse --in hw:Dummy --out hw:Dummy --period 1 >"$out/program-period-1"
refuse --in hw:Dummy --out hw:Dummy --period 1000000 >"$out/program-period-1000000"
refuse --in hw:Dummy --out hw:Dummy --period 0 >"$out/program-period-0"

# The process runs in the background without a shell function around it, so that it gets the signals.
"$outboard" run --rig $rigs/straight-through.yaml --in hw:Dummy --out hw:Dummy --duration 4 --json \
  >"$out/program-stopped" &
program=$!
await_running Dummy/pcm0p/sub0
sleep 1
stop_for $program 1 "$out/program-stopped.span"
wait $program

# ---- an unplugged card -----------------------------------------------------------------------
unplugged() { # NAME ARGUMENT...
  name=$1
  shift
  plug_usb
  "$outboard" run --rig $rigs/tones.yaml --out hw:USB "$@" >"$out/$name" 2>&1 &
  program=$!
  await_running USB/pcm0p/sub0
  sleep 1
  read -r before _ </proc/uptime
  unplug_usb
  sleep 1
  plug_usb
  read -r after _ </proc/uptime
  echo "stopped $before $after" >"$out/$name.span"
  await_running USB/pcm0p/sub0
  sleep 1
  kill -TERM $program
  wait $program
  echo "status $?" >>"$out/$name"
}
unplugged program-unplugged
unplugged program-unplugged-json --json

# ---- no sound card -------------------------------------------------------------------------------
for module in snd-aloop snd-dummy snd-usb-audio; do modprobe -r $module; done
cp /proc/asound/cards "$out/cards-left"
{
  "$outboard" devices 2>&1
  echo "status $?"
  refuse
} >"$out/program-no-card"
"$outboard" devices --json >"$out/program-no-card-json"
echo "status $?" >>"$out/program-no-card-json"
scripts/run "$outboard" >"$out/make-run-no-card" 2>&1
echo "status $?" >>"$out/make-run-no-card"
exit 0 # the reports have the results
