// RigScene.swift: values under a name, as a rig's manifest says them. SPDX-License-Identifier: MIT

/// Values that are gone over to together, as they were written; they are read once the nodes are known.
package struct RigScene: Sendable, Equatable {
  /// What it is called.
  package var name: String
  /// How long it takes, unless somebody says otherwise, in seconds; nil for at once.
  package var overSeconds: Double?
  /// The MIDI program that stands for it, 1 to 128; nil for none.
  package var program: Int?
  /// Whether it sets everything that a scene can set.
  ///
  /// What `values` leaves out is as the rig's nodes and connections are written; `PreparedRig` adds it.
  package var isComplete = false
  /// What is set: the symbol is a node and its parameter, `bypass` or `wet`, as in `reverb.mix`.
  package var values: [RigParameter]
  /// Where it is named.
  package var position = SourcePosition.unknown

  /// A scene that is gone over to at once.
  package init(name: String, values: [RigParameter]) {
    (self.name, self.values) = (name, values)
  }

  /// The keys that lead to it in its manifest.
  package var keyPath: String { "scenes.\(name)" }
}

/// How long a way takes, as people write it: `2`, `2s`, `500 ms`, `1 min`.
package struct MorphTime: Equatable {
  /// An hour.
  package static let longestSeconds = 3_600.0
  /// At least 0, at most an hour.
  package let seconds: Double

  /// Nil unless the text is such a time. [any]
  package init?(_ text: String) {
    guard let quantity = Quantity(text),
      let seconds = quantity.unit.isEmpty ? quantity.value : quantity.converted(to: "s"),
      0 ... Self.longestSeconds ~= seconds
    else { return nil }
    self.seconds = seconds
  }

  /// What would be one, as a sentence. [any]
  package static func rule(_ text: String) -> String {
    "\"\(text.shortened)\" is not a morph time. Allowed: 0 to 1 hour, e.g. 2 s or"
      + " 500 ms."
  }
}
