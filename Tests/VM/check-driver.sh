# check-driver.sh: expected results of the ALSA driver; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

for format in S16_LE S16_BE S24_LE S24_BE S24_3LE S24_3BE S32_LE S32_BE FLOAT_LE FLOAT_BE; do
  expect "$format: 5 s of duplex without an xrun" clean "loopback-$format" 5
  expect "$format: the two directions are linked" has "loopback-$format" linked true
  expect "$format: the device was opened with this format" \
    has "loopback-$format" output "\"Loopback, Loopback PCM $(format_name "$format") 2 ch 768\""
  expect "$format: the output equals the input bit for bit" intact "$format" "$format"
done
expect "access by copying: 5 s without an xrun" clean loopback-copied 5
expect "access by copying: the output equals the input bit for bit" intact copied S32_LE
expect "channels 2,1: 5 s without an xrun" clean loopback-swapped 5
expect "channels 2,1: the channels are swapped" intact swapped S32_LE 2,1
expect "channels 3-4 of four: 5 s without an xrun" clean loopback-picked 5
expect "channels 3-4 of four: the third and the fourth are recorded" intact picked S32_LE 3,4
for period in 64 128 256; do
  expect "full duplex with two periods of $period frames: 5 s without an xrun" clean "duplex-$period" 5
  expect "full duplex: the period is $period frames" has "duplex-$period" period "$period"
done
expect "capture alone: no xrun" clean capture-only 2
expect "capture alone: no output" has capture-only output null
expect "playback alone: no xrun" clean playback-only 2
expect "playback alone: no input" has playback-only input null
expect "two cards: no xrun" clean two-cards 5
expect "the default device, through plug-ins: no failure" has default xruns 0
expect "the default device: audio is transferred" filled default 140000
expect "a converting device at its native rate: no xrun" has plughw notes '[]'
expect "a converting device: the conversion is reported" has converted notes \
  '["The device plughw:Dummy resamples from its native rate to 96000 Hz."]'
expect "a converting device: the number of frames fits the converted rate" filled converted 285000
expect "ten channels: no xrun" clean ten-channels 2
expect "ten channels: all are recorded" has ten-channels input '"Dummy, Dummy PCM S32 10 ch 768"'

expect "a setting that the device does not support is reported" has notes notes \
  '["The device hw:Dummy does not support 7 channels for playback. Using 2.","A period of 8 frames is not supported. Using 16."]'
there="Available: hw:Loopback,0, hw:Loopback,1 and hw:Dummy,0."
expect "error: no such card" says refusals "No such capture device: hw:Nowhere. $there"
expect "error: no such device" says refusals "No such capture device: hw:Dummy,7. $there"
expect "error: no such direction" says refusals "No such capture device: hw:USB. $there"
expect "error: unsupported rate" says refusals \
  "The device hw:Dummy has no rate of 96000 Hz for playback. It offers 5500 to 48000 Hz."
expect "error: unsupported format" says refusals \
  "The device hw:Dummy has no format S32 for playback. It offers U8 and S16."
expect "error: a busy device, with the name of the program that uses it" listed busy \
  '^The device hw:Dummy is in use by aplay (process [0-9]*). Stop that program or choose another device\.$'

expect "the device list: capture" listed devices \
  '^hw:CARD=Dummy,DEV=0|hw:1,0|in|Dummy|Dummy PCM|5500 to 48000|U8 S16|1...2|16...[0-9]*|free|$'
expect "the device list: a device with one direction" listed devices \
  '^hw:CARD=USB,DEV=0|hw:2,0|out|QEMU USB Audio|USB Audio|48000|S16|2...2|48...48000|free|$'
expect "the device list: the default device" listed devices '^hw:CARD=Loopback,DEV=0.*|default$'
expect "the device list: a busy device" listed devices-busy \
  '^hw:CARD=Dummy,DEV=0|hw:1,0|out|.*|busy: aplay (process [0-9]*)|$'

expect "a process that was stopped for a second recovers" recovered stopped
slept suspended >"$out/suspended.span"
expect "the cards were suspended once" test "$(wc -l <"$out/suspended.span")" -eq 1
expect "suspended cards recover" recovered suspended
expect "error: a card that opens but transfers no audio" has silent failure \
  '"The device hw:Loopback,1,0 was opened for capture but transferred no audio for 2 seconds. Check that it is switched on and has a clock."'
expect "error: no permission to open a card" says nobody \
  "Permission to open hw:Dummy was denied. Add your user to the group audio (sudo adduser \$USER audio) and log in again."
expect "no permission for real-time scheduling: two warnings" has unprivileged warnings \
  '["No permission to lock memory; page faults may cause dropouts. Run `outboard doctor`.","No permission for real-time scheduling; dropouts are likely. Run `outboard doctor`."]'
expect "no permission for real-time scheduling: audio runs" has unprivileged failure null
