// Envelope.swift: the spectral envelope of a sound. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// A smooth curve in dB through the partials of a spectrum.
///
/// The true envelope: A. Röbel and X. Rodet, Efficient Spectral Envelope Estimation and its Application to
/// Pitch Shifting and Envelope Preservation, DAFx 2005. A spectrum is smoothed by its cepstrum; wherever it
/// is below the result, the result replaces it, repeatedly. The cepstrum is kept up to 2.4 ms, the period of
/// a voice at 420 Hz.
struct Envelope {
  /// For each bin, dB.
  let levels: UnsafeMutablePointer<Float>
  private let transform: FourierTransform
  private let wanted: UnsafeMutablePointer<Float>
  private let zeros: UnsafeMutablePointer<Float>
  private let cepstrum: UnsafeMutablePointer<Float>
  private let binCount: Int
  private let kept: Int  // frames of the cepstrum

  init(length: Int, sampleRateHz: Double) {
    binCount = length / 2
    transform = FourierTransform(size: length)
    levels = .allocate(capacity: binCount)
    wanted = .allocate(capacity: binCount)
    zeros = .allocate(capacity: binCount)
    cepstrum = .allocate(capacity: length)
    kept = max(8, min(Int(0.002_4 * sampleRateHz), binCount / 2))
    clear()
  }

  func free() {
    transform.free()
    levels.deallocate()
    wanted.deallocate()
    zeros.deallocate()
    cepstrum.deallocate()
  }

  @_noLocks
  func clear() {
    levels.update(repeating: 0, count: binCount)
    wanted.update(repeating: 0, count: binCount)
    zeros.update(repeating: 0, count: binCount)
    cepstrum.update(repeating: 0, count: 2 * binCount)
  }

  private static let rounds = 4

  /// Parts of about equal cost.
  var partCount: Int {
    @_noLocks get { Self.rounds * (2 * transform.stepCount + 2) }
  }

  /// Runs one step of the conversion from powers to levels.
  @_noLocks
  func run(_ part: Int, powers: UnsafePointer<Float>) {
    let steps = transform.stepCount
    let (round, position) = (part / (2 * steps + 2), part % (2 * steps + 2))
    if position == 0 {
      prepare(powers, isFirst: round == 0)
    } else if position <= steps {
      transform.inverse(step: position - 1, levels, zeros, cepstrum)
    } else if position == steps + 1 {
      raiseEnvelope()
    } else {
      transform.forward(step: position - steps - 2, cepstrum, cepstrum + binCount, levels, zeros)
    }
  }

  /// Computes the next spectrum to smooth: the spectrum, but not below the last result.
  @_noLocks
  private func prepare(_ powers: UnsafePointer<Float>, isFirst: Bool) {
    if isFirst {
      // A floor, so that gaps between partials have little weight.
      for bin in 0 ..< binCount { wanted[bin] = 0.5 * Decibels.fastDecibels(powers[bin] + 1e-4) }
      levels.update(repeating: -200, count: binCount)
    }
    for bin in 0 ..< binCount { levels[bin] = max(levels[bin], wanted[bin]) }
    zeros.update(repeating: 0, count: binCount)
    zeros[0] = levels[binCount - 1]
  }

  /// Keeps the beginning, which is symmetric, and fades out over the second half of it.
  @_noLocks
  private func raiseEnvelope() {
    let length = 2 * binCount
    let scale = 1 / Float(length)
    for frame in 0 ..< binCount {
      let fade = min(max(2 * Double(frame) / Double(kept) - 1, 0), 1)
      let weight = scale * Float(0.5 + 0.5 * Sine.ofTurns(0.25 + 0.5 * fade))
      cepstrum[frame] *= weight
      if frame > 0 { cepstrum[length - frame] *= weight }
    }
    cepstrum[binCount] = 0
  }
}
