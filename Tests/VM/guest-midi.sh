#!/bin/sh
# guest-midi.sh: the checks of MIDI that run inside the virtual machine, with the virtual MIDI card.
# SPDX-License-Identifier: MIT
#
#   guest-midi.sh OUTBOARD DRIVER-CHECK OUT
#
# OUT contains the module click.so with its manifest. Writes results to the directory OUT; scripts/test-vm, on
# the host, checks them.

# Cards: loopback, virmidi, dummy.

outboard=$1
check=$2
out=$3
fast=/dev/shm/outboard # memory: reading a file would make the virtual clock jump
mkdir -p "$fast"

. Tests/VM/guest-functions.sh

piano=http://drobilla.net/plugins/mda/EPiano
fifths=http://lv2plug.in/plugins/eg-fifths

midi() { "$check" midi "$@"; }

# Runs driver-check until `end_midi`, because a busy host makes the steps between them last any time.
begin_midi() { # NAME ARGUMENT...
  name=$1
  shift
  rm -f "$fast/end-$name"
  "$check" midi "$@" --seconds 1000 --until "$fast/end-$name" >"$out/midi-$name" &
}
end_midi() { # NAME COUNT PROCESS: waits for this number of messages and for what may follow
  await_lines "$2" '^message' "$out/midi-$1"
  sleep 0.5
  : >"$fast/end-$1"
  wait "$3"
}

# Writes a MIDI file $1 of $2 notes, each a tenth of a second long, without gaps.
write_song() {
  left=$2
  length=$((left * 8 + 4))
  {
    printf 'MThd\0\0\0\6\0\0\0\1\1\340MTrk\0\0' # one track, 480 ticks per quarter note of 0.5 s
    # shellcheck disable=SC2059  # the format is computed
    printf "\\$(printf %o $((length / 256)))\\$(printf %o $((length % 256)))"
    while [ "$left" -gt 0 ]; do
      printf '\0\220\74\144\140\200\74\100' # note 60 on; 96 ticks later, off
      left=$((left - 1))
    done
    printf '\0\377\57\0'
  } >"$1"
}

# Waits until the client $1 exists.
await_client() {
  tries=200
  until grep -q "\"$1\"" /proc/asound/seq/clients || [ $tries -eq 0 ]; do
    sleep 0.05
    tries=$((tries - 1))
  done
}

# ---- load all files before idle time is skipped -------------------------------
write_song "$fast/song.mid" 20
for program in "aplaymidi --version" "amidi --version" "aconnect -l" "aseqdump --version"; do
  $program >/dev/null
done
midi --in none --seconds 0.1 >/dev/null
for plugin in "$piano" "$fifths" "$out/click.so"; do "$outboard" info "$plugin" >/dev/null; done
"$outboard" devices >"$out/midi-devices"
"$outboard" devices --json >"$out/midi-devices.json"
echo skip-idle >/run/alsa-vm/action

# ---- names ---------------------------------------------------------------------
begin_midi ports --in none --delay 0.05
process=$!
await_client Outboard
aconnect -l >"$out/midi-names"
end_midi ports 0 $process

# ---- a file as input, and the messages sent -------------------------------------
begin_midi song --in none --delay 0.05
process=$!
await_client Outboard
begin_midi sent --name Listener --in Outboard:out
listener=$!
await_client Listener
sleep 0.2
aplaymidi -d 0 -p Outboard:0 "$fast/song.mid"
end_midi sent 40 $listener
end_midi song 40 $process

# ---- raw bytes from a device: running status, a long system-exclusive message ------
exclusive="F0 $(yes 11 | head -n 700 | tr '\n' ' ') F7"
begin_midi raw --in "virtual raw midi 0-0" --in VirMIDI\ 0-1
process=$!
await_client Outboard
sleep 0.2
amidi -p hw:VirMIDI,0 -S "90 3C 64 40 50 FE F8 E1 00 40"
amidi -p hw:VirMIDI,1 -S "$exclusive"
end_midi raw 5 $process

