# check-streams.sh: expected results of pipes between programs and cards; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

expect "a card down a pipe: it ends well" says stream-out "status 0"
expect "a card down a pipe: bit for bit" intact stream-out S16_LE
for clock in slow:-200 fast:200; do
  name=stream-${clock%:*}
  ppm=${clock#*:}
  expect "arecord up a pipe, $ppm ppm: no xrun" ran "$name" "$stream_seconds"
  # Writes and periods of 256 frames beat every 27 s, and how late a write is seen depends on where in the
  # other's period it comes.
  expect "arecord up a pipe, $ppm ppm: the drift is found to 50 ppm" \
    within "$(entry "$name" driftPPM)" $((ppm - 50)) $((ppm + 50))
  "$check" spurs "$out/$name.recorded" >"$out/$name.spurs"
  expect "arecord up a pipe, $ppm ppm: the tone" \
    within "$(sed -n 's/^hertz //p' "$out/$name.spurs")" 999 1001
  expect "arecord up a pipe, $ppm ppm: spurs below -80 dBFS" \
    within "$(sed -n 's/^spur //p' "$out/$name.spurs")" -300 -80
done
