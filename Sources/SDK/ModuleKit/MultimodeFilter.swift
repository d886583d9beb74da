// MultimodeFilter.swift: a stereo filter with low, band and high output. SPDX-License-Identifier: MIT

import ModuleABI

/// The coefficients of a second-order filter with three outputs.
///
/// The trapezoidal state-variable filter of `FilterCoefficients` with separate outputs.
/// With g the tangent of half the cutoff and k the reciprocal of the resonance,
/// `low + k band + high` is the input, to the rounding.
public struct MultimodeCoefficients: Equatable {
  /// The reciprocal of the resonance.
  public private(set) var k: Double
  private var g: Double
  private var a1: Double

  /// - Parameters:
  ///   - cutoffHz: taken as at most 0.49 of the rate.
  ///   - q: the resonance, above 0; 0.7071 is Butterworth's.
  ///   - sampleRateHz: above 0.
  @_noLocks
  public init(cutoffHz: Double, q: Double, sampleRateHz: Double) {
    g = realtime_tan(Double.pi * min(cutoffHz / sampleRateHz, 0.49))
    k = 1 / q
    a1 = 1 / (1 + g * (g + k))
  }

  /// Filters one frame of two channels.
  @_noLocks @inline(__always)
  public func step(_ x: SIMD2<Double>, _ state: inout MultimodeState) -> MultimodeOutputs {
    // The band is 1 / k at the cutoff: that of the integrator, without scaling.
    let high = (x - state.s1 * (g + k) - state.s2) * a1
    let band = high * g + state.s1
    let low = band * g + state.s2
    state.s1 = Self.flushed(band + high * g)
    state.s2 = Self.flushed(low + band * g)
    return MultimodeOutputs(low: low, band: band, high: high)
  }

  /// Replaces denormals and invalid samples in the filter state by 0.
  @_noLocks @inline(__always)
  private static func flushed(_ memory: SIMD2<Double>) -> SIMD2<Double> {
    let size = memory.replacing(with: -memory, where: memory .< 0)
    return SIMD2<Double>.zero.replacing(
      with: memory, where: (size .>= 1e-15) .& (size .<= 1e15))
  }
}

/// The state of a stereo `MultimodeCoefficients` filter: two integrators.
public struct MultimodeState {
  fileprivate var s1 = SIMD2<Double>()
  fileprivate var s2 = SIMD2<Double>()

  /// Creates a silent state.
  @_noLocks @inline(__always)
  public init() {}
}

/// One frame of each output.
public struct MultimodeOutputs {
  /// The part below the cutoff.
  public let low: SIMD2<Double>
  /// The part around the cutoff, with a gain of `1 / k` there.
  public let band: SIMD2<Double>
  /// The part above the cutoff.
  public let high: SIMD2<Double>
}
