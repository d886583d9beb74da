// RigLane.swift: a lane as a rig's manifest says it. SPDX-License-Identifier: MIT

package import Manifests
package import PluginModel

/// An automation lane as it was read; its values are parsed when the parameter is known.
package struct RigLane: Sendable, Equatable {
  /// A point as it was written.
  package struct Point: Sendable, Equatable {
    /// In the lane's unit, at least 0.
    package var time: Double
    /// The value as written.
    package var text: String
    /// The shape of the ramp to it; nil for the default.
    package var shape: AutomationLane.Shape?
    /// The position in the file.
    package var position: SourcePosition

    /// Creates a point from a time, a value, and the shape of the ramp to it.
    package init(
      time: Double, text: String, shape: AutomationLane.Shape? = nil,
      position: SourcePosition = .unknown
    ) {
      (self.time, self.text, self.shape, self.position) = (time, text, shape, position)
    }
  }

  /// The node's name.
  package var node: String
  /// The parameter's symbol or name.
  package var symbol: String
  /// The unit of times.
  package var clock = AutomationLane.TimeBase.seconds
  /// The length of the loop; nil for no loop.
  package var loop: Double?
  /// At least one, in the order of time.
  package var points: [Point]
  /// The position of the parameter's name.
  package var position = SourcePosition.unknown
  /// The keys that lead to it in its manifest.
  package var keyPath = ""

  /// Creates a lane in seconds without a loop.
  package init(node: String, symbol: String, points: [Point]) {
    (self.node, self.symbol, self.points) = (node, symbol, points)
  }
}
