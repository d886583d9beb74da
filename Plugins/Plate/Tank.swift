// Tank.swift: the tank of the plate reverb. SPDX-License-Identifier: MIT
//
// Two halves feed each other. Each is a modulated all-pass, a delay, a low-pass, an all-pass and another
// delay; the output has seven taps per side from both. Structure, lengths and taps are those of J. Dattorro,
// Effect Design, Part 1: Reverberator and Other Filters (JAES 45 (9), 1997), tables 1 and 2, where they are
// frames at 29761 Hz; here they are the same times at every sample rate.

import ModuleABI
import ModuleKit

/// The rate that the paper counts in.
let paperRateHz = 29_761.0

/// One loop of the eight.
struct TankHalf {
  private(set) var diffuser: AllPass  // sways
  private(set) var long: DelayLine
  private(set) var inner: AllPass
  private(set) var short: DelayLine
  private var damped: Float = 0
  private let longDelay: Int  // frames before the newest
  private let shortDelay: Int

  /// - Parameters:
  ///   - lengths: the lengths of the diffuser, the long delay, the inner all-pass and the short
  ///     delay, in frames at the sample rate of the paper.
  ///   - scale: this sample rate divided by that of the paper.
  ///   - sway: the largest modulation of the diffuser's length, in frames.
  init(_ lengths: SIMD4<Double>, scale: Double, sway: Int) {
    func frames(_ length: Double) -> Int { max(5, Int(length * scale + 0.5)) }
    diffuser = AllPass(length: frames(lengths.x), sway: sway)
    long = DelayLine(maximumDelay: frames(lengths.y))
    inner = AllPass(length: frames(lengths.z))
    short = DelayLine(maximumDelay: frames(lengths.w))
    longDelay = frames(lengths.y) - 1
    shortDelay = frames(lengths.w) - 1
  }

  func free() {
    diffuser.free()
    long.free()
    inner.free()
    short.free()
  }

  @_noLocks
  mutating func clear() {
    diffuser.clear()
    long.clear()
    inner.clear()
    short.clear()
    damped = 0
  }

  /// Returns the output to the other half, before these four frames are written.
  @_noLocks
  @inline(__always)
  func leaving() -> SIMD4<Float> { short.four(delay: shortDelay + 1) }

  /// Writes the next four frames, of which `count`, 1 to 4, are valid; then taps can be read.
  @_noLocks
  @inline(__always)
  mutating func put(
    _ entering: SIMD4<Float>, _ tone: TankTone, sway: SIMD4<Float>, count: Int
  ) {
    let diffused = diffuser.next(entering, gain: -tone.firstDiffusion, sway: sway, count: count)
    let late = long.four(delay: longDelay + 1)
    long.put(diffused)
    // Frames after the last valid one are damped without effect.
    let first = damp(late.x, tone.pole.x, count > 0)
    let second = damp(late.y, tone.pole.y, count > 1)
    let third = damp(late.z, tone.pole.z, count > 2)
    let dark = SIMD4(first, second, third, damp(late.w, tone.pole.w, count > 3))
    short.put(inner.put(dark * tone.decay, gain: tone.secondDiffusion))
  }

  @_noLocks
  @inline(__always)
  private mutating func damp(_ late: Float, _ pole: Float, _ counts: Bool) -> Float {
    if counts { damped = SampleGuard.flushed(late + (damped - late) * pole) }
    return damped
  }

  /// Moves on by 1 to 4 frames.
  @_noLocks
  @inline(__always)
  mutating func advance(_ count: Int) {
    long.advance(count)
    inner.advance(count)
    short.advance(count)
  }
}

/// The processing of a half for four frames.
struct TankTone {
  var decay: SIMD4<Float>  // of each of the four delays, ratio
  var pole: SIMD4<Float>  // of the low-pass
  var firstDiffusion: SIMD4<Float>
  var secondDiffusion: SIMD4<Float>
}

/// The taps of a side, in frames before the newest.
struct Taps {
  private let longFar: SIMD2<Int32>
  private let longNear: Int32
  private let inner: SIMD2<Int32>
  private let short: SIMD2<Int32>
  private let framesPerSecond: Double
  // The gains of taps with decay within the lines: of the long delays far, far and near, then of the others
  // far and near.
  private var longLevels = SIMD4<Float>(repeating: 1)
  private var otherLevels = SIMD4<Float>(repeating: 1)

  /// Creates the taps of one output.
  ///
  /// Two taps of the other half's long delay, one of its inner all-pass, one of its short delay; then one tap
  /// of each of these three in the same half. All in frames at the rate of the paper.
  init(
    longFar: SIMD2<Double>, innerFar: Double, shortFar: Double, longNear: Double,
    innerNear: Double, shortNear: Double, scale: Double
  ) {
    func age(_ frames: Double) -> Int32 { Int32(max(0, Int(frames * scale + 0.5) - 1)) }
    self.longFar = SIMD2(age(longFar.x), age(longFar.y))
    self.longNear = age(longNear)
    inner = SIMD2(age(innerFar), age(innerNear))
    short = SIMD2(age(shortFar), age(shortNear))
    framesPerSecond = scale * paperRateHz
  }

