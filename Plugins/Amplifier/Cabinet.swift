// Cabinet.swift: the response of a guitar loudspeaker. SPDX-License-Identifier: MIT
//
// Few parts of a real cabinet's response are typical: no output below the resonance, the resonance, a dip
// where box and cone edge interact, a rise where the cone breaks up, and a steep fall above. Each is a
// second-order filter. For a certain cabinet, use its impulse response with the Convolver.

import ModuleABI
import ModuleKit

/// The kinds, numbered as in the manifest.
enum CabinetKind: Int {
  case off
  case open
  case closed
  case small
}

/// One filter of a cabinet.
private enum Part {
  case highPass(hertz: Double, q: Double)
  case lowPass(hertz: Double, q: Double)
  case bell(hertz: Double, q: Double, decibels: Double)
}

/// Seven filters in series.
enum Cabinet {
  static let partCount = 7

  /// Sets all filters to those of a kind. [render]
  @_noLocks
  static func set(
    _ cascade: FilterCascade, to kind: CabinetKind, isFresh: Bool, sampleRateHz: Double
  ) {
    for index in 0 ..< partCount {
      let filter = coefficients(part(index, of: kind), sampleRateHz)
      let isFlat: Bool = if case .off = kind { true } else { false }
      cascade.set(
        index, to: isFlat ? filter.bypassed() : filter, isFlat: isFlat, isFresh: isFresh)
    }
  }

  @_noLocks
  private static func part(_ index: Int, of kind: CabinetKind) -> Part {
    switch kind {
    case .off, .open: open(index)
    case .closed: closed(index)
    case .small: small(index)
    }
  }

  /// One loudspeaker of twelve inches in a box with an open back.
  @_noLocks
  private static func open(_ index: Int) -> Part {
    switch index {
    case 0: .highPass(hertz: 85, q: 0.9)
    case 1: .bell(hertz: 130, q: 1.5, decibels: 2)
    case 2: .bell(hertz: 420, q: 0.9, decibels: -4)
    case 3: .bell(hertz: 2_400, q: 1.2, decibels: 6)
    case 4: .bell(hertz: 3_900, q: 2.5, decibels: 3)
    case 5: .lowPass(hertz: 5_200, q: 0.8)
    default: .lowPass(hertz: 5_600, q: 1.1)
    }
  }

  /// Four of twelve inches in a closed box.
  @_noLocks
  private static func closed(_ index: Int) -> Part {
    switch index {
    case 0: .highPass(hertz: 70, q: 1.1)
    case 1: .bell(hertz: 115, q: 1.4, decibels: 5)
    case 2: .bell(hertz: 380, q: 1, decibels: -5)
    case 3: .bell(hertz: 1_700, q: 1.2, decibels: 2)
    case 4: .bell(hertz: 3_000, q: 1.8, decibels: 5)
    case 5: .lowPass(hertz: 4_500, q: 0.7)
    default: .lowPass(hertz: 4_800, q: 1.2)
    }
  }

  /// One of eight inches.
  @_noLocks
  private static func small(_ index: Int) -> Part {
    switch index {
    case 0: .highPass(hertz: 140, q: 1.2)
    case 1: .bell(hertz: 200, q: 1.5, decibels: 3)
    case 2: .bell(hertz: 650, q: 1, decibels: -3)
    case 3: .bell(hertz: 1_500, q: 1.5, decibels: 3)
    case 4: .bell(hertz: 3_400, q: 1.6, decibels: 6)
    case 5: .lowPass(hertz: 5_500, q: 0.8)
    default: .lowPass(hertz: 6_500, q: 0.9)
    }
  }

  @_noLocks
  private static func coefficients(_ part: Part, _ sampleRateHz: Double) -> FilterCoefficients {
    func tangent(_ hertz: Double) -> Double {
      realtime_tan(Double.pi * min(hertz / sampleRateHz, 0.45))
    }
    switch part {
    case .highPass(let hertz, let q):
      return FilterCoefficients(g: tangent(hertz), k: 1 / q, high: 1, band: 0, low: 0)
    case .lowPass(let hertz, let q):
      return FilterCoefficients(g: tangent(hertz), k: 1 / q, high: 0, band: 0, low: 1)
    case .bell(let hertz, let q, let decibels):
      // A cut has the same width as the boost with the same numbers.
      let root = realtime_pow(10, decibels / 40)
      let k = 1 / (q * root)
      return FilterCoefficients(g: tangent(hertz), k: k, high: 1, band: k * root * root, low: 1)
    }
  }
}
