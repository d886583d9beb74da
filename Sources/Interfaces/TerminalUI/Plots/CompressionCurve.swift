// CompressionCurve.swift: the levels of a compressor. SPDX-License-Identifier: MIT

/// A compressor with a soft knee, without make-up gain; all values in dB.
struct CompressionCurve: Equatable, Sendable {
  var threshold: Double
  var ratio: Double
  var knee: Double

  /// The output level for an input level.
  func output(_ input: Double) -> Double {
    let over = input - threshold
    if 2 * over <= -knee { return input }
    if 2 * over >= knee { return threshold + over / ratio }
    return input + (1 / ratio - 1) * (over + knee / 2) * (over + knee / 2) / (2 * knee)
  }

  /// The input level at which the level is reduced by some dB.
  func input(reducedBy reduction: Double) -> Double {
    var range = (low: -90.0, high: 24.0)
    for _ in 0 ..< 30 {
      let middle = (range.low + range.high) / 2
      if middle - output(middle) < reduction { range.low = middle } else { range.high = middle }
    }
    return (range.low + range.high) / 2
  }
}
