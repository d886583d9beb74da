# check-latency.sh: expected results of `latency` and `find-period`; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# trip NAME FRAMES: checks the round trip that the settings imply, to a twentieth of a frame.
trip() {
  says "$1" "status 0" && reports "$1" impliedFrames "$2" &&
    within "$(entry "$1" differenceFrames)" -0.05 0.05
}

expect "the round trip of 3 x 256, S16" trip latency-256x3 768
expect "the round trip of 2 x 1024, S32" trip latency-1024x2 2048
expect "the round trip of 4 x 256, S24_3" trip latency-256x4 1024
expect "the round trip of 4 x 128, FLOAT" trip latency-128x4 512
expect "six rounds agree" reports latency-128x4 agreeingRounds 6
expect "the round trip of 2 x 480 at 44100 Hz" trip latency-480x2 960
expect "the round trip through channel 3" trip latency-channels 768
expect "the round trip of a signal at -60 dBFS" trip latency-level 768
expect "the round trip of streams that cannot be linked" trip latency-unlinked 1536
expect "streams that cannot be linked: a message is printed" reports latency-unlinked linked false
for periods in 2 3 4; do
  expect "the round trip of $periods x 64, in fine steps" \
    trip latency-fine-64x$periods $((periods * 64))
done
expect "a cable with a loss of 50 dB: the round trip" trip latency-quiet 768
expect "a cable with a loss of 50 dB: the level" within "$(entry latency-quiet gainDecibels)" -50.1 -49.9
expect "an inverting cable: the round trip" trip latency-inverted 768
expect "an inverting cable: a message is printed" reports latency-inverted inverted true
expect "a stopped process: the round is measured again" \
  listed latency-stopped '"xruns" : [1-9]'
expect "a stopped process: the result is the same" trip latency-stopped 768
expect "no cable: the message says what to connect" quotes latency-no-cable \
  "No signal received. Connect output 1 of hw:Loopback,0,0 to input 2 of hw:Loopback,1,1 with a cable"
expect "no cable: exit status 1" says latency-no-cable "status 1"
expect "error: the round trip of one direction" says latency-one-way "status 2"
expect "Ctrl-C: no result" says latency-interrupted \
  "outboard: Interrupted before two rounds agreed. No result."
expect "Ctrl-C: exit status 1" says latency-interrupted "status 1"

# least_bare FILE: prints the fewest frames with which the plain C loop ran at its rate without an xrun.
least_bare() {
  awk '$1 == "status" {
      if ($2 == 0 && rate > 45600 && (!least || frames < least)) least = frames
      next
    }
    { frames = $1 * $3; rate = $(NF - 1) }
    END { print least }' "$out/$1"
}

# The smallest period of the plain C loop and of outboard, under the same load.
bare=$(sed -n 's/^status 0 //p' "$out/duplex" | tail -n 1)
expect "a plain C loop runs with a period of $bare frames" test -n "$bare"
expect "the smallest period is not larger than the plain C loop's" \
  within "$(entry tune periodFrames)" 1 "${bare:-0}"
expect "the smallest period runs with two periods" reports tune periodCount 2
expect "find-period: exit status 0" says tune "status 0"
expect "the card is stored by its name, not its number" says tune-stored '  - card: "Dummy"'
expect "find-period: the card's minimum period is stored" says tune-stored "    period: 16"
expect "a run uses the stored period" reports run-stored periodFrames 16
expect "a run reports the stored period" says run-stored \
  "outboard: 16 x 2 from the saved result of outboard find-period for Dummy."
expect "a run with --period uses that period" reports run-asked periodFrames 64
expect "settings stored for a rate apply only to that rate" reports run-other-rate periodFrames 256
expect "an invalid settings file: the message names the line" quotes run-broken \
  'devices.yaml:7: devices[1].period: expected a whole number of frames, found "small"'
expect "an invalid settings file: audio runs" ran run-broken 1
expect "find-period stopped by Ctrl-C: exit status 1" says tune-interrupted "status 1"
expect "find-period stopped by Ctrl-C: nothing is stored" says tune-interrupted "the file is as it was"
expect "stored settings can be deleted" reports run-forgotten periodFrames 256
expect "stored settings can be deleted only once" says tune-forget "status 1"
expect "a stream that runs too slowly fails" \
  listed tune-loopback '^ *128 x 2  *5\.33 ms .* \(runs at\|fails\)'
expect "the setting that passes is still found" quotes tune-loopback \
  "--period 128 --periods 4: 512 frames, 10.67 ms"
bare=$(least_bare duplex-loopback)
expect "the smallest buffer on the cable is not larger than the plain C loop's: $bare frames" within \
  "$(sed -n 's/.*--period [0-9]* --periods [0-9]*: \([0-9]*\) frames.*/\1/p' "$out/tune-loopback")" 1 "${bare:-0}"
