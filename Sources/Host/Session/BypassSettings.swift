// BypassSettings.swift: bypass and wet level of a node or nested rig.
// SPDX-License-Identifier: MIT

import Manifests
import RigSchema

/// Changes to the wet level (0...1) and the bypass switch of a node.
///
/// A nil field means "no change".
struct BypassSettings {
  private(set) var wet: Float?
  private(set) var isBypassed: Bool?

  /// Parses `wet` (0...100 %) and `bypass` (on or off); `name` is the node for messages.
  init(_ values: [(symbol: String, text: String)], of name: String) throws(SetValueError) {
    for (symbol, text) in values {
      if symbol.lowercased() == "wet" {
        guard let share = WetLevel(text) else {
          throw SetValueError(messages: ["\(name): wet = \(text) \(WetLevel.errorMessage(text))"])
        }
        wet = share.value
      } else {
        guard let isOn = switchPosition(text) ?? ["1": true, "0": false][text] else {
          throw SetValueError(
            messages: ["\(name): invalid value for bypass: \(text). Use on or off."])
        }
        isBypassed = isOn
      }
    }
  }

  /// Returns the settings that differ between two nodes.
  init(from old: RigNode, to new: RigNode) {
    wet = old.wetShare == new.wetShare ? nil : new.wetShare
    isBypassed = old.isBypassed == new.isBypassed ? nil : new.isBypassed
  }
}
