# check-midi.sh: expected results of MIDI; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# messages FILE: prints the messages of a run, without their times.
messages() {
  sed -n 's/^message [0-9]* //p' "$out/$1"
}

# heard FILE MESSAGE...: checks that a run received exactly these messages.
heard() {
  local file=$1
  shift
  [[ $(messages "$file") == "$(printf '%s\n' "$@")" ]] ||
    { sed "s/^/        $file: /" "$out/$file" && false; }
}

# counted FILE RECEIVED SENT DROPPED: checks the counts that a run reports at its end.
counted() {
  says "$1" "received $2 sent $3 dropped $4"
}

# steady FILE NANOSECONDS: checks that the notes start a tenth of a second apart, within this tolerance. The first
# note is not checked, because the player starts with it.
steady() {
  awk -v most="$2" '/^message [0-9]* 90/ {
      if (count++ > 1) { error = $2 - before - 1e8; if (error < 0) error = -error
                         if (error > worst) worst = error }
      before = $2 }
    END { if (count < 20 || worst > most) { print "        " FILENAME ": " count " notes, off by " worst " ns"; exit 1 } }' \
    "$out/$1"
}

# later SENT RECEIVED SECONDS TOLERANCE: checks that each message in RECEIVED arrived this time after that in SENT.
later() {
  paste <(sed -n 's/^message //p' "$out/$1") <(sed -n 's/^message //p' "$out/$2") |
    awk -F '\t' -v delay="$3" -v most="$4" '{
      split($1, sent, " "); split($2, heard, " ")
      error = (heard[1] - sent[1]) / 1e9 - delay
      if (NR == 1 || error < least) least = error
      if (NR == 1 || error > greatest) greatest = error }
    END { if (NR < 40 || least < -most || greatest > most) {
      print "        " NR " messages, late by " least " to " greatest " s"; exit 1 } }'
}

for line in "client [0-9]*: 'Outboard' \[type=user" "    0 'in  *'" "    1 'out  *'"; do
  expect "MIDI: aconnect shows ${line//\\/}" listed midi-names "$line"
done
song=()
for ((note = 0; note < 20; note++)); do song+=("90 3c 64" "80 3c 40"); done
expect "MIDI: a file of 20 notes is received completely" heard midi-song "${song[@]}"
expect "MIDI: no message of the file is dropped" counted midi-song 40 40 0
expect "MIDI: a connected client is reported" \
  says midi-song "notice The MIDI input aplaymidi is connected."
expect "MIDI: note times are constant within a frame of 48 kHz" steady midi-song 20833
expect "MIDI: sent messages arrive completely" heard midi-sent "${song[@]}"
# The kernel's finest tick is 160 us.
expect "MIDI: sent messages leave on time" later midi-song midi-sent 0.05 0.000180
exclusive="f0 $(yes 11 | head -n 700 | tr '\n' ' ')f7"
expect "MIDI: running status, clock, bend and a split long message are received, active sensing is not" \
  heard midi-raw "90 3c 64" "90 40 50" f8 "e1 0 40" "$exclusive"

expect "MIDI: a killed source leaves no note on, and reconnects" heard midi-replug \
  "90 3c 64" "b0 40 7f" "90 43 64" "80 43 0" "80 3c 40" "b0 40 0" "90 48 64" "80 48 0"
expect "MIDI: a disconnected source is reported" \
  says midi-replug "notice The MIDI input Keyboard:out is disconnected."
expect "MIDI: a reconnected source is reported" \
  says midi-replug "notice The MIDI input Keyboard:out is connected."
expect "MIDI: a missing source is received when it appears" \
  heard midi-waited "90 3c 64" "80 3c 0"
expect "MIDI: after an overflow no note stays on, and input continues" \
  heard midi-flood "90 3c 64" "80 3c 40" "90 3d 64" "80 3d 0"
expect "MIDI: the overflow is counted" counted midi-flood 3 0 1

for sentence in \
  "The name Virtual Raw is part of several MIDI inputs, Virtual Raw MIDI 0-0, Virtual Raw MIDI 0-1, Virtual Raw MIDI 0-2 and Virtual Raw MIDI 0-3. Write a longer part of the name." \
  "No such MIDI input: Midi Trough. Did you mean Midi Through? Available: Midi Through:Midi Through Port-0, Virtual Raw MIDI 0-0:VirMIDI 0-0, Virtual Raw MIDI 0-1:VirMIDI 0-1, Virtual Raw MIDI 0-2:VirMIDI 0-2 and Virtual Raw MIDI 0-3:VirMIDI 0-3." \
  "The word all cannot be combined with other MIDI devices. Remove one." \
  "Permission to open the MIDI sequencer was denied. Add your user to the group audio (sudo adduser \$USER audio) and log in again."; do
  expect "MIDI: ${sentence%%[;,(]*}" says midi-refusals "$sentence"
