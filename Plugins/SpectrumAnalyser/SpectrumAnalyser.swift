// SpectrumAnalyser.swift: measures third-octave bands. SPDX-License-Identifier: MIT
//
// The audio passes unchanged. A chain of decimators halves the sample rate repeatedly; each of 31 band-passes
// (BandFilter.swift) works at the lowest rate that is high enough, so that the low ones cost almost nothing.

import ModuleABI
import ModuleKit

typealias Exported = SpectrumAnalyser

// MARK: - Constants

private let bandCount = 31
/// The first band is that at 20 Hz, 17 tenths of a decade below 1 kHz.
private let firstBand = -17
/// Frames of a run, which is halved as often as there are rates.
private let runFrames = 64
private let rateCount = 7
private let tapCount = 16
private let stopbandDecibels = 80.0
/// A band works at a rate of which its upper edge is at most this share.
private let edgeFraction = 0.18
private let silence: Float = -120

// MARK: - Parameters, in the manifest's order

private enum Parameter {
  static let speed = 0
}

// MARK: - State

/// The state of an instance.
struct SpectrumAnalyser: AudioModule {
  // Parameters as last set.
  var speed: Float = -1
  // Running state.
  let bands: UnsafeMutablePointer<BandFilter>
  let rateOfBand: UnsafeMutablePointer<Int>  // how often it is halved; -1: no room for the band
  let halvers: UnsafeMutablePointer<HalfBandDownsampler>
  let frames: UnsafeMutablePointer<SIMD2<Float>>  // a run at each rate
  var position = 0

  init(sampleRateHz: Double, maximumFrameCount: Int) {
    bands = .allocate(capacity: bandCount)
    rateOfBand = .allocate(capacity: bandCount)
    halvers = .allocate(capacity: rateCount - 1)
    frames = .allocate(capacity: runFrames * rateCount)
    frames.initialize(repeating: .zero, count: runFrames * rateCount)
    for index in 0 ..< rateCount - 1 {
      (halvers + index).initialize(
        to: HalfBandDownsampler(
          tapCount: tapCount, stopbandDecibels: stopbandDecibels,
          maximumFrameCount: runFrames >> (index + 1)))
    }
    for band in 0 ..< bandCount {
      let centreHz = 1_000 * realtime_pow(10, Double(band + firstBand) / 10)
      let edgeHz = centreHz * BandFilter.edgeRatio
      var rate = 0
      while rate + 1 < rateCount, edgeHz < edgeFraction * sampleRateHz / Double(2 << rate) {
        rate += 1
      }
      let fits = edgeHz < 0.49 * sampleRateHz
      rateOfBand[band] = fits ? rate : -1
      (bands + band).initialize(
        to: BandFilter(
          centreHz: fits ? centreHz : sampleRateHz / 8, rateHz: sampleRateHz / Double(1 << rate)))
    }
  }

  func free() {
    for index in 0 ..< rateCount - 1 { halvers[index].free() }
    bands.deallocate()
    rateOfBand.deallocate()
    halvers.deallocate()
    frames.deallocate()
  }

  @_noLocks
  mutating func clear() {
    for index in 0 ..< rateCount - 1 { halvers[index].clear() }
    for band in 0 ..< bandCount { bands[band].clear() }
    frames.update(repeating: .zero, count: runFrames * rateCount)
    position = 0
  }

  /// A run has been collected.
  @_noLocks
  mutating func finishRun() {
    for rate in 0 ..< rateCount - 1 {
      halvers[rate].render(
        frames + runFrames * rate, to: frames + runFrames * (rate + 1),
        frameCount: runFrames >> (rate + 1))
    }
    for band in 0 ..< bandCount where rateOfBand[band] >= 0 {
      let rate = rateOfBand[band]
      bands[band].take(frames + runFrames * rate, runFrames >> rate)
    }
    position = 0
  }
}

// MARK: - Life

extension SpectrumAnalyser {
  /// Clears the signal state. [render]
  @_noLocks
  mutating func reset() {
    clear()
  }

  /// Writes the bands' levels, the lowest first: dB relative to a sine of full scale on both sides. [render]
  @_noLocks
  func readouts(_ values: UnsafeMutablePointer<Float>) {
    for band in 0 ..< bandCount {
      let power = 2 * bands[band].power
      values[band] = power > 1e-12 ? Float(10 * realtime_log10(power)) : silence
    }
  }
}

// MARK: - Rendering

extension SpectrumAnalyser {
  /// Copies one block to the output, and analyses it; parameters in the order of the manifest. [render]
  @_noLocks
  mutating func process(_ block: AudioBlock) {
    let (inputs, outputs, parameters) = (block.inputs, block.outputs, block.parameters)
    if parameters[Parameter.speed] != speed {
      speed = parameters[Parameter.speed]
      // The time weightings of sound level meters, IEC 61672-1: fast and slow.
      let seconds = speed > 0.5 ? 1 : 0.125
      for band in 0 ..< bandCount { bands[band].set(seconds: seconds) }
    }
    for frame in 0 ..< block.frameCount {
      let (left, right) = (inputs[0][frame], inputs[1][frame])
      frames[position] = SIMD2(SampleGuard.sanitizedInput(left), SampleGuard.sanitizedInput(right))
      position += 1
      if position == runFrames { finishRun() }
      outputs[0][frame] = left
      outputs[1][frame] = right
    }
  }
}
