// ReadoutNode.swift: a node that reports its measurements. SPDX-License-Identifier: MIT

/// A node whose plugin has readouts: output values, in the order of the description's `readouts`.
package protocol ReadoutNode: Node {
  /// Returns the last reported value, in the readout's unit, up to a tenth of a second old. [main,
  /// while rendering too]
  func readout(_ index: Int) -> Float
  /// Brings all readouts up to the last block. [main, not rendering]
  func refreshReadouts()
}
