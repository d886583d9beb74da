#!/bin/sh
# guest-clock.sh: the checks of MIDI clock that run inside the virtual machine. SPDX-License-Identifier: MIT
#
#   guest-clock.sh OUTBOARD DRIVER-CHECK OUT
#
# OUT contains the program clock (Clock/). Writes results to the directory OUT; scripts/test-vm, on the host, checks them.

# Cards: loopback.

outboard=$1
check=$2
out=$3
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"

. Tests/VM/guest-functions.sh

# Waits until the client $1 exists.
await_client() {
  tries=200
  until grep -q "\"$1\"" /proc/asound/seq/clients || [ $tries -eq 0 ]; do
    sleep 0.05
    tries=$((tries - 1))
  done
}

# Loads all files before idle time is skipped.
echo keep-idle >/run/alsa-vm/action
cp "$out/clock" "$fast/clock"
"$fast/clock" 2>/dev/null
modprobe snd-seq
cat >"$fast/clock.yaml" <<END
outboard: 1
name: clocked
output: default
transport: {tempo: 90, rolling: no, clock: Drum machine, clock_output: Listener}
nodes:
  tone: {plugin: outboard.oscillator}
connections: [tone -> out]
END
"$check" midi --in none --seconds 0.1 >/dev/null
"$outboard" info outboard.oscillator >/dev/null
echo skip-idle >/run/alsa-vm/action

# The program follows the drum machine, and sends the clock to a listener. Another listener hears the drum machine.
"$outboard" run --rig "$fast/clock.yaml" --out hw:Loopback,0,1 --format S16 --rate 48000 --period 960 --periods 2 \
  --duration 16 --events json >"$out/clock-events" 2>"$out/clock-words" &
process=$!
await_running Loopback/pcm0p/sub1
"$check" midi --name Listener --in none --seconds 17 >"$out/clock-sent" &
listener=$!
"$check" midi --name Witness --in "Drum machine" --wait --seconds 13 >"$out/clock-truth" &
witness=$!
await_client Witness
await_client Listener
sleep 0.5
"$outboard" status --json >"$out/clock-waiting"
"$fast/clock" 120.5 0.5
"$outboard" status >"$out/clock-status"
wait $listener $witness
wait $process
echo "status $?" >>"$out/clock-words"
exit 0 # the reports have the results
