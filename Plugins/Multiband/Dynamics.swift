// Dynamics.swift: four parallel compressors. SPDX-License-Identifier: MIT
//
// Each lane is the Compressor's chain: the louder channel's level in decibels, a curve with a soft knee, a smooth
// decoupled peak detector (D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design",
// J. Audio Eng. Soc. 60 (6), 2012).

import ModuleKit

/// A value for each band that glides.
struct LaneGlide {
  private(set) var value = Lanes.zero
  private var target = Lanes.zero
  private(set) var isMoving = false

  @_noLocks
  mutating func move(to newGoal: Lanes) {
    target = newGoal
    isMoving = value != target
  }

  @_noLocks
  mutating func finish() {
    value = target
    isMoving = false
  }

  @_noLocks
  mutating func next(_ coefficient: Float) -> Lanes {
    guard isMoving else { return value }
    let difference = target - value
    value += difference * coefficient
    if (difference * difference).max() < 1e-10 { finish() }
    return value
  }
}

/// The settings of all bands.
struct BandSettings {
  var threshold = LaneGlide()  // dB
  var slope = LaneGlide()  // dB of reduction per dB above the threshold
  var gain = LaneGlide()  // dB
  var amount = LaneGlide()  // of reduction and gain, 0: bypassed
  var audible = LaneGlide()  // 0 or 1
  var attack = SIMD4<Double>.zero
  var release = SIMD4<Double>.zero

  /// Whether anything glides.
  var isMoving: Bool {
    @_noLocks
    get {
      threshold.isMoving || slope.isMoving || gain.isMoving || amount.isMoving || audible.isMoving
    }
  }

  @_noLocks
  mutating func finish() {
    threshold.finish()
    slope.finish()
    gain.finish()
    amount.finish()
    audible.finish()
  }
}

/// The values of all settings for one frame.
struct BandValues {
  let threshold: Lanes  // dB
  let slope: Lanes
  let amount: Lanes
  let gain: Lanes  // dB, as much of it as is used
  let loudness: Lanes  // linear gain of the output
  let halfKnee: Float  // dB
  let kneeScale: Float  // 1 / (2 knees)

  /// - Parameters:
  ///   - settings: their ramps advance by one frame.
  ///   - coefficient: the fraction of the remaining change in a frame.
  ///   - halfKnee: dB.
  ///   - output: linear.
  @_noLocks
  init(_ settings: inout BandSettings, coefficient: Float, halfKnee: Float, output: Float) {
    threshold = settings.threshold.next(coefficient)
    slope = settings.slope.next(coefficient)
    amount = settings.amount.next(coefficient)
    gain = settings.gain.next(coefficient) * amount
    loudness = settings.audible.next(coefficient) * output
    self.halfKnee = halfKnee
    kneeScale = 1 / (4 * halfKnee)
  }
}

/// Four envelopes and their reductions.
struct Dynamics {
  // As in `EnvelopeFollower`.
  private var heldReduction = SIMD4<Double>.zero
  private var smooth = SIMD4<Double>.zero
  /// The largest reduction of a block in dB, for the readouts.
  var maximumReduction = Lanes.zero
  /// Levels below this are not measured: -120 dB.
  private static let quietest: Float = 1e-6

  @_noLocks
  mutating func clear() { self = Dynamics() }

  /// Returns the reductions in dB for one frame, which do not depend on other frames.
  @_noLocks @inline(__always)
  static func wanted(_ bands: Bands, _ values: BandValues) -> Lanes {
    let peak = larger(
      larger(UnalignedSIMD.magnitude(bands.left), UnalignedSIMD.magnitude(bands.right)),
      Lanes(repeating: quietest))
    let over = Decibels.fastDecibels(peak) - values.threshold
    // The curve of `GainCurve`.
    let halfKnee = values.halfKnee
    let inside = larger(over + halfKnee, .zero)
      .replacing(with: Lanes(repeating: 2 * halfKnee), where: over .> halfKnee)
    let bent = inside * inside * values.kneeScale + larger(over - halfKnee, .zero)
    return values.slope * bent
  }

  /// The reductions in dB that come of them, frame by frame.
  @_noLocks @inline(__always)
  mutating func followed(
    _ wanted: Lanes, _ values: BandValues, attack: SIMD4<Double>, release: SIMD4<Double>
  ) -> Lanes {
    let used = follow(SIMD4<Double>(wanted), attack, release) * values.amount
    maximumReduction = Self.larger(maximumReduction, used)
    return used
  }

  /// The factors of one frame.
  @_noLocks @inline(__always)
  static func factors(_ reductions: Lanes, _ values: BandValues) -> Lanes {
    Decibels.fastAmplitude(values.gain - reductions) * values.loudness
  }

  @_noLocks @inline(__always)
  private mutating func follow(
    _ value: SIMD4<Double>, _ attack: SIMD4<Double>, _ release: SIMD4<Double>
  ) -> Lanes {
    let released = value + release * (heldReduction - value)
    let peak = released.replacing(with: value, where: value .> released)
    let next = peak + attack * (smooth - peak)
    heldReduction = SIMD4<Double>.zero.replacing(with: peak, where: peak .> 1e-6)
    smooth = SIMD4<Double>.zero.replacing(with: next, where: next .> 1e-6)
    return Lanes(smooth)
  }

  @_noLocks @inline(__always)
  private static func larger(_ a: Lanes, _ b: Lanes) -> Lanes {
    b.replacing(with: a, where: a .> b)
  }
}
