// BandFilter.swift: a third-octave filter. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// A Butterworth band-pass of the sixth order on two channels, and the power of its output.
///
/// Each pole of the third-order low-pass becomes a pair around the centre, as three state-variable filters
/// whose gain at the centre is 1 (IEC 61260-1, class 1).
struct BandFilter {
  /// The mean of both channels' squares, smoothed.
  private(set) var power = 0.0
  private var first: FilterCoefficients
  private var second: FilterCoefficients
  private var third: FilterCoefficients
  private var firstState = FilterState()
  private var secondState = FilterState()
  private var thirdState = FilterState()
  private let rateHz: Double
  private var smoothing = 0.0

  /// Half a third of an octave, to base ten.
  static let edgeRatio = 1.122_018_454_301_963

  /// - Parameters:
  ///   - centreHz: its upper edge, 12 % above it, is below half the sample rate.
  ///   - rateHz: the sample rate of the input.
  init(centreHz: Double, rateHz: Double) {
    self.rateHz = rateHz
    let low = realtime_tan(Double.pi * centreHz / Self.edgeRatio / rateHz)
    let high = realtime_tan(Double.pi * centreHz * Self.edgeRatio / rateHz)
    let centre = realtime_tan(Double.pi * centreHz / rateHz)
    // The geometric mean of the edges; the middle of the band differs slightly after warping.
    let middle = realtime_sqrt(low * high)
    let width = high - low
    // From the real pole -1 one pair of poles, from the complex ones two.
    first = Self.section(real: -width / 2, magnitude: middle, at: centre)
    let (upper, lower) = Self.poles(
      real: -0.5 * width, imaginary: 0.866_025_403_784_438_6 * width, middle)
    second = Self.section(real: upper.real, magnitude: upper.magnitude, at: centre)
    third = Self.section(real: lower.real, magnitude: lower.magnitude, at: centre)
  }

  /// The two solutions of s² - p s + m² = 0 for a complex p.
  private static func poles(
    real: Double, imaginary: Double, _ middle: Double
  ) -> ((real: Double, magnitude: Double), (real: Double, magnitude: Double)) {
    let squareReal = real * real - imaginary * imaginary - 4 * middle * middle
    let squareImaginary = 2 * real * imaginary
    let size = realtime_sqrt(squareReal * squareReal + squareImaginary * squareImaginary)
    let rootReal = realtime_sqrt(max(0, (size + squareReal) / 2))
    let rootImaginary =
      realtime_sqrt(max(0, (size - squareReal) / 2)) * (squareImaginary < 0 ? -1 : 1)
    func pole(_ sign: Double) -> (real: Double, magnitude: Double) {
      let x = (real + sign * rootReal) / 2
      let y = (imaginary + sign * rootImaginary) / 2
      return (x, realtime_sqrt(x * x + y * y))
    }
    return (pole(1), pole(-1))
  }

  /// A band-pass with a pair of poles, whose gain at a frequency is 1.
  private static func section(
    real: Double, magnitude: Double, at centre: Double
  ) -> FilterCoefficients {
    let k = -2 * real / magnitude
    let ratio = centre / magnitude
    let gain =
      realtime_sqrt((1 - ratio * ratio) * (1 - ratio * ratio) + k * k * ratio * ratio) / ratio
    return FilterCoefficients(g: magnitude, k: k, high: 0, band: gain, low: 0)
  }

  @_noLocks
  mutating func clear() {
    power = 0
    firstState = FilterState()
    secondState = FilterState()
    thirdState = FilterState()
  }

  /// Sets the time in which the measured power reaches 63 % of a step.
  @_noLocks
  mutating func set(seconds: Double) { smoothing = 1 - realtime_exp(-1 / (seconds * rateHz)) }

  /// Takes a run of frames.
  @_noLocks
  mutating func take(_ frames: UnsafePointer<SIMD2<Float>>, _ count: Int) {
    var (one, two, three) = (firstState, secondState, thirdState)
    var sum = power
    for frame in 0 ..< count {
      var x = first.step(SIMD2<Double>(frames[frame]), &one)
      x = second.step(x, &two)
      x = third.step(x, &three)
      let square = x * x
      sum += (0.5 * (square.x + square.y) - sum) * smoothing
    }
    (firstState, secondState, thirdState) = (one, two, three)
    // Silence ends here, not in denormals.
    power = sum > 1e-18 ? sum : 0
  }
}
