// Oscillator.swift: a generator of tones and noise. SPDX-License-Identifier: MIT
//
// A phase in Double (error below 1e-7 turns in an hour) drives a sine from its Taylor series, and
// the band-limited triangle, saw and square of ModuleKit, whose highest harmonics are weaker than in
// theory by sinc^4(f / rate): 0.6 dB at 5 kHz, 2.5 dB at 10 kHz.
// White noise is SplitMix64; see PinkFilter.swift for pink.

import ModuleABI
import ModuleKit

typealias Exported = Oscillator

// MARK: - Constants

private let fadeSeconds = 0.004  // out and in again when the waveform changes
private let smoothingSeconds: Float = 0.01
private let seed: UInt64 = 0x4F75_7462_6F61_7264
// The RMS of a sine with peak 1; noise of the same level has the same RMS.
private let sineRMS: Float = 0.707_106_77
// Evenly distributed noise from -1 to 1 has an RMS of the root of a third.
private let noiseGain: Float = sineRMS * 1.732_050_8

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let waveform = 0, frequency = 1, detune = 2, level = 3, pulseWidth = 4
}

private enum Waveform: Int {
  case sine, triangle, saw, square, white, pink
}

// MARK: - State

/// The state of an instance.
struct Oscillator: AudioModule {
  // Parameters as last set.
  fileprivate var waveform = Waveform.sine
  fileprivate var nextWaveform = Waveform.sine
  var frequencyHz: Float = 0  // Hz
  var cents: Float = 0  // cents
  // Coefficients derived from them.
  var increment = 0.0  // turns per frame, with its ramp
  var targetIncrement = 0.0  // turns for each frame
  var gain: Smoother  // ratio
  var width: Smoother  // of the square's upper half, ratio
  // Running state.
  var phase = 0.0  // turns, 0 to below 1
  var random = RandomGenerator(seed: seed)
  var pink: PinkFilter
  var fade: Int  // frames from silence, 0 to fadeLength
  var needsReset = true  // no block since create or reset
  let fadeLength: Int  // frames
  let glide: Double  // share of the distance covered in a frame
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let rate = Float(sampleRateHz)
    gain = Smoother(0, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    width = Smoother(0.5, timeConstantSeconds: smoothingSeconds, sampleRateHz: rate)
    pink = PinkFilter(sampleRateHz: sampleRateHz)
    fadeLength = max(1, Int(fadeSeconds * sampleRateHz))
    fade = fadeLength
    glide = 1 - realtime_exp(-1 / (Double(smoothingSeconds) * sampleRateHz))
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension Oscillator {
  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    phase = 0
    random = RandomGenerator(seed: seed)
    pink.clear()
    needsReset = true
  }
}

// MARK: - Rendering

@_noLocks
private func prepare(_ state: inout Oscillator, _ parameters: UnsafePointer<Float>) {
  let (frequencyHz, cents) = (parameters[Parameter.frequency], parameters[Parameter.detune])
  if frequencyHz != state.frequencyHz || cents != state.cents {
    let ratio = cents == 0 ? 1 : realtime_pow(2, Double(cents) / 1_200)
    // Above 0.45 of the sample rate there is no room for smoothing the corners.
    state.targetIncrement = min(Double(frequencyHz) * ratio / state.sampleRateHz, 0.45)
    (state.frequencyHz, state.cents) = (frequencyHz, cents)
  }
  state.nextWaveform = Waveform(rawValue: Int(parameters[Parameter.waveform] + 0.5)) ?? .sine
  state.gain.move(to: Float(realtime_pow(10, Double(parameters[Parameter.level]) / 20)))
  state.width.move(to: parameters[Parameter.pulseWidth] * 0.01)
  guard state.needsReset else { return }
  state.needsReset = false
  state.waveform = state.nextWaveform
  state.increment = state.targetIncrement
  state.fade = state.fadeLength
  state.gain.finish()
  state.width.finish()
}

/// Advances all ramps by one frame; returns the phase to play.
@_noLocks
@inline(__always)
private func turn(_ state: inout Oscillator) -> Double {
  let phase = state.phase
  let distance = state.targetIncrement - state.increment
  state.increment =
    abs(distance) < 1e-12 ? state.targetIncrement : state.increment + distance * state.glide
  state.phase = phase + state.increment
  if state.phase >= 1 { state.phase -= 1 }
  return phase
}

/// Renders `count` frames of the present waveform at full level.
@_noLocks
private func sound(_ state: inout Oscillator, _ output: UnsafeMutablePointer<Float>, _ count: Int) {
  switch state.waveform {
  case .sine:
    for frame in 0 ..< count { output[frame] = Float(Sine.ofTurns(turn(&state))) }
  case .triangle:
    for frame in 0 ..< count {
      let phase = turn(&state)
      output[frame] = Float(BandLimited.triangle(phase, 1 / state.increment))
    }
  case .saw:
    for frame in 0 ..< count {
      let phase = turn(&state)
      output[frame] = Float(BandLimited.saw(phase, 1 / state.increment))
    }
  case .square:
    for frame in 0 ..< count {
      let phase = turn(&state)
      output[frame] = Float(
        BandLimited.square(phase, 1 / state.increment, width: Double(state.width.next())))
    }
  case .white:
    for frame in 0 ..< count { output[frame] = state.random.next() * noiseGain }
  case .pink:
    for frame in 0 ..< count { output[frame] = state.pink.next(state.random.next() * noiseGain) }
  }
}

extension Oscillator {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (outputs, parameters) = (block.outputs, block.parameters)
    prepare(&self, parameters)
    var state = self
    let output = outputs[0]
    var done = 0
    while done < block.frameCount {
      // A change of waveform fades the old one out, then the new one in.
      let isLeaving = state.waveform != state.nextWaveform
      if isLeaving, state.fade == 0 {
        state.waveform = state.nextWaveform
        continue
      }
      let isFading = isLeaving || state.fade < state.fadeLength
      let left = block.frameCount - done
      let untilTurn = isLeaving ? state.fade : isFading ? state.fadeLength - state.fade : left
      let count = min(left, untilTurn)
      sound(&state, output + done, count)
      for frame in done ..< done + count {
        if isFading { state.fade += isLeaving ? -1 : 1 }
        output[frame] *= state.gain.next() * (Float(state.fade) / Float(state.fadeLength))
      }
      done += count
    }
    self = state
  }
}
