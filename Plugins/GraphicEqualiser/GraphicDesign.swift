// GraphicDesign.swift: filters whose total response follows the sliders. SPDX-License-Identifier: MIT
//
// A bell also affects its neighbours, so the sum of 31 bells with the gains of the sliders would be much
// higher than the sliders. After V. Välimäki and J. Liski, "Accurate Cascade Graphic Equalizer", IEEE Signal
// Process. Lett. 24 (2), 2017, and "The Quest for the Best Graphic Equalizer", DAFx-17: each bell has a fixed
// fraction of its gain, in dB, at the centres of its neighbours. The effect of each bell on all others is a
// matrix, whose least squares solution gives the gains of the filters from those of the sliders, at the
// centres and half way between them. The paper recomputes the matrix for the resulting gains. Here the
// remaining error is passed through the same solution three times, which needs no other matrix and is as
// exact.

import ModuleABI
import ModuleKit

/// A bell: `((φ - s)² + G² β² φ(1 - φ)) / ((φ - s)² + β² φ(1 - φ))` is its power, where φ = sin²(w / 2) and s
/// is the φ of its centre.
private struct Bell {
  var gain: Double  // G, linear
  var breadth: Double  // β
}

/// The design for one sample rate; made once, used for every move of a slider.
struct GraphicDesign {
  static let sliderCount = 31
  /// The share of a bell's gain, in dB, that it has at its neighbours' centres.
  private static let neighbourFraction = 0.4
  /// The weight of errors between the centres, relative to those at the centres.
  private static let betweenWeight = 0.25
  private static let iterations = 3
  private static let prototypeDecibels = 10.0
  private static let maximumDecibels = 36.0

  /// The number of sliders within the range of the sample rate, from the lowest.
  let bandCount: Int
  private let pointCount: Int  // centres and points between them
  private let positions: UnsafeMutablePointer<Double>  // φ of each point
  private let tangents: UnsafeMutablePointer<Double>  // of half the bandwidth, of each band
  private let solution: UnsafeMutablePointer<Double>  // an array of points for each band
  private let rest: UnsafeMutablePointer<Double>  // the remaining error of each point, dB
  private let gains: UnsafeMutablePointer<Double>  // of each band's filter, dB

  /// The exact centre of a slider: thirds of octaves around 1 kHz.
  static func centreHz(_ slider: Int) -> Double {
    1_000 * realtime_pow(2, Double(slider - 17) / 3)
  }

  /// Takes memory. [main]
  init(sampleRateHz: Double) {
    var count = 1
    while count < Self.sliderCount, Self.centreHz(count) < 0.475 * sampleRateHz { count += 1 }
    bandCount = count
    pointCount = 2 * count - 1
    positions = .allocate(capacity: pointCount)
    tangents = .allocate(capacity: count)
    solution = .allocate(capacity: count * pointCount)
    rest = .allocate(capacity: pointCount)
    gains = .allocate(capacity: count)
    for point in 0 ..< pointCount {
      let octaves = Double(point - 34) / 6
      let sine = realtime_sin(Double.pi * 1_000 * realtime_pow(2, octaves) / sampleRateHz)
      positions[point] = sine * sine
    }
    let spread = realtime_pow(2, 1 / 3.0) - realtime_pow(2, -1 / 3.0)
    for band in 0 ..< count {
      let width = min(Self.centreHz(band) * spread / sampleRateHz, 0.45)
      tangents[band] = realtime_tan(Double.pi * width)
    }
    solve()
  }

  /// Frees the memory. [main]
  func free() {
    positions.deallocate()
    tangents.deallocate()
    solution.deallocate()
    rest.deallocate()
    gains.deallocate()
  }

  // MARK: - Once

  @_noLocks
  private func weight(_ point: Int) -> Double { point % 2 == 0 ? 1 : Self.betweenWeight }

  /// Fills in the weighted least squares solution for the prototype's interaction matrix.
  private func solve() {
    let (n, m) = (bandCount, pointCount)
    let reach = UnsafeMutablePointer<Double>.allocate(capacity: m * n)
    let normal = UnsafeMutablePointer<Double>.allocate(capacity: n * n)
    for band in 0 ..< n {
      let bell = bell(band, decibels: Self.prototypeDecibels)
      for point in 0 ..< m {
        let level = 10 * log10(power(bell, band, point))
        reach[band * m + point] = level / Self.prototypeDecibels
        solution[band * m + point] = reach[band * m + point] * weight(point)
      }
    }
    for row in 0 ..< n {
      for column in 0 ..< n {
        var sum = 0.0
        for point in 0 ..< m { sum += solution[row * m + point] * reach[column * m + point] }
        normal[row * n + column] = sum
      }
    }
    eliminate(normal)
    reach.deallocate()
    normal.deallocate()
  }

