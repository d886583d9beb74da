# check-recording.sh: expected results of the recording of sixteen channels; part of scripts/test-vm.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2154

# samples FILE COUNT: prints the first bytes of the audio data of a WAV file.
samples() {
  local start
  start=$(LC_ALL=C grep -abom1 'data' "$1" | head -n 1 | cut -d: -f1)
  tail -c "+$((start + 9))" "$1" | head -c "$2"
}

# as_rendered SECONDS: checks that this duration of the recording equals the offline rendering.
as_rendered() {
  local folder=$out/offline bytes=$(($1 * 48000 * 16 * 4))
  mkdir "$folder"
  cp "$out/sixteen.yaml" "$folder/"
  (cd "$folder" && "$outboard" render --rig sixteen.yaml -o mix.wav --duration "$1" --tail 0 \
    >/dev/null 2>"$out/offline-errors") || { sed 's/^/        /' "$out/offline-errors" && return 1; }
  [[ $(samples "$out/sixteen.wav" $bytes | wc -c) == "$bytes" ]] &&
    cmp <(samples "$out/sixteen.wav" $bytes) <(samples "$folder/sixteen.wav" $bytes)
}

[[ ${recording_starts:-} == yes ]] ||
  expect "without recording, periods of 64 frames: no xrun" ran sixteen-no "$recording_seconds"
expect "sixteen channels recorded, periods of 64 frames: no xrun" ran sixteen-yes "$recording_seconds"
expect "sixteen channels recorded: no frame is lost" reports sixteen-yes lostFrames 0
expect "sixteen channels recorded: equal to offline rendering bit for bit" as_rendered "$recording_seconds"
