# check-clock.sh: expected results of MIDI clock; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# aligned SENT TRUTH NANOSECONDS: checks that the ticks that follow the start are those of the drum machine, with a constant
# delay to this tolerance; the jitter of the drum machine is part of the difference.
aligned() {
  paste <(sed -n '/ fa$/,/ fc$/s/^message \([0-9]*\) f8$/\1/p' "$out/$1") \
    <(sed -n '/ fa$/,/ fc$/s/^message \([0-9]*\) f8$/\1/p' "$out/$2") |
    awk -v most="$3" 'NF == 2 { delay = $1 - $2
      if (count++ == 0 || delay < least) least = delay
      if (count == 1 || delay > greatest) greatest = delay }
      END { if (count < 180 || greatest - least > 2 * most) {
        print "        " count " ticks, late by " least / 1e6 " to " greatest / 1e6 " ms"; exit 1 } }'
}

# spaced FILE MESSAGE NANOSECONDS TOLERANCE: checks that all ticks of the playing song have this distance.
spaced() {
  sed -n '/ fa$/,/ fc$/s/^message \([0-9]*\) f8$/\1/p' "$out/$1" |
    awk -v span="$2" -v most="$3" '{ if (NR > 1) { error = $1 - before - span; if (error < 0) error = -error
        if (error > worst) worst = error }
      before = $1 }
      END { if (NR < 180 || worst > most) { print "        " NR " ticks, off by " worst / 1e6 " ms"; exit 1 } }'
}

# order FILE MESSAGE...: checks that these messages, which are no ticks, were received in this order.
order() {
  local file=$1
  shift
  [[ $(sed -n '/ f8$/d;s/^message [0-9]* //p' "$out/$file") == "$(printf '%s\n' "$@")" ]] ||
    { grep -v ' f8$' "$out/$file" | sed 's/^/        /' && false; }
}

expect "MIDI clock: the machine plays, stops and continues" order clock-truth fa fc "f2 20 0" fb
expect "MIDI clock: a rig without its clock waits for it" listed clock-waiting '"state" : "waiting"'
expect "MIDI clock: the tempo of the machine is shown" listed clock-status \
  "^  120.5 BPM, rolling, MIDI clock of Drum machine locked$"
expect "MIDI clock: a lost clock is reported" listed clock-events \
  'The MIDI clock of Drum machine:out is lost. The tempo stays at 120.5 quarter notes per minute.'
expect "MIDI clock: receivers start, stop, locate and continue with the machine" \
  order clock-sent fa fc "f2 20 0" fb fc
expect "MIDI clock: ticks are in phase with the machine to 1 ms" aligned clock-sent clock-truth 1000000
# A tick of the kernel's timer, and the difference of phase that is removed in two seconds.
expect "MIDI clock: sent ticks are regular although the machine's are not" spaced clock-sent 20746888 250000
expect "MIDI clock: exit status 0" says clock-words "status 0"