  /// Solves the equations by Gauss-Jordan elimination, without pivots: the matrix is positive
  /// definite.
  private func eliminate(_ normal: UnsafeMutablePointer<Double>) {
    let (n, m) = (bandCount, pointCount)
    for pivot in 0 ..< n {
      let scale = 1 / normal[pivot * n + pivot]
      for column in 0 ..< n { normal[pivot * n + column] *= scale }
      for point in 0 ..< m { solution[pivot * m + point] *= scale }
      for row in 0 ..< n where row != pivot {
        let factor = normal[row * n + pivot]
        for column in 0 ..< n { normal[row * n + column] -= factor * normal[pivot * n + column] }
        for point in 0 ..< m { solution[row * m + point] -= factor * solution[pivot * m + point] }
      }
    }
  }

  // MARK: - For every move

  /// Designs a bell whose gain in dB at its neighbours' centres is a fixed fraction of that at its centre.
  @_noLocks
  private func bell(_ band: Int, decibels: Double) -> Bell {
    // The width has a limit as the gain approaches 0.
    let clampedDecibels = abs(decibels) < 1e-3 ? 1e-3 : decibels
    let power = realtime_pow(10, clampedDecibels / 10)
    let edge = realtime_pow(10, Self.neighbourFraction * clampedDecibels / 10)
    let breadth = realtime_sqrt((edge - 1) / (power - edge)) * tangents[band]
    return Bell(gain: realtime_pow(10, decibels / 20), breadth: breadth)
  }

  @_noLocks
  private func power(_ bell: Bell, _ band: Int, _ point: Int) -> Double {
    let position = positions[point]
    let far = (position - positions[2 * band]) * (position - positions[2 * band])
    let arch = bell.breadth * bell.breadth * position * (1 - position)
    return (far + bell.gain * bell.gain * arch) / (far + arch)
  }

  /// Finds the gains of all filters for the sliders. [render]
  ///
  /// - Parameter sliders: dB, `sliderCount` of them.
  @_noLocks
  func design(_ sliders: UnsafePointer<Float>) {
    for band in 0 ..< bandCount { gains[band] = 0 }
    setRest(sliders)
    correct()
    for _ in 0 ..< Self.iterations {
      setRest(sliders)
      subtractResponse()
      correct()
    }
  }

  /// Writes a filter of the last `design`; returns whether it is flat. [render]
  @_noLocks
  func filter(_ band: Int) -> (coefficients: FilterCoefficients, isFlat: Bool) {
    let bell = bell(band, decibels: gains[band])
    let cosine = 1 - 2 * positions[2 * band]
    let scale = 1 / (1 + bell.breadth)
    let turned = -2 * cosine * scale
    let coefficients = FilterCoefficients(
      b0: (1 + bell.gain * bell.breadth) * scale, b1: turned,
      b2: (1 - bell.gain * bell.breadth) * scale, a1: turned, a2: (1 - bell.breadth) * scale)
    // All filters that are omitted together are inaudible.
    let isFlat = abs(gains[band]) < 0.002
    return (isFlat ? coefficients.bypassed() : coefficients, isFlat)
  }

  /// Computes the wanted gains: at the centres, and half way between two of them their mean.
  @_noLocks
  private func setRest(_ sliders: UnsafePointer<Float>) {
    for point in 0 ..< pointCount {
      let (below, above) = (sliders[point / 2], sliders[(point + 1) / 2])
      rest[point] = Double(below + above) / 2
    }
  }

  @_noLocks
  private func subtractResponse() {
    for band in 0 ..< bandCount {
      let bell = bell(band, decibels: gains[band])
      for point in 0 ..< pointCount {
        // Half, since it is a power.
        rest[point] -= 0.5 * Double(Decibels.fastDecibels(Float(power(bell, band, point))))
      }
    }
  }

  /// Adds the solution for the remaining error.
  @_noLocks
  private func correct() {
    for band in 0 ..< bandCount {
      var sum = 0.0
      for point in 0 ..< pointCount { sum += solution[band * pointCount + point] * rest[point] }
      gains[band] = min(max(gains[band] + sum, -Self.maximumDecibels), Self.maximumDecibels)
    }
  }
}
