// Parameter+Grid.swift: values that are short to write. SPDX-License-Identifier: MIT

import Glibc

extension Parameter {
  /// The nearest legal value on a grid whose steps are inaudible. [any]
  ///
  /// The steps are 0.01 for percent and decibels, the fifth digit if the range is logarithmic, and a hundred
  /// thousandth of the range's power of ten otherwise.
  package func onGrid(_ value: Float) -> Float {
    guard scale == .linear || scale == .logarithmic, !isEnumeration, value.isFinite else {
      return nearestValid(to: value)
    }
    let span = Double(maximum) - Double(minimum)
    let measure = scale == .logarithmic ? abs(Double(value)) : span
    guard measure > 0, measure.isFinite else { return nearestValid(to: value) }
    let magnitude = Int(log10(measure).rounded(.down))
    var places = scale == .logarithmic ? 4 - magnitude : 5 - magnitude
    if ["%", "db"].contains(unit.lowercased()), span > 1 { places = min(places, 2) }
    // Divided instead of multiplied by a power of ten: the result is exactly the written number.
    let power = pow(10, Double(abs(places)))
    let rounded =
      places >= 0
      ? (Double(value) * power).rounded() / power : (Double(value) / power).rounded() * power
    return nearestValid(to: Float(rounded))
  }
}
