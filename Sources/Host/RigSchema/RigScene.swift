// RigScene.swift: values under a name, as a rig's manifest says them. SPDX-License-Identifier: MIT

package import Manifests

/// A scene as it was read; its values are parsed when the nodes are known.
package struct RigScene: Sendable, Equatable {
  /// The name of the scene.
  package var name: String
  /// The default duration of its recall, in seconds; nil for immediate.
  package var overSeconds: Double?
  /// The MIDI program that recalls it, 1 to 128; nil for none.
  package var program: Int?
  /// Whether the scene sets every value that a scene can set.
  ///
  /// Values that `values` omits are those of the rig's nodes and connections; `PreparedRig` adds them.
  package var isComplete = false
  /// The values: the symbol is a node and its parameter, `bypass` or `wet`, as in `reverb.mix`.
  package var values: [RigParameter]
  /// The position of its name.
  package var position = SourcePosition.unknown

  /// Creates a scene with an immediate recall.
  package init(name: String, values: [RigParameter]) {
    (self.name, self.values) = (name, values)
  }

  /// The keys that lead to it in its manifest.
  package var keyPath: String { "scenes.\(name)" }
}

/// The duration of a scene change: `2`, `2s`, `500 ms`, `1 min`.
package struct MorphTime: Equatable {
  /// An hour.
  package static let longestSeconds = 3_600.0
  /// At least 0, at most an hour.
  package let seconds: Double

  /// Parses a text; returns nil if it is not a duration in the legal range. [any]
  package init?(_ text: String) {
    guard let seconds = DurationText.seconds(text), 0 ... Self.longestSeconds ~= seconds
    else { return nil }
    self.seconds = seconds
  }

  /// Returns the message about an invalid text. [any]
  package static func rule(_ text: String) -> String {
    "\"\(text.shortened)\" is not a morph time. Allowed: 0 to 1 hour, e.g. 2 s or"
      + " 500 ms."
  }
}
