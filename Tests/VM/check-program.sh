# check-program.sh: expected results of the program; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

for format in S16_LE S24_3LE S32_LE; do
  expect "the program, $format: 6 s of duplex without an xrun" ran "program-$format" 6
  expect "the program: the two directions are linked" reports "program-$format" linked true
  expect "the program: the format is $format" \
    reports "program-$format" outputFormat "\"$(format_name "$format")\""
  expect "the program, $format: the output equals the input bit for bit" intact "program-$format" "$format"
done
expect "a tone through a gain: the level" measured gain decibels -18.01 -17.99
expect "a tone through a gain: the frequency" measured gain hertz 999.99 1000.01
expect "a tone through a gain: nothing but the tone" measured gain residue -200 -75
expect "a tone through a gain: live and offline output are equal" rendered gain outboard.gain gain=-6
expect "a tone through an LV2 plugin: the frequency" measured lv2 hertz 999.9 1000.1
expect "a tone through an LV2 plugin: live and offline output are equal" \
  rendered lv2 outboard.gain gain=-6 $amplifier gain=-3
expect "a tone through the mixer: the level" measured panned residue -200 -75
for rig in straight-through mixer-pan mic-chain mic-reverb mic-reverb-lv2 tones analyser; do
  seconds=3
  [[ $rig != analyser ]] || seconds=4
  expect "the rig $rig runs without an xrun" ran "rig-$rig" $seconds
done
expect "the analyser reports the tone's frequency" within "$(entry rig-analyser strongestHz)" 999.9 1000.1
expect "the analyser reports the tone's level" \
  within "$(sed -n '/"rmsDBFS"/{n;s/,//p}' "$out/rig-analyser")" -14 -12
expect "the analyser prints lines if there is no terminal" listed analyser-lines \
  '^meter: rms -inf / -inf dB, peak -inf / -inf dB, strongest none, bands in dB: 31.5 Hz -inf, '
expect "the analyser opens no output" says analyser-output closed

expect "Ctrl-C: exit status 0" says interrupted "status 0"
expect "Ctrl-C: ends within a second" prompt interrupted
expect "Ctrl-C: the output fades out without a click" faded interrupted
expect "the start says how to stop the session" says interrupted "     Press Ctrl-C to stop."
expect "a hang-up under nohup is ignored" ran nohup 3
bar='[█▉▊▋▌▍▎▏·]+ +-[0-9.inf]+ dB'
expect "a terminal: the status line" shows terminal "in $bar   out $bar   load +[0-9.]+ %   xruns 0"
expect "a terminal: the last line" \
  shows terminal '[0-9.]+ s: peaks -inf dB in, -inf dB out; load [0-9.]+ %, at worst [0-9.]+ %; no xruns'
expect "a terminal: Ctrl-C, exit status 0" says terminal "status 0"
expect "a terminal: the bands of an analyser" shows terminal-analyser \
  '    Hz  31.5    63   125   250   500    1k    2k    4k    8k   16k'

expect "make run uses the card" says make-run \
  "Running manifests/rigs/mic-reverb-lv2.yaml on the default sound card; press Ctrl-C to stop. Mind the feedback: use headphones."
expect "make run: exit status 0" says make-run "status 0"
expect "the program's device list: the default device" says program-devices \
  "hw:0,0  Loopback, Loopback PCM (default)"
expect "the program's device list: rates, formats, channels" says program-devices \
  "        in   1 to 32 channels, 8000 to 192000 Hz, S16 S24 S32 FLOAT S24_3"
expect "the program's device list: a busy device" listed program-devices-busy \
  '^        out  in use by aplay (process [0-9]*)$'
expect "the program's device list as JSON" listed program-devices.json '"name" : "hw:CARD=Dummy,DEV=0"'

expect "a busy card: the message" listed program-busy \
  '^outboard: The device hw:Dummy is in use by aplay (process [0-9]*). Stop that program or choose another device\.$'
expect "a busy card: exit status 3" says program-busy "status 3"
for sentence in \
  "No such capture device: hw:Nowhere. Available: hw:Loopback,0, hw:Loopback,1 and hw:Dummy,0." \
  "The device hw:Dummy has no rate of 96000 Hz for capture. It offers 5500 to 48000 Hz." \
  "The device hw:Dummy has no format S32 for capture. It offers U8 and S16."; do
  expect "the program: ${sentence%%;*}" says program-refusals "outboard: $sentence"
done
expect "unusable devices: exit status 3" test "$(grep -cx 'status 3' "$out/program-refusals")" -eq 3
expect "an unknown format: the message" quotes program-unknown-format "The sample format S31 is unknown. Use "
expect "an unknown format: exit status 2" says program-unknown-format "status 2"
expect "a period of 1: the message" says program-period-1 \
  "outboard: A period of 1 frame is not supported. Using 16."
expect "a period of 1: exit status 0" says program-period-1 "status 0"
expect "a period of 1000000: the message" listed program-period-1000000 \
  '^outboard: A period of 1000000 frames is not supported. Using [0-9]*\.$'
expect "a period of 1000000: exit status 0" says program-period-1000000 "status 0"
expect "a period of 0: exit status 2" says program-period-0 "status 2"
expect "the program was stopped for a second: one xrun" reports program-stopped xruns 1
expect "the program was stopped for a second: the lost time" within "$(entry program-stopped lostSeconds)" \
  0.1 "$(awk -v span="$(span program-stopped)" 'BEGIN { print span + 1 }')"

expect "an unplugged card that is reconnected: one xrun" \
  listed program-unplugged ': peak -[0-9.]* dB out; .*; 1 xrun, '
expect "an unplugged card that is reconnected: exit status 0" says program-unplugged "status 0"
expect "an unplugged card, JSON: one xrun" reports program-unplugged-json xruns 1
expect "an unplugged card, JSON: the lost time" \
  within "$(entry program-unplugged-json lostSeconds)" 0.9 \
  "$(awk -v span="$(span program-unplugged-json)" 'BEGIN { print span + 1 }')"
expect "an unplugged card, JSON: no failure" reports program-unplugged-json failure ""
expect "an unplugged card, JSON: exit status 0" says program-unplugged-json "status 0"
nothing="No sound card was found. Connect one, use \`--in dummy --out dummy\`, or process a file with \`outboard render\`."
expect "all cards were removed" quotes cards-left "no soundcards"
expect "no card: the device list and a run report it" \
  test "$(grep -cxF "outboard: $nothing" "$out/program-no-card")" -eq 2
expect "no card: exit status 3" test "$(grep -cx 'status 3' "$out/program-no-card")" -eq 2
expect "no card, JSON: the message" reports program-no-card-json message "\"$nothing\""
expect "no card, JSON: exit status 3" says program-no-card-json "status 3"
expect "make run without a card renders a file" quotes make-run-no-card "build/guitar-reverb.wav: "
expect "make run without a card: exit status 0" says make-run-no-card "status 0"
