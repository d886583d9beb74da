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

  /// Parses `wet` (0...100 %) and `bypass` (on or off).
  ///
  /// - Parameters:
  ///   - values: the values by symbol.
  ///   - name: the node, for messages.
  ///   - present: the settings to which relative values refer; nil if there must be none.
  /// - Throws: `SetValueError` for the first invalid value.
  init(
    _ values: [(symbol: String, text: String)], of name: String,
    present: (wet: Float, isBypassed: Bool)? = nil
  ) throws(SetValueError) {
    for (symbol, text) in values {
      let relative = present == nil ? nil : RelativeValue(text)
      if symbol.lowercased() == "wet" {
        let now = Double(wet ?? present?.wet ?? 1) * 100
        if let percent = relative?.applied(to: now, unit: "%") {
          wet = Float(min(max(percent, 0), 100) / 100)
          continue
        }
        guard let level = WetLevel(text) else {
          throw SetValueError(messages: ["\(name): wet = \(text) \(WetLevel.errorMessage(text))"])
        }
        wet = level.value
      } else {
        if relative == .toggle {
          isBypassed = !(isBypassed ?? present?.isBypassed ?? false)
          continue
        }
        guard let isOn = switchPosition(text) ?? ["1": true, "0": false][text] else {
          throw SetValueError(
            messages: [
              "\(name): invalid value for bypass: \(text). Use on\(present == nil ? " or off" : ", off or toggle")."
            ])
        }
        isBypassed = isOn
      }
    }
  }

  /// Returns the settings that differ between two nodes.
  init(from old: RigNode, to new: RigNode) {
    wet = old.wetLevel == new.wetLevel ? nil : new.wetLevel
    isBypassed = old.isBypassed == new.isBypassed ? nil : new.isBypassed
  }
}
