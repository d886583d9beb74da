# check-faults.sh: expected results of the driver when cards are lost; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

gone="The device hw:USB was disconnected. It will be reopened when it returns."
there="Available: hw:Loopback,0, hw:Loopback,1 and hw:Dummy,0."
missing="No such playback device: hw:USB. $there"

expect "unplugged $times times: comes and goes" \
  changed replugged "r$(for ((turn = 0; turn < times; turn++)); do printf ' m r'; done)"
expect "unplugged $times times: back within a second" prompt_again replugged "$times"
expect "unplugged $times times: each is one interruption" has replugged xruns "$times"
expect "unplugged $times times: frames keep coming" flowed replugged 0.1
expect "unplugged: it is said in words" quotes replugged "\"reasons\":[\"$gone\"]"
expect "unplugged: at the end all is well" has replugged reasons '[""]'

expect "a follower is unplugged: the others run on" changed replugged-follower "rrr rrm rrr"
expect "a follower is unplugged: back within a second" prompt_again replugged-follower 1
expect "a follower is unplugged: no interruption of the others" has replugged-follower xruns 0
expect "a follower is unplugged: frames keep coming" flowed replugged-follower 0.1
expect "a follower is unplugged: it is said in words" \
  quotes replugged-follower "\"reasons\":[\"\",\"\",\"$gone\"]"

expect "the leader is unplugged: the follower runs on" changed replugged-leader "rr rm rr"
expect "the leader is unplugged: back within a second" prompt_again replugged-leader 1
expect "the leader is unplugged: one interruption" has replugged-leader xruns 1
expect "the leader is unplugged: frames keep coming" flowed replugged-leader 0.1

expect "one of two with a shared clock is unplugged: back within a second" \
  prompt_again replugged-shared 1
expect "one of two with a shared clock is unplugged: one interruption" has replugged-shared xruns 1
expect "one of two with a shared clock is unplugged: frames keep coming" flowed replugged-shared 0.1

expect "a card that is away" says gone "$missing"
expect "a card that is waited for: runs when it comes" changed awaited "m r"
expect "a card that is waited for: within a second" prompt_again awaited 1
expect "a card that is waited for: no interruption" has awaited xruns 0
expect "a card that is waited for: it is said in words" quotes awaited "\"reasons\":[\"$missing\"]"

expect "a storm of $storm: each interruption is counted" has storm xruns "$storm"
expect "a storm of $storm: sound within a fifth of a second each time" \
  lost_each storm 0.2
expect "a storm of $storm: the card runs all along" changed storm rr
expect "a storm of $storm: frames keep coming" flowed storm 0.2 "$(span storm)"

slept suspended-often "$times" >"$out/suspended-often.span"
expect "suspended $times times: the kernel has done so" \
  test "$(wc -l <"$out/suspended-often.span")" -eq "$times"
expect "suspended $times times: each is counted" has suspended-often xruns "$times"
expect "suspended $times times: sound within a second each time" lost_each suspended-often 1
expect "suspended $times times: frames keep coming" \
  flowed suspended-often 0.2 "$(span suspended-often)"

for name in replugged replugged-follower replugged-leader replugged-shared awaited storm \
  suspended-often; do
  expect "$name: it has not ended by itself" says "$name" "status 0"
  expect "$name: there is no failure" has "$name" failure null
done
