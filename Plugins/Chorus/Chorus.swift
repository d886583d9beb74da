// Chorus.swift: one to three voices with modulated delays. SPDX-License-Identifier: MIT
//
// Each side has a delay line that up to three voices read. Their delays follow sines that are evenly spread
// over a turn; those of the right side are midway between those of the left. The wet sum is divided by the
// square root of the number of voices, so that its level stays about the same.
//
// The modulated delay line and its uses: J. Dattorro, Effect Design, Part 2: Delay-Line Modulation
// and Chorus, J. Audio Eng. Soc. 45 (10), 1997.

import ModuleABI
import ModuleKit

typealias Exported = Chorus

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let maximumDelaySeconds = 0.05
private let voiceCount = 3

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let voices = 0, rate = 1, delay = 2, depth = 3, spread = 4, mix = 5
}

// MARK: - State

/// One voice: its level, and the phases of its sines relative to the oscillator.
struct Voice {
  var gain: Smoother  // ratio
  var ahead: Smoother  // turns
  // The offset of each side as a rotation, so that two sines serve all voices.
  var cosine = SIMD2<Double>(1, 1)
  var sine = SIMD2<Double>.zero

  init(sampleRateHz: Float) {
    gain = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: sampleRateHz)
    ahead = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: sampleRateHz)
  }

  @_noLocks
  mutating func turn(rightAhead: Float) {
    for side in 0 ..< 2 {
      let turns = Double(ahead.value) + (side == 1 ? Double(rightAhead) : 0)
      let quarter = turns + 0.25
      sine[side] = Sine.ofTurns(turns - Double(Int(turns)))
      cosine[side] = Sine.ofTurns(quarter - Double(Int(quarter)))
    }
  }
}

/// The state of an instance.
struct Chorus: AudioModule {
  // Parameters with their ramps.
  var voices: InlineArray<3, Voice>
  var shortest: Smoother  // frames
  var swing: Smoother  // frames
  var rightAhead: Smoother  // turns
  var mix: MixControl
  // Running state.
  var oscillator: LowFrequencyOscillator
  var left: DelayLine
  var right: DelayLine
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    let smoother = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    voices = InlineArray(repeating: Voice(sampleRateHz: rate))
    shortest = smoother
    swing = smoother
    rightAhead = smoother
    mix = MixControl(timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    oscillator = LowFrequencyOscillator(sampleRateHz: sampleRateHz)
    let longest = Int(maximumDelaySeconds * sampleRateHz) + 4
    left = DelayLine(maximumDelay: longest)
    right = DelayLine(maximumDelay: longest)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Chorus {
  /// Frees the memory. [main]
  func free() {
    left.free()
    right.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    left.clear()
    right.clear()
    oscillator.reset()
    needsReset = true
  }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Chorus, _ parameters: UnsafePointer<Float>) {
  let framesPerMillisecond = Float(state.sampleRateHz) * 0.001
  let count = min(max(Int(parameters[Parameter.voices] + 0.5), 1), voiceCount)
  let level = Float(1 / realtime_sqrt(Double(count)))
  for voice in 0 ..< voiceCount {
    state.voices[voice].gain.move(to: voice < count ? level : 0)
    state.voices[voice].ahead.move(to: Float(voice % count) / Float(count))
  }
  state.shortest.move(to: parameters[Parameter.delay] * framesPerMillisecond)
  state.swing.move(to: parameters[Parameter.depth] * framesPerMillisecond)
  state.rightAhead.move(to: parameters[Parameter.spread] * 0.01 * 0.5 / Float(count))
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  state.oscillator.set(frequencyHz: parameters[Parameter.rate])
  guard state.needsReset else { return }
  state.needsReset = false
  state.shortest.finish()
  state.swing.finish()
  state.rightAhead.finish()
  state.mix.finish()
  for voice in 0 ..< voiceCount {
    state.voices[voice].gain.finish()
    state.voices[voice].ahead.finish()
    state.voices[voice].turn(rightAhead: state.rightAhead.value)
  }
}

/// Advances the ramps of the voices by one frame.
@_noLocks
@inline(__always)
private func glide(_ state: inout Chorus) {
  let isTurning = state.rightAhead.isMoving
  let rightAhead = isTurning ? state.rightAhead.next() : state.rightAhead.value
  for voice in 0 ..< voiceCount {
    if state.voices[voice].gain.isMoving { _ = state.voices[voice].gain.next() }
    guard isTurning || state.voices[voice].ahead.isMoving else { continue }
    _ = state.voices[voice].ahead.next()
    state.voices[voice].turn(rightAhead: rightAhead)
  }
}

extension Chorus {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo

    for frame in 0 ..< block.frameCount {
      let dry = stereo.input(at: frame)
      state.left.write(dry.x)
      state.right.write(dry.y)
      glide(&state)
      let half = Double(state.swing.next()) * 0.5
      let middle = Double(state.shortest.next()) + half
      let swing = state.oscillator.sines(ahead: 0.25) * half
      state.oscillator.advance()

      var wet = SIMD2<Float>.zero
      for voice in 0 ..< voiceCount where state.voices[voice].gain.value != 0 {
        let ages =
          middle + swing.x * state.voices[voice].cosine + swing.y * state.voices[voice].sine
        let sound = SIMD2(state.left.read(delay: ages.x), state.right.read(delay: ages.y))
        wet += sound * state.voices[voice].gain.value
      }
      let mix = state.mix.next()
      stereo.output(dry: dry, wet: wet, gains: mix, at: frame)
    }
    self = state
  }
}
