# check-faults.sh: expected results of the driver when cards are lost; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

gone="The device hw:USB was disconnected. It will be reopened when it returns."
there="Available: hw:Loopback,0, hw:Loopback,1 and hw:Dummy,0."
missing="No such playback device: hw:USB. $there"

expect "unplugged $times times: each state change is reported" \
  changed replugged "r$(for ((turn = 0; turn < times; turn++)); do printf ' m r'; done)"
expect "unplugged $times times: reconnected within a second" prompt_again replugged "$times"
expect "unplugged $times times: each is one interruption" has replugged xruns "$times"
expect "unplugged $times times: rendering continues" flowed replugged 0.1
expect "unplugged: a message is printed" quotes replugged "\"reasons\":[\"$gone\"]"
expect "unplugged: no warning remains at the end" has replugged reasons '[""]'

expect "a follower is unplugged: the other devices keep running" changed replugged-follower "rrr rrm rrr"
expect "a follower is unplugged: reconnected within a second" prompt_again replugged-follower 1
expect "a follower is unplugged: no interruption of the others" has replugged-follower xruns 0
expect "a follower is unplugged: rendering continues" flowed replugged-follower 0.1
expect "a follower is unplugged: a message is printed" \
  quotes replugged-follower "\"reasons\":[\"\",\"\",\"$gone\"]"

expect "the primary device is unplugged: the follower keeps running" changed replugged-leader "rr rm rr"
expect "the primary device is unplugged: reconnected within a second" prompt_again replugged-leader 1
expect "the primary device is unplugged: one interruption" has replugged-leader xruns 1
expect "the primary device is unplugged: rendering continues" flowed replugged-leader 0.1

expect "one of two devices with a shared clock is unplugged: reconnected within a second" \
  prompt_again replugged-shared 1
expect "one of two devices with a shared clock is unplugged: one interruption" has replugged-shared xruns 1
expect "one of two devices with a shared clock is unplugged: rendering continues" flowed replugged-shared 0.1

expect "error: a missing card" says gone "$missing"
expect "waiting for a card: it runs when it is connected" changed awaited "m r"
expect "waiting for a card: within a second" prompt_again awaited 1
expect "waiting for a card: no interruption" has awaited xruns 0
expect "waiting for a card: a message is printed" quotes awaited "\"reasons\":[\"$missing\"]"

expect "$storm xruns in a row: each interruption is counted" has storm xruns "$storm"
expect "$storm xruns in a row: audio recovers within 0.2 s each time" \
  lost_each storm 0.2
expect "$storm xruns in a row: the card stays connected" changed storm rr
expect "$storm xruns in a row: rendering continues" flowed storm 0.2 "$(span storm)"

slept suspended-often "$times" >"$out/suspended-often.span"
expect "suspended $times times: the kernel's log confirms it" \
  test "$(wc -l <"$out/suspended-often.span")" -eq "$times"
expect "suspended $times times: each suspension is counted" has suspended-often xruns "$times"
expect "suspended $times times: audio recovers within a second each time" lost_each suspended-often 1
expect "suspended $times times: rendering continues" \
  flowed suspended-often 0.2 "$(span suspended-often)"

for name in replugged replugged-follower replugged-leader replugged-shared awaited storm \
  suspended-often; do
  expect "$name: no premature exit" says "$name" "status 0"
  expect "$name: no failure" has "$name" failure null
done
