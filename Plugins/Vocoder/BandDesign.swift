// BandDesign.swift: the frequencies of the bands, and their filters. SPDX-License-Identifier: MIT

import ModuleABI
import ModuleKit

/// The number of second-order sections of a band: eighth-order Butterworth.
let sectionCount = 4

/// A section of four bands: the trapezoidal state-variable filter, its band-pass.
struct Section {
  var a1 = SIMD4<Float>(repeating: 1)
  var a2 = SIMD4<Float>.zero
  var double = SIMD4<Float>.zero  // twice the tangent of half the cutoff

  /// One frame of four bands.
  @_noLocks
  @inline(__always)
  func step(_ x: SIMD4<Float>, _ state: inout SectionState) -> SIMD4<Float> {
    let band = a1 * state.band + a2 * (x - state.low)
    state.band = band + band - state.band
    state.low += double * band
    return band
  }

  /// Returns the level of the result of `step`, without the ripple of a rectifier.
  ///
  /// The filter's band and low outputs are a quarter turn apart, like sine and cosine.
  @_noLocks
  @inline(__always)
  func size(_ band: SIMD4<Float>, _ state: SectionState) -> SIMD4<Float> {
    let low = state.low - double * 0.5 * band
    return realtime_sqrt4(band * band + low * low)
  }
}

/// The state of a section: its two integrators.
struct SectionState {
  var band = SIMD4<Float>.zero
  var low = SIMD4<Float>.zero
}

/// The frequencies of the bands, whose distance in octaves is their width.
struct Layout: Equatable {
  var lowOctaves: Float = 7  // the lowest edge, above 1 Hz
  var highOctaves: Float = 13  // the highest edge
  var shift: Float = 0  // octaves, of the carrier's bands
  var count = 16

  /// The width of a band.
  var octaves: Float { (highOctaves - lowOctaves) / Float(count) }

  /// The lower edge of a band, which is the upper one of the band before, in Hz.
  @_noLocks
  func edgeHz(_ band: Int, shift: Float) -> Double {
    realtime_pow(2, Double(lowOctaves + octaves * Float(band) + shift))
  }
}

/// The four sections of a band, as values of a `Section`, and the gain that makes its centre 1.
struct BandDesign {
  private(set) var a1 = SIMD4<Float>(repeating: 1)
  private(set) var a2 = SIMD4<Float>.zero
  private(set) var double = SIMD4<Float>.zero
  private(set) var gain: Float = 0

  /// Designs a band between two -3 dB frequencies; silent if both exceed the sample rate's range.
  ///
  /// A fourth-order Butterworth low-pass is transformed to a band-pass with its edges at the tangents of half
  /// the angles (the bilinear transform, prewarped): each pair of its poles gives two sections.
  @_noLocks
  init(fromHz: Double, toHz: Double, sampleRateHz: Double) {
    let lowest = fromHz / sampleRateHz
    guard lowest < 0.47 else { return }
    let from = realtime_tan(.pi * lowest)
    let to = realtime_tan(.pi * min(toHz / sampleRateHz, 0.49))
    let width = to - from
    var product = 1.0
    for pair in 0 ..< 2 {
      let angle = Double.pi * (pair == 0 ? 0.625 : 0.875)
      let pole = Complex(realtime_cos(angle), realtime_sin(angle)) * width
      let spread = (pole * pole - Complex(4 * from * to, 0)).root()
      for side in 0 ..< 2 {
        let shifted = (pole + spread * (side == 0 ? 1 : -1)) * 0.5
        let g = realtime_sqrt(shifted.power)
        // The damping times g is minus twice the real part.
        let a = 1 / (1 + shifted.power - 2 * shifted.real)
        let section = 2 * pair + side
        a1[section] = Float(a)
        a2[section] = Float(g * a)
        double[section] = Float(2 * g)
        product *= width / g
      }
    }
    gain = Float(product)
  }
}

/// A complex number with the operations that poles need.
private struct Complex {
  var real: Double
  var imaginary: Double

  @_noLocks
  init(_ real: Double, _ imaginary: Double) {
    self.real = real
    self.imaginary = imaginary
  }

  var power: Double { real * real + imaginary * imaginary }

  @_noLocks
  static func + (one: Complex, other: Complex) -> Complex {
    Complex(one.real + other.real, one.imaginary + other.imaginary)
  }

  @_noLocks
  static func - (one: Complex, other: Complex) -> Complex {
    Complex(one.real - other.real, one.imaginary - other.imaginary)
  }

  @_noLocks
  static func * (one: Complex, other: Complex) -> Complex {
    Complex(
      one.real * other.real - one.imaginary * other.imaginary,
      one.real * other.imaginary + one.imaginary * other.real)
  }

  @_noLocks
  static func * (one: Complex, factor: Double) -> Complex {
    Complex(one.real * factor, one.imaginary * factor)
  }

  /// The root with a real part of 0 or more.
  @_noLocks
  func root() -> Complex {
    let size = realtime_sqrt(power)
    let across = realtime_sqrt(max((size - real) * 0.5, 0))
    return Complex(realtime_sqrt(max((size + real) * 0.5, 0)), imaginary < 0 ? -across : across)
  }
}
