// LevelReading.swift: levels for displays. SPDX-License-Identifier: MIT

/// Peaks since the last reading, and readouts.
package struct LevelReading: Sendable {
  /// A node.
  package struct Node: Sendable {
    /// The name in the rig.
    package var name: String
    /// The highest sample of its outputs, linear.
    package var peak: Float
    /// The readouts of its first instance; nil if it has none.
    package var readouts: NodeReadouts?
  }

  /// The peak of each input, linear.
  package var inputPeaks: [Float]
  /// The peak of each output, linear.
  package var outputPeaks: [Float]
  /// The nodes, in the order of the rig.
  package var nodes: [Node]
}