# ---- a source that dies while a note is on, and reconnects ----------------------------
start_keyboard() {
  "$check" midi --name Keyboard --in "Virtual Raw MIDI 0-0" --delay 0 --seconds 1000 >/dev/null &
  keyboard=$!
  await_client Keyboard
  sleep 0.3
}
start_keyboard
begin_midi replug --in keyb
process=$!
await_client Outboard
sleep 0.3
amidi -p hw:VirMIDI,0 -S "90 3C 64 B0 40 7F 90 43 64 80 43 00"
await_lines 4 '^message' "$out/midi-replug"
kill -KILL $keyboard
wait $keyboard 2>/dev/null
await_lines 6 '^message' "$out/midi-replug"
# Other clients take the number that it had.
aseqdump >/dev/null &
dump=$!
await_client aseqdump
start_keyboard
amidi -p hw:VirMIDI,0 -S "90 48 64 80 48 00"
await_lines 8 '^message' "$out/midi-replug"
# A connection that the user removes must stay removed.
aconnect -d Keyboard:1 Outboard:0
sleep 0.2
amidi -p hw:VirMIDI,0 -S "90 49 64 80 49 00"
end_midi replug 8 $process
kill $dump
kill -KILL $keyboard
wait $keyboard $dump 2>/dev/null

# ---- a source that appears later ------------------------------------------------------------
begin_midi waited --in Keyboard --wait
process=$!
await_client Outboard
start_keyboard
amidi -p hw:VirMIDI,0 -S "90 3C 64 80 3C 00"
end_midi waited 2 $process
kill -KILL $keyboard
wait $keyboard 2>/dev/null

# ---- more messages than the kernel buffers for a stopped process -------------------------------
begin_midi flood --in "Virtual Raw MIDI 0-0"
process=$!
await_client Outboard
sleep 0.3
amidi -p hw:VirMIDI,0 -S "90 3C 64"
await_lines 1 '^message' "$out/midi-flood"
kill -STOP $process
amidi -p hw:VirMIDI,0 -S "$(yes 'B0 07 11' | head -n 3000 | tr '\n' ' ') 80 3C 00"
kill -CONT $process
sleep 0.3
amidi -p hw:VirMIDI,0 -S "90 3D 64 80 3D 00"
end_midi flood 4 $process

# ---- the program ----------------------------------------------------------------------------------
# Plays $3 (or nothing) to the program, and records its output. The period is a multiple of the loopback card's
# steps, so that the program's thread wakes up regularly.
perform() { # NAME SONG ARGUMENT...
  name=$1
  song=$2
  shift 2
  arecord -q -D hw:Loopback,1,1 -t raw -f S16_LE -r 48000 -c 2 "$fast/recorded" &
  recorder=$!
  "$outboard" run "$@" --in none --out hw:Loopback,0,1 --format S16 --rate 48000 --period 960 \
    --periods 2 --duration 14 --json >"$out/midi-run-$name" 2>"$out/midi-run-$name.words" &
  process=$!
  await_cable
  sleep 5 # the engine measures when blocks are due
  [ -z "$song" ] || aplaymidi -d 0 -p Outboard:0 "$fast/song.mid"
  wait $process
  echo "status $?" >>"$out/midi-run-$name"
  kill $recorder
  wait $recorder
  cp "$fast/recorded" "$out/midi-run-$name.recorded"
}
perform piano song.mid "$piano"
perform silent "" "$piano"
perform click song.mid "$out/click.so"
# Raw bytes from the card; messages at the start and during the run.
"$outboard" run "$out/click.so" --in none --out hw:Loopback,0,1 --midi-in "Virtual Raw MIDI 0-2" \
  --duration 8 >"$out/midi-words" 2>&1 &
process=$!
await_running Loopback/pcm0p/sub1
sleep 0.3
amidi -p hw:VirMIDI,2 -S "90 3C 64 80 3C 00"
sleep 0.2
aplaymidi -d 0 -p Outboard:0 "$fast/song.mid" &
player=$!
sleep 0.5
kill $player
wait $process
# The rig sends MIDI to the card. amidi records it.
cat >"$fast/fifths.yaml" <<END
outboard: 1
output: default
midi: {output: Virtual Raw MIDI 0-3}
nodes:
  fifths: {plugin: "$fifths"}
  piano: {plugin: "$piano"}
connections: ["fifths:midi -> piano", "fifths:midi -> out:midi", piano -> out]
END
"$outboard" run --rig "$fast/fifths.yaml" --out hw:Loopback,0,1 --duration 8 --json \
  >"$out/midi-run-fifths" 2>&1 &
