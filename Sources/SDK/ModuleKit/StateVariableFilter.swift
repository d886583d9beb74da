// StateVariableFilter.swift: second-order filters that are safe to modulate. SPDX-License-Identifier: MIT

import ModuleABI

/// The coefficients of a second-order filter in the coordinates of a state-variable filter.
///
/// The topology is the trapezoidal state-variable filter (V. Zavalishin, "The Art of VA Filter
/// Design", 2012; A. Simper, "Linear Trapezoidal Integrated SVF", 2013), with its two integrators
/// combined into one step: `s' = A s + b x`, `y = c s + d x`, with
///
///     A = [ p  -q ]   b = [ q ]
///         [ q 1-r ]       [ r ]
///
/// A is the Cayley transform of a passive circuit, so its norm is at most 1 for every cutoff and
/// resonance, and so is the norm of any mean of two such matrices. So coefficients may be blended
/// linearly, at any speed, and the filter stays stable and never rings louder than before.
public struct FilterCoefficients: Equatable {
  // u is 1 - r, stored because the loop has no time to subtract.
  private var p = -1.0
  private var q = 0.0
  private var r = 2.0
  private var u = -1.0
  private var c1 = 0.0
  private var c2 = 0.0
  private var d = 1.0

  /// Coefficients that pass every bit unchanged.
  @_noLocks @inline(__always)
  public init() {}

  /// - Parameters:
  ///   - g: the tangent of half the cutoff in radians per frame, above 0.
  ///   - k: the reciprocal of the resonance, above 0.
  ///   - high: the amount of high-pass in the output; it is the gain at half the sample rate.
  ///   - band: the amount of band-pass, whose gain at the cutoff is 1 / k.
  ///   - low: the amount of low-pass; it is the gain at 0 Hz.
  @_noLocks
  public init(g: Double, k: Double, high: Double, band: Double, low: Double) {
    let a1 = 1 / (1 + g * (g + k))
    let a2 = g * a1
    let a3 = g * a2
    let m1 = band - high * k
    let m2 = low - high
    p = 2 * a1 - 1
    q = 2 * a2
    r = 2 * a3
    u = 1 - r
    d = high + m1 * a2 + m2 * a3
    c1 = m1 * a1 + m2 * a2
    c2 = m2 * (1 - a3) - m1 * a2
  }

  /// Creates a filter with the transfer function `(b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²)`.
  ///
  /// Every stable denominator has a cutoff and resonance: from `z = 1` and `z = -1` follow
  /// `g² = (1 + a1 + a2) / (1 - a1 + a2)` and `g k = 2 (1 - a2) / (1 - a1 + a2)`.
  @_noLocks
  public init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    let atZero = 1 + a1 + a2
    let atNyquist = 1 - a1 + a2
    let g = realtime_sqrt(atZero / atNyquist)
    self.init(
      g: g, k: 2 * (1 - a2) / (g * atNyquist), high: (b0 - b1 + b2) / atNyquist,
      band: 2 * (b0 - b2) / (g * atNyquist), low: (b0 + b1 + b2) / atZero)
  }

  /// Returns the same poles with an output that passes the signal unchanged.
  @_noLocks @inline(__always)
  public func bypassed() -> FilterCoefficients {
    var copy = self
    copy.c1 = 0
    copy.c2 = 0
    copy.d = 1
    return copy
  }

  /// Blends a fraction, 0 to 1, towards other coefficients.
  @_noLocks @inline(__always)
  public mutating func approach(_ target: FilterCoefficients, by fraction: Double) {
    p += (target.p - p) * fraction
    q += (target.q - q) * fraction
    r += (target.r - r) * fraction
    u += (target.u - u) * fraction
    c1 += (target.c1 - c1) * fraction
    c2 += (target.c2 - c2) * fraction
    d += (target.d - d) * fraction
  }

  /// Filters one frame of two channels.
  @_noLocks @inline(__always)
  public func step(_ x: SIMD2<Double>, _ state: inout FilterState) -> SIMD2<Double> {
    let s1 = state.s1
    let s2 = state.s2
    // This order minimises the dependency between the integrators.
    state.s1 = (q * x - q * s2) + p * s1
    state.s2 = (r * x + q * s1) + u * s2
    return d * x + (c1 * s1 + c2 * s2)
  }
}

/// The state of a stereo second-order filter: two integrators.
///
/// Double precision has no extra cost here, because two doubles fill a register that two floats
/// would leave half empty. It keeps the filter's own noise below -250 dB even at 20 Hz.
public struct FilterState {
  fileprivate var s1 = SIMD2<Double>()
  fileprivate var s2 = SIMD2<Double>()

  /// Creates a silent state.
  @_noLocks @inline(__always)
  public init() {}
}
