// Kaiser.swift: the Kaiser window. SPDX-License-Identifier: MIT

import ModuleABI

/// The window of Kaiser's "Nonrecursive digital filter design using the I0-sinh window function", 1974.
public enum Kaiser {
  /// Returns the window at a position from -1 to 1; 1 in the middle. [main]
  ///
  /// - Parameters:
  ///   - position: the position; the window is 0 beyond -1 and 1.
  ///   - beta: its parameter: 5 for 53 dB, 6.8 for 70 dB of stopband, `0.1102 (dB - 8.7)` above 50 dB.
  /// - Returns: 0 to 1.
  public static func window(_ position: Double, beta: Double) -> Double {
    guard abs(position) <= 1 else { return 0 }
    return bessel(beta * realtime_sqrt(1 - position * position)) / bessel(beta)
  }

  /// Returns the modified Bessel function of order 0, from its power series.
  private static func bessel(_ x: Double) -> Double {
    var term = 1.0
    var sum = 1.0
    var index = 1.0
    while term > 1e-17 * sum {
      term *= (x / (2 * index)) * (x / (2 * index))
      sum += term
      index += 1
    }
    return sum
  }
}
