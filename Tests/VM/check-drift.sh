# check-drift.sh: expected results of a tone from one clock to another; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# The loopback card's own position deviates by about 4 frames from a steady clock. `short` is set if a run ends
# before the drift estimate is as precise as it can be.
ppm_off=5 frames_off=8
[[ -z ${short:-} ]] || ppm_off=10

# followed NAME PPM: checks the measured drift.
followed() {
  within "$(field "$1" drift | sed 's/.*\[\([^],]*\).*/\1/')" $(($2 - ppm_off)) $(($2 + ppm_off))
}

# level NAME FRAMES: checks that the fill level deviated by at most this number of frames after the first twenty
# seconds.
level() {
  awk -v most="$2" '$1 == "excess" && $2 >= 20 {
      count++
      if ($3 < -most || $4 > most) { print "        " FILENAME ": " $0; failed = 1 }
    }
    END { exit failed || !count }' "$out/$1"
}

# pure NAME: checks that the recording has the tone in one spectral line (0.7 Hz wide), with at most its normal
# loss, and nothing else above -100 dBFS. That is also the level of silence.
pure() {
  "$check" spurs "$out/$1.recorded" >"$out/spurs"
  within "$(sed -n 's/^hertz //p' "$out/spurs")" 999 1001 &&
    within "$(sed -n 's/^decibels //p' "$out/spurs")" -6.5 -5.5 &&
    within "$(sed -n 's/^spur //p' "$out/spurs")" -300 -100
}

for clock in slow:-200 fast:200; do
  name=drift-${clock%:*}
  ppm=${clock#*:}
  expect "$ppm ppm: no xrun" has "$name" xruns 0
  expect "$ppm ppm: no premature exit" says "$name" "status 0"
  expect "$ppm ppm: the clocks stay synchronised" has "$name" resynchronised '[0,0]'
  expect "$ppm ppm: the measured drift is correct to $ppm_off ppm" followed "$name" "$ppm"
  expect "$ppm ppm: the fill level stays within $frames_off frames" level "$name" $frames_off
  expect "$ppm ppm: the tone is present, and spurs are below -100 dBFS" pure "$name"
done