  /// Sets the decay within the lines. [render]
  ///
  /// - Parameter fall: the reciprocal of the seconds for a decay by 60 dB; 0 for none.
  @_noLocks
  mutating func set(fall: Double) {
    @_noLocks
    func level(_ age: Int32) -> Float {
      Float(realtime_pow(10, -3 * Double(age) / framesPerSecond * fall))
    }
    longLevels = SIMD4(level(longFar.x), level(longFar.y), level(longNear), 1)
    otherLevels = SIMD4(level(inner.x), level(short.x), level(inner.y), level(short.y))
  }

  /// Returns the power of all taps, for noise of level 1 in the long delays.
  ///
  /// - Parameters:
  ///   - kept: the share of power after both decays before the inner all-pass.
  ///   - innerGain: the power gain within the inner all-pass.
  /// - Returns: linear.
  @_noLocks
  func power(kept: Double, innerGain: Double) -> Double {
    let longs = longLevels * longLevels
    let others = otherLevels * otherLevels
    let late = Double(others.y + others.w) + innerGain * Double(others.x + others.z)
    return Double(longs.x + longs.y + longs.z) + kept * late
  }

  @_noLocks
  @inline(__always)
  func output(far: TankHalf, near: TankHalf) -> SIMD4<Float> {
    let farSum =
      far.long.four(delay: Int(longFar.x)) * longLevels.x
      + far.long.four(delay: Int(longFar.y)) * longLevels.y
      - far.inner.four(age: Int(inner.x)) * otherLevels.x
      + far.short.four(delay: Int(short.x)) * otherLevels.y
    let nearSum =
      near.long.four(delay: Int(longNear)) * longLevels.z
      + near.inner.four(age: Int(inner.y)) * otherLevels.z
      + near.short.four(delay: Int(short.y)) * otherLevels.w
    return farSum - nearSum
  }
}

/// Computes the tank's decay from the parameters.
enum TankDesign {
  /// The mean time between two points where the decay is applied: a quarter of the loop.
  static let quarterSeconds = 21_589 / 4 / paperRateHz  // the sum of all eight lengths

  /// Returns the gain at each of the four points.
  @_noLocks
  static func decay(seconds: Double) -> Double { realtime_pow(10, -3 * quarterSeconds / seconds) }

  /// The low-pass's pole with which sounds of a frequency decay twice as fast.
  @_noLocks
  static func pole(decay: Double, dampingHz: Double, sampleRateHz: Double) -> Double {
    let turn = 2 * Double.pi * min(dampingHz, 0.48 * sampleRateHz) / sampleRateHz
    // It acts once in each half, where the decay acts twice.
    let loss = decay * decay * decay * decay
    let a = (1 - loss * realtime_cos(turn)) / (1 - loss)
    return a - realtime_sqrt(max(0, a * a - 1))
  }

  /// Returns the paper's first diffusion, reduced if the all-pass would ring longer than the plate.
  @_noLocks
  static func firstDiffusion(seconds: Double) -> Double {
    min(0.7, longestGain(908 / paperRateHz, seconds))
  }

  /// Returns the second diffusion by the paper's rule, with the same limit.
  @_noLocks
  static func secondDiffusion(decay: Double, seconds: Double) -> Double {
    min(min(max(decay + 0.15, 0.25), 0.5), longestGain(2_656 / paperRateHz, seconds))
  }

  /// The gain with which an all-pass rings for some seconds.
  @_noLocks
  private static func longestGain(_ lengthSeconds: Double, _ seconds: Double) -> Double {
    realtime_pow(10, -3 * lengthSeconds / seconds)
  }

  /// Returns the decay within the lines, for `Taps.set(fall:)`.
  ///
  /// A long plate decays only at four points, as in the paper. If the decay is shorter than the loop, it must
  /// also act within the lines.
  @_noLocks
  static func fall(seconds: Double) -> Double {
    min(max((1.2 - seconds) / 0.6, 0), 1) / seconds
  }

  /// Returns the level of a side in a steady state, for noise of level 1 into both halves.
  ///
  /// All-passes preserve power, and taps are far apart, so powers add up: three taps before the decay, two
  /// after it, and two inside an all-pass, where the power is higher.
  @_noLocks
  static func level(decay: Double, seconds: Double, _ left: Taps, _ right: Taps) -> Double {
    let d2 = decay * decay
    let g = secondDiffusion(decay: decay, seconds: seconds)
    let innerGain = 1 / (1 - g * g)
    let power =
      left.power(kept: d2, innerGain: innerGain) + right.power(kept: d2, innerGain: innerGain)
    return realtime_sqrt(0.5 * power / (1 - d2 * d2))
  }
}
