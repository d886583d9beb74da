// BypassSettings.swift: what leads sound past a node or a rig within, as a hand or a scene sets it.
// SPDX-License-Identifier: MIT

import Rig

/// The share of a node that is heard, and whether all goes past it; nil for what is left as it is.
struct BypassSettings {
  private(set) var wet: Float?
  private(set) var isBypassed: Bool?

  /// Reads values of `wet`, a share, and `bypass`, the position of a switch; `name` is whose they are.
  init(_ values: [(symbol: String, text: String)], of name: String) throws(SetValueError) {
    for (symbol, text) in values {
      if symbol.lowercased() == "wet" {
        guard let share = WetLevel(text) else {
          throw SetValueError(sentences: ["\(name): wet = \(text) \(WetLevel.mistake(text))"])
        }
        wet = share.value
      } else {
        guard let isOn = switchPosition(text) ?? ["1": true, "0": false][text] else {
          throw SetValueError(
            sentences: ["\(name): invalid value for bypass: \(text). Use on or off."])
        }
        isBypassed = isOn
      }
    }
  }

  /// What of it differs from one node to another.
  init(from old: RigNode, to new: RigNode) {
    wet = old.wetShare == new.wetShare ? nil : new.wetShare
    isBypassed = old.isBypassed == new.isBypassed ? nil : new.isBypassed
  }
}
