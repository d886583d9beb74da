// Synthesiser.swift: a polyphonic subtractive synthesiser, played by MIDI. SPDX-License-Identifier: MIT
//
// Sixteen voices (Voice.swift), each with two band-limited oscillators, noise, a state-variable filter and
// two envelopes. A message takes effect at its frame. Pitch and filter are updated every 16 frames, counted
// from the start, for any block length.

import ModuleABI
import ModuleKit

typealias Exported = Synthesiser

// MARK: - Constants

private let smoothingSeconds: Float = 0.02

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let first = 0, second = 1, semitones = 2, detune = 3, balance = 4, width = 5, noise = 6
  static let mode = 7, cutoff = 8, resonance = 9, keyFollow = 10, filterEnvelope = 11
  static let filterVelocity = 12
  // Attack, decay, sustain and release of each:
  static let brightness = 13, loudness = 17
  static let velocity = 21, rate = 22, vibrato = 23, sway = 24, wheel = 25, bend = 26
  static let glide = 27, spread = 28, voices = 29, level = 30
}

// MARK: - State

/// The state of an instance.
struct Synthesiser: AudioModule {
  // Parameters with their ramps; the first five advance every frame, the others every stretch.
  var firstLevel: Smoother  // linear
  var secondLevel: Smoother  // linear
  var noiseLevel: Smoother  // linear
  var width: Smoother  // 0 to 1
  var level: Smoother  // linear
  var cutoff: Smoother  // octaves above 1 Hz
  var resonance: Smoother  // 0 to 1
  var vibrato: Smoother  // semitones
  var wheelVibrato: Smoother  // semitones
  var sway: Smoother  // octaves
  var patch: Patch
  // Running state.
  var keyboard = VoiceAllocator<Voice>(voiceCount: 16)
  var oscillator: LowFrequencyOscillator
  var frame = 0  // within the stretch
  let blends: UnsafeMutablePointer<Blend>  // of a stretch
  let sum: UnsafeMutablePointer<SIMD2<Float>>
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    func smoother(_ rateHz: Double) -> Smoother {
      Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(rateHz))
    }
    firstLevel = smoother(sampleRateHz)
    secondLevel = firstLevel
    noiseLevel = firstLevel
    width = firstLevel
    level = firstLevel
    cutoff = smoother(sampleRateHz / Double(stretch))
    resonance = cutoff
    vibrato = cutoff
    wheelVibrato = cutoff
    sway = cutoff
    let times = EnvelopeSettings(
      attack: 1, decay: 1, sustain: 1, release: 1, sampleRateHz: sampleRateHz)
    patch = Patch(
      loudness: times, brightness: times,
      peakShare: OnePole.coefficient(cutoffHz: 50, sampleRateHz: sampleRateHz),
      sampleRateHz: sampleRateHz)
    oscillator = LowFrequencyOscillator(sampleRateHz: sampleRateHz)
    blends = .allocate(capacity: stretch)
    sum = .allocate(capacity: stretch)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Synthesiser {
  /// Frees the memory. [main]
  func free() {
    keyboard.free()
    blends.deallocate()
    sum.deallocate()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    keyboard.clear()
    oscillator.reset()
    frame = 0
    needsReset = true
  }

  /// Takes a message for the next block. [render]
  @_noLocks
  mutating func midi(frame: Int, _ bytes: UnsafePointer<UInt8>, byteCount: Int) {
    keyboard.take(frame: frame, bytes, byteCount: byteCount)
  }
}

// MARK: - Parameters

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout Synthesiser, _ parameters: UnsafePointer<Float>) {
  let balance = parameters[Parameter.balance] * 0.01
  // Half of full scale together: peaks of two waves in step stay below it.
  state.firstLevel.move(to: 0.5 * (1 - balance))
  state.secondLevel.move(to: 0.5 * balance)
  state.noiseLevel.move(to: 0.5 * parameters[Parameter.noise] * 0.01)
  state.width.move(to: parameters[Parameter.width] * 0.01)
  state.level.move(to: Decibels.amplitude(parameters[Parameter.level]))
  state.cutoff.move(to: Decibels.fastDecibels(parameters[Parameter.cutoff]) / 6.020_599_9)
  state.resonance.move(to: parameters[Parameter.resonance] * 0.01)
  state.vibrato.move(to: parameters[Parameter.vibrato] * 0.01)
  state.wheelVibrato.move(to: parameters[Parameter.wheel] * 0.01)
  state.sway.move(to: parameters[Parameter.sway])
  state.oscillator.set(frequencyHz: parameters[Parameter.rate])
  preparePatch(&state, parameters)
  guard state.needsReset else { return }
  state.needsReset = false
  state.firstLevel.finish()
  state.secondLevel.finish()
  state.noiseLevel.finish()
  state.width.finish()
  state.level.finish()
  state.cutoff.finish()
  state.resonance.finish()
  state.vibrato.finish()
  state.wheelVibrato.finish()
  state.sway.finish()
}

