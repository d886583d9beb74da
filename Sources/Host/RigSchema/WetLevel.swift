// WetLevel.swift: parses wet levels. SPDX-License-Identifier: MIT

import Manifests

/// A wet level: `40 %`, or `40`, from 0 to 100.
///
/// Without the percent sign it must be 0 or more than 1.
package struct WetLevel: Equatable {
  /// 0 to 1.
  package let value: Float

  /// Parses a text; returns nil unless it is a percentage in range. [any]
  package init?(_ text: String) {
    guard let quantity = Quantity(text), 0 ... 100 ~= quantity.value,
      quantity.unit.isEmpty || quantity.converted(to: "%") != nil, !Self.isAmbiguous(quantity)
    else { return nil }
    value = Float(quantity.value / 100)
  }

  /// A share of 0 to 1 as the shortest text that is read back as the very value. [any]
  package static func spelling(of level: Float) -> String {
    let percent = Double(level) * 100
    for scale in [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7] {
      let text = "\(plain((percent * scale).rounded() / scale)) %"
      if WetLevel(text)?.value == level { return text }
    }
    return "\(plain(percent)) %"
  }

  /// Why a text is no share. [any]
  package static func errorMessage(_ text: String) -> String {
    guard let quantity = Quantity(text), isAmbiguous(quantity) else {
      return "is not a percentage. Allowed: 0 % to 100 %."
    }
    let percent = plain((quantity.value * 1e4).rounded() / 100)
    return
      "is ambiguous: \(plain(quantity.value)) % or \(percent) %. Write the value with"
      + " its percent sign."
  }

  /// Returns whether a number may be meant as a fraction, whose effect would be almost inaudible.
  private static func isAmbiguous(_ quantity: Quantity) -> Bool {
    quantity.unit.isEmpty && quantity.value > 0 && quantity.value <= 1
  }
}
