// FilterBand.swift: the response of an equaliser. SPDX-License-Identifier: MIT

import Glibc

/// A band of the parametric equaliser.
///
/// Its digital filters follow the analogue response (R. Bristow-Johnson, "Cookbook formulae for audio equalizer biquad
/// filter coefficients"), so the curve is that of the analogue filter. `WebPage/plots.js` draws the same bands.
struct FilterBand: Equatable, Sendable {
  /// The kinds of band, in the order of the plugin's choices.
  enum Kind: Int, Sendable {
    case off, bell, lowShelf, highShelf, highPass, lowPass, bandPass, notch

    /// Whether the band has a gain.
    var hasGain: Bool { self == .bell || self == .lowShelf || self == .highShelf }
  }

  var number: Int
  var kind: Kind
  var hertz: Double
  var gain: Double
  var q: Double

  /// Reads the bands from the values of a node; none for other plugins.
  static func bands(_ values: [String: Double]) -> [FilterBand] {
    var bands: [FilterBand] = []
    while let type = values["band_\(bands.count + 1)_type"],
      let hertz = values["band_\(bands.count + 1)_frequency"],
      let gain = values["band_\(bands.count + 1)_gain"],
      let q = values["band_\(bands.count + 1)_q"]
    {
      let kind = Kind(rawValue: Int(min(7, max(0, type)).rounded())) ?? .off
      bands.append(.init(number: bands.count + 1, kind: kind, hertz: hertz, gain: gain, q: q))
    }
    return bands
  }

  /// The gain in dB at a frequency in Hz.
  func decibels(at frequency: Double) -> Double {
    let w = frequency / hertz
    let a = pow(10, gain / 40)
    let root = a.squareRoot() / q
    /// The power of `x s² + y s + z` at `s = i w`.
    func power(_ x: Double, _ y: Double, _ z: Double) -> Double {
      (z - x * w * w) * (z - x * w * w) + y * y * w * w
    }
    let (above, below) =
      switch kind {
      case .off: (1.0, 1.0)
      case .bell: (power(1, a / q, 1), power(1, 1 / (a * q), 1))
      case .lowShelf: (power(a, a * root, a * a), power(a, root, 1))
      case .highShelf: (power(a * a, a * root, a), power(1, root, a))
      case .highPass: (power(1, 0, 0), power(1, 1 / q, 1))
      case .lowPass: (power(0, 0, 1), power(1, 1 / q, 1))
      case .bandPass: (power(0, 1 / q, 0), power(1, 1 / q, 1))
      case .notch: (power(1, 0, 1), power(1, 1 / q, 1))
      }
    return 10 * log10(max(1e-12, above / below))
  }
}