process=$!
await_running Loopback/pcm0p/sub1
amidi -p hw:VirMIDI,3 -d >"$out/midi-fifths" &
dump=$!
sleep 0.3
amidi -p hw:VirMIDI,2 -S "90 3C 64" # not connected: it must not be received
aplaymidi -d 0 -p Outboard:0 "$fast/song.mid"
wait $process
kill $dump
for arguments in "--midi-in Pianola" "--midi-in all --midi-in x"; do
  # shellcheck disable=SC2086  # several arguments
  "$outboard" run "$piano" $arguments --in none --out hw:Loopback,0,1 --duration 1 \
    2>>"$out/midi-program-refusals"
  echo "status $?" >>"$out/midi-program-refusals"
done

# ---- mapped controls ------------------------------------------------------------------------------
cat >"$fast/map.yaml" <<END
outboard: 1
name: mapped
output: default
midi: {map: ["cc 20 from VirMIDI 0-1 -> level.gain -20..0 dB feedback", cc 22 from Later -> level.gain]}
nodes:
  tone: {plugin: outboard.oscillator}
  level: {plugin: outboard.gain}
connections: [tone -> level -> out]
END
"$outboard" run --rig "$fast/map.yaml" --out hw:Loopback,0,1 --duration 200 >"$out/midi-map-run" 2>&1 &
process=$!
await_running Loopback/pcm0p/sub1
aconnect -l >"$out/midi-map-ports"
"$outboard" learn level.gain --range "-40..0 dB" --device "VirMIDI 0-2" >"$out/midi-learn" 2>&1 &
learn=$!
sleep 1
amidi -p hw:VirMIDI,2 -S "F8 FE B0 15 10 B0 15 18 B0 15 20"
wait $learn
echo "status $?" >>"$out/midi-learn"
"$outboard" map >"$out/midi-map"
amidi -p hw:VirMIDI,2 -S "B0 15 7F B0 15 00"
sleep 0.3
"$outboard" status --json >"$out/midi-map-learned"
amidi -p hw:VirMIDI,1 -d >"$out/midi-map-feedback" &
dump=$!
sleep 0.3
"$outboard" set level gain=-10
sleep 1
kill $dump
"$outboard" learn level.gian 2>"$out/midi-map-refusals"
echo "status $?" >>"$out/midi-map-refusals"
"$outboard" map --remove "cc 21" 2>>"$out/midi-map-refusals"
kill -TERM $process
wait $process

# ---- the time from a message to the block with it ------------------------------------------------------
# The dummy card, whose periods end on time: the loopback counts ticks of 4 ms. The device of the first card is the one
# behind "Virtual Raw MIDI 0-1". The first run loads all files.
cp "$out/control" "$fast/control"
export CONTROL_PROBE=$fast/times
# The shell makes its background processes ignore SIGINT.
for frames in 512 64 256 1024; do
  rm -f "$CONTROL_PROBE"
  truncate -s $((8 << 20)) "$CONTROL_PROBE"
  "$outboard" run outboard.oscillator "$out/probe.so" --isolate off --midi-in "Virtual Raw MIDI 0-1" --in none \
    --out hw:Dummy --rate 48000 --period $frames --duration 100 >"$out/midi-delay-run-$frames" 2>&1 &
  process=$!
  await_running Dummy/pcm0p/sub0
  sleep 0.5
  "$fast/control" "$(echo /dev/snd/midiC*D1)" "$CONTROL_PROBE" $process 97 5 >"$out/midi-delay-$frames" 2>&1
  kill -TERM $process
  wait $process
done

# ---- error messages --------------------------------------------------------------------------------
{
  midi --in "Virtual Raw"
  midi --in "Midi Trough"
  midi --in all --in 14:0
  setpriv --reuid=65534 --regid=65534 --clear-groups "$check" midi
} >"$out/midi-refusals"
modprobe -r snd-virmidi snd-seq-virmidi snd-seq-dummy snd-seq-midi snd-seq
midi >"$out/midi-missing"
echo "status $?" >>"$out/midi-missing"
"$outboard" run "$piano" --in none --out hw:Loopback,0,1 --duration 1 2>"$out/midi-run-missing" ||
  echo "status $?" >>"$out/midi-run-missing"
"$outboard" devices | grep '^MIDI' >"$out/midi-devices-missing"
exit 0 # the reports have the results
