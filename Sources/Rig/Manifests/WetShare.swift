// WetShare.swift: how much of a sound a node's own is. SPDX-License-Identifier: MIT

/// A share as people write it: `40 %`, or `40`, from 0 to 100.
package struct WetShare: Equatable {
  /// 0 to 1.
  package let value: Float

  /// Nil unless the text is a number of percent within the range. [any]
  package init?(_ text: String) {
    guard let quantity = Quantity(text), 0 ... 100 ~= quantity.value,
      quantity.unit.isEmpty || quantity.converted(to: "%") != nil
    else { return nil }
    value = Float(quantity.value / 100)
  }
}
