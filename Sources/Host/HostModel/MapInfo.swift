// MapInfo.swift: a MIDI mapping, as a list of mappings has it. SPDX-License-Identifier: MIT

/// A MIDI control and what it changes.
package struct MapInfo: Codable, Sendable, Equatable {
  /// The position in the list, from 1.
  package var number: Int
  /// The control, as in a rig.
  package var control: String
  /// The parameter or action, as in a rig.
  package var target: String
  /// The range and the words after it; empty for none.
  package var options: String

  /// A mapping by its values.
  package init(number: Int, control: String, target: String, options: String) {
    (self.number, self.control, self.target, self.options) = (number, control, target, options)
  }
}
