// ReadoutNode.swift: a node that tells what it measures. SPDX-License-Identifier: MIT

/// A node whose plugin has readouts: values that it gives, in the order of the description's `readouts`.
package protocol ReadoutNode: Node {
  /// What the plugin told last, in the readout's unit; a tenth of a second may have gone by since.
  /// [main, while rendering too]
  func readout(_ index: Int) -> Float
  /// Brings all readouts up to the last block. [main, not rendering]
  func refreshReadouts()
}