@_noLocks
private func preparePatch(_ state: inout Synthesiser, _ parameters: UnsafePointer<Float>) {
  let rate = state.sampleRateHz
  func envelope(_ first: Int) -> EnvelopeSettings {
    EnvelopeSettings(
      attack: parameters[first], decay: parameters[first + 1],
      sustain: parameters[first + 2] * 0.01, release: parameters[first + 3], sampleRateHz: rate)
  }
  state.patch.first = Waveform(rawValue: Int(parameters[Parameter.first] + 0.5)) ?? .saw
  state.patch.second = Waveform(rawValue: Int(parameters[Parameter.second] + 0.5)) ?? .saw
  let apart = parameters[Parameter.semitones] + parameters[Parameter.detune] * 0.01
  state.patch.secondRatio = realtime_pow(2, Double(apart) / 12)
  state.patch.mode = FilterMode(rawValue: Int(parameters[Parameter.mode] + 0.5)) ?? .low24
  state.patch.keyFollow = parameters[Parameter.keyFollow] * 0.01
  state.patch.filterEnvelope = parameters[Parameter.filterEnvelope]
  state.patch.filterVelocity = parameters[Parameter.filterVelocity]
  state.patch.brightness = envelope(Parameter.brightness)
  state.patch.loudness = envelope(Parameter.loudness)
  state.patch.bendSemitones = parameters[Parameter.bend]
  let glideSeconds = Double(parameters[Parameter.glide]) * 0.001
  state.patch.glide = EnvelopeFollower.coefficient(
    timeConstantSeconds: glideSeconds, sampleRateHz: rate / Double(stretch))
  state.patch.spread = parameters[Parameter.spread] * 0.01
  state.keyboard.isGliding = glideSeconds > 0
  state.keyboard.velocitySensitivity = parameters[Parameter.velocity] * 0.01
  state.keyboard.limit = min(
    max(Int(parameters[Parameter.voices] + 0.5), 1), state.keyboard.voiceCount)
}

// MARK: - Rendering

/// Sets the values that all voices share in the next stretch, and those of each voice.
@_noLocks
private func startStretch(_ state: inout Synthesiser) {
  state.patch.cutoffOctaves = state.cutoff.next()
  state.patch.resonance = state.resonance.next()
  let swing = Float(Sine.ofTurns(state.oscillator.phase))
  state.patch.vibrato = state.vibrato.next() * swing
  state.patch.wheelVibrato = state.wheelVibrato.next() * swing
  state.patch.filterModulation = state.sway.next() * swing
  state.oscillator.advance(frames: stretch)
  for index in 0 ..< state.keyboard.voiceCount where !state.keyboard.voices[index].note.isFree {
    state.keyboard.voices[index].rest()
    state.keyboard.voices[index].prepare(state.patch, state.keyboard.controller(of: index))
  }
}

/// Sets pitch and filter of notes that have just begun.
@_noLocks
private func startNew(_ state: borrowing Synthesiser) {
  for index in 0 ..< state.keyboard.voiceCount where state.keyboard.voices[index].isNew {
    state.keyboard.voices[index].prepare(state.patch, state.keyboard.controller(of: index))
  }
}

/// Renders frames within one stretch into `sum`.
@_noLocks
private func render(_ state: inout Synthesiser, frameCount: Int) {
  for frame in 0 ..< frameCount {
    state.blends[frame] = Blend(
      state.firstLevel.next(), state.secondLevel.next(), state.noiseLevel.next(),
      state.width.next())
    state.sum[frame] = .zero
  }
  for index in 0 ..< state.keyboard.voiceCount where !state.keyboard.voices[index].note.isFree {
    state.keyboard.voices[index].render(
      state.patch, state.blends, to: state.sum, frameCount: frameCount)
  }
}

extension Synthesiser {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (outputs, parameters) = (block.outputs, block.parameters)
    prepare(&self, parameters)
    var state = self
    let end = block.frameCount
    var done = 0
    while done < end {
      let next = state.keyboard.processMessages(upTo: done, end: end)
      if state.frame == 0 { startStretch(&state) }
      startNew(state)
      let count = min(stretch - state.frame, next - done)
      render(&state, frameCount: count)
      for frame in 0 ..< count {
        let sound = state.sum[frame] * state.level.next()
        outputs[0][done + frame] = sound.x
        outputs[1][done + frame] = sound.y
      }
      done += count
      state.frame = (state.frame + count) % stretch
    }
    state.keyboard.endBlock()
    self = state
  }
}
