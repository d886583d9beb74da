// Sampler.swift: plays an audio file with keys or automatically. SPDX-License-Identifier: MIT
//
// Voices (Voice.swift) read one recording (Recording.swift) at any speed (Playhead.swift, Kernel.swift); one
// additional voice is the player. Pitches are updated every 16 frames, counted from the start, for any block
// length.

import ModuleABI
import ModuleKit

typealias Exported = Sampler

// MARK: - Constants

private let smoothingSeconds: Float = 0.02
private let ghostSeconds = 0.004
private let playerReleaseMilliseconds: Float = 5
/// A key three octaves from the root has the largest pan.
private let keysToSide: Float = 36

// MARK: - State

/// The modes of the player, numbered as in the manifest.
enum Play: Int {
  case off
  case loop
  case once
}

/// The tuning of the keys.
struct Tuning {
  var rootKey = 60.0
  var semitonesPerKey = 1.0
  var octaves = 0.0  // of all
  var bendSemitones: Float = 2
  var spread: Float = 0  // 0 to 1
}

/// The state of an instance.
struct Sampler: AudioModule {
  // Parameters with their ramps.
  var level: Smoother  // linear
  var pan: Smoother  // -1 to 1
  var tuning = Tuning()
  // Running state.
  var keyboard = VoiceAllocator<Voice>(voiceCount: 32)
  var player = Voice(index: 0, of: 1)
  var patch: Patch
  var playerPatch: Patch
  var play = Play.off
  var newest = 0  // the voice whose position is reported
  var frame = 0  // within the stretch
  let sum: UnsafeMutablePointer<Partials>  // of a stretch
  var needsReset = true  // no block since create, load or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    level = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    pan = level
    patch = Patch(
      envelope: EnvelopeSettings(
        attack: 0, decay: 1, sustain: 1, release: playerReleaseMilliseconds,
        sampleRateHz: sampleRateHz),
      recording: Recording(barAtRateHz: sampleRateHz), kernel: Kernel(),
      ghostStep: Float(1 / (ghostSeconds * sampleRateHz)))
    playerPatch = patch
    sum = .allocate(capacity: stretch)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Sampler {
  /// Replaces the generated bar by a recording of one or two channels. [main]
  mutating func load(_ file: Int, _ sound: AudioFile) -> Bool {
    guard file == 0, let recording = Recording(sound) else { return false }
    patch.recording.free()
    patch = Patch(
      envelope: patch.envelope, recording: recording, kernel: patch.kernel,
      ghostStep: patch.ghostStep)
    playerPatch = patch
    return true
  }

  /// Frees the memory. [main]
  func free() {
    keyboard.free()
    patch.recording.free()
    patch.kernel.free()
    sum.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    keyboard.clear()
    player = Voice(index: 0, of: 1)
    play = .off
    newest = 0
    frame = 0
    needsReset = true
  }

  /// Takes a message for the next block. [render]
  @_noLocks
  mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {
    keyboard.take(frame: frame, bytes, byteCount: byteCount)
  }

  /// Writes position and length in s, and the number of active voices. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    let voice = player.note.isFree ? keyboard.voices[newest] : player
    values[0] = voice.note.isFree ? 0 : Float(voice.position() / sampleRateHz)
    values[1] = Float(Double(patch.recording.frameCount) / sampleRateHz)
    var count = player.note.isFree ? 0 : 1
    for index in 0 ..< keyboard.voiceCount where !keyboard.voices[index].note.isFree { count += 1 }
    values[2] = Float(count)
  }
}

// MARK: - Rendering

/// Returns how far a voice's key is above the recorded pitch, and its pan position.
@_noLocks
private func prepare(_ state: inout Sampler, _ index: Int) {
  if state.keyboard.voices[index].isNew { state.newest = index }
  let tuning = state.tuning
  let keys = Double(state.keyboard.voices[index].note.key) - tuning.rootKey
  let bend = Double(state.keyboard.controller(of: index).bend * tuning.bendSemitones)
  state.keyboard.voices[index].prepare(
    state.patch, octaves: tuning.octaves + (keys * tuning.semitonesPerKey + bend) / 12,
    side: tuning.spread * min(max(Float(keys) / keysToSide, -1), 1))
}

/// Sets the values that are constant for a stretch.
@_noLocks
private func startStretch(_ state: inout Sampler) {
  for index in 0 ..< state.keyboard.voiceCount where !state.keyboard.voices[index].note.isFree {
    state.keyboard.voices[index].rest()
    prepare(&state, index)
  }
  guard !state.player.note.isFree else { return }
  state.player.rest()
  state.player.prepare(state.playerPatch, octaves: state.tuning.octaves, side: 0)
}

/// Sets the pan position of new notes.
@_noLocks
private func startNew(_ state: inout Sampler) {
  for index in 0 ..< state.keyboard.voiceCount where state.keyboard.voices[index].isNew {
    prepare(&state, index)
  }
  guard state.player.isNew else { return }
  state.player.prepare(state.playerPatch, octaves: state.tuning.octaves, side: 0)
}

/// Renders frames within one stretch into `sum`.
@_noLocks
private func render(_ state: inout Sampler, frameCount: Int) {
  for frame in 0 ..< frameCount { state.sum[frame] = Partials() }
  for index in 0 ..< state.keyboard.voiceCount where !state.keyboard.voices[index].note.isFree {
    state.keyboard.voices[index].render(state.patch, to: state.sum, frameCount: frameCount)
  }
  guard !state.player.note.isFree else { return }
  state.player.render(state.playerPatch, to: state.sum, frameCount: frameCount)
}

extension Sampler {
  /// Starts or stops the player. [render]
  @_noLocks
  mutating func setPlay(_ wanted: Play) {
    switch (play, wanted) {
    case (.off, .loop), (.off, .once):
      player.begin(level: 1)
      player.note.isFree = false
    case (.loop, .off), (.once, .off): player.end()
    default: break
    }
    play = wanted
  }

  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(block.parameters)
    var state = self
    let (left, right) = (block.outputs[0], block.outputs[1])
    let end = block.frameCount
    var done = 0
    while done < end {
      let next = state.keyboard.processMessages(upTo: done, end: end)
      if state.frame == 0 { startStretch(&state) }
      startNew(&state)
      let count = min(stretch - state.frame, next - done)
      render(&state, frameCount: count)
      for frame in 0 ..< count {
        let pan = state.pan.next()
        let sides = SIMD2(1 - max(pan, 0), 1 + min(pan, 0))
        let sound = state.sum[frame].sum() * (sides * state.level.next())
        left[done + frame] = sound.x
        right[done + frame] = sound.y
      }
      done += count
      state.frame = (state.frame + count) % stretch
    }
    state.keyboard.endBlock()
    self = state
  }
}
