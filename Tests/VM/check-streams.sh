# check-streams.sh: expected results of pipes between programs and cards; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

expect "a card to a pipe: exit status 0" says stream-out "status 0"
expect "a card to a pipe: the output equals the input bit for bit" intact stream-out S16_LE
for clock in slow:-200 fast:200; do
  name=stream-${clock%:*}
  ppm=${clock#*:}
  expect "arecord through a pipe, $ppm ppm: no xrun" ran "$name" "$stream_seconds"
  # The writes of arecord and the periods of 256 frames drift past each other every 27 s. When a write is noticed
  # depends on its position in the period.
  expect "arecord through a pipe, $ppm ppm: the measured drift is correct to 50 ppm" \
    within "$(entry "$name" driftPPM)" $((ppm - 50)) $((ppm + 50))
  "$check" spurs "$out/$name.recorded" >"$out/$name.spurs"
  expect "arecord through a pipe, $ppm ppm: the tone is present" \
    within "$(sed -n 's/^hertz //p' "$out/$name.spurs")" 999 1001
  expect "arecord through a pipe, $ppm ppm: spurs are below -80 dBFS" \
    within "$(sed -n 's/^spur //p' "$out/$name.spurs")" -300 -80
done
