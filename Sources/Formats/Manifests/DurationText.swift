// DurationText.swift: parses durations. SPDX-License-Identifier: MIT

/// Times with a unit, or as a clock shows them.
package enum DurationText {
  /// Returns the seconds of `90 s`, `1.5 min`, `1:30`, `1:02:03.5` or just `90`; nil for anything else. [any]
  package static func seconds(_ text: String) -> Double? {
    let parts = text.trimmed.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count > 1 else {
      guard let quantity = Quantity(text), quantity.value >= 0 else { return nil }
      return quantity.unit.isEmpty ? quantity.value : quantity.converted(to: "s")
    }
    guard parts.count <= 3 else { return nil }
    var seconds = 0.0
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      guard let first = part.first, first.isNumber, let number = Quantity(String(part)),
        number.unit.isEmpty, isLast || number.value == number.value.rounded(),
        index == 0 || number.value < 60
      else { return nil }
      seconds = seconds * 60 + number.value
    }
    return seconds
  }

  /// Seconds as a clock shows them, in tenths: `1:02:03.5`, `0:07.0`. [any]
  package static func text(_ seconds: Double) -> String {
    let tenths = Int((max(0, seconds) * 10).rounded(.down))
    let (minutes, rest) = (tenths / 600, tenths % 600)
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let hours = minutes >= 60 ? "\(minutes / 60):\(padded(minutes % 60))" : "\(minutes)"
    return "\(hours):\(padded(rest / 10)).\(rest % 10)"
  }
}
