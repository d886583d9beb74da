// Dynamics.swift: four compressors in step. SPDX-License-Identifier: MIT
//
// Each lane is the Compressor's chain: the louder channel's level in decibels, a curve with a soft knee, a smooth
// decoupled peak detector (D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design",
// J. Audio Eng. Soc. 60 (6), 2012).

import ModuleKit

/// A value for each band that glides.
struct LaneGlide {
  private(set) var value = Lanes.zero
  private var goal = Lanes.zero

  @_noLocks
  mutating func move(to newGoal: Lanes) { goal = newGoal }

  @_noLocks
  mutating func finish() { value = goal }

  @_noLocks @inline(__always)
  mutating func next(_ share: Float) -> Lanes {
    if value == goal { return value }
    let way = goal - value
    value += way * share
    if (way * way).max() < 1e-10 { value = goal }
    return value
  }
}

/// What all bands are set to.
struct BandSettings {
  var threshold = LaneGlide()  // dB
  var slope = LaneGlide()  // dB of reduction for each dB above the threshold
  var gain = LaneGlide()  // dB
  var amount = LaneGlide()  // of reduction and gain, 0: bypassed
  var audible = LaneGlide()  // 0 or 1
  var attack = SIMD4<Double>.zero
  var release = SIMD4<Double>.zero

  @_noLocks
  mutating func finish() {
    threshold.finish()
    slope.finish()
    gain.finish()
    amount.finish()
    audible.finish()
  }
}

/// Four envelopes and what they make of levels.
struct Dynamics {
  // As in `EnvelopeFollower`.
  private var held = SIMD4<Double>.zero
  private var smooth = SIMD4<Double>.zero
  /// The most of a block, dB, for those who look.
  var mostReduction = Lanes.zero
  /// Below this level nothing is measured: -120 dB.
  private static let quietest: Float = 1e-6

  @_noLocks
  mutating func clear() { self = Dynamics() }

  /// The factors of one frame.
  @_noLocks @inline(__always)
  mutating func next(
    _ bands: Bands, _ settings: inout BandSettings, halfKnee: Float, share: Float
  ) -> Lanes {
    let peak = Self.larger(
      Self.larger(Self.size(bands.left), Self.size(bands.right)),
      Lanes(repeating: Self.quietest))
    let over = Decibels.fastLevel(peak) - settings.threshold.next(share)
    // The curve of `GainCurve`.
    let inside = Self.larger(over + halfKnee, .zero)
      .replacing(with: Lanes(repeating: 2 * halfKnee), where: over .> halfKnee)
    let bent = inside * inside / (4 * halfKnee) + Self.larger(over - halfKnee, .zero)
    let reduction = settings.slope.next(share) * bent
    let followed = follow(SIMD4<Double>(reduction), settings.attack, settings.release)
    let amount = settings.amount.next(share)
    let used = followed * amount
    mostReduction = Self.larger(mostReduction, used)
    let gain = settings.gain.next(share) * amount
    return Decibels.fastAmplitude(gain - used) * settings.audible.next(share)
  }

  @_noLocks @inline(__always)
  private mutating func follow(
    _ value: SIMD4<Double>, _ attack: SIMD4<Double>, _ release: SIMD4<Double>
  ) -> Lanes {
    let released = value + release * (held - value)
    let peak = released.replacing(with: value, where: value .> released)
    let next = peak + attack * (smooth - peak)
    held = SIMD4<Double>.zero.replacing(with: peak, where: peak .> 1e-6)
    smooth = SIMD4<Double>.zero.replacing(with: next, where: next .> 1e-6)
    return Lanes(smooth)
  }

  @_noLocks @inline(__always)
  private static func size(_ x: Lanes) -> Lanes { x.replacing(with: -x, where: x .< 0) }

  @_noLocks @inline(__always)
  private static func larger(_ a: Lanes, _ b: Lanes) -> Lanes {
    b.replacing(with: a, where: a .> b)
  }
}
