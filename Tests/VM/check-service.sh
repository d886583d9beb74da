# check-service.sh: expected results of the program as a service, and of `outboard doctor`; part of
# scripts/test-vm. SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# pinged FILE LEAST: checks that a service pinged its watchdog at least this often.
pinged() {
  local count
  count=$(grep -cx 'WATCHDOG=1' "$out/$1")
  ((count >= $2)) || { echo "        $1: $count pings, not $2" && false; }
}

# begins FILE PATTERN: whether its first line matches.
begins() {
  head -n 1 "$out/$1" | grep -qxE -- "$2" || { sed "s/^/        $1: /" "$out/$1" && false; }
}

expect "a service: it is ready when sound flows" begins service-messages \
  'READY=1 \| STATUS=out -[0-9.]+ dB, load at most [0-9.]+ %, no xruns|READY=1 \| STATUS=out -inf dB, .*'
expect "a service: its status, every five seconds" \
  test "$(grep -c '^STATUS=out -[0-9.]* dB, load at most [0-9.]* %, no xruns$' "$out/service-messages")" -ge 2
expect "a service: the watchdog hears of it" pinged service-messages 10
expect "a service: it says that it stops, last" \
  test "$(tail -n 2 "$out/service-messages" | head -n 1)" = "STOPPING=1"
expect "a service: SIGTERM ends it well" says service-journal "status 0"
expect "a service: each line has a priority" test -z "$(grep -v -e '^<[3-6]>' -e '^status ' "$out/service-journal")"
expect "a service: the device" listed service-journal '^<6>out  hw:Dummy.*, 2 channels, '
expect "a service: the end" listed service-journal '^<6>Stopped after 1[0-9.]* s; no xruns\.$'

expect "a service waits for its card" listed late-journal '^<6>out  hw:USB, not connected$'
expect "a service says that its card is not there" listed late-journal '^<4>'
expect "a service tells its manager, too" listed late-messages '^READY=1.*hw:USB is missing$'
expect "a service takes the card when it comes" says late-first "state: RUNNING"
expect "a service takes the card when it comes back" says late-second "state: RUNNING"
expect "a service says that its card is back, twice" \
  test "$(grep -cx '<5>The device hw:USB was reconnected\.' "$out/late-journal")" -eq 2
expect "a service is alive without its card" pinged late-messages 5
expect "a service with a card that came and went ends well" says late-journal "status 0"

expect "the doctor: the cards" listed doctor '^ok  *Sound cards  *hw:'
expect "the doctor: a virtual machine is one" listed doctor '^warning  Virtual machine  '
expect "the doctor: nothing is bad here" says doctor "status 0"
expect "the doctor: who holds a card" listed doctor-held \
  '"found" : "aplay (process [0-9]*) holds hw:Dummy\."'
