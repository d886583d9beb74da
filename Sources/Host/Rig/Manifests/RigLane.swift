// RigLane.swift: a lane as a rig's manifest says it. SPDX-License-Identifier: MIT

package import PluginModel

/// A parameter that moves by itself, as it was written; its values are read once the parameter is known.
package struct RigLane: Sendable, Equatable {
  /// A point as it was written.
  package struct Point: Sendable, Equatable {
    /// In the lane's unit, at least 0.
    package var time: Double
    /// The value as written.
    package var text: String
    /// The way that leads to it; nil for the usual one.
    package var shape: AutomationLane.Shape?
    /// Where it stands.
    package var position: SourcePosition

    /// A value at a time, and the way to it.
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
  /// What times are counted in.
  package var clock = AutomationLane.TimeBase.seconds
  /// When it begins anew; nil for never.
  package var loop: Double?
  /// At least one, in the order of time.
  package var points: [Point]
  /// Where the parameter is named.
  package var position = SourcePosition.unknown
  /// The keys that lead to it in its manifest.
  package var keyPath = ""

  /// A lane in seconds that does not begin anew.
  package init(node: String, symbol: String, points: [Point]) {
    (self.node, self.symbol, self.points) = (node, symbol, points)
  }
}
