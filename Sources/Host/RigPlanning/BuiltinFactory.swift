// BuiltinFactory.swift: built-in nodes of a rig. SPDX-License-Identifier: MIT

import Builtins
import FilePlayback
import FileRecording
import Manifests
import Metering
import PluginModel
import RigSchema

/// Describes one kind of built-in node from the keys of a rig.
struct BuiltinFactory: Sendable {
  /// The word after `builtin:`.
  let word: String
  /// Describes a node, or throws `RigNodeError`.
  let describe: @Sendable (_ node: RigNode, _ rig: RigDescription) throws -> PluginDescription

  /// All kinds.
  static let all =
    Builtin.allCases.map { builtin in
      BuiltinFactory(word: builtin.rawValue) { node, _ in try plain(builtin, node) }
    } + [
      BuiltinFactory(word: RecorderSettings.word) { try recorder($0, in: $1).plugin },
      BuiltinFactory(word: PlayerSettings.word) { try player($0, in: $1).plugin },
      BuiltinFactory(word: MeterSettings.word) { try meter($0, in: $1).plugin },
    ]

  /// Describes a node of the kind with a word.
  ///
  /// - Throws: `RigNodeError`.
  static func describe(
    _ word: String, _ node: RigNode, _ rig: RigDescription
  ) throws -> PluginDescription {
    guard let factory = all.first(where: { $0.word == word }) else {
      let known = all.map(\.word)
      throw RigNodeError(
        position: node.sourcePosition, keyPath: "\(node.keyPath).builtin",
        fault: .unknownWord(
          found: word, suggestion: nearest(to: word, among: known), known: known))
    }
    return try factory.describe(node, rig)
  }

  /// A node with a number of channels and nothing else.
  private static func plain(_ builtin: Builtin, _ node: RigNode) throws -> PluginDescription {
    var count = 2
    for setting in node.settings {
      guard setting.key == "channels" else {
        let known = ["builtin", "channels", "parameters"]
        throw RigNodeError(setting, of: node, .unknownKey(suggestion: nil, known: known))
      }
      count = try channelCount(setting, of: node, Builtin.channelCounts)
    }
    return builtin.description(channelCount: count)
  }

  /// Parses a channel count within a range.
  static func channelCount(
    _ setting: BuiltinSetting, of node: RigNode, _ range: ClosedRange<Int>
  ) throws -> Int {
    guard let number = Int(setting.text), range ~= number else {
      throw RigNodeError(
        setting, of: node,
        .outOfRange(
          found: setting.text, minimum: "\(range.lowerBound)", maximum: "\(range.upperBound)"))
    }
    return number
  }
}
