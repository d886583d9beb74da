# verdict-soak.sh: what must have come of a long run with faults; part of scripts/soak.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# happened WHAT: how often it was to.
happened() { grep -c " $1 " "$out/schedule"; }

unplugged=$(happened unplug)
stops=$(happened stop)
storms=$(happened storm)
suspensions=$(happened suspend)
interruptions=$((stops + 100 * storms + suspensions))
# What the stops last themselves, and what it may take to be back: a fifth of a second, a second.
most=$(awk -v stopped="$(span soak)" -v stops=$((stops + 100 * storms)) -v suspensions="$suspensions" \
  'BEGIN { print stopped + 0.2 * stops + suspensions }')

echo "        $(field soak frames) frames, $(field soak xruns) interruptions, $(field soak lost) s lost"
expect "$duration s with faults: it has not ended by itself" says soak "status 0"
expect "there is no failure" has soak failure null
expect "the stream is so long" frames soak $((duration * 47500 - ${most%.*} * 48000)) 100000000000
expect "unplugged $unplugged times: back within a second each time" prompt_again soak "$unplugged"
expect "unplugged $unplugged times: the others run on" \
  changed soak "rrr$(for ((turn = 0; turn < unplugged; turn++)); do printf ' rrm rrr'; done)"
expect "$stops stops, a storm of $((100 * storms)), $suspensions suspensions: each is one interruption" \
  has soak xruns $interruptions
expect "no more is lost than the gaps" within "$(field soak lost)" 0 "$most"
expect "frames keep coming beside them" flowed soak 0 "$(field soak lost)"
expect "at the end all devices run" has soak reasons '["","",""]'
