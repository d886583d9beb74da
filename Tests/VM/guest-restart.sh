#!/bin/sh
# guest-restart.sh: a plugin crashes in the process of a session on a card, and the session restarts; runs inside the
# virtual machine. SPDX-License-Identifier: MIT
#
#   guest-restart.sh OUTBOARD OUT
#
# Writes results to the directory OUT; scripts/test-vm, on the host, checks them.

outboard=$1
out=$2
fast=/dev/shm/outboard
mkdir -p "$fast/run"
. Tests/VM/guest-functions.sh
export XDG_RUNTIME_DIR="$fast/run" XDG_STATE_HOME="$fast/state" CRASH="$fast/crash"

cat >"$fast/rig.yaml" <<RIG
outboard: 1
nodes:
  tone: {plugin: outboard.oscillator, parameters: {waveform: Sine, frequency: 1000, level: -12}}
  ill: {plugin: $fast/crash.so}
  tape: {builtin: recorder, file: $fast/tape.wav, channels: 2, autostart: yes}
connections: [tone -> ill -> out, tone -> tape]
RIG

# Reading files makes the virtual clock jump, for longer than a restart takes. So the program is in memory, and
# libraries are read once before.
modules=$fast/lib/outboard/modules
mkdir -p "$fast/bin" "$modules"
cp "${outboard%/*}/liboscillator.so" "$modules/oscillator.so"
cp manifests/modules/oscillator.yaml "$modules/"
cp "$outboard" "$fast/bin/"
cp "$out/crash.so" "$out/crash.yaml" "$fast/"
outboard=$fast/bin/outboard
"$outboard" render --rig "$fast/rig.yaml" --isolate own --duration 0.1 -o "$fast/warm.wav" >/dev/null 2>&1
rm -f "$fast"/tape*.wav
arecord -q -D hw:Loopback,1,1 -t raw -f S16_LE -r 48000 -c 2 "$fast/recorded" &
recorder=$!
env --default-signal=INT,TERM "$outboard" run --rig "$fast/rig.yaml" --in none --out hw:Loopback,0,1 --format S16 \
  --events json >"$out/restarted" 2>"$out/restarted.messages" &
program=$!
await_cable
sleep 1
: >"$CRASH"
await_file ! "$CRASH"
tries=200
until grep -q '(fault)' "$out/restarted.top" 2>/dev/null || [ $tries -eq 0 ]; do
  "$outboard" top --count 1 --interval 0.1 >"$out/restarted.top" 2>/dev/null || sleep 0.1
  tries=$((tries - 1))
done
sleep 0.5
kill -TERM $program
wait $program
echo "status $?" >>"$out/restarted"
sleep 0.2
kill $recorder
wait $recorder
cp "$fast/recorded" "$out/restarted.recorded"
for file in "$fast"/tape*.wav; do cp "$file" "$out/"; done
exit 0 # the reports have the results
