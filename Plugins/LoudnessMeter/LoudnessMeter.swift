// LoudnessMeter.swift: programme loudness for broadcasting and streaming. SPDX-License-Identifier: MIT
//
// ITU-R BS.1770-4 and EBU R 128 (Tech 3341 for the meter, 3342 for the range). The audio passes unchanged.
// Its K-weighted power is summed over tenths of a second; four of them are a momentary block, thirty a
// short-term block. The gated mean of all momentary blocks is the integrated loudness.

import ModuleABI
import ModuleKit

typealias Exported = LoudnessMeter

// MARK: - Parameters and readouts, in the manifest's order

private enum Parameter {
  static let pause = 0, restart = 1
}

private enum Readout {
  static let momentary = 0, shortTerm = 1, integrated = 2, range = 3, truePeak = 4
  static let samplePeak = 5, momentaryMaximum = 6, shortTermMaximum = 7
}

// MARK: - State

/// The powers of the last three seconds, in tenths of a second.
struct Recent {
  private var powers = InlineArray<30, Double>(repeating: 0)
  private var newest = 29
  private(set) var count = 0

  @_noLocks
  mutating func add(_ power: Double) {
    newest = newest == 29 ? 0 : newest + 1
    powers[newest] = power
    count = min(30, count + 1)
  }

  /// Returns the mean of the last tenths; those before the start count as silent.
  @_noLocks
  func mean(_ last: Int) -> Double {
    var sum = 0.0
    for age in 0 ..< last { sum += powers[newest - age + (newest < age ? 30 : 0)] }
    return sum / Double(last)
  }
}

/// The state of an instance.
struct LoudnessMeter: AudioModule {
  // Running state.
  var weighting: Weighting
  var power = SIMD2<Double>.zero  // summed over this tenth of a second
  var left: Int  // frames of it that are still to come
  var recent = Recent()
  var gated: Int  // tenths since the beginning of the measurement, at most 30
  var blocks = LoudnessHistogram()
  var shortTerms = LoudnessHistogram()
  var truePeak: TruePeak
  var samplePeak: Float = 0
  var isRestarting = false
  // The displayed values.
  var momentary = Loudness.silence
  var shortTerm = Loudness.silence
  var momentaryMaximum = Loudness.silence
  var shortTermMaximum = Loudness.silence
  var integrated = Loudness.silence
  var range = 0.0
  // Derived once.
  let tenth: Int  // frames

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    weighting = Weighting(sampleRateHz: sampleRateHz)
    truePeak = TruePeak(sampleRateHz: sampleRateHz)
    tenth = Int(sampleRateHz / 10 + 0.5)
    left = tenth
    gated = 0
  }

  /// Restarts the measurement since the start, but not the momentary values.
  @_noLocks
  mutating func restart() {
    blocks.clear()
    shortTerms.clear()
    truePeak.clear()
    samplePeak = 0
    gated = 0
    integrated = Loudness.silence
    range = 0
    momentaryMaximum = Loudness.silence
    shortTermMaximum = Loudness.silence
  }
}

// MARK: - Life

extension LoudnessMeter {
  /// Frees the memory. [main]
  func free() {
    blocks.free()
    shortTerms.free()
    truePeak.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    weighting.clear()
    power = .zero
    left = tenth
    recent = Recent()
    momentary = Loudness.silence
    shortTerm = Loudness.silence
    isRestarting = false
    restart()
  }

  /// Writes the readouts, in the manifest's order. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    values[Readout.momentary] = Float(momentary)
    values[Readout.shortTerm] = Float(shortTerm)
    values[Readout.integrated] = Float(integrated)
    values[Readout.range] = Float(range)
    values[Readout.truePeak] = decibels(truePeak.highest)
    values[Readout.samplePeak] = decibels(samplePeak)
    values[Readout.momentaryMaximum] = Float(momentaryMaximum)
    values[Readout.shortTermMaximum] = Float(shortTermMaximum)
  }
}

@_noLocks
private func decibels(_ peak: Float) -> Float {
  peak > 1e-6 ? Float(20 * realtime_log10(Double(peak))) : Float(Loudness.silence)
}

// MARK: - Rendering

/// A tenth of a second has come to its end.
@_noLocks
private func finishTenth(_ state: inout LoudnessMeter, isPaused: Bool) {
  let power = (state.power.x + state.power.y) / Double(state.tenth)
  state.recent.add(power)
  state.power = .zero
  state.left = state.tenth
  let momentaryPower = state.recent.mean(4)
  let shortTermPower = state.recent.mean(30)
  state.momentary = Loudness.fromPower(momentaryPower)
  state.shortTerm = Loudness.fromPower(shortTermPower)
  guard !isPaused else { return }
  state.gated = min(30, state.gated + 1)
  // Only complete blocks count, without audio from before the start.
  guard state.gated >= 4 else { return }
  state.momentaryMaximum = max(state.momentaryMaximum, state.momentary)
  state.blocks.add(power: momentaryPower, loudness: state.momentary)
  state.integrated = state.blocks.gatedPower(gate: -10).map(Loudness.fromPower) ?? Loudness.silence
  guard state.gated == 30 else { return }
  state.shortTermMaximum = max(state.shortTermMaximum, state.shortTerm)
  state.shortTerms.add(power: shortTermPower, loudness: state.shortTerm)
  state.range = state.shortTerms.range(gate: -20)
}

/// Measures a run of at most 64 frames within a tenth of a second.
@_noLocks
private func measure(
  _ state: inout LoudnessMeter, _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>,
  _ frameCount: Int, isPaused: Bool
) {
  var weighting = state.weighting
  var power = state.power
  var peaks = SIMD2<Float>.zero
  for frame in 0 ..< frameCount {
    let sample = SIMD2(
      SampleGuard.sanitizedInput(left[frame]), SampleGuard.sanitizedInput(right[frame]))
    peaks = pointwiseMax(peaks, pointwiseMax(sample, -sample))
    state.truePeak.put(sample, at: frame)
    let weighted = weighting.next(SIMD2<Double>(sample))
    power += weighted * weighted
  }
  state.weighting = weighting
  state.power = power
  state.left -= frameCount
  let peak = max(peaks.x, peaks.y)
  if !isPaused { state.samplePeak = max(state.samplePeak, peak) }
  state.truePeak.take(frameCount, peak: peak, isPaused: isPaused)
  if state.left == 0 { finishTenth(&state, isPaused: isPaused) }
}

extension LoudnessMeter {
  /// Passes one block on, and measures it; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (inputs, outputs, parameters) = (block.inputs, block.outputs, block.parameters)
    let isPaused = parameters[Parameter.pause] > 0.5
    let wantsRestart = parameters[Parameter.restart] > 0.5
    if wantsRestart, !isRestarting { restart() }
    isRestarting = wantsRestart

    let count = block.frameCount
    var frame = 0
    while frame < count {
      let run = min(count - frame, min(TruePeak.runFrames, left))
      measure(
        &self, inputs[0] + frame, inputs[1] + frame, run, isPaused: isPaused)
      frame += run
    }
    for channel in 0 ..< 2 where UnsafePointer(outputs[channel]) != inputs[channel] {
      UnsafeMutableRawPointer(outputs[channel]).copyMemory(
        from: inputs[channel], byteCount: count * 4)
    }
  }
}
