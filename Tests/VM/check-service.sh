# check-service.sh: expected results of the program as a service, and of `outboard doctor`; part of
# scripts/test-vm. SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# pinged FILE LEAST: checks that a service pinged its watchdog at least this often.
pinged() {
  local count
  count=$(grep -cx 'WATCHDOG=1' "$out/$1")
  ((count >= $2)) || { echo "        $1: $count pings, not $2" && false; }
}

# begins FILE PATTERN: checks that its first line matches.
begins() {
  head -n 1 "$out/$1" | grep -qxE -- "$2" || { sed "s/^/        $1: /" "$out/$1" && false; }
}

expect "a service: it reports ready when audio runs" begins service-messages \
  'READY=1 \| STATUS=out -[0-9.]+ dB, load at most [0-9.]+ %, no xruns|READY=1 \| STATUS=out -inf dB, .*'
expect "a service: it sends its status every five seconds" \
  test "$(grep -c '^STATUS=out -[0-9.]* dB, load at most [0-9.]* %, no xruns$' "$out/service-messages")" -ge 2
expect "a service: it pings the watchdog" pinged service-messages 10
expect "a service: its last message says that it stops" \
  test "$(tail -n 2 "$out/service-messages" | head -n 1)" = "STOPPING=1"
expect "a service: SIGTERM, exit status 0" says service-journal "status 0"
expect "a service: each log line has a priority" test -z "$(grep -v -e '^<[3-6]>' -e '^status ' "$out/service-journal")"
expect "a service: the log names the device" listed service-journal '^<6>out  hw:Dummy.*, 2 channels, '
expect "a service: the log has a line at the end" listed service-journal '^<6>Stopped after [0-9.]* s; no xruns\.$'

expect "a service waits for its card" listed late-journal '^<6>out  hw:USB, not connected$'
expect "a service reports that its card is missing" listed late-journal '^<4>'
expect "a service reports the missing card to its manager" listed late-messages '^READY=1.*hw:USB is missing$'
expect "a service opens the card when it is connected" says late-first "state: RUNNING"
expect "a service opens the card when it is reconnected" says late-second "state: RUNNING"
expect "a service reports both reconnections of the card" \
  test "$(grep -cx '<5>The device hw:USB was reconnected\.' "$out/late-journal")" -eq 2
expect "a service pings the watchdog while the card is missing" pinged late-messages 5
expect "a service with a reconnected card: exit status 0" says late-journal "status 0"

expect "the doctor: the list of cards" listed doctor '^ok  *Sound cards  *hw:'
expect "the doctor: the virtual machine is detected" listed doctor '^warning  Virtual machine  '
expect "the doctor: no check fails" says doctor "status 0"
expect "the doctor: the program that uses a card" listed doctor-held \
  '"found" : "aplay (process [0-9]*) holds hw:Dummy\."'