done
expect "MIDI without a sequencer: the message" says midi-missing \
  "The kernel's MIDI sequencer is missing. Load it with \`sudo modprobe snd-seq\`."
expect "MIDI without a sequencer: exit status 3" says midi-missing "status 3"

# ---- the program ----------------------------------------------------------------------------------

# peak NAME: prints the highest output level of a run, linear.
peak() {
  sed -n '/"outputPeaks"/{n;s/[ ,]//g;p}' "$out/$1"
}

# evenly NAME: checks that a recording has 20 impulses, a tenth of a second apart to a frame. The first may
# differ, because the player starts with it.
evenly() {
  od -An -v -td2 -w4 "$out/$1" | awk '$1 > 8000 { print NR }' | awk '
    NR > 2 { error = $1 - before - 4800; if (error > 1 || error < -1) bad = bad " " error }
    { before = $1 }
    END { if (NR != 20 || bad) { print "        " NR " impulses, off by frames:" bad; exit 1 } }'
}

expect "MIDI devices are listed" says midi-devices "MIDI 14:0  Midi Through:Midi Through Port-0 (in and out, virtual)"
expect "MIDI devices are listed as JSON" listed midi-devices.json '"name" : "Virtual Raw MIDI 0-0:VirMIDI 0-0"'
expect "a piano plays a MIDI file" within "$(peak midi-run-piano)" 0.01 1
expect "a piano: received messages are counted" reports midi-run-piano received 40
expect "a piano: no message is dropped" reports midi-run-piano dropped 0
expect "a piano without MIDI input is silent" within "$(peak midi-run-silent)" 0 0.0001
expect "notes take effect at their frames" evenly midi-run-click.recorded
expect "the start lists connected MIDI clients" says midi-words \
  "MIDI in   Virtual Raw MIDI 0-2:VirMIDI 0-2 (port Outboard:in)"
expect "a new MIDI client is reported" says midi-words "outboard: The MIDI input aplaymidi is connected."
expect "a closed MIDI client is reported" says midi-words "outboard: The MIDI input aplaymidi is disconnected."
expect "a rig plays the MIDI that its own nodes send" within "$(peak midi-run-fifths)" 0.01 1
# The note and its fifth. The second message uses running status.
expect "a rig sends MIDI to its output" listed midi-fifths "^  4364"
expect "a missing MIDI device: the message" listed midi-program-refusals \
  "^outboard: No such MIDI input: Pianola. Available: Midi Through:Midi Through Port-0, "
expect "a missing MIDI device: exit status 3" says midi-program-refusals "status 3"
expect "the word all with a device name: exit status 2" says midi-program-refusals "status 2"
expect "without a sequencer, the rig runs and a message is printed" says midi-run-missing \
  "outboard: The kernel's MIDI sequencer is missing. Load it with \`sudo modprobe snd-seq\`."
expect "without a sequencer, the device list says so" says midi-devices-missing \
  "MIDI  The kernel's MIDI sequencer is missing. Load it with \`sudo modprobe snd-seq\`."

# ---- the time from a message to the block with it ------------------------------------------------------
# One line: processor time, median and 99th percentile in us, messages.
is_in_time() { # FRAMES: the 99th percentile is at most one period and 1 ms, and no message is lost
  awk -v limit="$(($1 * 1000000 / 48000 + 1000))" '
    NF == 4 { print "        median " $2 " us, p99 " $3 " us, limit " limit " us"; good = $4 == 485 && $2 > 0 && $3 <= limit }
    END { exit !(NR == 1 && good) }' "$out/midi-delay-$1"
}
for frames in 64 256 1024; do
  expect "MIDI reaches a block within a period of $frames frames and 1 ms at p99" is_in_time $frames
done

# ---- mapped controls ------------------------------------------------------------------------------
expect "mapped controls have a sequencer client" listed midi-map-ports "client [0-9]*: 'Outboard controls' \[type=user"
expect "a control is learned by moving it" listed midi-learn \
  "^outboard: cc 21 channel 1 from Virtual Raw MIDI 0-2:VirMIDI 0-2 now controls level.gain.$"
expect "learn: exit status 0" says midi-learn "status 0"
expect "mappings are listed" listed midi-map "^3  cc 21 channel 1 from Virtual Raw MIDI 0-2:VirMIDI 0-2 *-> level.gain  -40..0 dB$"
expect "a learned control works at once" listed midi-map-learned '"gain" : -40'
expect "a device receives a value that somebody else has set" listed midi-map-feedback "^B01440"
expect "a mapping to a missing parameter names the nearest" listed midi-map-refusals "Did you mean gain?"
expect "a mapping to a missing parameter: exit status 2" says midi-map-refusals "status 2"
