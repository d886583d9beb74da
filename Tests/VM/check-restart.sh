# check-restart.sh: expected results of a crash in the process of a session on a card; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# gaps FILE: prints the duration in seconds of each silence between sounds in a recording of two channels at 48 kHz, S16.
gaps() {
  od -An -v -t d2 -w4 "$out/$1.recorded" | awk '
    $1 < -40 || $1 > 40 { if (sounds && silent > 100) print silent / 48000; sounds = 1; silent = 0; next }
    { silent++ }'
}

# The number and length of the gaps depend on the load of the host, because programs read files meanwhile.
plays_again() { [[ -n $(gaps restarted) ]]; }

both_recordings() {
  local file
  for file in tape tape-2; do
    "$outboard" analyse "$out/$file.wav" >"$out/$file.words" 2>&1 && listed "$file.words" '^Peak  *-12\.0 ' || return 1
  done
}

expect "a crash on a card: the message" listed restarted.messages \
  '^outboard: outboard.test.crash (ill) crashed (signal 11, segmentation fault) at crash.so+0x.*The session restarts\.$'
expect "a crash on a card: the plugin is isolated" listed restarted.top '^ill .* own (fault) '
expect "a crash on a card: the sound is back" plays_again
expect "a crash on a card: the recording until the crash" listed restarted '"file":"/dev/shm/outboard/tape-2.wav".*"lostFrames":0'
expect "a crash on a card: both recordings are whole" both_recordings
expect "a crash on a card: exit status 0" says restarted "status 0"
