// RigText.swift: the text of a rig file. SPDX-License-Identifier: MIT

/// The text that a rig was read from.
///
/// All texts are equal, because a rig is equal to another one with the same content.
package struct RigText: Sendable, Equatable {
  /// The text; nil if the rig was not read from a text.
  package var value: String?

  /// Whether two texts are equal; they always are.
  package static func == (one: Self, other: Self) -> Bool { true }
}
