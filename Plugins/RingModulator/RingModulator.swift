// RingModulator.swift: multiplies two signals. SPDX-License-Identifier: MIT
//
// A product contains the sums and differences of all frequencies of both signals, but not the frequencies
// themselves. Sums above half the sample rate would alias, so both are multiplied at twice the sample rate,
// and the downsampling removes everything above half of the original rate. The dry signal is delayed
// accordingly.

import ModuleABI
import ModuleKit

typealias Exported = RingModulator

// MARK: - Constants

private let smoothingSeconds: Float = 0.03
private let tapCount = 40
private let stopbandDecibels = 100.0
/// The latency of both half-band filters, in frames.
private let delayFrames = tapCount - 1
private let longestRun = 32

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let waveform = 0, frequency = 1, phase = 2, mix = 3
}

private let waveformCount = 3

// MARK: - State

/// The state of an instance.
struct RingModulator: AudioModule {
  // Parameters with their ramps.
  var waveformLevels: InlineArray<3, Smoother>  // of sine, triangle and square, ratio
  var increment: Smoother  // turns for each frame of the higher rate
  var rightAhead: Smoother  // turns
  var mix: MixControl
  // Running state.
  var phase = 0.0  // turns, 0 to below 1
  var up: HalfBandUpsampler
  var down: HalfBandDownsampler
  let plain: UnsafeMutablePointer<SIMD2<Float>>  // a run
  let twice: UnsafeMutablePointer<SIMD2<Float>>  // at the higher rate
  var left: DelayLine
  var right: DelayLine
  var needsReset = true  // no block since create or reset
  let sampleRateHz: Double

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    let smoother = Smoother(
      0, timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    waveformLevels = InlineArray(repeating: smoother)
    increment = smoother
    rightAhead = smoother
    mix = MixControl(
      timeConstantSeconds: smoothingSeconds, sampleRateHz: Float(sampleRateHz))
    up = HalfBandUpsampler(
      tapCount: tapCount, stopbandDecibels: stopbandDecibels, maximumFrameCount: longestRun)
    down = HalfBandDownsampler(
      tapCount: tapCount, stopbandDecibels: stopbandDecibels, maximumFrameCount: longestRun)
    plain = .allocate(capacity: longestRun)
    twice = .allocate(capacity: 2 * longestRun)
    left = DelayLine(maximumDelay: delayFrames + longestRun)
    right = DelayLine(maximumDelay: delayFrames + longestRun)
    self.sampleRateHz = sampleRateHz
  }
}

// MARK: - Life

extension RingModulator {
  /// Frees the memory. [main]
  func free() {
    up.free()
    down.free()
    plain.deallocate()
    twice.deallocate()
    left.free()
    right.free()
  }

  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    up.clear()
    down.clear()
    left.clear()
    right.clear()
    phase = 0
    needsReset = true
  }

  /// The latency of the filters, in frames, the same for all parameters. [main]
  var latencyFrames: Int { delayFrames }
}

// MARK: - Rendering

/// Sets the targets of all ramps; before the first block the values jump to them.
@_noLocks
private func prepare(_ state: inout RingModulator, _ parameters: UnsafePointer<Float>) {
  let wanted = Int(parameters[Parameter.waveform] + 0.5)
  // A product with a sine or a triangle has a half or a third of the power: the output is as loud as the
  // input.
  let levels = SIMD3<Float>(1.414_213_6, 1.732_050_8, 1)
  for index in 0 ..< waveformCount {
    state.waveformLevels[index].move(to: index == wanted ? levels[index] : 0)
  }
  // Below 0.45 of the plain rate there is room for smoothing the corners.
  let turns = min(Double(parameters[Parameter.frequency]) / state.sampleRateHz, 0.45)
  state.increment.move(to: Float(turns * 0.5))
  state.rightAhead.move(to: parameters[Parameter.phase] / 360)
  state.mix.move(to: parameters[Parameter.mix] * 0.01)
  guard state.needsReset else { return }
  state.needsReset = false
  for index in 0 ..< waveformCount { state.waveformLevels[index].finish() }
  state.increment.finish()
  state.rightAhead.finish()
  state.mix.finish()
}

/// One side's carrier at a phase.
@_noLocks
@inline(__always)
private func carrier(_ state: RingModulator, _ phase: Double, period: Double) -> Double {
  var sum = 0.0
  for index in 0 ..< waveformCount where state.waveformLevels[index].value != 0 {
    let wave =
      switch index {
      case 0: Sine.ofTurns(phase)
      case 1: BandLimited.triangle(phase, period)
      default: BandLimited.square(phase, period, width: 0.5)
      }
    sum += wave * Double(state.waveformLevels[index].value)
  }
  return sum
}

/// Both sides' carriers for the next frame of the higher rate.
@_noLocks
@inline(__always)
private func nextCarriers(_ state: inout RingModulator, _ increment: Double) -> SIMD2<Float> {
  let period = 1 / increment
  let left = carrier(state, state.phase, period: period)
  var right = left
  if state.rightAhead.value != 0 {
    let ahead = state.phase + Double(state.rightAhead.value)
    right = carrier(state, ahead >= 1 ? ahead - 1 : ahead, period: period)
  }
  state.phase += increment
  if state.phase >= 1 { state.phase -= 1 }
  return SIMD2(Float(left), Float(right))
}

/// Multiplies a run of frames at the higher rate.
@_noLocks
private func multiply(_ state: inout RingModulator, frameCount: Int) {
  for frame in 0 ..< frameCount {
    for index in 0 ..< waveformCount where state.waveformLevels[index].isMoving {
      _ = state.waveformLevels[index].next()
    }
    _ = state.rightAhead.next()
    let increment = Double(state.increment.next())
    for half in 0 ..< 2 {
      state.twice[2 * frame + half] *= nextCarriers(&state, increment)
    }
  }
}

extension RingModulator {
  /// Renders one block; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    prepare(&self, block.parameters)
    var state = self
    let stereo = block.stereo
    var done = 0
    while done < block.frameCount {
      let count = min(longestRun, block.frameCount - done)
      for frame in 0 ..< count {
        let input = stereo.input(at: done + frame)
        state.plain[frame] = input
        state.left.write(input.x)
        state.right.write(input.y)
      }
      state.up.render(state.plain, to: state.twice, frameCount: count)
      multiply(&state, frameCount: count)
      state.down.render(state.twice, to: state.plain, frameCount: count)
      for frame in 0 ..< count {
        // The lines already contain the whole run.
        let age = delayFrames + count - 1 - frame
        let dry = SIMD2(state.left.read(delay: age), state.right.read(delay: age))
        let mix = state.mix.next()
        stereo.output(dry: dry, wet: state.plain[frame], gains: mix, at: done + frame)
      }
      done += count
    }
    self = state
  }
}
