// DelayLine.swift: a delay line with interpolation. SPDX-License-Identifier: MIT

import ModuleABI

/// A delay line for one channel.
///
/// The owner allocates and frees it.
///
/// Delays are in frames; 0 is the newest sample. The length is a power of two. The first samples are repeated
/// after the last, so that neighbours are one load. For four frames at once see `DelayLine+SIMD.swift`.
public struct DelayLine {
  /// The number of samples repeated after the last: four neighbours of each of four frames.
  static var mirrorLength: Int { @_noLocks @inline(__always) get { 8 } }
  let samples: UnsafeMutablePointer<Float>
  let mask: Int
  var newest: Int

  /// Allocates memory for delays up to `maximumDelay` frames, filled with silence. [main]
  public init(maximumDelay: Int) {
    var length = 16
    while length < maximumDelay + Self.mirrorLength { length *= 2 }
    samples = .allocate(capacity: length + Self.mirrorLength)
    mask = length - 1
    newest = mask
    clear()
  }

  /// Frees the memory.
  ///
  /// Do not use the line afterwards. [main]
  public func free() { samples.deallocate() }

  /// Clears all samples. [render]
  @_noLocks
  public func clear() { samples.update(repeating: 0, count: mask + 1 + Self.mirrorLength) }

  /// Writes the next frame. [render]
  @_noLocks
  @inline(__always)
  public mutating func write(_ sample: Float) {
    newest = (newest + 1) & mask
    samples[newest] = sample
    if newest < Self.mirrorLength { samples[mask + 1 + newest] = sample }
  }

  /// The sample of a whole age, 0 to the maximum. [render]
  @_noLocks
  @inline(__always)
  public func read(delay: Int) -> Float { samples[(newest - delay) & mask] }

  /// Returns the signal at the age `delay + excess`, by cubic interpolation of four samples. [render]
  ///
  /// An integer age gives exactly the sample. The sum of both parameters must be at least 1 and at
  /// most 2 below the maximum. They are separate, because a Float is not precise enough for an age
  /// of seconds.
  @_noLocks
  @inline(__always)
  public func read(delay: Int, excess: Float) -> Float {
    let split = SplitDelay(excess)
    return read(delay: delay + split.whole, fraction: split.fraction)
  }

  /// Returns the signal at any age from 0 to 2 below the maximum, in double precision, which sweeps
  /// need. [render]
  ///
  /// An integer age gives exactly the sample. Below 1 the cubic interpolation would need future
  /// samples, so linear interpolation is used.
  @_noLocks
  @inline(__always)
  public func read(delay: Double) -> Float {
    let whole = Int(delay)
    let fraction = Float(delay - Double(whole))
    guard whole > 0 else { return read(delay: 0) * (1 - fraction) + read(delay: 1) * fraction }
    return read(delay: whole, fraction: fraction)
  }

  /// The signal at `delay + fraction`, fraction from 0 to 1. [render]
  @_noLocks
  @inline(__always)
  public func read(delay: Int, fraction: Float) -> Float {
    let start = (newest - delay - 2) & mask
    let taps = UnsafeRawPointer(samples + start).loadUnaligned(as: SIMD4<Float>.self)
    let product = taps * Cubic.weights(fraction)
    return (product.x + product.w) + (product.y + product.z)
  }
}

/// Third-order Lagrange interpolation (Laakso et al., Splitting the Unit Delay, 1996).
///
/// The gain between the middle samples is never above 1, so it is safe in a feedback loop.
public enum Cubic {
  /// Weights of the samples with the delays n+2, n+1, n, n-1 for the signal at n + `fraction`.
  @_noLocks
  @inline(__always)
  public static func weights(_ fraction: Float) -> SIMD4<Float> {
    let sixth: Float = 1 / 6
    let cubic = SIMD4<Float>(sixth, -0.5, 0.5, -sixth)
    let square = SIMD4<Float>(0, 0.5, -1, 0.5)
    let linear = SIMD4<Float>(-sixth, 1, -0.5, -2 * sixth)
    let constant = SIMD4<Float>(0, 0, 1, 0)
    return ((cubic * fraction + square) * fraction + linear) * fraction + constant
  }

  /// Returns four signals at separate fractions: the parameters are the samples at n+2, n+1, n and
  /// n-1 of each.
  ///
  /// It is the same polynomial as products; fractions of 0 and 1 still give exactly the sample.
  @_noLocks
  @inline(__always)
  public static func blend(_ taps: Float4x4, _ fractions: SIMD4<Float>) -> SIMD4<Float> {
    let (next, before, second) = (fractions + 1, fractions - 1, fractions - 2)
    let outer = fractions * next * -0.5
    let inner = before * second * 0.5
    let far = (outer * before) * taps.a + (fractions * inner) * taps.d
    return (outer * second) * taps.b + (next * inner) * taps.c + far * (-1 / 3 as Float)
  }
}

/// A number split into its integer part and fraction.
public struct SplitDelay {
  /// The largest integer not above the number; for an integer sometimes the one before.
  public let whole: Int
  /// The fraction, 0 to 1, both included.
  public let fraction: Float

  /// - Parameter value: below four million in magnitude.
  @_noLocks
  @inline(__always)
  public init(_ value: Float) {
    // Adding 1.5 * 2^23 leaves no bits for a fraction: the processor rounds, without libm.
    let magic: Float = 12_582_912
    let rounded = (value - 0.5) + magic
    whole = Int(rounded.bitPattern) - Int(magic.bitPattern)
    fraction = value - (rounded - magic)
  }

  /// Splits a number that is never negative, with fewer instructions.
  ///
  /// The fraction is below 1.
  ///
  /// - Parameter value: 0 to four million.
  @_noLocks
  @inline(__always)
  public init(notNegative value: Float) {
    let below = realtime_truncated(value)
    whole = Int(below)
    fraction = value - Float(below)
  }
}

/// A delay in frames that moves to its target like a tape machine that changes speed.
public struct GlidingDelay {
  /// The target in frames.
  public private(set) var delay: Int
  /// The remaining distance in frames.
  public private(set) var excess: Float = 0
  private let remaining: Float

  /// - Parameters:
  ///   - delay: the age at the start.
  ///   - timeConstantSeconds: the time for 63 % of a change.
  ///   - sampleRateHz: above 0.
  public init(_ delay: Int, timeConstantSeconds: Float, sampleRateHz: Float) {
    self.delay = delay
    remaining = Float(
      realtime_exp(-1 / Double(timeConstantSeconds * sampleRateHz)))
  }

  /// Sets the target.
  @_noLocks
  @inline(__always)
  public mutating func move(to newDelay: Int) {
    excess += Float(delay - newDelay)
    delay = newDelay
  }

  /// Jumps to the target.
  @_noLocks
  @inline(__always)
  public mutating func jump(to newDelay: Int) {
    excess = 0
    delay = newDelay
  }

  /// Advances by one frame.
  @_noLocks
  @inline(__always)
  public mutating func advance() {
    excess = abs(excess) < 1e-4 ? 0 : excess * remaining
  }

  /// Advances by 1 to 4 frames and returns the remaining distance at each.
  @_noLocks
  @inline(__always)
  public mutating func advance(_ count: Int) -> SIMD4<Float> {
    if excess == 0 { return .zero }
    var excesses = SIMD4<Float>.zero
    for frame in 0 ..< count {
      advance()
      excesses[frame] = excess
    }
    return excesses
  }
}
