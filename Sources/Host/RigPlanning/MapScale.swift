// MapScale.swift: from a control's position to a value. SPDX-License-Identifier: MIT

import Glibc

/// A range with a curve.
package struct MapScale: Sendable, Equatable {
  /// The value at position 0; may be above `high`.
  package var low: Double
  /// The value at position 1.
  package var high: Double
  /// Whether equal steps are equal ratios; both ends are above 0 then.
  package var isLogarithmic = false
  /// The number of positions, at least 2; nil for any.
  package var stepCount: Int?

  /// Creates a linear range.
  package init(low: Double, high: Double) { (self.low, self.high) = (low, high) }

  /// Returns the value at a position, 0 to 1. [any]
  package func value(at position: Double) -> Double {
    var fraction = min(max(position, 0), 1)
    if let stepCount {
      let last = Double(stepCount - 1)
      fraction = (fraction * last).rounded() / last
    }
    // The ends are exact.
    if fraction == 0 { return low }
    if fraction == 1 { return high }
    return isLogarithmic ? low * pow(high / low, fraction) : low + (high - low) * fraction
  }

  /// Returns the position of a value, 0 to 1; values outside of the range are at its ends. [any]
  package func position(of value: Double) -> Double {
    guard low != high, !value.isNaN else { return 0 }
    let fraction =
      isLogarithmic
      ? (value > 0 ? log(value / low) / log(high / low) : low < high ? 0 : 1)
      : (value - low) / (high - low)
    return min(max(fraction, 0), 1)
  }
}
